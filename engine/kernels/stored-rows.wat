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
;;   0      1 for each byte that a CSV cell may not begin with, else 0
;;   256    number of columns of a stored row, which begins with as many lengths: 17 to 32
;;   264    null
;;   288    16 bytes, all ones for each column past the first 16, else 0
;;   320    the byte that each byte after a backslash stands for, 0 where it is no escape of one byte
;; and here, of the row that is rendered, a u16 by column each:
;;   640    addresses of the values; of null for those that are absent
;;   736    their lengths
;;   832    1 for each value that is present, else 0
;;   13312  rooms of 224 bytes for the masked forms of values
;;
;; A template: where its items end; the address and the length of the text after the last value; 1 if a value is masked;
;; then items of four words: twice the number of the column; kind of the value (0 number, 1 text, 2 e-mail address to
;; mask, 3 phone number to mask); address and length of the text before it. Every text begins with the quote that closes
;; the value before it and is left out after null and numbers; the text before a text ends with its opening quote.
(module
  (memory (import "host" "memory") 1)

  ;; The value that is masked, and the room for its masked form.
  (global $from (mut i32) (i32.const 0))
  (global $length (mut i32) (i32.const 0))
  (global $room (mut i32) (i32.const 0))

  ;; Writes the addresses and the lengths of the values of the row at [row, end), of null for those that are absent, and
  ;; which are present; returns 0 if it is no stored row. Where no length precedes its value, values are located all at
  ;; once by prefix sums of the lengths: of eight each, then of those before them.
  (func $locate (param $row i32) (param $end i32) (result i32)
    (local $first v128)
    (local $second v128)
    (local $before v128)
    (local $a v128)
    (local $b v128)
    (local $c v128)
    (local $d v128)
    (local $null v128)
    (local.set $first (v128.load align=1 (local.get $row)))
    (local.set $second
      (v128.and (v128.load offset=16 align=1 (local.get $row)) (v128.load (i32.const 288))))
    (if
      (v128.any_true
        (v128.or
          (i8x16.eq (local.get $first) (i8x16.splat (i32.const 255)))
          (i8x16.eq (local.get $second) (i8x16.splat (i32.const 255)))))
      (then (return (call $locateLong (local.get $row) (local.get $end)))))
    (local.set $a (i16x8.extend_low_i8x16_u (local.get $first)))
    (local.set $a
      (i16x8.add
        (local.get $a)
        (i8x16.shuffle 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 (v128.const i64x2 0 0) (local.get $a))))
    (local.set $a
      (i16x8.add
        (local.get $a)
        (i8x16.shuffle 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 (v128.const i64x2 0 0) (local.get $a))))
    (local.set $a
      (i16x8.add
        (local.get $a)
        (i8x16.shuffle 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 (v128.const i64x2 0 0) (local.get $a))))
    (local.set $b (i16x8.extend_high_i8x16_u (local.get $first)))
    (local.set $b
      (i16x8.add
        (local.get $b)
        (i8x16.shuffle 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 (v128.const i64x2 0 0) (local.get $b))))
    (local.set $b
      (i16x8.add
        (local.get $b)
        (i8x16.shuffle 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 (v128.const i64x2 0 0) (local.get $b))))
    (local.set $b
      (i16x8.add
        (local.get $b)
        (i8x16.shuffle 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 (v128.const i64x2 0 0) (local.get $b))))
    (local.set $c (i16x8.extend_low_i8x16_u (local.get $second)))
    (local.set $c
      (i16x8.add
        (local.get $c)
        (i8x16.shuffle 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 (v128.const i64x2 0 0) (local.get $c))))
    (local.set $c
      (i16x8.add
        (local.get $c)
        (i8x16.shuffle 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 (v128.const i64x2 0 0) (local.get $c))))
    (local.set $c
      (i16x8.add
        (local.get $c)
        (i8x16.shuffle 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 (v128.const i64x2 0 0) (local.get $c))))
    (local.set $d (i16x8.extend_high_i8x16_u (local.get $second)))
    (local.set $d
      (i16x8.add
        (local.get $d)
        (i8x16.shuffle 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 (v128.const i64x2 0 0) (local.get $d))))
    (local.set $d
      (i16x8.add
        (local.get $d)
        (i8x16.shuffle 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 (v128.const i64x2 0 0) (local.get $d))))
    (local.set $d
      (i16x8.add
        (local.get $d)
        (i8x16.shuffle 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 (v128.const i64x2 0 0) (local.get $d))))
    (local.set $before (i16x8.splat (i32.add (local.get $row) (i32.load (i32.const 256)))))
    (local.set $a (i16x8.add (local.get $a) (local.get $before)))
    (local.set $before
      (i8x16.shuffle 14 15 14 15 14 15 14 15 14 15 14 15 14 15 14 15 (local.get $a) (local.get $a)))
    (local.set $b (i16x8.add (local.get $b) (local.get $before)))
    (local.set $before
      (i8x16.shuffle 14 15 14 15 14 15 14 15 14 15 14 15 14 15 14 15 (local.get $b) (local.get $b)))
    (local.set $c (i16x8.add (local.get $c) (local.get $before)))
    (local.set $before
      (i8x16.shuffle 14 15 14 15 14 15 14 15 14 15 14 15 14 15 14 15 (local.get $c) (local.get $c)))
    (local.set $d (i16x8.add (local.get $d) (local.get $before)))
    (local.set $before
      (i8x16.shuffle 14 15 14 15 14 15 14 15 14 15 14 15 14 15 14 15 (local.get $d) (local.get $d)))
    (local.set $before (i16x8.extend_low_i8x16_u (local.get $first)))
    (local.set $null (i16x8.eq (local.get $before) (v128.const i64x2 0 0)))
    (v128.store (i32.const 640)
      (v128.bitselect
        (i16x8.splat (i32.const 264))
        (i16x8.sub (local.get $a) (local.get $before))
        (local.get $null)))
    (v128.store (i32.const 736)
      (v128.or (local.get $before) (v128.and (local.get $null) (i16x8.splat (i32.const 4)))))
    (v128.store (i32.const 832) (i16x8.add (i16x8.splat (i32.const 1)) (local.get $null)))
    (local.set $before (i16x8.extend_high_i8x16_u (local.get $first)))
    (local.set $null (i16x8.eq (local.get $before) (v128.const i64x2 0 0)))
    (v128.store (i32.const 656)
      (v128.bitselect
        (i16x8.splat (i32.const 264))
        (i16x8.sub (local.get $b) (local.get $before))
        (local.get $null)))
    (v128.store (i32.const 752)
      (v128.or (local.get $before) (v128.and (local.get $null) (i16x8.splat (i32.const 4)))))
    (v128.store (i32.const 848) (i16x8.add (i16x8.splat (i32.const 1)) (local.get $null)))
    (local.set $before (i16x8.extend_low_i8x16_u (local.get $second)))
    (local.set $null (i16x8.eq (local.get $before) (v128.const i64x2 0 0)))
    (v128.store (i32.const 672)
      (v128.bitselect
        (i16x8.splat (i32.const 264))
        (i16x8.sub (local.get $c) (local.get $before))
        (local.get $null)))
    (v128.store (i32.const 768)
      (v128.or (local.get $before) (v128.and (local.get $null) (i16x8.splat (i32.const 4)))))
    (v128.store (i32.const 864) (i16x8.add (i16x8.splat (i32.const 1)) (local.get $null)))
    (local.set $before (i16x8.extend_high_i8x16_u (local.get $second)))
    (local.set $null (i16x8.eq (local.get $before) (v128.const i64x2 0 0)))
    (v128.store (i32.const 688)
      (v128.bitselect
        (i16x8.splat (i32.const 264))
        (i16x8.sub (local.get $d) (local.get $before))
        (local.get $null)))
    (v128.store (i32.const 784)
      (v128.or (local.get $before) (v128.and (local.get $null) (i16x8.splat (i32.const 4)))))
    (v128.store (i32.const 880) (i16x8.add (i16x8.splat (i32.const 1)) (local.get $null)))
    (i32.le_u (i16x8.extract_lane_u 7 (local.get $d)) (local.get $end)))

  ;; As $locate, of a row with a length that precedes its value.
  (func $locateLong (param $row i32) (param $end i32) (result i32)
    (local $at i32)
    (local $value i32)
    (local $values i32)
    (local $length i32)
    (local $place i32)
    (local.set $at (local.get $row))
    (local.set $values (i32.add (local.get $row) (i32.load (i32.const 256))))
    (local.set $value (local.get $values))
    (loop $next
      (if (i32.gt_u (local.get $value) (local.get $end)) (then (return (i32.const 0))))
      (local.set $length (i32.load8_u (local.get $at)))
      (if (i32.eq (local.get $length) (i32.const 255))
        (then
          (local.set $length (i32.load align=1 (local.get $value)))
          (local.set $value (i32.add (local.get $value) (i32.const 4)))
          (if (i32.gt_u (local.get $value) (local.get $end)) (then (return (i32.const 0))))))
      (if
        (i32.gt_u (local.get $length) (i32.sub (local.get $end) (local.get $value)))
        (then (return (i32.const 0))))
      (i32.store16 offset=640 (local.get $place)
        (select (local.get $value) (i32.const 264) (local.get $length)))
      (i32.store16 offset=736 (local.get $place)
        (select (local.get $length) (i32.const 4) (local.get $length)))
      (i32.store16 offset=832 (local.get $place) (i32.ne (local.get $length) (i32.const 0)))
      (local.set $place (i32.add (local.get $place) (i32.const 2)))
      (local.set $value (i32.add (local.get $value) (local.get $length)))
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get $at) (local.get $values))))
    (i32.const 1))

  ;; Puts the masked form of values in their place, by the items of $template. Returns 0 where one is not masked here.
  (func $masks (param $row i32) (param $template i32) (result i32)
    (local $item i32)
    (local $items i32)
    (local $kind i32)
    (local $column i32)
    (local $room i32)
    (local.set $room (i32.const 13312))
    (local.set $items (i32.load (local.get $template)))
    (local.set $item (i32.add (local.get $template) (i32.const 16)))
    (loop $next
      (local.set $kind (i32.load offset=4 (local.get $item)))
      (if (i32.ge_u (local.get $kind) (i32.const 2))
        (then
          (local.set $column (i32.load (local.get $item)))
          (global.set $from (i32.load16_u offset=640 (local.get $column)))
          (global.set $length (i32.load16_u offset=736 (local.get $column)))
          ;; A column that is rendered twice is masked once.
          (if
            (i32.and
              (i32.load16_u offset=832 (local.get $column))
              (i32.ge_u (global.get $from) (local.get $row)))
            (then
              (global.set $room (local.get $room))
              (global.set $length (call $mask (local.get $kind)))
              (if (i32.eqz (global.get $length)) (then (return (i32.const 0))))
              (i32.store16 offset=640 (local.get $column) (local.get $room))
              (i32.store16 offset=736 (local.get $column) (global.get $length))
              (local.set $room (i32.add (local.get $room) (i32.const 224)))))))
      (local.set $item (i32.add (local.get $item) (i32.const 16)))
      (br_if $next (i32.lt_u (local.get $item) (local.get $items))))
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
  ;; if this is no stored row, or a value cannot be masked here. In the loop nothing is called, and what is usual has no
  ;; branch that is hard to predict: null is copied like a value.
  (func (export "object") (param $row i32) (param $end i32) (param $to i32) (param $template i32) (result i32)
    (local $item i32)
    (local $items i32)
    (local $quote i32)
    (local $text i32)
    (local $column i32)
    (local $from i32)
    (local $length i32)
    (local $at i32)
    (if (i32.eqz (call $locate (local.get $row) (local.get $end))) (then (return (i32.const 0))))
    (if (i32.load offset=12 (local.get $template))
      (then
        (if (i32.eqz (call $masks (local.get $row) (local.get $template))) (then (return (i32.const 0))))))
    (local.set $items (i32.load (local.get $template)))
    (local.set $item (i32.add (local.get $template) (i32.const 16)))
    (loop $next
      (local.set $column (i32.load (local.get $item)))
      ;; The text, without its first byte unless the value before is to be closed.
      (local.set $from (i32.sub (i32.load offset=8 (local.get $item)) (local.get $quote)))
      (local.set $length (i32.sub (i32.add (i32.load offset=12 (local.get $item)) (local.get $quote)) (i32.const 1)))
      (v128.store align=1 (local.get $to) (v128.load offset=1 align=1 (local.get $from)))
      (v128.store offset=16 align=1 (local.get $to) (v128.load offset=17 align=1 (local.get $from)))
      (if (i32.gt_u (local.get $length) (i32.const 32))
        (then
          (local.set $at (i32.const 32))
          (loop $more
            (v128.store align=1
              (i32.add (local.get $to) (local.get $at))
              (v128.load offset=1 align=1 (i32.add (local.get $from) (local.get $at))))
            (local.set $at (i32.add (local.get $at) (i32.const 16)))
            (br_if $more (i32.lt_u (local.get $at) (local.get $length))))))
      (local.set $to (i32.add (local.get $to) (local.get $length)))
      ;; The value; null over the opening quote of a text.
      (local.set $text (i32.ne (i32.load offset=4 (local.get $item)) (i32.const 0)))
      (local.set $quote (i32.and (local.get $text) (i32.load16_u offset=832 (local.get $column))))
      (local.set $to (i32.add (i32.sub (local.get $to) (local.get $text)) (local.get $quote)))
      (local.set $from (i32.load16_u offset=640 (local.get $column)))
      (local.set $length (i32.load16_u offset=736 (local.get $column)))
      (v128.store align=1 (local.get $to) (v128.load align=1 (local.get $from)))
      (v128.store offset=16 align=1 (local.get $to) (v128.load offset=16 align=1 (local.get $from)))
      (if (i32.gt_u (local.get $length) (i32.const 32))
        (then
          (local.set $at (i32.const 32))
          (loop $more
            (v128.store align=1
              (i32.add (local.get $to) (local.get $at))
              (v128.load align=1 (i32.add (local.get $from) (local.get $at))))
            (local.set $at (i32.add (local.get $at) (i32.const 16)))
            (br_if $more (i32.lt_u (local.get $at) (local.get $length))))))
      (local.set $to (i32.add (local.get $to) (local.get $length)))
      (local.set $item (i32.add (local.get $item) (i32.const 16)))
      (br_if $next (i32.lt_u (local.get $item) (local.get $items))))
    (call $text (i32.add (local.get $template) (i32.const 4)) (local.get $quote) (local.get $to)))

  ;; As "object", as cells of CSV, whose texts begin with a byte that is never written. Returns 0 also if a value has
  ;; an escape of the form \u00XX: a control character other than tabs, line breaks, backspaces and form feeds, too rare
  ;; for code of its own.
  (func (export "cells") (param $row i32) (param $end i32) (param $to i32) (param $template i32) (result i32)
    (local $item i32)
    (local $items i32)
    (local $column i32)
    (local $from i32)
    (local $length i32)
    (local $bytes v128)
    (if (i32.eqz (call $locate (local.get $row) (local.get $end))) (then (return (i32.const 0))))
    (if (i32.load offset=12 (local.get $template))
      (then
        (if (i32.eqz (call $masks (local.get $row) (local.get $template))) (then (return (i32.const 0))))))
    (local.set $items (i32.load (local.get $template)))
    (local.set $item (i32.add (local.get $template) (i32.const 16)))
    (loop $next
      (local.set $column (i32.load (local.get $item)))
      (local.set $from (i32.load16_u offset=640 (local.get $column)))
      ;; Nothing, not null, where the value is absent.
      (local.set $length
        (i32.mul
          (i32.load16_u offset=736 (local.get $column))
          (i32.load16_u offset=832 (local.get $column))))
      (v128.store align=1 (local.get $to) (v128.load offset=1 align=1 (i32.load offset=8 (local.get $item))))
      (if (i32.gt_u (i32.load offset=12 (local.get $item)) (i32.const 17))
        (then
          (drop (call $text (i32.add (local.get $item) (i32.const 8)) (i32.const 0) (local.get $to)))))
      (local.set $to (i32.add (local.get $to) (i32.sub (i32.load offset=12 (local.get $item)) (i32.const 1))))
      ;; What $cell would write as it is, and is no longer than a vector.
      (local.set $bytes (v128.load align=1 (local.get $from)))
      (v128.store align=1 (local.get $to) (local.get $bytes))
      (if
        (i32.or
          (i32.gt_u (local.get $length) (i32.const 16))
          (i32.or
            (i32.and
              (i8x16.bitmask
                (v128.or
                  (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x5c)))
                  (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x2c)))))
              (i32.sub (i32.shl (i32.const 1) (local.get $length)) (i32.const 1)))
            (i32.and
              (i32.load8_u (i32.load8_u (local.get $from)))
              (i32.ne (local.get $length) (i32.const 0)))))
        (then
          (local.set $to (call $cell (local.get $from) (local.get $length) (local.get $to)))
          (if (i32.eqz (local.get $to)) (then (return (i32.const 0)))))
        (else (local.set $to (i32.add (local.get $to) (local.get $length)))))
      (local.set $item (i32.add (local.get $item) (i32.const 16)))
      (br_if $next (i32.lt_u (local.get $item) (local.get $items))))
    (call $text (i32.add (local.get $template) (i32.const 4)) (i32.const 0) (local.get $to)))

  ;; Writes a value as a cell: after an apostrophe where it begins like a formula, in quotes where it has a comma, and by
  ;; $escaped where it has an escape, as every quote and line break does. Returns the end, or 0 as $escaped does.
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
            (then (return (call $escaped (local.get $from) (local.get $end) (local.get $cell)))))
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

  ;; Writes the value [from, end), which has an escape, as a cell: up to three bytes longer than it, as an escaped quote
  ;; becomes two quotes. It is written in quotes, and moved over the first where it needs none. What begins with an escape
  ;; is no formula. Returns the end, or 0 if an escape is not of one byte, or not complete.
  (func $escaped (param $from i32) (param $end i32) (param $cell i32) (result i32)
    (local $to i32)
    (local $bytes v128)
    (local $mask i32)
    (local $step i32)
    (local $byte i32)
    (local $quoted i32)
    (i32.store16 align=1 (local.get $cell) (i32.const 0x2722))
    (local.set $to
      (i32.add
        (i32.add (local.get $cell) (i32.const 1))
        (i32.load8_u (i32.load8_u (local.get $from)))))
    (loop $more
      (local.set $bytes (v128.load align=1 (local.get $from)))
      (v128.store align=1 (local.get $to) (local.get $bytes))
      (local.set $step (i32.sub (local.get $end) (local.get $from)))
      (if (i32.gt_u (local.get $step) (i32.const 16)) (then (local.set $step (i32.const 16))))
      ;; The bytes before the first backslash, or all.
      (local.set $mask
        (i32.and
          (i8x16.bitmask (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x5c))))
          (call $within (local.get $step))))
      (if (local.get $mask) (then (local.set $step (i32.ctz (local.get $mask)))))
      (local.set $quoted
        (i32.or
          (local.get $quoted)
          (i32.and
            (i8x16.bitmask (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x2c))))
            (call $within (local.get $step)))))
      (local.set $from (i32.add (local.get $from) (local.get $step)))
      (local.set $to (i32.add (local.get $to) (local.get $step)))
      (if (local.get $mask)
        (then
          (local.set $byte (i32.load8_u offset=320 (i32.load8_u offset=1 (local.get $from))))
          (local.set $from (i32.add (local.get $from) (i32.const 2)))
          (if
            (i32.or (i32.eqz (local.get $byte)) (i32.gt_u (local.get $from) (local.get $end)))
            (then (return (i32.const 0))))
          ;; A quote twice, another byte once.
          (i32.store16 align=1 (local.get $to) (i32.or (local.get $byte) (i32.const 0x2200)))
          (local.set $mask (i32.eq (local.get $byte) (i32.const 0x22)))
          (local.set $to (i32.add (i32.add (local.get $to) (i32.const 1)) (local.get $mask)))
          (local.set $quoted
            (i32.or
              (local.get $quoted)
              (i32.or
                (local.get $mask)
                (i32.or
                  (i32.eq (local.get $byte) (i32.const 0x0a))
                  (i32.eq (local.get $byte) (i32.const 0x0d))))))))
      (br_if $more (i32.lt_u (local.get $from) (local.get $end))))
    (if (i32.eqz (local.get $quoted))
      (then
        (call $copy (i32.add (local.get $cell) (i32.const 1)) (local.get $to) (local.get $cell))
        (return (i32.sub (local.get $to) (i32.const 1)))))
    (i32.store8 (local.get $to) (i32.const 0x22))
    (i32.add (local.get $to) (i32.const 1)))

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

  ;; Writes the masked form of the value (engine/render/mask.ts) to its room. Returns its bytes, or 0 where a byte is not
  ;; a character, as in an escape, or the value is longer than its room.
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
    (if (i32.eq (local.get $kind) (i32.const 3))
      (then (return (call $maskPhone (local.get $from) (local.get $end)))))
    (call $maskEmail (local.get $from) (local.get $end) (local.get $sign)))

  ;; Three stars, and the last two digits if there are more.
  (func $maskPhone (param $from i32) (param $at i32) (result i32)
    (local $digits i32)
    (local $byte i32)
    (i32.store (global.get $room) (i32.const 0x2a2a2a2a))
    (loop $before
      (if (i32.le_u (local.get $at) (local.get $from)) (then (return (i32.const 3))))
      (local.set $at (i32.sub (local.get $at) (i32.const 1)))
      (local.set $byte (i32.load8_u (local.get $at)))
      (br_if $before (i32.eqz (call $isDigit (local.get $byte))))
      (if (i32.lt_u (local.get $digits) (i32.const 2))
        (then
          (i32.store8 offset=4 (i32.sub (global.get $room) (local.get $digits)) (local.get $byte))
          (local.set $digits (i32.add (local.get $digits) (i32.const 1)))
          (br $before))))
    (i32.const 5))

  ;; $sign: where the last at sign is; 0: there is none.
  (func $maskEmail (param $from i32) (param $end i32) (param $sign i32) (result i32)
    (local $to i32)
    (local $at i32)
    (local.set $to (global.get $room))
    (if (i32.ne (local.get $from) (local.get $sign))
      (then
        (i32.store8 (local.get $to) (i32.load8_u (local.get $from)))
        (local.set $to (i32.add (global.get $room) (i32.const 1)))))
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
    (i32.sub (local.get $to) (global.get $room))))
