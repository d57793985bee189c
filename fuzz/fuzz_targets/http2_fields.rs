//! libFuzzer's program for `brunt_fuzz_checks::http2_fields`.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: Vec<&[u8]>| brunt_fuzz_checks::http2_fields::check(input));
