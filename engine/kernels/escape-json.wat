;; Escapes compact JSON as the inside of a JSON string: a backslash before every quote and backslash.
;;
;; `node scripts/generate-wasm.js` assembles this file into generated/escape-json.ts; a test assembles it
;; again and compares.
;;
;; Eight bytes at a time: a mask of the bytes to escape selects a shuffle from a table, which moves the bytes
;; apart and fills the gaps with backslashes.
(module
  ;; From 0 on: 256 shuffles of 16 bytes, by mask. A shuffle names bytes 0 to 7, and by 8 a backslash.
  (memory (import "host" "memory") 1)

  ;; from and to are byte addresses; bytes is a multiple of 8. Writes up to 16 bytes at a time, so up to 8 bytes
  ;; past the end of the result. Returns the address after the result.
  (func (export "escape") (param $from i32) (param $bytes i32) (param $to i32) (result i32)
    (local $end i32)
    (local $mask i32)
    (local $eight v128)
    (local.set $end (i32.add (local.get $from) (local.get $bytes)))
    (block $done
      (br_if $done (i32.ge_u (local.get $from) (local.get $end)))
      (loop $next
        (local.set $eight (v128.load64_zero align=1 (local.get $from)))
        (local.set $mask
          (i32.and
            (i8x16.bitmask
              (v128.or
                (i8x16.eq (local.get $eight) (i8x16.splat (i32.const 0x22)))
                (i8x16.eq (local.get $eight) (i8x16.splat (i32.const 0x5c)))))
            (i32.const 0xff)))
        (v128.store align=1
          (local.get $to)
          (i8x16.swizzle
            (i8x16.replace_lane 8 (local.get $eight) (i32.const 0x5c))
            (v128.load align=1 (i32.mul (local.get $mask) (i32.const 16)))))
        (local.set $to
          (i32.add (local.get $to) (i32.add (i32.const 8) (i32.popcnt (local.get $mask)))))
        (local.set $from (i32.add (local.get $from) (i32.const 8)))
        (br_if $next (i32.lt_u (local.get $from) (local.get $end)))))
    (local.get $to)))
