;; Finds the letter sets that are near to one set: of the letters of either, at most so many are missing in the
;; other. Four sets are compared at a time.
;;
;; `node scripts/generate-wasm.js` assembles this file into generated/near-sets.ts; a test assembles it
;; again and compares.
(module
  (memory (import "host" "memory") 1)

  ;; The sets are at [0, bytes), bytes being a multiple of 16. Writes the position of each near set to $out, 32 bits
  ;; each, and returns the address after the last; four bytes more are overwritten.
  (func (export "near") (param $set i32) (param $most i32) (param $bytes i32) (param $out i32) (result i32)
    (local $at i32)
    (local $lanes i32)
    (local $address i32)
    (local $differing i32)
    (local $sets v128)
    (local $mostBoth v128)
    (local.set $sets (i32x4.splat (local.get $set)))
    (local.set $mostBoth (i32x4.splat (i32.shl (local.get $most) (i32.const 1))))
    (block $done
      (br_if $done (i32.ge_u (local.get $at) (local.get $bytes)))
      (loop $next
        ;; Few sets differ in at most twice as many letters, counted by byte and added up in pairs.
        (local.set $lanes
          (i32x4.bitmask
            (i32x4.le_u
              (i32x4.extadd_pairwise_i16x8_u
                (i16x8.extadd_pairwise_i8x16_u
                  (i8x16.popcnt (v128.xor (v128.load (local.get $at)) (local.get $sets)))))
              (local.get $mostBoth))))
        (block $none
          (br_if $none (i32.eqz (local.get $lanes)))
          (loop $lane
            (local.set $address
              (i32.add (local.get $at) (i32.shl (i32.ctz (local.get $lanes)) (i32.const 2))))
            (local.set $differing (i32.xor (i32.load (local.get $address)) (local.get $set)))
            (i32.store (local.get $out) (i32.shr_u (local.get $address) (i32.const 2)))
            ;; Kept where neither has more than the most.
            (local.set $out
              (i32.add
                (local.get $out)
                (i32.shl
                  (i32.and
                    (i32.le_u
                      (i32.popcnt (i32.and (local.get $differing) (local.get $set)))
                      (local.get $most))
                    (i32.le_u
                      (i32.popcnt
                        (i32.and
                          (local.get $differing)
                          (i32.xor (local.get $set) (i32.const -1))))
                      (local.get $most)))
                  (i32.const 2))))
            (local.set $lanes
              (i32.and (local.get $lanes) (i32.sub (local.get $lanes) (i32.const 1))))
            (br_if $lane (local.get $lanes))))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br_if $next (i32.lt_u (local.get $at) (local.get $bytes)))))
    (local.get $out)))
