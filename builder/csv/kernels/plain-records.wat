;; Finds the fields of plain CSV records 64 bytes at a time, trims their spaces, and notes which need more than that.
;;
;; `node scripts/generate-wasm.js` assembles this file into generated/plain-records.ts; a test assembles it again and
;; compares.
;;
;; A record is plain if it ends with LF, CR LF or CR before the end of the bytes, has the number of fields asked for,
;; takes less than 64 KiB, does not begin with a byte-order mark and a quote, its quoted fields contain neither quotes nor
;; line ends, and a field without flags is not empty: the others may be white space. Scanning stops at the first other
;; record, which builder/csv/record-scanner.ts decides about: what is plain to this module is a record to that one, with
;; the same fields before they are trimmed.
;;
;; All addresses are of memory. By field f and record r, at f * 256 + r: where the field starts (i32), where it ends (i32)
;; and its flags (i8), as builder/csv/record-scanner.ts has them: 1 for bytes of 0x80 and above, 2 for control characters.
;; Positions are relative to the first of the bytes. 64 bytes after the last are read, too.
(module
  (memory (import "host" "memory") 1)

  ;; Addresses of the tables: starts, ends, flags; of the records' begins and ends; of a byte a field, set to 1 where a
  ;; cell has flags or more bytes than $longest; and of the bytes.
  (global $starts (mut i32) (i32.const 0))
  (global $ends (mut i32) (i32.const 0))
  (global $flags (mut i32) (i32.const 0))
  (global $begins (mut i32) (i32.const 0))
  (global $nexts (mut i32) (i32.const 0))
  (global $marks (mut i32) (i32.const 0))
  (global $bytes (mut i32) (i32.const 0))
  (global $delimiter (mut i32) (i32.const 0))
  (global $fields (mut i32) (i32.const 0))
  (global $longest (mut i32) (i32.const 0))
  (global $next (export "next") (mut i32) (i32.const 0))

  (func (export "prepare")
    (param $starts i32) (param $ends i32) (param $flags i32) (param $begins i32) (param $nexts i32) (param $marks i32)
    (param $bytes i32) (param $delimiter i32) (param $fields i32) (param $longest i32)
    (global.set $starts (local.get $starts))
    (global.set $ends (local.get $ends))
    (global.set $flags (local.get $flags))
    (global.set $begins (local.get $begins))
    (global.set $nexts (local.get $nexts))
    (global.set $marks (local.get $marks))
    (global.set $bytes (local.get $bytes))
    (global.set $delimiter (local.get $delimiter))
    (global.set $fields (local.get $fields))
    (global.set $longest (local.get $longest)))

  ;; The flags of bytes [start, end).
  (func $flagsOf (param $start i32) (param $end i32) (result i32)
    (local $byte i32)
    (local $flags i32)
    (block $done
      (loop $each
        (br_if $done (i32.ge_u (local.get $start) (local.get $end)))
        (local.set $byte (i32.load8_u (local.get $start)))
        (if (i32.ge_u (local.get $byte) (i32.const 0x80))
          (then (local.set $flags (i32.or (local.get $flags) (i32.const 1))))
          (else
            (if
              (i32.or
                (i32.lt_u (local.get $byte) (i32.const 0x20))
                (i32.eq (local.get $byte) (i32.const 0x7f)))
              (then (local.set $flags (i32.or (local.get $flags) (i32.const 2)))))))
        (local.set $start (i32.add (local.get $start) (i32.const 1)))
        (br $each)))
    (local.get $flags))

  ;; Scans the records that begin at positions from $position to $last as numbers $record to 255. Bytes end at $limit,
  ;; where a line feed stands. Returns the number of the first record that was not scanned, whose position is $next.
  (func (export "scan") (param $position i32) (param $last i32) (param $limit i32) (param $record i32) (result i32)
    (local $delimiters v128)
    (local $block v128)
    (local $odds v128)
    (local $stops v128)
    (local $base i32)     ;; address of the block of 64 bytes
    (local $stopMask i64) ;; of its bytes that stop a field and are still to be looked at
    (local $oddMask i64)  ;; of its bytes that give a field a flag, likewise
    (local $below i64)
    (local $i i32)
    (local $at i32)       ;; address of the byte that stops the field
    (local $byte i32)
    (local $start i32)    ;; addresses of the field
    (local $end i32)
    (local $begin i32)    ;; of the record
    (local $field i32)
    (local $cell i32)     ;; number of the field's cell
    (local $odd i32)      ;; whether the field has bytes that give it a flag
    (local $inside i32)   ;; whether the byte is between quotes
    (local $closed i32)   ;; whether the field's closing quote was met
    (local $cellFlags i32)
    (local $filled i32)   ;; whether a field of the record without flags is not empty
    (local.set $delimiters (i8x16.splat (global.get $delimiter)))
    (local.set $position (i32.add (local.get $position) (global.get $bytes)))
    (local.set $last (i32.add (local.get $last) (global.get $bytes)))
    (local.set $limit (i32.add (local.get $limit) (global.get $bytes)))
    (local.set $begin (local.get $position))
    (local.set $start (local.get $position))
    (local.set $base (i32.sub (local.get $position) (i32.const 64)))
    (local.set $cell (local.get $record))
    (block $stopped
      (loop $next
        ;; To the next byte that may stop a field.
        (if (i64.eqz (local.get $stopMask))
          (then
            (if (i64.ne (local.get $oddMask) (i64.const 0)) (then (local.set $odd (i32.const 1))))
            (local.set $oddMask (i64.const 0))
            (local.set $base (i32.add (local.get $base) (i32.const 64)))
            (br_if $stopped (i32.gt_u (local.get $base) (local.get $limit)))
            (local.set $i (i32.const 48))
            (loop $quarter
              (local.set $block (v128.load align=1 (i32.add (local.get $base) (local.get $i))))
              (local.set $stops
                (v128.or
                  (v128.or
                    (i8x16.eq (local.get $block) (local.get $delimiters))
                    (i8x16.eq (local.get $block) (i8x16.splat (i32.const 0x22))))
                  (v128.or
                    (i8x16.eq (local.get $block) (i8x16.splat (i32.const 0x0a)))
                    (i8x16.eq (local.get $block) (i8x16.splat (i32.const 0x0d))))))
              ;; As signed bytes, those of 0x80 and above are less than those of control characters.
              (local.set $odds
                (v128.andnot
                  (v128.or
                    (i8x16.lt_s (local.get $block) (i8x16.splat (i32.const 0x20)))
                    (i8x16.eq (local.get $block) (i8x16.splat (i32.const 0x7f))))
                  (local.get $stops)))
              (local.set $stopMask
                (i64.or
                  (i64.shl (local.get $stopMask) (i64.const 16))
                  (i64.extend_i32_u (i8x16.bitmask (local.get $stops)))))
              (local.set $oddMask
                (i64.or
                  (i64.shl (local.get $oddMask) (i64.const 16))
                  (i64.extend_i32_u (i8x16.bitmask (local.get $odds)))))
              (local.set $i (i32.sub (local.get $i) (i32.const 16)))
              (br_if $quarter (i32.ge_s (local.get $i) (i32.const 0))))
            (br $next)))
        (local.set $below (i64.sub (i64.and (local.get $stopMask) (i64.sub (i64.const 0) (local.get $stopMask))) (i64.const 1)))
        (local.set $at
          (i32.add (local.get $base) (i32.wrap_i64 (i64.ctz (local.get $stopMask)))))
        (local.set $stopMask (i64.and (local.get $stopMask) (i64.sub (local.get $stopMask) (i64.const 1))))
        (if (i64.ne (i64.and (local.get $oddMask) (local.get $below)) (i64.const 0))
          (then
            (local.set $odd (i32.const 1))
            (local.set $oddMask (i64.and (local.get $oddMask) (i64.xor (local.get $below) (i64.const -1))))))
        ;; The line feed after a carriage return.
        (br_if $next (i32.lt_u (local.get $at) (local.get $start)))
        (local.set $byte (i32.load8_u (local.get $at)))

        (if (i32.eq (local.get $byte) (i32.const 0x22))
          (then
            (if (local.get $inside)
              (then
                (local.set $inside (i32.const 0))
                (local.set $closed (i32.const 1))
                (local.set $end (local.get $at))
                (br $next)))
            ;; One after the closing quote makes the field end too late.
            (if (i32.eq (local.get $at) (local.get $start))
              (then
                (local.set $inside (i32.const 1))
                (local.set $start (i32.add (local.get $at) (i32.const 1)))))
            ;; One after a byte-order mark at the start of the record may open its first field.
            (br_if $stopped
              (i32.and
                (i32.eq (local.get $at) (i32.add (local.get $begin) (i32.const 3)))
                (i32.eq
                  (i32.and (i32.load align=1 (local.get $begin)) (i32.const 0xffffff))
                  (i32.const 0xbfbbef))))
            (br $next)))

        (if (local.get $inside)
          (then
            (br_if $stopped (i32.ne (local.get $byte) (global.get $delimiter)))
            ;; A delimiter that is a control character is one between quotes.
            (if (i32.lt_u (local.get $byte) (i32.const 0x20)) (then (local.set $odd (i32.const 1))))
            (br $next)))

        ;; The field ends here.
        (if (local.get $closed)
          (then
            (br_if $stopped (i32.ne (local.get $at) (i32.add (local.get $end) (i32.const 1))))
            (local.set $closed (i32.const 0)))
          (else (local.set $end (local.get $at))))
        (br_if $stopped (i32.eq (local.get $field) (global.get $fields)))
        (local.set $cellFlags (i32.const 0))
        (if (local.get $odd)
          (then
            (local.set $odd (i32.const 0))
            (local.set $cellFlags (call $flagsOf (local.get $start) (local.get $end)))))
        (if (i32.eqz (local.get $cellFlags))
          (then
            (block $trimmed
              (loop $trim
                (br_if $trimmed (i32.ge_u (local.get $start) (local.get $end)))
                (br_if $trimmed (i32.ne (i32.load8_u (local.get $start)) (i32.const 0x20)))
                (local.set $start (i32.add (local.get $start) (i32.const 1)))
                (br $trim)))
            (block $trimmed
              (loop $trim
                (br_if $trimmed (i32.ge_u (local.get $start) (local.get $end)))
                (br_if $trimmed (i32.ne (i32.load8_u (i32.sub (local.get $end) (i32.const 1))) (i32.const 0x20)))
                (local.set $end (i32.sub (local.get $end) (i32.const 1)))
                (br $trim)))
            (local.set $filled
              (i32.or (local.get $filled) (i32.lt_u (local.get $start) (local.get $end))))))
        (i32.store
          (i32.add (global.get $starts) (i32.shl (local.get $cell) (i32.const 2)))
          (i32.sub (local.get $start) (global.get $bytes)))
        (i32.store
          (i32.add (global.get $ends) (i32.shl (local.get $cell) (i32.const 2)))
          (i32.sub (local.get $end) (global.get $bytes)))
        (i32.store8 (i32.add (global.get $flags) (local.get $cell)) (local.get $cellFlags))
        (if
          (i32.or
            (local.get $cellFlags)
            (i32.gt_u (i32.sub (local.get $end) (local.get $start)) (global.get $longest)))
          (then (i32.store8 (i32.add (global.get $marks) (local.get $field)) (i32.const 1))))
        (local.set $field (i32.add (local.get $field) (i32.const 1)))
        (local.set $cell (i32.add (local.get $cell) (i32.const 256)))
        (local.set $start (i32.add (local.get $at) (i32.const 1)))
        (br_if $next (i32.eq (local.get $byte) (global.get $delimiter)))

        ;; The record ends here.
        (br_if $stopped (i32.ne (local.get $field) (global.get $fields)))
        (br_if $stopped (i32.eqz (local.get $filled)))
        (br_if $stopped (i32.ge_u (local.get $start) (local.get $limit)))
        (if (i32.eq (local.get $byte) (i32.const 0x0d))
          (then
            (if (i32.eq (i32.load8_u (local.get $start)) (i32.const 0x0a))
              (then (local.set $start (i32.add (local.get $start) (i32.const 1)))))))
        (br_if $stopped (i32.gt_u (i32.sub (local.get $start) (local.get $begin)) (i32.const 0xffff)))
        (i32.store
          (i32.add (global.get $begins) (i32.shl (local.get $record) (i32.const 2)))
          (i32.sub (local.get $begin) (global.get $bytes)))
        (i32.store
          (i32.add (global.get $nexts) (i32.shl (local.get $record) (i32.const 2)))
          (i32.sub (local.get $start) (global.get $bytes)))
        (local.set $record (i32.add (local.get $record) (i32.const 1)))
        (local.set $begin (local.get $start))
        (local.set $field (i32.const 0))
        (local.set $filled (i32.const 0))
        (local.set $cell (local.get $record))
        (br_if $stopped (i32.eq (local.get $record) (i32.const 256)))
        (br_if $next (i32.le_u (local.get $begin) (local.get $last)))))
    (global.set $next (i32.sub (local.get $begin) (global.get $bytes)))
    (local.get $record)))
