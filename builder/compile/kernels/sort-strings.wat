;; Sorts byte strings by their bytes: by keys of eight bytes, then strings with equal keys by the next eight.
;;
;; `node scripts/generate-wasm.js` assembles this file into generated/sort-strings.ts; a test assembles it again and
;; compares.
;;
;; A list of many keys is sorted by digits of eight bits, the lowest first, a pass over the list each; one of fewer by
;; parts around a pivot that is drawn at random, so that no data makes it slow; one of few by insertion.
;;
;; Addresses are of memory, lists are ranges of positions. The heap is followed by eight bytes that may be read.
(module
  (memory (import "host" "memory") 1)

  ;; Of strings i in the heap: [offsets[i], offsets[i + 1]), u32 each.
  (global $offsets (mut i32) (i32.const 0))
  (global $heap (mut i32) (i32.const 0))
  ;; By position: the string (u32) and its key (u64), and room for as many.
  (global $order (mut i32) (i32.const 0))
  (global $keys (mut i32) (i32.const 0))
  (global $spareOrder (mut i32) (i32.const 0))
  (global $spareKeys (mut i32) (i32.const 0))
  ;; By position: 1 where the string equals the one before it.
  (global $same (mut i32) (i32.const 0))
  ;; Eight tables of 256 counts, u32 each.
  (global $counts (mut i32) (i32.const 0))
  (global $random (mut i32) (i32.const 1))

  (func $string (param $at i32) (result i32)
    (i32.load (i32.add (global.get $order) (i32.shl (local.get $at) (i32.const 2)))))

  (func $key (param $at i32) (result i64)
    (i64.load (i32.add (global.get $keys) (i32.shl (local.get $at) (i32.const 3)))))

  (func $put (param $at i32) (param $string i32) (param $key i64)
    (i32.store (i32.add (global.get $order) (i32.shl (local.get $at) (i32.const 2))) (local.get $string))
    (i64.store (i32.add (global.get $keys) (i32.shl (local.get $at) (i32.const 3))) (local.get $key)))

  ;; Bytes of the string at position $at from byte $depth on.
  (func $rest (param $at i32) (param $depth i32) (result i32)
    (local $offset i32)
    (local.set $offset
      (i32.add (global.get $offsets) (i32.shl (call $string (local.get $at)) (i32.const 2))))
    (i32.sub
      (i32.sub (i32.load offset=4 (local.get $offset)) (i32.load (local.get $offset)))
      (local.get $depth)))

  ;; Sets the keys of [from, to): eight bytes from byte $depth on, the first one highest, zeros after the string's end.
  (func $fill (param $from i32) (param $to i32) (param $depth i32)
    (local $offset i32)
    (local $start i32)
    (local $length i32)
    (local $value i64)
    (loop $each
      (local.set $offset
        (i32.add (global.get $offsets) (i32.shl (call $string (local.get $from)) (i32.const 2))))
      (local.set $start (i32.load (local.get $offset)))
      (local.set $length
        (i32.sub
          (i32.sub (i32.load offset=4 (local.get $offset)) (local.get $start))
          (local.get $depth)))
      (local.set $value
        (i64x2.extract_lane 0
          (i8x16.swizzle
            (v128.load64_zero align=1
              (i32.add (global.get $heap) (i32.add (local.get $start) (local.get $depth))))
            (v128.const i8x16 7 6 5 4 3 2 1 0 7 6 5 4 3 2 1 0))))
      (if (i32.lt_u (local.get $length) (i32.const 8))
        (then
          (local.set $value
            (if (result i64) (local.get $length)
              (then
                (i64.and
                  (local.get $value)
                  (i64.shl
                    (i64.const -1)
                    (i64.extend_i32_u (i32.shl (i32.sub (i32.const 8) (local.get $length)) (i32.const 3))))))
              (else (i64.const 0))))))
      (i64.store
        (i32.add (global.get $keys) (i32.shl (local.get $from) (i32.const 3)))
        (local.get $value))
      (local.set $from (i32.add (local.get $from) (i32.const 1)))
      (br_if $each (i32.lt_u (local.get $from) (local.get $to)))))

  (func $insertion (param $from i32) (param $to i32)
    (local $i i32)
    (local $at i32)
    (local $string i32)
    (local $key i64)
    (local.set $i (i32.add (local.get $from) (i32.const 1)))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $i) (local.get $to)))
        (local.set $string (call $string (local.get $i)))
        (local.set $key (call $key (local.get $i)))
        (local.set $at (local.get $i))
        (block $placed
          (loop $shift
            (br_if $placed (i32.eq (local.get $at) (local.get $from)))
            (br_if $placed
              (i64.le_u (call $key (i32.sub (local.get $at) (i32.const 1))) (local.get $key)))
            (call $put
              (local.get $at)
              (call $string (i32.sub (local.get $at) (i32.const 1)))
              (call $key (i32.sub (local.get $at) (i32.const 1))))
            (local.set $at (i32.sub (local.get $at) (i32.const 1)))
            (br $shift)))
        (call $put (local.get $at) (local.get $string) (local.get $key))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br $next))))

  (func $swap (param $a i32) (param $b i32)
    (local $string i32)
    (local $key i64)
    (local.set $string (call $string (local.get $a)))
    (local.set $key (call $key (local.get $a)))
    (call $put (local.get $a) (call $string (local.get $b)) (call $key (local.get $b)))
    (call $put (local.get $b) (local.get $string) (local.get $key)))

  ;; The key at a random position of [from, to).
  (func $pivot (param $from i32) (param $to i32) (result i64)
    (global.set $random
      (i32.xor (global.get $random) (i32.shl (global.get $random) (i32.const 13))))
    (global.set $random
      (i32.xor (global.get $random) (i32.shr_u (global.get $random) (i32.const 17))))
    (global.set $random
      (i32.xor (global.get $random) (i32.shl (global.get $random) (i32.const 5))))
    (call $key
      (i32.add
        (local.get $from)
        (i32.rem_u (global.get $random) (i32.sub (local.get $to) (local.get $from))))))

  ;; Sorts [from, to) by key in parts, the smaller of two in a call of its own.
  (func $quick (param $from i32) (param $to i32)
    (local $a i64)
    (local $b i64)
    (local $c i64)
    (local $i i32)
    (local $j i32)
    (block $few
      (loop $again
        (br_if $few (i32.le_u (i32.sub (local.get $to) (local.get $from)) (i32.const 24)))
        ;; The median of three, in $b.
        (local.set $a (call $pivot (local.get $from) (local.get $to)))
        (local.set $b (call $pivot (local.get $from) (local.get $to)))
        (local.set $c (call $pivot (local.get $from) (local.get $to)))
        (if (i64.gt_u (local.get $a) (local.get $b))
          (then
            (local.get $a)
            (local.set $a (local.get $b))
            (local.set $b)))
        (if (i64.gt_u (local.get $b) (local.get $c)) (then (local.set $b (local.get $c))))
        (if (i64.lt_u (local.get $b) (local.get $a)) (then (local.set $b (local.get $a))))
        ;; Keys of at most $b come before those of at least $b: [from, j], [i, to).
        (local.set $i (local.get $from))
        (local.set $j (i32.sub (local.get $to) (i32.const 1)))
        (block $parted
          (loop $part
            (block $left
              (loop $up
                (br_if $left (i64.ge_u (call $key (local.get $i)) (local.get $b)))
                (local.set $i (i32.add (local.get $i) (i32.const 1)))
                (br $up)))
            (block $right
              (loop $down
                (br_if $right (i64.le_u (call $key (local.get $j)) (local.get $b)))
                (local.set $j (i32.sub (local.get $j) (i32.const 1)))
                (br $down)))
            (br_if $parted (i32.gt_s (local.get $i) (local.get $j)))
            (call $swap (local.get $i) (local.get $j))
            (local.set $i (i32.add (local.get $i) (i32.const 1)))
            (local.set $j (i32.sub (local.get $j) (i32.const 1)))
            (br_if $part (i32.le_s (local.get $i) (local.get $j)))))
        (local.set $j (i32.add (local.get $j) (i32.const 1)))
        (if
          (i32.lt_u
            (i32.sub (local.get $j) (local.get $from))
            (i32.sub (local.get $to) (local.get $i)))
          (then
            (call $quick (local.get $from) (local.get $j))
            (local.set $from (local.get $i)))
          (else
            (call $quick (local.get $i) (local.get $to))
            (local.set $to (local.get $j))))
        (br $again)))
    (call $insertion (local.get $from) (local.get $to)))

  ;; Sorts [from, to) by key, a pass for each of its bytes in which keys differ.
  (func $radix (param $from i32) (param $to i32)
    (local $i i32)
    (local $byte i32)
    (local $key i64)
    (local $string i32)
    (local $table i32)
    (local $count i32)
    (local $sum i32)
    (local $at i32)
    (local $strings i32)
    (local $keys i32)
    (local $otherStrings i32)
    (local $otherKeys i32)
    (memory.fill (global.get $counts) (i32.const 0) (i32.const 8192))
    (local.set $i (local.get $from))
    (loop $each
      (local.set $key (call $key (local.get $i)))
      (local.set $table (global.get $counts))
      (local.set $byte (i32.const 8))
      (loop $count
        (local.set $at
          (i32.add
            (local.get $table)
            (i32.shl (i32.and (i32.wrap_i64 (local.get $key)) (i32.const 255)) (i32.const 2))))
        (i32.store (local.get $at) (i32.add (i32.load (local.get $at)) (i32.const 1)))
        (local.set $key (i64.shr_u (local.get $key) (i64.const 8)))
        (local.set $table (i32.add (local.get $table) (i32.const 1024)))
        (br_if $count (local.tee $byte (i32.sub (local.get $byte) (i32.const 1)))))
      (br_if $each
        (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get $to))))
    (local.set $strings (global.get $order))
    (local.set $keys (global.get $keys))
    (local.set $otherStrings (global.get $spareOrder))
    (local.set $otherKeys (global.get $spareKeys))
    (local.set $table (global.get $counts))
    (local.set $byte (i32.const 0))
    (loop $pass
      (block $passed
        ;; All keys have the first one's byte.
        (br_if $passed
          (i32.eq
            (i32.load
              (i32.add
                (local.get $table)
                (i32.shl
                  (i32.and
                    (i32.wrap_i64
                      (i64.shr_u
                        (i64.load (i32.add (local.get $keys) (i32.shl (local.get $from) (i32.const 3))))
                        (i64.extend_i32_u (local.get $byte))))
                    (i32.const 255))
                  (i32.const 2))))
            (i32.sub (local.get $to) (local.get $from))))
        (local.set $sum (local.get $from))
        (local.set $i (local.get $table))
        (loop $add
          (local.set $count (i32.load (local.get $i)))
          (i32.store (local.get $i) (local.get $sum))
          (local.set $sum (i32.add (local.get $sum) (local.get $count)))
          (br_if $add
            (i32.lt_u
              (local.tee $i (i32.add (local.get $i) (i32.const 4)))
              (i32.add (local.get $table) (i32.const 1024)))))
        (local.set $i (local.get $from))
        (loop $move
          (local.set $key (i64.load (i32.add (local.get $keys) (i32.shl (local.get $i) (i32.const 3)))))
          (local.set $string (i32.load (i32.add (local.get $strings) (i32.shl (local.get $i) (i32.const 2)))))
          (local.set $sum
            (i32.add
              (local.get $table)
              (i32.shl
                (i32.and
                  (i32.wrap_i64 (i64.shr_u (local.get $key) (i64.extend_i32_u (local.get $byte))))
                  (i32.const 255))
                (i32.const 2))))
          (local.set $at (i32.load (local.get $sum)))
          (i32.store (local.get $sum) (i32.add (local.get $at) (i32.const 1)))
          (i64.store
            (i32.add (local.get $otherKeys) (i32.shl (local.get $at) (i32.const 3)))
            (local.get $key))
          (i32.store
            (i32.add (local.get $otherStrings) (i32.shl (local.get $at) (i32.const 2)))
            (local.get $string))
          (br_if $move
            (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get $to))))
        (local.set $at (local.get $keys))
        (local.set $keys (local.get $otherKeys))
        (local.set $otherKeys (local.get $at))
        (local.set $at (local.get $strings))
        (local.set $strings (local.get $otherStrings))
        (local.set $otherStrings (local.get $at)))
      (local.set $table (i32.add (local.get $table) (i32.const 1024)))
      (br_if $pass
        (i32.lt_u (local.tee $byte (i32.add (local.get $byte) (i32.const 8))) (i32.const 64))))
    (if (i32.ne (local.get $keys) (global.get $keys))
      (then
        (memory.copy
          (i32.add (global.get $keys) (i32.shl (local.get $from) (i32.const 3)))
          (i32.add (local.get $keys) (i32.shl (local.get $from) (i32.const 3)))
          (i32.shl (i32.sub (local.get $to) (local.get $from)) (i32.const 3)))
        (memory.copy
          (i32.add (global.get $order) (i32.shl (local.get $from) (i32.const 2)))
          (i32.add (local.get $strings) (i32.shl (local.get $from) (i32.const 2)))
          (i32.shl (i32.sub (local.get $to) (local.get $from)) (i32.const 2))))))

  ;; Marks positions [from + 1, to) as equal to those before them.
  (func $markSame (param $from i32) (param $to i32)
    (if (i32.gt_u (i32.sub (local.get $to) (local.get $from)) (i32.const 1))
      (then
        (memory.fill
          (i32.add (global.get $same) (i32.add (local.get $from) (i32.const 1)))
          (i32.const 1)
          (i32.sub (i32.sub (local.get $to) (local.get $from)) (i32.const 1))))))

  ;; Moves the strings of [from, to), whose keys at $depth are equal, that have at most $most bytes there to the front;
  ;; returns where they end.
  (func $gather (param $from i32) (param $to i32) (param $depth i32) (param $most i32) (result i32)
    (local $at i32)
    (local.set $at (local.get $from))
    (loop $each
      (if (i32.le_u (call $rest (local.get $at) (local.get $depth)) (local.get $most))
        (then
          (call $swap (local.get $at) (local.get $from))
          (local.set $from (i32.add (local.get $from) (i32.const 1)))))
      (br_if $each
        (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 1))) (local.get $to))))
    (local.get $from))

  ;; Orders the strings of [from, to), whose keys at $depth are equal, that end with them: zeros after a string's end and
  ;; zeros in it make equal keys, so by their lengths. Returns where those begin that go on.
  (func $ended (param $from i32) (param $to i32) (param $depth i32) (result i32)
    (local $bytes i32)
    (local $end i32)
    (local.set $to (call $gather (local.get $from) (local.get $to) (local.get $depth) (i32.const 8)))
    (block $done
      (loop $each
        (br_if $done (i32.ge_u (local.get $from) (local.get $to)))
        (local.set $end
          (call $gather (local.get $from) (local.get $to) (local.get $depth) (local.get $bytes)))
        (call $markSame (local.get $from) (local.get $end))
        (local.set $from (local.get $end))
        (local.set $bytes (i32.add (local.get $bytes) (i32.const 1)))
        (br $each)))
    (local.get $to))

  ;; Sorts [from, to), strings that agree in their first $depth bytes and have them. Of the groups with equal keys, the
  ;; largest is sorted by the loop and the others by calls, which nest no deeper than the logarithm of the strings.
  (func $sortFrom (param $from i32) (param $to i32) (param $depth i32)
    (local $first i32)
    (local $end i32)
    (local $key i64)
    (local $largestFrom i32)
    (local $largestTo i32)
    (loop $again
      (call $fill (local.get $from) (local.get $to) (local.get $depth))
      (if (i32.lt_u (i32.sub (local.get $to) (local.get $from)) (i32.const 1024))
        (then (call $quick (local.get $from) (local.get $to)))
        (else (call $radix (local.get $from) (local.get $to))))
      (local.set $largestFrom (i32.const 0))
      (local.set $largestTo (i32.const 0))
      (local.set $first (local.get $from))
      (loop $group
        (local.set $key (call $key (local.get $first)))
        (local.set $end (i32.add (local.get $first) (i32.const 1)))
        (block $found
          (loop $more
            (br_if $found (i32.ge_u (local.get $end) (local.get $to)))
            (br_if $found (i64.ne (call $key (local.get $end)) (local.get $key)))
            (local.set $end (i32.add (local.get $end) (i32.const 1)))
            (br $more)))
        (if (i32.gt_u (i32.sub (local.get $end) (local.get $first)) (i32.const 1))
          (then
            (local.set $first (call $ended (local.get $first) (local.get $end) (local.get $depth)))
            (if
              (i32.gt_u
                (i32.sub (local.get $end) (local.get $first))
                (i32.sub (local.get $largestTo) (local.get $largestFrom)))
              (then
                (if (i32.gt_u (i32.sub (local.get $largestTo) (local.get $largestFrom)) (i32.const 1))
                  (then
                    (call $sortFrom
                      (local.get $largestFrom)
                      (local.get $largestTo)
                      (i32.add (local.get $depth) (i32.const 8)))))
                (local.set $largestFrom (local.get $first))
                (local.set $largestTo (local.get $end)))
              (else
                (if (i32.gt_u (i32.sub (local.get $end) (local.get $first)) (i32.const 1))
                  (then
                    (call $sortFrom
                      (local.get $first)
                      (local.get $end)
                      (i32.add (local.get $depth) (i32.const 8)))))))))
        (local.set $first (local.get $end))
        (br_if $group (i32.lt_u (local.get $first) (local.get $to))))
      (local.set $from (local.get $largestFrom))
      (local.set $to (local.get $largestTo))
      (local.set $depth (i32.add (local.get $depth) (i32.const 8)))
      (br_if $again (i32.gt_u (i32.sub (local.get $to) (local.get $from)) (i32.const 1)))))

  ;; Sorts $count strings: writes their order, and which equal the one before them. REQUIRES: $count > 0; $same is zero.
  (func (export "sort")
    (param $offsets i32) (param $heap i32) (param $order i32) (param $keys i32)
    (param $spareOrder i32) (param $spareKeys i32) (param $same i32) (param $counts i32)
    (param $seed i32) (param $count i32)
    (local $i i32)
    (global.set $offsets (local.get $offsets))
    (global.set $heap (local.get $heap))
    (global.set $order (local.get $order))
    (global.set $keys (local.get $keys))
    (global.set $spareOrder (local.get $spareOrder))
    (global.set $spareKeys (local.get $spareKeys))
    (global.set $same (local.get $same))
    (global.set $counts (local.get $counts))
    (global.set $random (i32.or (local.get $seed) (i32.const 1)))
    (loop $each
      (i32.store
        (i32.add (local.get $order) (i32.shl (local.get $i) (i32.const 2)))
        (local.get $i))
      (br_if $each
        (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get $count))))
    (call $sortFrom (i32.const 0) (local.get $count) (i32.const 0))))
