;; Writes entries of changes as JSON objects, taking their values from stored rows, which are JSON objects of all columns.
;;
;; `node scripts/generate-wasm.js` assembles this file into generated/change-objects.ts; a test assembles it again and
;; compares.
;;
;; Sixteen bytes at a time: they are stored whole before it is known how many of them belong to a value, and what
;; follows overwrites the rest. A "text" is two words, its address and its length.
;;
;; memory, written by engine/changes/change-objects.ts:
;;   0     bytes of each column's label, a byte each
;;   64    number of columns up to the license number; 68 all columns; 72 and 76: eight times the number of the
;;         column of the state and of the license number; 80: the text between a field's two values
;;   128   where the values of the newer row begin and end, two words a column; from 384 on those of the older row
;;   640   for each tracked column sixteen bytes: the text before its former value, and eight times its number
(module
  (memory (import "host" "memory") 1)

  ;; Finds the values of the first $columns columns in the row at [at, end), quotes included, and writes where they
  ;; begin and end to $table. Returns 0 if it is no stored row. Reads up to 16 bytes past the row.
  (func $locate (param $at i32) (param $end i32) (param $columns i32) (param $table i32) (result i32)
    (local $column i32)
    (local $mask i32)
    (local $bytes v128)
    (loop $nextColumn
      (local.set $at (i32.add (local.get $at) (i32.load8_u (local.get $column))))
      (if (i32.ge_u (local.get $at) (local.get $end)) (then (return (i32.const 0))))
      (i32.store (local.get $table) (local.get $at))
      (block $valueEnd
        (if (i32.ne (i32.load8_u (local.get $at)) (i32.const 0x22))
          (then
            ;; null or a number ends with a comma or brace. None has 16 bytes.
            (local.set $bytes (v128.load align=1 (local.get $at)))
            (local.set $mask
              (i8x16.bitmask
                (v128.or
                  (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x2c)))
                  (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x7d))))))
            (if (i32.eqz (local.get $mask)) (then (return (i32.const 0))))
            (local.set $at (i32.add (local.get $at) (i32.ctz (local.get $mask))))
            (br $valueEnd)))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (loop $more
          (if (i32.ge_u (local.get $at) (local.get $end)) (then (return (i32.const 0))))
          (local.set $bytes (v128.load align=1 (local.get $at)))
          (local.set $mask
            (i8x16.bitmask
              (v128.or
                (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x22)))
                (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x5c))))))
          (if (i32.eqz (local.get $mask))
            (then
              (local.set $at (i32.add (local.get $at) (i32.const 16)))
              (br $more)))
          (local.set $at (i32.add (local.get $at) (i32.ctz (local.get $mask))))
          (if (i32.eq (i32.load8_u (local.get $at)) (i32.const 0x5c))
            (then
              ;; An escape is at least two bytes, and what follows them in a longer one is digits.
              (local.set $at (i32.add (local.get $at) (i32.const 2)))
              (br $more)))
          (local.set $at (i32.add (local.get $at) (i32.const 1)))))
      (i32.store offset=4 (local.get $table) (local.get $at))
      (local.set $table (i32.add (local.get $table) (i32.const 8)))
      (local.set $column (i32.add (local.get $column) (i32.const 1)))
      (br_if $nextColumn (i32.lt_u (local.get $column) (local.get $columns))))
    ;; At the comma after the last value, or at the brace that ends the row.
    (i32.lt_u (local.get $at) (local.get $end)))

  ;; Copies [from, end) to $to; returns the address after the copy. Writes up to 16 bytes past it.
  (func $copy (param $from i32) (param $end i32) (param $to i32) (result i32)
    (local $result i32)
    (local.set $result (i32.add (local.get $to) (i32.sub (local.get $end) (local.get $from))))
    (loop $more
      (v128.store align=1 (local.get $to) (v128.load align=1 (local.get $from)))
      (local.set $from (i32.add (local.get $from) (i32.const 16)))
      (local.set $to (i32.add (local.get $to) (i32.const 16)))
      (br_if $more (i32.lt_u (local.get $from) (local.get $end))))
    (local.get $result))

  ;; Copies the text whose address and length are at $text.
  (func $text (param $text i32) (param $to i32) (result i32)
    (call $copy
      (i32.load (local.get $text))
      (i32.add (i32.load (local.get $text)) (i32.load offset=4 (local.get $text)))
      (local.get $to)))

  ;; Copies the value whose bounds are at $value.
  (func $value (param $value i32) (param $to i32) (result i32)
    (call $copy (i32.load (local.get $value)) (i32.load offset=4 (local.get $value)) (local.get $to)))

  ;; Writes an entry of a new or gone license, the row at [at, end), to bytes from $to on, after each of four texts
  ;; at $texts: what precedes the state, the license number, the row, and what follows the row. Returns the address
  ;; after the result, or 0 if this is no stored row. Writes up to 16 bytes past the result.
  (func $single (export "single") (param $at i32) (param $end i32) (param $texts i32) (param $to i32) (result i32)
    (if (i32.eqz (call $locate (local.get $at) (local.get $end) (i32.load (i32.const 64)) (i32.const 128)))
      (then (return (i32.const 0))))
    (call $around (local.get $at) (local.get $end) (local.get $texts) (local.get $to)))

  ;; The same of a row whose values have been located.
  (func $around (param $at i32) (param $end i32) (param $texts i32) (param $to i32) (result i32)
    (local.set $to (call $text (local.get $texts) (local.get $to)))
    (local.set $to (call $value (i32.add (i32.const 128) (i32.load (i32.const 72))) (local.get $to)))
    (local.set $to (call $text (i32.add (local.get $texts) (i32.const 8)) (local.get $to)))
    (local.set $to (call $value (i32.add (i32.const 128) (i32.load (i32.const 76))) (local.get $to)))
    (local.set $to (call $text (i32.add (local.get $texts) (i32.const 16)) (local.get $to)))
    (local.set $to (call $copy (local.get $at) (local.get $end) (local.get $to)))
    (call $text (i32.add (local.get $texts) (i32.const 24)) (local.get $to)))

  ;; Writes an entry of a changed license, whose newer and older rows are at [at, end) and [olderAt, olderEnd), with
  ;; its former and its new value in each tracked column whose bit is in $marks. Two more texts: what precedes the
  ;; values and what follows them. Otherwise as for one row.
  (func (export "changed")
    (param $at i32) (param $end i32) (param $olderAt i32) (param $olderEnd i32) (param $marks i32)
    (param $texts i32) (param $to i32) (result i32)
    (local $field i32)
    (if (i32.eqz (call $locate (local.get $at) (local.get $end) (i32.load (i32.const 68)) (i32.const 128)))
      (then (return (i32.const 0))))
    (if
      (i32.eqz
        (call $locate (local.get $olderAt) (local.get $olderEnd) (i32.load (i32.const 68)) (i32.const 384)))
      (then (return (i32.const 0))))
    (local.set $to (call $around (local.get $at) (local.get $end) (local.get $texts) (local.get $to)))
    (local.set $to (call $copy (local.get $olderAt) (local.get $olderEnd) (local.get $to)))
    (local.set $to (call $text (i32.add (local.get $texts) (i32.const 32)) (local.get $to)))
    (if (local.get $marks)
      (then
        (loop $nextField
          (local.set $field
            (i32.add (i32.const 640) (i32.shl (i32.ctz (local.get $marks)) (i32.const 4))))
          (local.set $to (call $text (local.get $field) (local.get $to)))
          (local.set $to
            (call $value (i32.add (i32.const 384) (i32.load offset=8 (local.get $field))) (local.get $to)))
          (local.set $to (call $text (i32.const 80) (local.get $to)))
          (local.set $to
            (call $value (i32.add (i32.const 128) (i32.load offset=8 (local.get $field))) (local.get $to)))
          ;; The brace that ends the field, and a comma, which is overwritten after the last.
          (i32.store16 align=1 (local.get $to) (i32.const 0x2c7d))
          (local.set $to (i32.add (local.get $to) (i32.const 2)))
          (local.set $marks (i32.and (local.get $marks) (i32.sub (local.get $marks) (i32.const 1))))
          (br_if $nextField (local.get $marks)))
        (local.set $to (i32.sub (local.get $to) (i32.const 1)))))
    (call $text (i32.add (local.get $texts) (i32.const 40)) (local.get $to))))
