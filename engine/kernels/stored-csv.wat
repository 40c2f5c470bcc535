;; Writes the values of a stored row, a JSON object of all columns, as the cells of a CSV line.
;;
;; `node scripts/generate-wasm.js` assembles this file into generated/stored-csv.ts; a test assembles it again and
;; compares.
;;
;; Sixteen bytes at a time: they are stored whole before it is known how many of them belong to the cell, and what
;; follows overwrites the rest.
(module
  ;; From 0 on: the bytes of each column's label, a byte each. From 256 on: 1 for each byte that a cell may not
  ;; begin with, else 0.
  (memory (import "host" "memory") 1)

  ;; Converts bytes [at, end), one row without the comma after it, to bytes from $to on: the cells of those of its
  ;; first $columns columns whose bits are in $wanted, separated by commas. Returns the address after the result, or 0
  ;; if one of these columns has an escape or this is no stored row. Reads up to 16 bytes past the row and writes up to
  ;; 16 bytes past the result, which is no longer than the row.
  (func (export "convert")
    (param $at i32) (param $end i32) (param $to i32) (param $columns i32) (param $wanted i32) (result i32)
    (local $before i32)
    (local $written i32)
    (local $column i32)
    (local $start i32)
    (local $cell i32)
    (local $quoted i32)
    (local $byte i32)
    (local $mask i32)
    (local $bytes v128)
    (loop $nextColumn
      (local.set $before (local.get $to))
      (if (local.get $written)
        (then
          (i32.store8 (local.get $to) (i32.const 0x2c))
          (local.set $to (i32.add (local.get $to) (i32.const 1)))))
      (local.set $at (i32.add (local.get $at) (i32.load8_u (local.get $column))))
      (if (i32.ge_u (local.get $at) (local.get $end)) (then (return (i32.const 0))))
      (local.set $byte (i32.load8_u (local.get $at)))
      (block $cellEnd
        (if (i32.ne (local.get $byte) (i32.const 0x22))
          (then
            ;; "n" begins null, which is an empty cell.
            (if (i32.eq (local.get $byte) (i32.const 0x6e))
              (then
                (local.set $at (i32.add (local.get $at) (i32.const 4)))
                (br $cellEnd)))
            ;; A number ends with a comma or brace. None has 16 digits.
            (local.set $bytes (v128.load align=1 (local.get $at)))
            (v128.store align=1 (local.get $to) (local.get $bytes))
            (local.set $mask
              (i8x16.bitmask
                (v128.or
                  (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x2c)))
                  (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x7d))))))
            (if (i32.eqz (local.get $mask)) (then (return (i32.const 0))))
            (local.set $mask (i32.ctz (local.get $mask)))
            (local.set $at (i32.add (local.get $at) (local.get $mask)))
            (local.set $to (i32.add (local.get $to) (local.get $mask)))
            (br $cellEnd)))
        ;; A text, at first taken to need no quotes.
        (local.set $start (i32.add (local.get $at) (i32.const 1)))
        (local.set $cell (local.get $to))
        (local.set $quoted (i32.const 0))
        (loop $begin
          (local.set $at (local.get $start))
          (if (i32.load8_u offset=256 (i32.load8_u (local.get $at)))
            (then
              (i32.store8 (local.get $to) (i32.const 0x27))
              (local.set $to (i32.add (local.get $to) (i32.const 1)))))
          (loop $more
            (if (i32.ge_u (local.get $at) (local.get $end)) (then (return (i32.const 0))))
            (local.set $bytes (v128.load align=1 (local.get $at)))
            (v128.store align=1 (local.get $to) (local.get $bytes))
            (local.set $mask
              (i8x16.bitmask
                (v128.or
                  (v128.or
                    (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x22)))
                    (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x5c))))
                  (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x2c))))))
            (if (i32.eqz (local.get $mask))
              (then
                (local.set $at (i32.add (local.get $at) (i32.const 16)))
                (local.set $to (i32.add (local.get $to) (i32.const 16)))
                (br $more)))
            (local.set $mask (i32.ctz (local.get $mask)))
            (local.set $at (i32.add (local.get $at) (local.get $mask)))
            (local.set $to (i32.add (local.get $to) (local.get $mask)))
            (local.set $byte (i32.load8_u (local.get $at)))
            (local.set $at (i32.add (local.get $at) (i32.const 1)))
            (br_if $cellEnd
              (i32.and
                (i32.eq (local.get $byte) (i32.const 0x22))
                (i32.eqz (local.get $quoted))))
            (if (i32.eq (local.get $byte) (i32.const 0x5c)) (then (return (i32.const 0))))
            (if (local.get $quoted)
              (then
                ;; The comma, which has been stored, or in place of the text's end the cell's closing quote, which is
                ;; the same byte.
                (local.set $to (i32.add (local.get $to) (i32.const 1)))
                (br_if $cellEnd (i32.eq (local.get $byte) (i32.const 0x22)))
                (br $more)))
            ;; The first comma: the cell again, in quotes.
            (local.set $quoted (i32.const 1))
            (i32.store8 (local.get $cell) (i32.const 0x22))
            (local.set $to (i32.add (local.get $cell) (i32.const 1)))
            (br $begin))))
      (if (i32.and (local.get $wanted) (i32.const 1))
        (then (local.set $written (i32.const 1)))
        (else (local.set $to (local.get $before))))
      (local.set $wanted (i32.shr_u (local.get $wanted) (i32.const 1)))
      (local.set $column (i32.add (local.get $column) (i32.const 1)))
      (br_if $nextColumn (i32.lt_u (local.get $column) (local.get $columns))))
    (if (i32.gt_u (local.get $at) (local.get $end)) (then (return (i32.const 0))))
    (local.get $to)))
