;; Encodes stored rows (formats/SNAPSHOT.md, "Section kinds") from the columns of a month: the lengths of a row's values,
;; then the values. A row with a value of 255 bytes or more, or with a byte that JSON escapes, is left to the caller.
;;
;; `node scripts/generate-wasm.js` assembles this file into generated/encode-rows.ts; a test assembles it again and
;; compares.
;;
;; Rows are encoded in blocks. First the values of a block are located, column by column, so that the cache misses of one
;; row overlap with those of the next; the first byte of each is read, which prefetches it. Then they are copied, row by
;; row, 16 bytes at a time: whole vectors are stored, and what follows overwrites what is not the value's. So up to 271
;; bytes past a value are read, and up to 255 written past the last row.
;;
;; A column is described by eight words:
;;   0   address of its codes, by row
;;   4   bytes of a code: 1, 2, 4; or 0 where rows are their own codes
;;   8   address of the offsets of its values, by code; two entries of them follow that of the last value, so that null,
;;       which is the code after the last, is a value without bytes
;;   12  address of the heap that they are offsets into
;;   16  bytes of the heap
;;   20  the code of null, beyond which none is valid
(module
  (memory (import "host" "memory") 1)

  ;; Makes what was read while values are located a result, so that it is read.
  (global $sum (export "sum") (mut i32) (i32.const 0))

  ;; Writes the column's code in each row of [from, to) to $to, four bytes each.
  (func $codes (param $column i32) (param $from i32) (param $stop i32) (param $to i32)
    (local $codes i32)
    (local $width i32)
    (local.set $codes (i32.load (local.get $column)))
    (local.set $width (i32.load offset=4 (local.get $column)))
    (if (i32.eqz (local.get $width))
      (then
        (loop $each
          (i32.store (local.get $to) (local.get $from))
          (local.set $to (i32.add (local.get $to) (i32.const 4)))
          (local.set $from (i32.add (local.get $from) (i32.const 1)))
          (br_if $each (i32.lt_u (local.get $from) (local.get $stop))))
        (return)))
    (if (i32.eq (local.get $width) (i32.const 1))
      (then
        (loop $each
          (i32.store (local.get $to) (i32.load8_u (i32.add (local.get $codes) (local.get $from))))
          (local.set $to (i32.add (local.get $to) (i32.const 4)))
          (local.set $from (i32.add (local.get $from) (i32.const 1)))
          (br_if $each (i32.lt_u (local.get $from) (local.get $stop))))
        (return)))
    (if (i32.eq (local.get $width) (i32.const 2))
      (then
        (loop $each
          (i32.store (local.get $to)
            (i32.load16_u (i32.add (local.get $codes) (i32.shl (local.get $from) (i32.const 1)))))
          (local.set $to (i32.add (local.get $to) (i32.const 4)))
          (local.set $from (i32.add (local.get $from) (i32.const 1)))
          (br_if $each (i32.lt_u (local.get $from) (local.get $stop))))
        (return)))
    (memory.copy
      (local.get $to)
      (i32.add (local.get $codes) (i32.shl (local.get $from) (i32.const 2)))
      (i32.shl (i32.sub (local.get $stop) (local.get $from)) (i32.const 2))))

  ;; Writes address and length of the value of each code of [from, stop) to $ranges, $step bytes apart; length 255 for one
  ;; of as many or more, and where offsets are corrupt.
  (func $locate
    (param $column i32) (param $from i32) (param $stop i32) (param $ranges i32) (param $step i32)
    (local $offsets i32)
    (local $heap i32)
    (local $bytes i32)
    (local $null i32)
    (local $code i32)
    (local $start i32)
    (local $end i32)
    (local $isShort i32)
    (local $read i32)
    (local.set $offsets (i32.load offset=8 (local.get $column)))
    (local.set $heap (i32.load offset=12 (local.get $column)))
    (local.set $bytes (i32.load offset=16 (local.get $column)))
    (local.set $null (i32.load offset=20 (local.get $column)))
    (loop $each
      (local.set $code (i32.load (local.get $from)))
      (local.set $code
        (i32.add
          (local.get $offsets)
          (i32.shl
            (select (local.get $code) (local.get $null) (i32.lt_u (local.get $code) (local.get $null)))
            (i32.const 2))))
      (local.set $start (i32.load (local.get $code)))
      (local.set $end (i32.load offset=4 (local.get $code)))
      (local.set $isShort
        (i32.and
          (i32.lt_u (i32.sub (local.get $end) (local.get $start)) (i32.const 255))
          (i32.and
            (i32.le_u (local.get $start) (local.get $end))
            (i32.le_u (local.get $end) (local.get $bytes)))))
      (local.set $code
        (i32.add
          (local.get $heap)
          (select (local.get $start) (i32.const 0) (local.get $isShort))))
      (local.set $read (i32.xor (local.get $read) (i32.load8_u (local.get $code))))
      (i32.store (local.get $ranges) (local.get $code))
      (i32.store offset=4 (local.get $ranges)
        (select
          (i32.sub (local.get $end) (local.get $start))
          (i32.const 255)
          (local.get $isShort)))
      (local.set $ranges (i32.add (local.get $ranges) (local.get $step)))
      (local.set $from (i32.add (local.get $from) (i32.const 4)))
      (br_if $each (i32.lt_u (local.get $from) (local.get $stop))))
    (global.set $sum (i32.xor (global.get $sum) (local.get $read))))

  ;; Writes the row whose $count values are at $ranges to $to; returns its end, 0 if it is left to the caller.
  (func $row (param $ranges i32) (param $count i32) (param $to i32) (result i32)
    (local $stop i32)
    (local $from i32)
    (local $length i32)
    (local $at i32)
    (local $value v128)
    (local $found v128)
    (local $isLong i32)
    (local.set $at (i32.add (local.get $to) (local.get $count)))
    (local.set $stop (local.get $at))
    (loop $each
      (local.set $from (i32.load (local.get $ranges)))
      (local.set $length (i32.load offset=4 (local.get $ranges)))
      (local.set $isLong
        (i32.or (local.get $isLong) (i32.eq (local.get $length) (i32.const 255))))
      (i32.store8 (local.get $to) (local.get $length))
      (loop $vectors
        (local.set $value (v128.load align=1 (local.get $from)))
        (v128.store align=1 (local.get $at) (local.get $value))
        ;; Bytes that JSON escapes, among the first $length.
        (local.set $found
          (v128.or
            (local.get $found)
            (v128.and
              (v128.or
                (i8x16.lt_u (local.get $value) (i8x16.splat (i32.const 0x20)))
                (v128.or
                  (i8x16.eq (local.get $value) (i8x16.splat (i32.const 0x22)))
                  (i8x16.eq (local.get $value) (i8x16.splat (i32.const 0x5c)))))
              (i8x16.lt_u
                (v128.const i8x16 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
                (i8x16.splat (local.get $length))))))
        (if (i32.gt_u (local.get $length) (i32.const 16))
          (then
            (local.set $from (i32.add (local.get $from) (i32.const 16)))
            (local.set $at (i32.add (local.get $at) (i32.const 16)))
            (local.set $length (i32.sub (local.get $length) (i32.const 16)))
            (br $vectors))))
      (local.set $at (i32.add (local.get $at) (local.get $length)))
      (local.set $ranges (i32.add (local.get $ranges) (i32.const 8)))
      (local.set $to (i32.add (local.get $to) (i32.const 1)))
      (br_if $each (i32.lt_u (local.get $to) (local.get $stop))))
    (if (i32.or (local.get $isLong) (v128.any_true (local.get $found)))
      (then (return (i32.const 0))))
    (local.get $at))

  ;; Encodes rows [from, to) of the $count columns described at $columns to $at, and writes where each ends to $ends, 4
  ;; bytes a row, as an address; returns the first row that is left to the caller, or $to. For a block of $block rows,
  ;; $codes is room of 4 bytes a row, and $ranges of 8 bytes a value.
  (func (export "encode")
    (param $columns i32) (param $count i32) (param $from i32) (param $to i32)
    (param $at i32) (param $ends i32) (param $codes i32) (param $ranges i32) (param $block i32)
    (result i32)
    (local $stop i32)
    (local $step i32)
    (local $column i32)
    (local $range i32)
    (local.set $step (i32.shl (local.get $count) (i32.const 3)))
    (block $end
      (loop $blocks
        (br_if $end (i32.ge_u (local.get $from) (local.get $to)))
        (local.set $stop (i32.add (local.get $from) (local.get $block)))
        (local.set $stop
          (select (local.get $stop) (local.get $to) (i32.lt_u (local.get $stop) (local.get $to))))
        (local.set $column (i32.const 0))
        (loop $each
          (call $codes
            (i32.add (local.get $columns) (i32.shl (local.get $column) (i32.const 5)))
            (local.get $from)
            (local.get $stop)
            (local.get $codes))
          (call $locate
            (i32.add (local.get $columns) (i32.shl (local.get $column) (i32.const 5)))
            (local.get $codes)
            (i32.add
              (local.get $codes)
              (i32.shl (i32.sub (local.get $stop) (local.get $from)) (i32.const 2)))
            (i32.add (local.get $ranges) (i32.shl (local.get $column) (i32.const 3)))
            (local.get $step))
          (local.set $column (i32.add (local.get $column) (i32.const 1)))
          (br_if $each (i32.lt_u (local.get $column) (local.get $count))))
        (local.set $range (local.get $ranges))
        (loop $rows
          (local.set $at (call $row (local.get $range) (local.get $count) (local.get $at)))
          (br_if $end (i32.eqz (local.get $at)))
          (i32.store (local.get $ends) (local.get $at))
          (local.set $ends (i32.add (local.get $ends) (i32.const 4)))
          (local.set $range (i32.add (local.get $range) (local.get $step)))
          (local.set $from (i32.add (local.get $from) (i32.const 1)))
          (br_if $rows (i32.lt_u (local.get $from) (local.get $stop))))
        (br $blocks)))
    (local.get $from)))
