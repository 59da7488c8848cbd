;; Counts the line ends of a text, as if quotes meant nothing and with quotes honoured, and looks for words of totals.
;; A bit stands for a byte: 64 bytes of text become one number for each mark, and the rest is arithmetic on these.
(module
  (memory (export "memory") 18)
  ;; The text begins at 65,536, behind 128 bytes of what stood before it; tally.py knows the places, too.
  ;; Counts at 0: feeds, returns, pairs of both, empty lines; at 32 the same outside quotes; at 64 what the last byte
  ;; leaves: whether it is inside quotes (0 or -1), a feed, a return, and (bits 0 and 1) whether the last two end lines.

  ;; Words that a total's label may begin with, in lower case: bits that count, the word, and the place behind it at
  ;; which it has to end (0 where it may go on).
  (data (i32.const 1024)
    "\ff\ff\ff\ff\00\00\00\00" "tota\00\00\00\00" "\00\00\00\00\00\00\00\00"
    "\ff\ff\ff\ff\ff\ff\ff\ff" "grand to"         "\00\00\00\00\00\00\00\00"
    "\ff\ff\ff\ff\ff\ff\ff\ff" "overall "         "\00\00\00\00\00\00\00\00"
    "\ff\ff\ff\ff\ff\ff\ff\00" "subtota\00"       "\00\00\00\00\00\00\00\00"
    "\ff\ff\ff\ff\ff\ff\ff\ff" "sub-tota"         "\00\00\00\00\00\00\00\00"
    "\ff\ff\ff\ff\ff\ff\ff\ff" "sub tota"         "\00\00\00\00\00\00\00\00"
    "\ff\ff\ff\ff\ff\ff\ff\ff" "zwischen"         "\00\00\00\00\00\00\00\00"
    "\ff\ff\ff\ff\ff\ff\ff\ff" "gesamtsu"         "\00\00\00\00\00\00\00\00"
    "\ff\ff\ff\ff\ff\ff\ff\ff" "endsumme"         "\00\00\00\00\00\00\00\00"
    "\ff\ff\ff\ff\ff\ff\ff\ff" "insgesam"         "\00\00\00\00\00\00\00\00"
    "\ff\ff\ff\ff\ff\ff\00\00" "gesamt\00\00"     "\06\00\00\00\00\00\00\00"
    "\ff\ff\ff\ff\ff\00\00\00" "summe\00\00\00"   "\05\00\00\00\00\00\00\00"
    "\ff\ff\ff\ff\ff\00\00\00" "somme\00\00\00"   "\05\00\00\00\00\00\00\00"
    "\ff\ff\ff\ff\00\00\00\00" "suma\00\00\00\00" "\04\00\00\00\00\00\00\00"
    "\ff\ff\ff\00\00\00\00\00" "sum\00\00\00\00\00" "\03\00\00\00\00\00\00\00")
  (global $words i32 (i32.const 1024))
  (global $words_end i32 (i32.const 1384))
  ;; More blanks or longer words than this are not followed but taken for a hit.
  (global $reach i32 (i32.const 40))

  (func $add (param $at i32) (param $bits i64)
    (i64.store (local.get $at) (i64.add (i64.load (local.get $at)) (i64.popcnt (local.get $bits)))))

  ;; The bit of byte 0 is the lowest.
  (func $bits (param $a v128) (param $b v128) (param $c v128) (param $d v128) (param $mark v128) (result i64)
    (i64.or
      (i64.or
        (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $a) (local.get $mark))))
        (i64.shl (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $b) (local.get $mark)))) (i64.const 16)))
      (i64.or
        (i64.shl (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $c) (local.get $mark)))) (i64.const 32))
        (i64.shl (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $d) (local.get $mark)))) (i64.const 48)))))

  ;; Whether an odd number of quotes stands up to each byte.
  (func $inside (param $quotes i64) (result i64)
    (local.set $quotes (i64.xor (local.get $quotes) (i64.shl (local.get $quotes) (i64.const 1))))
    (local.set $quotes (i64.xor (local.get $quotes) (i64.shl (local.get $quotes) (i64.const 2))))
    (local.set $quotes (i64.xor (local.get $quotes) (i64.shl (local.get $quotes) (i64.const 4))))
    (local.set $quotes (i64.xor (local.get $quotes) (i64.shl (local.get $quotes) (i64.const 8))))
    (local.set $quotes (i64.xor (local.get $quotes) (i64.shl (local.get $quotes) (i64.const 16))))
    (i64.xor (local.get $quotes) (i64.shl (local.get $quotes) (i64.const 32))))

  (func (export "lines") (param $at i32) (param $end i32)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    (local $n i64) (local $valid i64) (local $feeds i64) (local $returns i64) (local $quotes i64) (local $ends i64)
    (local $after_feed i64) (local $after_return i64) (local $after_two i64) (local $outside i64) (local $pairs i64)
    (local $blank i64) (local $lone i64) (local $was_inside i64) (local $feed i64) (local $return i64) (local $two i64)
    (local $simple i64) (local $simple_blank i64)
    (local.set $was_inside (i64.load (i32.const 64)))
    (local.set $feed (i64.load (i32.const 72)))
    (local.set $return (i64.load (i32.const 80)))
    (local.set $two (i64.load (i32.const 88)))
    (block $done (loop $next
      (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
      (local.set $n (i64.extend_i32_u (i32.sub (local.get $end) (local.get $at))))
      (local.set $valid (i64.const -1))
      (if (i64.gt_u (local.get $n) (i64.const 64)) (then (local.set $n (i64.const 64))))
      (if (i64.lt_u (local.get $n) (i64.const 64))
        (then (local.set $valid (i64.sub (i64.shl (i64.const 1) (local.get $n)) (i64.const 1)))))
      (local.set $a (v128.load offset=0 (local.get $at)))
      (local.set $b (v128.load offset=16 (local.get $at)))
      (local.set $c (v128.load offset=32 (local.get $at)))
      (local.set $d (v128.load offset=48 (local.get $at)))
      (local.set $feeds (i64.and (local.get $valid) (i64.or
        (i64.or (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $a) (i8x16.splat (i32.const 10)))))
          (i64.shl (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $b) (i8x16.splat (i32.const 10))))) (i64.const 16)))
        (i64.or (i64.shl (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $c) (i8x16.splat (i32.const 10))))) (i64.const 32))
          (i64.shl (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $d) (i8x16.splat (i32.const 10))))) (i64.const 48))))))
      (local.set $after_feed (i64.or (i64.shl (local.get $feeds) (i64.const 1)) (local.get $feed)))
      ;; Most bytes of most texts have neither quotes around them nor returns among them.
      (if (i32.eqz (i32.or
            (v128.any_true (v128.or
              (v128.or
                (v128.or (i8x16.eq (local.get $a) (i8x16.splat (i32.const 34))) (i8x16.eq (local.get $b) (i8x16.splat (i32.const 34))))
                (v128.or (i8x16.eq (local.get $c) (i8x16.splat (i32.const 34))) (i8x16.eq (local.get $d) (i8x16.splat (i32.const 34)))))
              (v128.or
                (v128.or (i8x16.eq (local.get $a) (i8x16.splat (i32.const 13))) (i8x16.eq (local.get $b) (i8x16.splat (i32.const 13))))
                (v128.or (i8x16.eq (local.get $c) (i8x16.splat (i32.const 13))) (i8x16.eq (local.get $d) (i8x16.splat (i32.const 13)))))))
            (i64.ne (i64.or (local.get $was_inside) (local.get $return)) (i64.const 0))))
        (then (if (i64.eq (local.get $n) (i64.const 64)) (then
          (local.set $simple (i64.add (local.get $simple) (i64.popcnt (local.get $feeds))))
          (local.set $simple_blank (i64.add (local.get $simple_blank)
            (i64.popcnt (i64.and (local.get $feeds) (local.get $after_feed)))))
          (local.set $feed (i64.shr_u (local.get $feeds) (i64.const 63)))
          (local.set $two (i64.shr_u (local.get $feeds) (i64.const 62)))
          (local.set $at (i32.add (local.get $at) (i32.const 64)))
          (br $next)))))
      (local.set $returns (i64.and (local.get $valid) (i64.or
        (i64.or (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $a) (i8x16.splat (i32.const 13)))))
          (i64.shl (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $b) (i8x16.splat (i32.const 13))))) (i64.const 16)))
        (i64.or (i64.shl (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $c) (i8x16.splat (i32.const 13))))) (i64.const 32))
          (i64.shl (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $d) (i8x16.splat (i32.const 13))))) (i64.const 48))))))
      (local.set $quotes (i64.and (local.get $valid) (i64.or
        (i64.or (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $a) (i8x16.splat (i32.const 34)))))
          (i64.shl (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $b) (i8x16.splat (i32.const 34))))) (i64.const 16)))
        (i64.or (i64.shl (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $c) (i8x16.splat (i32.const 34))))) (i64.const 32))
          (i64.shl (i64.extend_i32_u (i8x16.bitmask (i8x16.eq (local.get $d) (i8x16.splat (i32.const 34))))) (i64.const 48))))))
      (local.set $ends (i64.or (local.get $feeds) (local.get $returns)))
      (local.set $after_return (i64.and (local.get $valid)
        (i64.or (i64.shl (local.get $returns) (i64.const 1)) (local.get $return))))
      (local.set $after_two (i64.or (i64.shl (local.get $ends) (i64.const 2)) (local.get $two)))
      (local.set $quotes (i64.xor (call $inside (local.get $quotes)) (local.get $was_inside)))
      (local.set $outside (i64.xor (local.get $quotes) (i64.const -1)))
      (local.set $pairs (i64.and (local.get $feeds) (local.get $after_return)))
      ;; An empty line ends with a feed behind a feed, or with a return behind any end: that is seen one byte later.
      (local.set $blank (i64.and (i64.and (local.get $feeds) (local.get $after_feed))
        (i64.xor (local.get $after_return) (i64.const -1))))
      (local.set $lone (i64.and (local.get $after_return) (local.get $after_two)))
      (call $add (i32.const 0) (local.get $feeds))
      (call $add (i32.const 8) (local.get $returns))
      (call $add (i32.const 16) (local.get $pairs))
      (call $add (i32.const 24) (i64.or (local.get $blank) (local.get $lone)))
      (call $add (i32.const 32) (i64.and (local.get $feeds) (local.get $outside)))
      (call $add (i32.const 40) (i64.and (local.get $returns) (local.get $outside)))
      (call $add (i32.const 48) (i64.and (local.get $pairs) (local.get $outside)))
      (call $add (i32.const 56) (i64.or
        (i64.and (local.get $blank) (local.get $outside))
        (i64.and (local.get $lone)
          (i64.or (i64.shl (local.get $outside) (i64.const 1))
            (i64.and (i64.xor (local.get $was_inside) (i64.const -1)) (i64.const 1))))))
      (local.set $was_inside (i64.shr_s (local.get $quotes) (i64.const 63)))
      (local.set $feed (i64.and (i64.shr_u (local.get $feeds) (i64.sub (local.get $n) (i64.const 1))) (i64.const 1)))
      (local.set $return
        (i64.and (i64.shr_u (local.get $returns) (i64.sub (local.get $n) (i64.const 1))) (i64.const 1)))
      (local.set $two (if (result i64) (i64.eq (local.get $n) (i64.const 1))
        (then (i64.or (i64.shr_u (local.get $two) (i64.const 1))
          (i64.shl (i64.and (local.get $ends) (i64.const 1)) (i64.const 1))))
        (else (i64.and (i64.shr_u (local.get $ends) (i64.sub (local.get $n) (i64.const 2))) (i64.const 3)))))
      (local.set $at (i32.add (local.get $at) (i32.const 64)))
      (br $next)))
    (i64.store (i32.const 0) (i64.add (i64.load (i32.const 0)) (local.get $simple)))
    (i64.store (i32.const 32) (i64.add (i64.load (i32.const 32)) (local.get $simple)))
    (i64.store (i32.const 24) (i64.add (i64.load (i32.const 24)) (local.get $simple_blank)))
    (i64.store (i32.const 56) (i64.add (i64.load (i32.const 56)) (local.get $simple_blank)))
    (i64.store (i32.const 64) (local.get $was_inside))
    (i64.store (i32.const 72) (local.get $feed))
    (i64.store (i32.const 80) (local.get $return))
    (i64.store (i32.const 88) (local.get $two)))

  (func $is_word (param $byte i32) (result i32)
    (i32.or
      (i32.or
        (i32.lt_u (i32.sub (i32.or (local.get $byte) (i32.const 32)) (i32.const 97)) (i32.const 26))
        (i32.lt_u (i32.sub (local.get $byte) (i32.const 48)) (i32.const 10)))
      (i32.eq (local.get $byte) (i32.const 95))))

  ;; Whether a total's word begins at a place, behind any blanks.
  (func $begins (param $at i32) (result i32)
    (local $text i64) (local $word i32) (local $stop i32) (local $length i32)
    (local.set $stop (i32.add (local.get $at) (global.get $reach)))
    (block $bare (loop $skip
      (br_if $bare (i32.ne (i32.load8_u (local.get $at)) (i32.const 32)))
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (if (i32.gt_u (local.get $at) (local.get $stop)) (then (return (i32.const 1))))
      (br $skip)))
    (local.set $text (i64.or (i64.load (local.get $at)) (i64.const 0x2020202020202020)))
    (local.set $word (global.get $words))
    (loop $each
      (if (i64.eq (i64.and (local.get $text) (i64.load (local.get $word))) (i64.load offset=8 (local.get $word)))
        (then
          (local.set $length (i32.load offset=16 (local.get $word)))
          (if (i32.eqz (local.get $length)) (then (return (i32.const 1))))
          (if (i32.eqz (call $is_word (i32.load8_u (i32.add (local.get $at) (local.get $length)))))
            (then (return (i32.const 1))))))
      (local.set $word (i32.add (local.get $word) (i32.const 24)))
      (br_if $each (i32.lt_u (local.get $word) (global.get $words_end))))
    (i32.const 0))

  ;; Whether a byte may stand behind the last one of a value.
  (func $ends_value (param $byte i32) (result i32)
    (i32.or
      (i32.or
        (i32.or (i32.eq (local.get $byte) (i32.const 44)) (i32.eq (local.get $byte) (i32.const 59)))
        (i32.or (i32.eq (local.get $byte) (i32.const 124)) (i32.eq (local.get $byte) (i32.const 34))))
      (i32.or
        (i32.eq (local.get $byte) (i32.const 9))
        (i32.or (i32.eq (local.get $byte) (i32.const 10)) (i32.eq (local.get $byte) (i32.const 13))))))

  ;; Whether "tot" at a place begins the word that ends a value.
  (func $ends (param $at i32) (result i32)
    (local $stop i32) (local $byte i32)
    (local.set $stop (i32.add (local.get $at) (global.get $reach)))
    (if (i32.ne (i32.or (i32.load16_u offset=3 (local.get $at)) (i32.const 0x2020)) (i32.const 0x6c61))
      (then (return (i32.const 0))))
    (local.set $at (i32.add (local.get $at) (i32.const 5)))
    (if (i32.eq (i32.load8_u (local.get $at)) (i32.const 58))
      (then (local.set $at (i32.add (local.get $at) (i32.const 1)))))
    (block $bare (loop $skip
      (local.set $byte (i32.load8_u (local.get $at)))
      (br_if $bare (i32.and
        (i32.ne (local.get $byte) (i32.const 32)) (i32.ne (local.get $byte) (i32.const 12))))
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (if (i32.gt_u (local.get $at) (local.get $stop)) (then (return (i32.const 1))))
      (br $skip)))
    (call $ends_value (local.get $byte)))

  ;; Whether some value that begins or ends in a range of places may be a total's label. 64 bytes behind it are looked
  ;; at, too.
  (func (export "labels") (param $at i32) (param $end i32) (result i32)
    (local $text v128) (local $before v128) (local $behind v128) (local $left i32) (local $begun i32) (local $ended i32) (local $place i32)
    (block $done (loop $next
      (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
      (local.set $text (v128.or (v128.load (local.get $at)) (i8x16.splat (i32.const 32))))
      (local.set $before (v128.load (i32.sub (local.get $at) (i32.const 1))))
      (local.set $behind (v128.or (v128.load offset=1 (local.get $at)) (i8x16.splat (i32.const 32))))
      ;; Tables at a byte's low four bits tell sets of bytes. First letters: s, t, e, g, i, z, o; second ones: r, u, v,
      ;; w, n, o, and e by itself; what stands before a value: a quote, a tabulator, a feed, a semicolon, a comma, a
      ;; return, and the pipe by itself.
      (local.set $begun (i8x16.bitmask (v128.and
        (v128.or
          (i8x16.eq (local.get $text) (i8x16.splat (i32.const 32)))
          (v128.and
            (i8x16.eq (local.get $text) (i8x16.swizzle
              (v128.const i8x16 1 0 0 115 116 101 0 103 0 105 122 0 0 0 0 111)
              (v128.and (local.get $text) (i8x16.splat (i32.const 15)))))
            (v128.or
              (i8x16.eq (local.get $behind) (i8x16.splat (i32.const 101)))
              (i8x16.eq (local.get $behind) (i8x16.swizzle
                (v128.const i8x16 1 0 114 0 0 117 118 119 0 0 0 0 0 0 110 111)
                (v128.and (local.get $behind) (i8x16.splat (i32.const 15))))))))
        (v128.or
          (i8x16.eq (local.get $before) (i8x16.splat (i32.const 124)))
          (i8x16.eq (local.get $before) (i8x16.swizzle
            (v128.const i8x16 1 0 34 0 0 0 0 0 0 9 10 59 44 13 0 0)
            (v128.and (local.get $before) (i8x16.splat (i32.const 15)))))))))
      (local.set $ended (i8x16.bitmask (v128.and
        (v128.and
          (i8x16.eq (local.get $text) (i8x16.splat (i32.const 116)))
          (i8x16.eq (local.get $behind) (i8x16.splat (i32.const 111))))
        (i8x16.eq (v128.or (v128.load offset=2 (local.get $at)) (i8x16.splat (i32.const 32)))
          (i8x16.splat (i32.const 116))))))
      (local.set $left (i32.sub (local.get $end) (local.get $at)))
      (if (i32.lt_u (local.get $left) (i32.const 16))
        (then
          (local.set $left (i32.sub (i32.shl (i32.const 1) (local.get $left)) (i32.const 1)))
          (local.set $begun (i32.and (local.get $begun) (local.get $left)))
          (local.set $ended (i32.and (local.get $ended) (local.get $left)))))
      (block $none (loop $each
        (br_if $none (i32.eqz (local.get $begun)))
        (if (call $begins (i32.add (local.get $at) (i32.ctz (local.get $begun)))) (then (return (i32.const 1))))
        (local.set $begun (i32.and (local.get $begun) (i32.sub (local.get $begun) (i32.const 1))))
        (br $each)))
      (block $none (loop $each
        (br_if $none (i32.eqz (local.get $ended)))
        (if (call $ends (i32.add (local.get $at) (i32.ctz (local.get $ended)))) (then (return (i32.const 1))))
        (local.set $ended (i32.and (local.get $ended) (i32.sub (local.get $ended) (i32.const 1))))
        (br $each)))
      (local.set $at (i32.add (local.get $at) (i32.const 16)))
      (br $next)))
    (i32.const 0))
)
