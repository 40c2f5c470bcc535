;; Loops over the counters of groups, four bytes each and four at a time. Addresses are in bytes; what is past $end up to
;; the next sixteen bytes is read and must be zero.
;;
;; `node scripts/generate-wasm.js` assembles this file into generated/group-counts.ts; a test assembles it
;; again and compares.
(module
  (memory (import "host" "memory") 1)

  ;; Adds to counter i of [$at, $end) the difference of offsets i and i + 1.
  (func (export "addDifferences") (param $at i32) (param $end i32) (param $offsets i32)
    (block $done
      (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
      (loop $next
        (v128.store
          (local.get $at)
          (i32x4.add
            (v128.load (local.get $at))
            (i32x4.sub
              (v128.load offset=4 align=1 (local.get $offsets))
              (v128.load (local.get $offsets)))))
        (local.set $offsets (i32.add (local.get $offsets) (i32.const 16)))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br_if $next (i32.lt_u (local.get $at) (local.get $end))))))

  ;; How many counters are at least $least, which is not 0.
  (func (export "count") (param $at i32) (param $end i32) (param $least i32) (result i32)
    (local $leasts v128)
    (local $counter v128)
    (local $sum v128) ;; of -1 for each, by lane
    (local.set $leasts (i32x4.splat (local.get $least)))
    (block $done
      (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
      (loop $next
        (local.set $counter (v128.load (local.get $at)))
        (local.set $sum
          (i32x4.add
            (local.get $sum)
            (i32x4.eq
              (i32x4.max_u (local.get $counter) (local.get $leasts))
              (local.get $counter))))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br_if $next (i32.lt_u (local.get $at) (local.get $end)))))
    (i32.sub
      (i32.const 0)
      (i32.add
        (i32.add
          (i32x4.extract_lane 0 (local.get $sum))
          (i32x4.extract_lane 1 (local.get $sum)))
        (i32.add
          (i32x4.extract_lane 2 (local.get $sum))
          (i32x4.extract_lane 3 (local.get $sum))))))

  ;; Writes the indexes of the counters that are at least $least, which is not 0, to $out; returns the end of what it wrote.
  (func (export "list") (param $at i32) (param $end i32) (param $least i32) (param $out i32) (result i32)
    (local $leasts v128)
    (local $counter v128)
    (local $index i32)
    (local $found i32) ;; a bit for each of four counters
    (local.set $leasts (i32x4.splat (local.get $least)))
    (block $done
      (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
      (loop $next
        (local.set $counter (v128.load (local.get $at)))
        (local.set $found
          (i32x4.bitmask
            (i32x4.eq
              (i32x4.max_u (local.get $counter) (local.get $leasts))
              (local.get $counter))))
        (block $none
          (br_if $none (i32.eqz (local.get $found)))
          (loop $more
            (i32.store
              (local.get $out)
              (i32.add (local.get $index) (i32.ctz (local.get $found))))
            (local.set $out (i32.add (local.get $out) (i32.const 4)))
            (local.set $found
              (i32.and
                (local.get $found)
                (i32.sub (local.get $found) (i32.const 1))))
            (br_if $more (local.get $found))))
        (local.set $index (i32.add (local.get $index) (i32.const 4)))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br_if $next (i32.lt_u (local.get $at) (local.get $end)))))
    (local.get $out)))
