;; Counts the set bits of a & b, sixteen bytes at a time.
;;
;; `node scripts/generate-wasm.js` assembles this file into generated/count-common.ts; a test assembles it
;; again and compares.
(module
  (memory (import "host" "memory") 1)

  ;; a and b are byte addresses, neither aligned; bytes is a multiple of 16.
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
        (i32x4.extract_lane 3 (local.get $sum))))))
