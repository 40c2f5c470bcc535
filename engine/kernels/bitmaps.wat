;; Loops over the words of bitmaps, sixteen bytes at a time. Every address is in bytes and need not be aligned;
;; bytes is a multiple of 16.
;;
;; `node scripts/generate-wasm.js` assembles this file into generated/bitmaps.ts; a test assembles it
;; again and compares.
(module
  (memory (import "host" "memory") 1)

  ;; Set bits of a & b.
  (func (export "count") (param $a i32) (param $b i32) (param $bytes i32) (result i32)
    (local $end i32)
    (local $sum v128) ;; four 32-bit counters
    (local.set $end (i32.add (local.get $a) (local.get $bytes)))
    (block $done
      (br_if $done (i32.ge_u (local.get $a) (local.get $end)))
      (loop $next
        ;; Bits of each byte, added up in pairs to 16-bit and then to 32-bit lanes.
        (local.set $sum
          (i32x4.add
            (local.get $sum)
            (i32x4.extadd_pairwise_i16x8_u
              (i16x8.extadd_pairwise_i8x16_u
                (i8x16.popcnt
                  (v128.and
                    (v128.load align=1 (local.get $a))
                    (v128.load align=1 (local.get $b))))))))
        (local.set $a (i32.add (local.get $a) (i32.const 16)))
        (local.set $b (i32.add (local.get $b) (i32.const 16)))
        (br_if $next (i32.lt_u (local.get $a) (local.get $end)))))
    (i32.add
      (i32.add
        (i32x4.extract_lane 0 (local.get $sum))
        (i32x4.extract_lane 1 (local.get $sum)))
      (i32.add
        (i32x4.extract_lane 2 (local.get $sum))
        (i32x4.extract_lane 3 (local.get $sum)))))

  ;; target = a & b; target may be either.
  (func (export "and") (param $target i32) (param $a i32) (param $b i32) (param $bytes i32)
    (local $end i32)
    (local.set $end (i32.add (local.get $a) (local.get $bytes)))
    (block $done
      (br_if $done (i32.ge_u (local.get $a) (local.get $end)))
      (loop $next
        (v128.store align=1
          (local.get $target)
          (v128.and
            (v128.load align=1 (local.get $a))
            (v128.load align=1 (local.get $b))))
        (local.set $target (i32.add (local.get $target) (i32.const 16)))
        (local.set $a (i32.add (local.get $a) (i32.const 16)))
        (local.set $b (i32.add (local.get $b) (i32.const 16)))
        (br_if $next (i32.lt_u (local.get $a) (local.get $end))))))

  ;; target = a & ~b; target may be either.
  (func (export "andNot") (param $target i32) (param $a i32) (param $b i32) (param $bytes i32)
    (local $end i32)
    (local.set $end (i32.add (local.get $a) (local.get $bytes)))
    (block $done
      (br_if $done (i32.ge_u (local.get $a) (local.get $end)))
      (loop $next
        (v128.store align=1
          (local.get $target)
          (v128.andnot
            (v128.load align=1 (local.get $a))
            (v128.load align=1 (local.get $b))))
        (local.set $target (i32.add (local.get $target) (i32.const 16)))
        (local.set $a (i32.add (local.get $a) (i32.const 16)))
        (local.set $b (i32.add (local.get $b) (i32.const 16)))
        (br_if $next (i32.lt_u (local.get $a) (local.get $end))))))

  ;; target |= a & b.
  (func (export "orAnd") (param $target i32) (param $a i32) (param $b i32) (param $bytes i32)
    (local $end i32)
    (local.set $end (i32.add (local.get $a) (local.get $bytes)))
    (block $done
      (br_if $done (i32.ge_u (local.get $a) (local.get $end)))
      (loop $next
        (v128.store align=1
          (local.get $target)
          (v128.or
            (v128.load align=1 (local.get $target))
            (v128.and
              (v128.load align=1 (local.get $a))
              (v128.load align=1 (local.get $b)))))
        (local.set $target (i32.add (local.get $target) (i32.const 16)))
        (local.set $a (i32.add (local.get $a) (i32.const 16)))
        (local.set $b (i32.add (local.get $b) (i32.const 16)))
        (br_if $next (i32.lt_u (local.get $a) (local.get $end))))))

  ;; target |= a & ~b.
  (func (export "orAndNot") (param $target i32) (param $a i32) (param $b i32) (param $bytes i32)
    (local $end i32)
    (local.set $end (i32.add (local.get $a) (local.get $bytes)))
    (block $done
      (br_if $done (i32.ge_u (local.get $a) (local.get $end)))
      (loop $next
        (v128.store align=1
          (local.get $target)
          (v128.or
            (v128.load align=1 (local.get $target))
            (v128.andnot
              (v128.load align=1 (local.get $a))
              (v128.load align=1 (local.get $b)))))
        (local.set $target (i32.add (local.get $target) (i32.const 16)))
        (local.set $a (i32.add (local.get $a) (i32.const 16)))
        (local.set $b (i32.add (local.get $b) (i32.const 16)))
        (br_if $next (i32.lt_u (local.get $a) (local.get $end))))))

  ;; The address of the first sixteen bytes of [at, end) with a set bit; end if there are none.
  (func (export "first") (param $at i32) (param $end i32) (result i32)
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
        (br_if $done (v128.any_true (v128.load align=1 (local.get $at))))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br $next)))
    (local.get $at))

  ;; One past the last sixteen bytes of [at, end) with a set bit; at if there are none.
  (func (export "last") (param $at i32) (param $end i32) (result i32)
    (block $done
      (loop $next
        (br_if $done (i32.le_u (local.get $end) (local.get $at)))
        (br_if $done (v128.any_true (v128.load align=1 (i32.sub (local.get $end) (i32.const 16)))))
        (local.set $end (i32.sub (local.get $end) (i32.const 16)))
        (br $next)))
    (local.get $end)))
