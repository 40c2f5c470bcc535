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
    (local.get $end))

  ;; Writes the rows of the set bits of [at, end) to out, ascending, 32 bits each, where the first bit is row $row;
  ;; returns the end of what it wrote. Two rows are written at a time, whether a word has as many or not: writes up to 4
  ;; bytes past that end.
  (func (export "list")
    (param $at i32) (param $end i32) (param $row i32) (param $out i32) (result i32)
    (local $words i32) ;; a bit for each word of the sixteen bytes that has bits
    (local $word i32)
    (local $lane i32)
    (local $base i32)
    (block $done
      (loop $next
        ;; Skips sixty-four bytes without a set bit at once.
        (block $some
          (br_if $some (i32.lt_u (i32.sub (local.get $end) (local.get $at)) (i32.const 64)))
          (br_if $some
            (v128.any_true
              (v128.or
                (v128.or
                  (v128.load align=1 (local.get $at))
                  (v128.load offset=16 align=1 (local.get $at)))
                (v128.or
                  (v128.load offset=32 align=1 (local.get $at))
                  (v128.load offset=48 align=1 (local.get $at))))))
          (local.set $at (i32.add (local.get $at) (i32.const 64)))
          (local.set $row (i32.add (local.get $row) (i32.const 512)))
          (br $next))
        (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
        (local.set $words
          (i32x4.bitmask
            (i32x4.ne
              (v128.load align=1 (local.get $at))
              (v128.const i32x4 0 0 0 0))))
        (block $empty
          (br_if $empty (i32.eqz (local.get $words)))
          (loop $nextWord
            (local.set $lane (i32.ctz (local.get $words)))
            (local.set $word
              (i32.load align=1
                (i32.add (local.get $at) (i32.shl (local.get $lane) (i32.const 2)))))
            (local.set $base
              (i32.add (local.get $row) (i32.shl (local.get $lane) (i32.const 5))))
            (loop $nextRows
              (i32.store align=1
                (local.get $out)
                (i32.add (local.get $base) (i32.ctz (local.get $word))))
              (local.set $word
                (i32.and (local.get $word) (i32.sub (local.get $word) (i32.const 1))))
              (i32.store offset=4 align=1
                (local.get $out)
                (i32.add (local.get $base) (i32.ctz (local.get $word))))
              (local.set $out
                (i32.add
                  (i32.add (local.get $out) (i32.const 4))
                  (i32.shl (i32.ne (local.get $word) (i32.const 0)) (i32.const 2))))
              (local.set $word
                (i32.and (local.get $word) (i32.sub (local.get $word) (i32.const 1))))
              (br_if $nextRows (local.get $word)))
            (local.set $words
              (i32.and (local.get $words) (i32.sub (local.get $words) (i32.const 1))))
            (br_if $nextWord (local.get $words))))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (local.set $row (i32.add (local.get $row) (i32.const 128)))
        (br $next)))
    (local.get $out))

  ;; The functions below read rows at [rows, end), 32 bits each. They return -1, and do nothing, where one of these is not
  ;; below $most, the rows of the bitmap at $bits, as in a corrupt index. Up to 12 bytes past the end are read too.

  ;; Whether all rows are below $most.
  (func $areBelow (param $rows i32) (param $end i32) (param $most i32) (result i32)
    (local $limits v128)
    (local $past v128)
    (local.set $limits (i32x4.splat (local.get $most)))
    (block $done
      (br_if $done (i32.ge_u (local.get $rows) (local.get $end)))
      (loop $next
        (local.set $past
          (v128.or
            (local.get $past)
            (i32x4.ge_u (v128.load align=1 (local.get $rows)) (local.get $limits))))
        (local.set $rows (i32.add (local.get $rows) (i32.const 16)))
        (br_if $next (i32.lt_u (local.get $rows) (local.get $end)))))
    (i32.eqz (v128.any_true (local.get $past))))

  ;; How many rows have a set bit.
  (func (export "countRows")
    (param $rows i32) (param $end i32) (param $bits i32) (param $most i32) (result i32)
    (local $count i32)
    (local $row i32)
    (if (i32.eqz (call $areBelow (local.get $rows) (local.get $end) (local.get $most)))
      (then (return (i32.const -1))))
    (block $done
      (br_if $done (i32.ge_u (local.get $rows) (local.get $end)))
      (loop $next
        (local.set $row (i32.load align=1 (local.get $rows)))
        (local.set $count
          (i32.add
            (local.get $count)
            (i32.and
              (i32.shr_u
                (i32.load8_u (i32.add (local.get $bits) (i32.shr_u (local.get $row) (i32.const 3))))
                (i32.and (local.get $row) (i32.const 7)))
              (i32.const 1))))
        (local.set $rows (i32.add (local.get $rows) (i32.const 4)))
        (br_if $next (i32.lt_u (local.get $rows) (local.get $end)))))
    (local.get $count))

  ;; Keeps the rows that have a set bit, in place; returns the end of what it kept.
  (func (export "keepRows")
    (param $rows i32) (param $end i32) (param $bits i32) (param $most i32) (result i32)
    (local $out i32)
    (local $row i32)
    (if (i32.eqz (call $areBelow (local.get $rows) (local.get $end) (local.get $most)))
      (then (return (i32.const -1))))
    (local.set $out (local.get $rows))
    (block $done
      (br_if $done (i32.ge_u (local.get $rows) (local.get $end)))
      (loop $next
        (local.set $row (i32.load align=1 (local.get $rows)))
        (i32.store align=1 (local.get $out) (local.get $row))
        (local.set $out
          (i32.add
            (local.get $out)
            (i32.shl
              (i32.and
                (i32.shr_u
                  (i32.load8_u (i32.add (local.get $bits) (i32.shr_u (local.get $row) (i32.const 3))))
                  (i32.and (local.get $row) (i32.const 7)))
                (i32.const 1))
              (i32.const 2))))
        (local.set $rows (i32.add (local.get $rows) (i32.const 4)))
        (br_if $next (i32.lt_u (local.get $rows) (local.get $end)))))
    (local.get $out))

  ;; Sets the bits of the rows; returns 0.
  (func (export "setRows")
    (param $rows i32) (param $end i32) (param $bits i32) (param $most i32) (result i32)
    (local $word i32)
    (local $row i32)
    (if (i32.eqz (call $areBelow (local.get $rows) (local.get $end) (local.get $most)))
      (then (return (i32.const -1))))
    (block $done
      (br_if $done (i32.ge_u (local.get $rows) (local.get $end)))
      (loop $next
        (local.set $row (i32.load align=1 (local.get $rows)))
        (local.set $word
          (i32.add
            (local.get $bits)
            (i32.shl (i32.shr_u (local.get $row) (i32.const 5)) (i32.const 2))))
        (i32.store align=1
          (local.get $word)
          (i32.or (i32.load align=1 (local.get $word)) (i32.shl (i32.const 1) (local.get $row))))
        (local.set $rows (i32.add (local.get $rows) (i32.const 4)))
        (br_if $next (i32.lt_u (local.get $rows) (local.get $end)))))
    (i32.const 0)))
