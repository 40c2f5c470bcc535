;; Sets of the codes that rows have, of codes of one, two and four bytes.
;;
;; `node scripts/generate-wasm.js` assembles this file into generated/code-sets.ts; a test assembles it
;; again and compares.
(module
  (memory (import "host" "memory") 1)

  ;; All of these set the bits of the codes at [$at, $end) in the bitmap at $bits. Codes from $limit on, which a corrupt
  ;; month may have, have no bit.

  (func (export "bytes") (param $at i32) (param $end i32) (param $bits i32) (param $limit i32)
    (local $code i32)
    (local $word i32)
    (block $done
      (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
      (loop $next
        (local.set $code (i32.load8_u (local.get $at)))
        (if (i32.lt_u (local.get $code) (local.get $limit))
          (then
            (local.set $word
              (i32.add
                (local.get $bits)
                (i32.shl (i32.shr_u (local.get $code) (i32.const 5)) (i32.const 2))))
            (i32.store (local.get $word)
              (i32.or
                (i32.load (local.get $word))
                (i32.shl (i32.const 1) (local.get $code))))))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br_if $next (i32.lt_u (local.get $at) (local.get $end))))))

  (func (export "pairs") (param $at i32) (param $end i32) (param $bits i32) (param $limit i32)
    (local $code i32)
    (local $word i32)
    (block $done
      (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
      (loop $next
        (local.set $code (i32.load16_u (local.get $at)))
        (if (i32.lt_u (local.get $code) (local.get $limit))
          (then
            (local.set $word
              (i32.add
                (local.get $bits)
                (i32.shl (i32.shr_u (local.get $code) (i32.const 5)) (i32.const 2))))
            (i32.store (local.get $word)
              (i32.or
                (i32.load (local.get $word))
                (i32.shl (i32.const 1) (local.get $code))))))
        (local.set $at (i32.add (local.get $at) (i32.const 2)))
        (br_if $next (i32.lt_u (local.get $at) (local.get $end))))))

  (func (export "words") (param $at i32) (param $end i32) (param $bits i32) (param $limit i32)
    (local $code i32)
    (local $word i32)
    (block $done
      (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
      (loop $next
        (local.set $code (i32.load (local.get $at)))
        (if (i32.lt_u (local.get $code) (local.get $limit))
          (then
            (local.set $word
              (i32.add
                (local.get $bits)
                (i32.shl (i32.shr_u (local.get $code) (i32.const 5)) (i32.const 2))))
            (i32.store (local.get $word)
              (i32.or
                (i32.load (local.get $word))
                (i32.shl (i32.const 1) (local.get $code))))))
        (local.set $at (i32.add (local.get $at) (i32.const 4)))
        (br_if $next (i32.lt_u (local.get $at) (local.get $end))))))

  ;; The words of the bitmap at [$at, $end), a multiple of sixteen, that are not zero: each one's index to $places, and the
  ;; word to $words, both without gaps. Returns the end of the indexes; there, one more of each is written.
  (func (export "pack") (param $at i32) (param $end i32) (param $places i32) (param $words i32) (result i32)
    (local $place i32)
    (local $word i32)
    (local $step i32)
    (block $done
      (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
      (loop $next
        (if (v128.any_true (v128.load (local.get $at)))
          (then
            (local.set $word (i32.load (local.get $at)))
            (i32.store (local.get $places) (i32.add (local.get $place) (i32.const 0)))
            (i32.store (local.get $words) (local.get $word))
            (local.set $step (i32.shl (i32.ne (local.get $word) (i32.const 0)) (i32.const 2)))
            (local.set $places (i32.add (local.get $places) (local.get $step)))
            (local.set $words (i32.add (local.get $words) (local.get $step)))
            (local.set $word (i32.load offset=4 (local.get $at)))
            (i32.store (local.get $places) (i32.add (local.get $place) (i32.const 1)))
            (i32.store (local.get $words) (local.get $word))
            (local.set $step (i32.shl (i32.ne (local.get $word) (i32.const 0)) (i32.const 2)))
            (local.set $places (i32.add (local.get $places) (local.get $step)))
            (local.set $words (i32.add (local.get $words) (local.get $step)))
            (local.set $word (i32.load offset=8 (local.get $at)))
            (i32.store (local.get $places) (i32.add (local.get $place) (i32.const 2)))
            (i32.store (local.get $words) (local.get $word))
            (local.set $step (i32.shl (i32.ne (local.get $word) (i32.const 0)) (i32.const 2)))
            (local.set $places (i32.add (local.get $places) (local.get $step)))
            (local.set $words (i32.add (local.get $words) (local.get $step)))
            (local.set $word (i32.load offset=12 (local.get $at)))
            (i32.store (local.get $places) (i32.add (local.get $place) (i32.const 3)))
            (i32.store (local.get $words) (local.get $word))
            (local.set $step (i32.shl (i32.ne (local.get $word) (i32.const 0)) (i32.const 2)))
            (local.set $places (i32.add (local.get $places) (local.get $step)))
            (local.set $words (i32.add (local.get $words) (local.get $step)))))
        (local.set $place (i32.add (local.get $place) (i32.const 4)))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br_if $next (i32.lt_u (local.get $at) (local.get $end)))))
    (local.get $places)))
