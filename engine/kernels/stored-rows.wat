;; Writes stored rows (formats/SNAPSHOT.md, "Section kinds") as text by a template: a list of columns, each with the text
;; that precedes its value. Members of a JSON object, cells of a CSV line and parts of larger documents differ only in
;; their templates.
;;
;; `node scripts/generate-wasm.js` assembles this file into generated/stored-rows.ts; a test assembles it again and
;; compares.
;;
;; Texts and values are copied 16 bytes at a time: whole vectors are stored before it is known how many of their bytes
;; belong to the value, and what follows overwrites the rest. So up to 48 bytes past a text or value are read, and
;; written past the result.
;;
;; memory, written by engine/render/stored-kernel.ts:
;;   0     1 for each byte that a CSV cell may not begin with, else 0
;;   256   number of columns of a stored row, which begins with as many lengths
;;   264   null
;;   320   the masked form of a value
;;
;; A template: where its items end; the address and the length of the text after the last value; a word that is not
;; used; then items of four words: number of the column; kind of the value (0 number, 1 text, 2 e-mail address to mask,
;; 3 phone number to mask); address and length of the text before it. Every text begins with the quote that closes the
;; value before it and is left out after null and numbers; the text before a text ends with its opening quote.
(module
  (memory (import "host" "memory") 1)

  ;; The value found last.
  (global $from (mut i32) (i32.const 0))
  (global $length (mut i32) (i32.const 0))
  ;; Where the next value of the row is, and its length byte.
  (global $value (mut i32) (i32.const 0))
  (global $column (mut i32) (i32.const 0))

  ;; Finds the value of $column of the row at [row, end); returns 0 if it is not within the row.
  (func $find (param $row i32) (param $end i32) (param $target i32) (result i32)
    (local $at i32)
    (local $value i32)
    (local $length i32)
    (local.set $at (global.get $column))
    (local.set $value (global.get $value))
    (local.set $target (i32.add (local.get $row) (local.get $target)))
    (if (i32.lt_u (local.get $target) (local.get $at))
      (then
        (local.set $at (local.get $row))
        (local.set $value (i32.add (local.get $row) (i32.load (i32.const 256))))))
    (loop $next
      (if (i32.gt_u (local.get $value) (local.get $end)) (then (return (i32.const 0))))
      (local.set $length (i32.load8_u (local.get $at)))
      ;; A length of 255 or more precedes the value.
      (if (i32.eq (local.get $length) (i32.const 255))
        (then
          (local.set $length (i32.load align=1 (local.get $value)))
          (local.set $value (i32.add (local.get $value) (i32.const 4)))))
      (if
        (i32.gt_s (local.get $value) (local.get $end))
        (then (return (i32.const 0))))
      (if
        (i32.gt_u (local.get $length) (i32.sub (local.get $end) (local.get $value)))
        (then (return (i32.const 0))))
      (global.set $from (local.get $value))
      (local.set $value (i32.add (local.get $value) (local.get $length)))
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (br_if $next (i32.le_u (local.get $at) (local.get $target))))
    (global.set $length (local.get $length))
    (global.set $column (local.get $at))
    (global.set $value (local.get $value))
    (i32.const 1))

  ;; Copies [from, end), at least one vector.
  (func $copy (param $from i32) (param $end i32) (param $to i32)
    (loop $more
      (v128.store align=1 (local.get $to) (v128.load align=1 (local.get $from)))
      (local.set $from (i32.add (local.get $from) (i32.const 16)))
      (local.set $to (i32.add (local.get $to) (i32.const 16)))
      (br_if $more (i32.lt_u (local.get $from) (local.get $end)))))

  ;; Copies the text whose address and length are at $text, its first byte only if $quote is 1. Returns the end.
  (func $text (param $text i32) (param $quote i32) (param $to i32) (result i32)
    (local $from i32)
    (local $length i32)
    (local.set $quote (i32.sub (i32.const 1) (local.get $quote)))
    (local.set $from (i32.add (i32.load (local.get $text)) (local.get $quote)))
    (local.set $length (i32.sub (i32.load offset=4 (local.get $text)) (local.get $quote)))
    (v128.store align=1 (local.get $to) (v128.load align=1 (local.get $from)))
    (v128.store offset=16 align=1 (local.get $to) (v128.load offset=16 align=1 (local.get $from)))
    (if (i32.gt_u (local.get $length) (i32.const 32))
      (then
        (call $copy
          (i32.add (local.get $from) (i32.const 32))
          (i32.add (local.get $from) (local.get $length))
          (i32.add (local.get $to) (i32.const 32)))))
    (i32.add (local.get $to) (local.get $length)))

  ;; Writes the row at [row, end) as JSON by $template to bytes from $to on. Returns the address after the result, or 0
  ;; if this is no stored row, or a value cannot be masked here. What is usual has no branch that is hard to predict:
  ;; null is copied like a value.
  (func (export "object") (param $row i32) (param $end i32) (param $to i32) (param $template i32) (result i32)
    (local $item i32)
    (local $items i32)
    (local $quote i32)
    (local $open i32)
    (local $at i32)
    (local $value i32)
    (local $kind i32)
    (local $from i32)
    (local $length i32)
    (local.set $at (local.get $row))
    (local.set $value (i32.add (local.get $row) (i32.load (i32.const 256))))
    (local.set $items (i32.load (local.get $template)))
    (local.set $item (i32.add (local.get $template) (i32.const 16)))
    (loop $next
      ;; Columns that follow one another, with short values, are found here.
      (local.set $length (i32.load8_u (local.get $at)))
      (if
        (i32.or
          (i32.ne (i32.add (local.get $row) (i32.load (local.get $item))) (local.get $at))
          (i32.eq (local.get $length) (i32.const 255)))
        (then
          (global.set $column (local.get $at))
          (global.set $value (local.get $value))
          (if (i32.eqz (call $find (local.get $row) (local.get $end) (i32.load (local.get $item))))
            (then (return (i32.const 0))))
          (local.set $at (i32.sub (global.get $column) (i32.const 1)))
          (local.set $value (global.get $from))
          (local.set $length (global.get $length))))
      (local.set $from (local.get $value))
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (local.set $value (i32.add (local.get $value) (local.get $length)))
      (if (i32.gt_u (local.get $value) (local.get $end)) (then (return (i32.const 0))))
      (local.set $kind (i32.load offset=4 (local.get $item)))
      (if (i32.and (i32.ge_u (local.get $kind) (i32.const 2)) (i32.ne (local.get $length) (i32.const 0)))
        (then
          (global.set $from (local.get $from))
          (global.set $length (local.get $length))
          (local.set $length (call $mask (local.get $kind)))
          (if (i32.eqz (local.get $length)) (then (return (i32.const 0))))
          (local.set $from (i32.const 320))))
      ;; The text, as in $text.
      (local.set $open (i32.sub (i32.load offset=8 (local.get $item)) (local.get $quote)))
      (v128.store align=1 (local.get $to) (v128.load offset=1 align=1 (local.get $open)))
      (v128.store offset=16 align=1 (local.get $to) (v128.load offset=17 align=1 (local.get $open)))
      (local.set $quote (i32.sub (i32.add (i32.load offset=12 (local.get $item)) (local.get $quote)) (i32.const 1)))
      (if (i32.gt_u (local.get $quote) (i32.const 32))
        (then
          (call $copy
            (i32.add (local.get $open) (i32.const 33))
            (i32.add (i32.add (local.get $open) (i32.const 1)) (local.get $quote))
            (i32.add (local.get $to) (i32.const 32)))))
      (local.set $to (i32.add (local.get $to) (local.get $quote)))
      ;; null, over the opening quote of a text.
      (local.set $quote (i32.ne (local.get $kind) (i32.const 0)))
      (local.set $open (i32.eqz (local.get $length)))
      (local.set $to (i32.sub (local.get $to) (i32.and (local.get $open) (local.get $quote))))
      (local.set $from (select (i32.const 264) (local.get $from) (local.get $open)))
      (local.set $quote (i32.and (local.get $quote) (i32.ne (local.get $length) (i32.const 0))))
      (local.set $length (select (i32.const 4) (local.get $length) (local.get $open)))
      (v128.store align=1 (local.get $to) (v128.load align=1 (local.get $from)))
      (v128.store offset=16 align=1 (local.get $to) (v128.load offset=16 align=1 (local.get $from)))
      (if (i32.gt_u (local.get $length) (i32.const 32))
        (then
          (call $copy
            (i32.add (local.get $from) (i32.const 32))
            (i32.add (local.get $from) (local.get $length))
            (i32.add (local.get $to) (i32.const 32)))))
      (local.set $to (i32.add (local.get $to) (local.get $length)))
      (local.set $item (i32.add (local.get $item) (i32.const 16)))
      (br_if $next (i32.lt_u (local.get $item) (local.get $items))))
    (call $text (i32.add (local.get $template) (i32.const 4)) (local.get $quote) (local.get $to)))

  ;; As "object", as cells of CSV, whose texts begin with a byte that is never written. Returns 0 also if a value has
  ;; an escape.
  (func (export "cells") (param $row i32) (param $end i32) (param $to i32) (param $template i32) (result i32)
    (local $item i32)
    (local $items i32)
    (local $kind i32)
    (global.set $column (local.get $row))
    (global.set $value (i32.add (local.get $row) (i32.load (i32.const 256))))
    (local.set $items (i32.load (local.get $template)))
    (local.set $item (i32.add (local.get $template) (i32.const 16)))
    (loop $next
      (if (i32.eqz (call $find (local.get $row) (local.get $end) (i32.load (local.get $item))))
        (then (return (i32.const 0))))
      (local.set $to (call $text (i32.add (local.get $item) (i32.const 8)) (i32.const 0) (local.get $to)))
      (if (global.get $length)
        (then
          (local.set $kind (i32.load offset=4 (local.get $item)))
          (if (i32.ge_u (local.get $kind) (i32.const 2))
            (then
              (global.set $length (call $mask (local.get $kind)))
              (if (i32.eqz (global.get $length)) (then (return (i32.const 0))))))
          (local.set $to (call $cell (global.get $from) (global.get $length) (local.get $to)))
          (if (i32.eqz (local.get $to)) (then (return (i32.const 0))))))
      (local.set $item (i32.add (local.get $item) (i32.const 16)))
      (br_if $next (i32.lt_u (local.get $item) (local.get $items))))
    (call $text (i32.add (local.get $template) (i32.const 4)) (i32.const 0) (local.get $to)))

  ;; Writes a value as a cell: after an apostrophe where it begins like a formula, in quotes where it has a comma.
  ;; Returns the end, or 0 if it has an escape, as every quote and line break does.
  (func $cell (param $from i32) (param $length i32) (param $to i32) (result i32)
    (local $cell i32)
    (local $at i32)
    (local $end i32)
    (local $next i32)
    (local $mask i32)
    (local $commas i32)
    (local $bytes v128)
    (local.set $cell (local.get $to))
    (local.set $end (i32.add (local.get $from) (local.get $length)))
    (if (i32.load8_u (i32.load8_u (local.get $from)))
      (then
        (i32.store8 (local.get $to) (i32.const 0x27))
        (local.set $to (i32.add (local.get $to) (i32.const 1)))))
    (local.set $at (local.get $from))
    (local.set $next (local.get $to))
    (loop $more
      (local.set $bytes (v128.load align=1 (local.get $at)))
      (v128.store align=1 (local.get $next) (local.get $bytes))
      (local.set $mask
        (i8x16.bitmask
          (v128.or
            (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x5c)))
            (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x2c))))))
      (if (local.get $mask)
        (then
          (local.set $mask
            (i32.and
              (local.get $mask)
              (call $within (i32.sub (local.get $end) (local.get $at)))))
          (if
            (i32.and
              (local.get $mask)
              (i8x16.bitmask (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x5c)))))
            (then (return (i32.const 0))))
          (local.set $commas (i32.or (local.get $commas) (local.get $mask)))))
      (local.set $at (i32.add (local.get $at) (i32.const 16)))
      (local.set $next (i32.add (local.get $next) (i32.const 16)))
      (br_if $more (i32.lt_u (local.get $at) (local.get $end))))
    (if (local.get $commas)
      (then
        (i32.store8 (local.get $cell) (i32.const 0x22))
        (local.set $next (i32.add (local.get $cell) (i32.const 1)))
        (if (i32.ne (local.get $cell) (local.get $to))
          (then
            (i32.store8 (local.get $next) (i32.const 0x27))
            (local.set $next (i32.add (local.get $next) (i32.const 1)))))
        (call $copy (local.get $from) (local.get $end) (local.get $next))
        (local.set $next (i32.add (local.get $next) (local.get $length)))
        (i32.store8 (local.get $next) (i32.const 0x22))
        (return (i32.add (local.get $next) (i32.const 1)))))
    (i32.add (local.get $to) (local.get $length)))

  ;; A bit for each of the first $bytes bytes of a vector.
  (func $within (param $bytes i32) (result i32)
    (if (i32.ge_s (local.get $bytes) (i32.const 16)) (then (return (i32.const 0xffff))))
    (i32.sub (i32.shl (i32.const 1) (local.get $bytes)) (i32.const 1)))

  (func $isLetter (param $byte i32) (result i32)
    (i32.lt_u
      (i32.sub (i32.or (local.get $byte) (i32.const 0x20)) (i32.const 0x61))
      (i32.const 26)))

  (func $isDigit (param $byte i32) (result i32)
    (i32.lt_u (i32.sub (local.get $byte) (i32.const 0x30)) (i32.const 10)))

  ;; Puts the masked form of the value found last (engine/render/mask.ts) in its place. Returns its bytes, or 0 where a
  ;; byte is not a character, or the value is longer than its room.
  (func $mask (param $kind i32) (result i32)
    (local $from i32)
    (local $end i32)
    (local $at i32)
    (local $sign i32)
    (local $mask i32)
    (local $bytes v128)
    (local.set $from (global.get $from))
    (local.set $end (i32.add (local.get $from) (global.get $length)))
    (if (i32.gt_u (global.get $length) (i32.const 192)) (then (return (i32.const 0))))
    (local.set $at (local.get $from))
    (loop $more
      (local.set $bytes (v128.load align=1 (local.get $at)))
      (local.set $mask (call $within (i32.sub (local.get $end) (local.get $at))))
      (if
        (i32.and
          (local.get $mask)
          (i8x16.bitmask
            (v128.or
              (local.get $bytes)
              (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x5c))))))
        (then (return (i32.const 0))))
      (local.set $mask
        (i32.and
          (local.get $mask)
          (i8x16.bitmask (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x40))))))
      (if (local.get $mask)
        (then
          (local.set $sign
            (i32.add (local.get $at) (i32.sub (i32.const 31) (i32.clz (local.get $mask)))))))
      (local.set $at (i32.add (local.get $at) (i32.const 16)))
      (br_if $more (i32.lt_u (local.get $at) (local.get $end))))
    (global.set $from (i32.const 320))
    (if (i32.eq (local.get $kind) (i32.const 3))
      (then (return (call $maskPhone (local.get $from) (local.get $end)))))
    (call $maskEmail (local.get $from) (local.get $end) (local.get $sign)))

  ;; Three stars, and the last two digits if there are more.
  (func $maskPhone (param $from i32) (param $at i32) (result i32)
    (local $digits i32)
    (local $byte i32)
    (i32.store (i32.const 320) (i32.const 0x2a2a2a2a))
    (loop $before
      (if (i32.le_u (local.get $at) (local.get $from)) (then (return (i32.const 3))))
      (local.set $at (i32.sub (local.get $at) (i32.const 1)))
      (local.set $byte (i32.load8_u (local.get $at)))
      (br_if $before (i32.eqz (call $isDigit (local.get $byte))))
      (if (i32.lt_u (local.get $digits) (i32.const 2))
        (then
          (i32.store8 (i32.sub (i32.const 324) (local.get $digits)) (local.get $byte))
          (local.set $digits (i32.add (local.get $digits) (i32.const 1)))
          (br $before))))
    (i32.const 5))

  ;; $sign: where the last at sign is; 0: there is none.
  (func $maskEmail (param $from i32) (param $end i32) (param $sign i32) (result i32)
    (local $to i32)
    (local $at i32)
    (local.set $to (i32.const 320))
    (if (i32.ne (local.get $from) (local.get $sign))
      (then
        (i32.store8 (local.get $to) (i32.load8_u (local.get $from)))
        (local.set $to (i32.const 321))))
    (i32.store align=1 (local.get $to) (i32.const 0x402a2a2a))
    (if (i32.eqz (local.get $sign)) (then (return (i32.const 4))))
    (local.set $to (i32.add (local.get $to) (i32.const 4)))
    (local.set $from (i32.add (local.get $sign) (i32.const 1)))
    (if (i32.lt_u (local.get $from) (local.get $end))
      (then
        (i32.store8 (local.get $to) (i32.load8_u (local.get $from)))
        (local.set $to (i32.add (local.get $to) (i32.const 1)))))
    (i32.store align=1 (local.get $to) (i32.const 0x2a2a2a2a))
    (local.set $to (i32.add (local.get $to) (i32.const 3)))
    ;; The last label: a dot, a letter, then letters, digits and hyphens.
    (local.set $at (local.get $end))
    (loop $before
      (if (i32.gt_u (local.get $at) (local.get $from))
        (then
          (local.set $at (i32.sub (local.get $at) (i32.const 1)))
          (br_if $before (call $isLetter (i32.load8_u (local.get $at))))
          (br_if $before (call $isDigit (i32.load8_u (local.get $at))))
          (br_if $before (i32.eq (i32.load8_u (local.get $at)) (i32.const 0x2d)))
          (if
            (i32.and
              (i32.eq (i32.load8_u (local.get $at)) (i32.const 0x2e))
              (i32.and
                (i32.lt_u (i32.add (local.get $at) (i32.const 1)) (local.get $end))
                (call $isLetter (i32.load8_u offset=1 (local.get $at)))))
            (then
              (call $copy (local.get $at) (local.get $end) (local.get $to))
              (local.set $to
                (i32.add (local.get $to) (i32.sub (local.get $end) (local.get $at)))))))))
    (i32.sub (local.get $to) (i32.const 320))))
