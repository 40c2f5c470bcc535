;; DEFLATE (RFC 1951) of rendered rows: LZ77 with two match candidates a field, then a fixed set of
;; Huffman codes. Rows of one answer have the same fields in the same order, so the best match of a
;; field is nearly always the same field of the row before; no search is needed to find it.
;;
;; A body is cut into rows and each row into fields. A field starts at its separator. For each field:
;;
;;   1. candidate: the field of the same number in the previous row. A common prefix of at least four
;;      bytes, which may run over following fields up to the end of the row, becomes a match.
;;   2. candidate for what is left of the field: the position last stored under the hash of its first
;;      four bytes.
;;   3. The rest of the field is literals.
;;
;; Every match is compared before it is written, so a body that is no list of rows compresses worse but
;; never wrongly.
;;
;; Memory, in bytes:
;;
;;       0  literal codes: 256 words, code | bits << 24        (codes of at most 12 bits)
;;    1024  length codes by match length 0…258: extra bits included, likewise
;;    2064  distance codes by symbol 0…29, likewise            (codes of at most 13 bits)
;;    4096  hash table: 4,096 positions
;;   20480  fields of one row: a count, then the positions; at most 4,059 and the end of the row
;;   36864  fields of the other row
;;   53248  codes of two literals by their bytes as a u16, of each code that is in use: 65,536 words, as those of one;
;;          or what is counted: 256 words of literals, one of ends, 259 of match lengths, 30 of distance symbols
;;  839680  the body; 64 readable bytes follow it
;;
;; The output needs room for 3/2 of the body and 16 bytes. Cost: O(bytes).

(module
  (import "host" "memory" (memory 1))

  ;; Lists the fields of the row at $from, and returns where the row ends, or $end. A field starts at a comma that is
  ;; followed by $second; a row ends at a comma or line feed followed by $ender. "Followed" is $ahead bytes further on: one
  ;; in JSON, where a quote follows and a brace; none in CSV, where any comma starts a field and a line feed ends the row.
  ;;
  ;; Of each 32 bytes the first four positions are written whether there are as many or not, since a loop over those that
  ;; there are is predicted wrongly too often. Where the list is full, positions are left out.
  (func $list_fields
    (param $from i32) (param $end i32) (param $list i32)
    (param $ahead i32) (param $second i32) (param $ender i32) (result i32)
    (local $at i32) (local $bits i32) (local $ends i32) (local $count i32) (local $to i32) (local $full i32)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128) (local $seconds v128) (local $enders v128)
    (local.set $seconds (i8x16.splat (local.get $second)))
    (local.set $enders (i8x16.splat (local.get $ender)))
    (i32.store offset=4 (local.get $list) (local.get $from))
    (local.set $to (i32.add (local.get $list) (i32.const 8)))
    ;; Behind this there is room for the positions of one block.
    (local.set $full (i32.add (local.get $list) (i32.const 16240)))
    (local.set $at (i32.add (local.get $from) (i32.const 1)))
    (loop $blocks
      (local.set $a (v128.load align=1 (local.get $at)))
      (local.set $b (v128.load offset=16 align=1 (local.get $at)))
      (local.set $ends (i32.add (local.get $at) (local.get $ahead)))
      (local.set $c (v128.load align=1 (local.get $ends)))
      (local.set $d (v128.load offset=16 align=1 (local.get $ends)))
      (local.set $bits (i32.or
        (i8x16.bitmask (v128.and
          (i8x16.eq (local.get $a) (i8x16.splat (i32.const 0x2c)))
          (i8x16.eq (local.get $c) (local.get $seconds))))
        (i32.shl
          (i8x16.bitmask (v128.and
            (i8x16.eq (local.get $b) (i8x16.splat (i32.const 0x2c)))
            (i8x16.eq (local.get $d) (local.get $seconds))))
          (i32.const 16))))
      (local.set $c (i8x16.eq (local.get $c) (local.get $enders)))
      (local.set $d (i8x16.eq (local.get $d) (local.get $enders)))
      ;; The few blocks in which the row or the body may end.
      (if (i32.or
            (v128.any_true (v128.or (local.get $c) (local.get $d)))
            (i32.gt_u (i32.add (local.get $at) (i32.const 32)) (local.get $end)))
        (then
          (local.set $ends (i32.or
            (i8x16.bitmask (v128.and (local.get $c) (v128.or
              (i8x16.eq (local.get $a) (i8x16.splat (i32.const 0x2c)))
              (i8x16.eq (local.get $a) (i8x16.splat (i32.const 0x0a))))))
            (i32.shl
              (i8x16.bitmask (v128.and (local.get $d) (v128.or
                (i8x16.eq (local.get $b) (i8x16.splat (i32.const 0x2c)))
                (i8x16.eq (local.get $b) (i8x16.splat (i32.const 0x0a))))))
              (i32.const 16))))
          (if (local.get $ends)
            (then
              (local.set $ends (i32.add (local.get $at) (i32.ctz (local.get $ends))))
              (local.set $end (select (local.get $ends) (local.get $end)
                (i32.lt_u (local.get $ends) (local.get $end))))))
          ;; What lies behind the end is of the next row. A row of one byte ends where the block begins.
          (local.set $count (i32.sub (local.get $end) (local.get $at)))
          (if (i32.lt_s (local.get $count) (i32.const 32))
            (then (local.set $bits (i32.and (local.get $bits)
              (i32.sub (i32.shl (i32.const 1) (local.get $count)) (i32.const 1))))))))
      (local.set $count (i32.popcnt (local.get $bits)))
      (i32.store (local.get $to) (i32.add (local.get $at) (i32.ctz (local.get $bits))))
      (local.set $bits (i32.and (local.get $bits) (i32.sub (local.get $bits) (i32.const 1))))
      (i32.store offset=4 (local.get $to) (i32.add (local.get $at) (i32.ctz (local.get $bits))))
      (local.set $bits (i32.and (local.get $bits) (i32.sub (local.get $bits) (i32.const 1))))
      (i32.store offset=8 (local.get $to) (i32.add (local.get $at) (i32.ctz (local.get $bits))))
      (local.set $bits (i32.and (local.get $bits) (i32.sub (local.get $bits) (i32.const 1))))
      (i32.store offset=12 (local.get $to) (i32.add (local.get $at) (i32.ctz (local.get $bits))))
      (local.set $ends (i32.add (local.get $to) (i32.const 16)))
      (local.set $to (i32.add (local.get $to) (i32.shl (local.get $count) (i32.const 2))))
      (if (i32.gt_u (local.get $to) (local.get $ends))
        (then
          (loop $each
            (local.set $bits (i32.and (local.get $bits) (i32.sub (local.get $bits) (i32.const 1))))
            (i32.store (local.get $ends) (i32.add (local.get $at) (i32.ctz (local.get $bits))))
            (local.set $ends (i32.add (local.get $ends) (i32.const 4)))
            (br_if $each (i32.lt_u (local.get $ends) (local.get $to))))))
      (local.set $to (select (local.get $full) (local.get $to)
        (i32.gt_u (local.get $to) (local.get $full))))
      (local.set $at (i32.add (local.get $at) (i32.const 32)))
      (br_if $blocks (i32.lt_u (local.get $at) (local.get $end))))
    (i32.store (local.get $to) (local.get $end))
    (i32.store (local.get $list)
      (i32.sub (i32.shr_u (i32.sub (local.get $to) (local.get $list)) (i32.const 2)) (i32.const 1)))
    (local.get $end))

  ;; Compresses the body in [839680, $end) to $out, behind $bits bits of $pending: the last bits of the
  ;; block's header. Without $counting, writes the codes and the code of the end of the block and returns the end of
  ;; the output; $pairs: where the codes of two literals are. With it, counts there what would be written, and writes nothing.
  (func (export "deflate")
    (param $end i32) (param $out i32) (param $pending i64) (param $bits i32)
    (param $eob i32) (param $pairs i32) (param $csv i32) (param $counting i32) (result i32)
    (local $at i32) (local $rowEnd i32) (local $fieldEnd i32) (local $field i32)
    (local $row i32) (local $before i32) (local $beforeCount i32)
    (local $candidate i32) (local $limit i32) (local $hashed i32) (local $slot i32)
    (local $length i32) (local $distance i32) (local $take i32) (local $code i32)
    (local $symbol i32) (local $extra i32) (local $four i32) (local $left i32) (local $most i32)
    (local $x i32) (local $y i32)
    (local $distanceCode i64) (local $distanceBits i32) (local $literals i64)

    (local.set $row (i32.const 20480))
    (local.set $before (i32.const 36864))
    (i32.store (local.get $before) (i32.const 0))
    (memory.fill (i32.const 4096) (i32.const 0) (i32.const 16384))
    (local.set $at (i32.const 839680))

    (block $done
      (loop $rows
        (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
        (local.set $rowEnd (call $list_fields (local.get $at) (local.get $end) (local.get $row)
          (i32.eqz (local.get $csv))
          (select (i32.const 0x2c) (i32.const 0x22) (local.get $csv))
          (select (i32.const 0x0a) (i32.const 0x7b) (local.get $csv))))
        (local.set $beforeCount (i32.load (local.get $before)))
        (local.set $field (i32.const 0))

        (loop $fields
          ;; $at is the start of field number $field. First candidate: this field of the row before.
          (local.set $hashed (i32.const 0))
          (local.set $limit (local.get $rowEnd))
          (local.set $candidate (i32.const 0))
          (if (i32.lt_u (local.get $field) (local.get $beforeCount))
            (then (local.set $candidate (i32.load offset=4
              (i32.add (local.get $before) (i32.shl (local.get $field) (i32.const 2)))))))

          (loop $candidates
            (local.set $distance (i32.sub (local.get $at) (local.get $candidate)))
            (block $unmatched
              ;; At most 262 bytes of what is equal, 32 at a time, of which those from $limit on do not count.
              (local.set $most (i32.sub (local.get $limit) (local.get $at)))
              (local.set $most (select (local.get $most) (i32.const 262)
                (i32.lt_u (local.get $most) (i32.const 262))))
              (local.set $length (i32.ctz (i32.xor (i32.const -1) (i32.or
                (i8x16.bitmask (i8x16.eq
                  (v128.load align=1 (local.get $at))
                  (v128.load align=1 (local.get $candidate))))
                (i32.shl
                  (i8x16.bitmask (i8x16.eq
                    (v128.load offset=16 align=1 (local.get $at))
                    (v128.load offset=16 align=1 (local.get $candidate))))
                  (i32.const 16))))))
              (if (i32.eq (local.get $length) (i32.const 32))
                (then
                  (loop $equal
                    (if (i32.lt_u (local.get $length) (local.get $most))
                      (then
                        (local.set $x (i32.add (local.get $at) (local.get $length)))
                        (local.set $y (i32.add (local.get $candidate) (local.get $length)))
                        (local.set $x (i32.ctz (i32.xor (i32.const -1) (i32.or
                          (i8x16.bitmask (i8x16.eq
                            (v128.load align=1 (local.get $x))
                            (v128.load align=1 (local.get $y))))
                          (i32.shl
                            (i8x16.bitmask (i8x16.eq
                              (v128.load offset=16 align=1 (local.get $x))
                              (v128.load offset=16 align=1 (local.get $y))))
                            (i32.const 16))))))
                        (local.set $length (i32.add (local.get $length) (local.get $x)))
                        (br_if $equal (i32.eq (local.get $x) (i32.const 32))))))))
              (local.set $length (select (local.get $length) (local.get $most)
                (i32.lt_u (local.get $length) (local.get $most))))
              ;; Position 0, where there is no candidate, is too far from any.
              (br_if $unmatched (i32.or
                (i32.lt_u (local.get $length) (i32.const 4))
                (i32.gt_u (i32.sub (local.get $distance) (i32.const 4)) (i32.const 32764))))

              ;; The symbol of a distance d: twice the exponent of d - 1, and its second highest bit.
              (local.set $x (i32.sub (local.get $distance) (i32.const 1)))
              (local.set $y (i32.sub (i32.const 31) (i32.clz (local.get $x))))
              (local.set $extra (i32.sub (local.get $y) (i32.const 1)))
              (local.set $symbol (i32.or
                (i32.shl (local.get $y) (i32.const 1))
                (i32.and (i32.shr_u (local.get $x) (local.get $extra)) (i32.const 1))))
              (local.set $code
                (i32.load offset=2064 (i32.shl (local.get $symbol) (i32.const 2))))
              (local.set $distanceBits (i32.shr_u (local.get $code) (i32.const 24)))
              (local.set $distanceCode (i64.extend_i32_u (i32.or
                (i32.and (local.get $code) (i32.const 0xffffff))
                (i32.shl
                  (i32.and (local.get $x)
                    (i32.sub (i32.shl (i32.const 1) (local.get $extra)) (i32.const 1)))
                  (local.get $distanceBits)))))
              (local.set $distanceBits (i32.add (local.get $distanceBits) (local.get $extra)))

              ;; One match holds at most 258 bytes, and what follows at least 4.
              (local.set $take (select
                (local.get $length)
                (select (i32.const 258) (i32.const 255) (i32.eq (local.get $length) (i32.const 262)))
                (i32.le_u (local.get $length) (i32.const 258))))
              (local.set $at (i32.add (local.get $at) (local.get $take)))
              (if (local.get $counting)
                (then
                  (call $count (i32.add (local.get $take) (i32.const 257)))
                  (call $count (i32.add (local.get $symbol) (i32.const 516))))
                (else
                  (local.set $code
                    (i32.load offset=1024 (i32.shl (local.get $take) (i32.const 2))))
                  (local.set $x (i32.shr_u (local.get $code) (i32.const 24)))
                  (local.set $pending (i64.or (local.get $pending) (i64.shl
                    (i64.or
                      (i64.extend_i32_u (i32.and (local.get $code) (i32.const 0xffffff)))
                      (i64.shl (local.get $distanceCode) (i64.extend_i32_u (local.get $x))))
                    (i64.extend_i32_u (local.get $bits)))))
                  (local.set $bits (i32.add (local.get $bits)
                    (i32.add (local.get $x) (local.get $distanceBits))))
                  (i64.store align=1 (local.get $out) (local.get $pending))
                  (local.set $out
                    (i32.add (local.get $out) (i32.shr_u (local.get $bits) (i32.const 3))))
                  (local.set $bits (i32.and (local.get $bits) (i32.const 7)))
                  (local.set $pending (i64.load8_u (local.get $out)))))
              (if (i32.ne (local.get $take) (local.get $length))
                (then
                  (local.set $candidate (i32.add (local.get $candidate) (local.get $take)))
                  (br $candidates))))

            (if (i32.eqz (local.get $hashed))
              (then
                ;; The field that the next byte lies in, or starts.
                (loop $passed
                  (local.set $field (i32.add (local.get $field) (i32.const 1)))
                  (local.set $fieldEnd (i32.load offset=4
                    (i32.add (local.get $row) (i32.shl (local.get $field) (i32.const 2)))))
                  (br_if $passed (i32.lt_u (local.get $fieldEnd) (local.get $at))))
                ;; Second candidate: where these four bytes last began the rest of a field.
                (if (i32.ge_u (i32.sub (local.get $fieldEnd) (local.get $at)) (i32.const 4))
                  (then
                    (local.set $slot (i32.shl
                      (i32.shr_u
                        (i32.mul (i32.load align=1 (local.get $at)) (i32.const 0x9e3779b1))
                        (i32.const 20))
                      (i32.const 2)))
                    (local.set $candidate (i32.load offset=4096 (local.get $slot)))
                    (i32.store offset=4096 (local.get $slot) (local.get $at))
                    (local.set $limit (local.get $fieldEnd))
                    (local.set $hashed (i32.const 1))
                    (br $candidates))))))

          ;; The rest of the field, four literals at a time: at most 48 bits behind at most 7. The last three are found
          ;; without a branch by how many there are.
          (if (local.get $counting)
            (then
              (loop $counted
                (if (i32.lt_u (local.get $at) (local.get $fieldEnd))
                  (then
                    (call $count (i32.load8_u (local.get $at)))
                    (local.set $at (i32.add (local.get $at) (i32.const 1)))
                    (br $counted)))))
            (else
              (local.set $left (i32.sub (local.get $fieldEnd) (local.get $at)))
              (if (i32.ge_u (local.get $left) (i32.const 4))
                (then (loop $fours
                  (local.set $four (i32.load align=1 (local.get $at)))
                  (local.set $code (i32.load (i32.add (local.get $pairs)
                    (i32.shl (i32.and (local.get $four) (i32.const 0xffff)) (i32.const 2)))))
                  (local.set $x (i32.shr_u (local.get $code) (i32.const 24)))
                  (local.set $literals (i64.extend_i32_u (i32.and (local.get $code) (i32.const 0xffffff))))
                  (local.set $code (i32.load (i32.add (local.get $pairs)
                    (i32.shl (i32.shr_u (local.get $four) (i32.const 16)) (i32.const 2)))))
                  (local.set $literals (i64.or (local.get $literals) (i64.shl
                    (i64.extend_i32_u (i32.and (local.get $code) (i32.const 0xffffff)))
                    (i64.extend_i32_u (local.get $x)))))
                  (local.set $x (i32.add (local.get $x) (i32.shr_u (local.get $code) (i32.const 24))))
                  (local.set $pending (i64.or (local.get $pending)
                    (i64.shl (local.get $literals) (i64.extend_i32_u (local.get $bits)))))
                  (local.set $bits (i32.add (local.get $bits) (local.get $x)))
                  (i64.store align=1 (local.get $out) (local.get $pending))
                  (local.set $out
                    (i32.add (local.get $out) (i32.shr_u (local.get $bits) (i32.const 3))))
                  (local.set $bits (i32.and (local.get $bits) (i32.const 7)))
                  (local.set $pending (i64.load8_u (local.get $out)))
                  (local.set $at (i32.add (local.get $at) (i32.const 4)))
                  (local.set $left (i32.sub (local.get $left) (i32.const 4)))
                  (br_if $fours (i32.ge_u (local.get $left) (i32.const 4))))))
              (if (local.get $left)
                (then
                  (local.set $four (i32.load align=1 (local.get $at)))
                  (local.set $code (select
                    (i32.load (i32.add (local.get $pairs)
                      (i32.shl (i32.and (local.get $four) (i32.const 0xffff)) (i32.const 2))))
                    (i32.load (i32.shl (i32.and (local.get $four) (i32.const 0xff)) (i32.const 2)))
                    (i32.gt_u (local.get $left) (i32.const 1))))
                  (local.set $x (i32.shr_u (local.get $code) (i32.const 24)))
                  (local.set $literals (i64.extend_i32_u (i32.and (local.get $code) (i32.const 0xffffff))))
                  (local.set $code (select
                    (i32.load (i32.and (i32.shr_u (local.get $four) (i32.const 14)) (i32.const 0x3fc)))
                    (i32.const 0)
                    (i32.eq (local.get $left) (i32.const 3))))
                  (local.set $literals (i64.or (local.get $literals) (i64.shl
                    (i64.extend_i32_u (i32.and (local.get $code) (i32.const 0xffffff)))
                    (i64.extend_i32_u (local.get $x)))))
                  (local.set $x (i32.add (local.get $x) (i32.shr_u (local.get $code) (i32.const 24))))
                  (local.set $pending (i64.or (local.get $pending)
                    (i64.shl (local.get $literals) (i64.extend_i32_u (local.get $bits)))))
                  (local.set $bits (i32.add (local.get $bits) (local.get $x)))
                  (i64.store align=1 (local.get $out) (local.get $pending))
                  (local.set $out
                    (i32.add (local.get $out) (i32.shr_u (local.get $bits) (i32.const 3))))
                  (local.set $bits (i32.and (local.get $bits) (i32.const 7)))
                  (local.set $pending (i64.load8_u (local.get $out)))
                  (local.set $at (local.get $fieldEnd))))))
          (br_if $fields (i32.lt_u (local.get $at) (local.get $rowEnd))))

        ;; This row is the row before of the next.
        (local.set $x (local.get $row))
        (local.set $row (local.get $before))
        (local.set $before (local.get $x))
        (br $rows)))

    (if (local.get $counting)
      (then
        (call $count (i32.const 256))
        (return (local.get $out))))
    (local.set $pending (i64.or (local.get $pending) (i64.shl
      (i64.extend_i32_u (i32.and (local.get $eob) (i32.const 0xffffff)))
      (i64.extend_i32_u (local.get $bits)))))
    (local.set $bits (i32.add (local.get $bits) (i32.shr_u (local.get $eob) (i32.const 24))))
    (i64.store align=1 (local.get $out) (local.get $pending))
    (i32.add (local.get $out) (i32.shr_u (i32.add (local.get $bits) (i32.const 7)) (i32.const 3))))

  ;; One more of what is counted as number $index.
  (func $count (param $index i32)
    (local $at i32)
    (local.set $at (i32.shl (local.get $index) (i32.const 2)))
    (i32.store offset=53248 (local.get $at)
      (i32.add (i32.load offset=53248 (local.get $at)) (i32.const 1)))))
