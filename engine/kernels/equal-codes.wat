;; Bitmaps of the rows whose code is equal to one, for codes of one, two and four bytes, and of the texts that are empty.
;;
;; Sixteen rows are compared at a time: their lanes are narrowed to bytes, of which the sign bits are a row's bits.
;;
;; `node scripts/generate-wasm.js` assembles this file into generated/equal-codes.ts; a test assembles it
;; again and compares.
(module
  (memory (import "host" "memory") 1)

  ;; All of these write two bytes to $out for every sixteen rows. Codes are at [$at, $end), a multiple of sixteen.
  (func (export "bytes") (param $at i32) (param $end i32) (param $code i32) (param $out i32)
    (local $codes v128)
    (local.set $codes (i8x16.splat (local.get $code)))
    (block $done
      (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
      (loop $next
        (i32.store16 (local.get $out)
          (i8x16.bitmask (i8x16.eq (v128.load (local.get $at)) (local.get $codes))))
        (local.set $out (i32.add (local.get $out) (i32.const 2)))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br_if $next (i32.lt_u (local.get $at) (local.get $end))))))

  (func (export "pairs") (param $at i32) (param $end i32) (param $code i32) (param $out i32)
    (local $codes v128)
    (local.set $codes (i16x8.splat (local.get $code)))
    (block $done
      (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
      (loop $next
        (i32.store16 (local.get $out)
          (i8x16.bitmask
            (i8x16.narrow_i16x8_s
              (i16x8.eq (v128.load (local.get $at)) (local.get $codes))
              (i16x8.eq (v128.load offset=16 (local.get $at)) (local.get $codes)))))
        (local.set $out (i32.add (local.get $out) (i32.const 2)))
        (local.set $at (i32.add (local.get $at) (i32.const 32)))
        (br_if $next (i32.lt_u (local.get $at) (local.get $end))))))

  (func (export "words") (param $at i32) (param $end i32) (param $code i32) (param $out i32)
    (local $codes v128)
    (local.set $codes (i32x4.splat (local.get $code)))
    (block $done
      (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
      (loop $next
        (i32.store16 (local.get $out)
          (i8x16.bitmask
            (i8x16.narrow_i16x8_s
              (i16x8.narrow_i32x4_s
                (i32x4.eq (v128.load (local.get $at)) (local.get $codes))
                (i32x4.eq (v128.load offset=16 (local.get $at)) (local.get $codes)))
              (i16x8.narrow_i32x4_s
                (i32x4.eq (v128.load offset=32 (local.get $at)) (local.get $codes))
                (i32x4.eq (v128.load offset=48 (local.get $at)) (local.get $codes))))))
        (local.set $out (i32.add (local.get $out) (i32.const 2)))
        (local.set $at (i32.add (local.get $at) (i32.const 64)))
        (br_if $next (i32.lt_u (local.get $at) (local.get $end))))))

  ;; Texts whose offset, of four bytes at [$at, $end), is that of the next one; one more offset is read. $code is not.
  (func (export "empty") (param $at i32) (param $end i32) (param $code i32) (param $out i32)
    (block $done
      (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
      (loop $next
        (i32.store16 (local.get $out)
          (i8x16.bitmask
            (i8x16.narrow_i16x8_s
              (i16x8.narrow_i32x4_s
                (i32x4.eq (v128.load (local.get $at)) (v128.load offset=4 (local.get $at)))
                (i32x4.eq (v128.load offset=16 (local.get $at)) (v128.load offset=20 (local.get $at))))
              (i16x8.narrow_i32x4_s
                (i32x4.eq (v128.load offset=32 (local.get $at)) (v128.load offset=36 (local.get $at)))
                (i32x4.eq (v128.load offset=48 (local.get $at)) (v128.load offset=52 (local.get $at)))))))
        (local.set $out (i32.add (local.get $out) (i32.const 2)))
        (local.set $at (i32.add (local.get $at) (i32.const 64)))
        (br_if $next (i32.lt_u (local.get $at) (local.get $end)))))))
