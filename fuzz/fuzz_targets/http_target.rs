//! libFuzzer's program for `brunt_fuzz_checks::http_target`.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| brunt_fuzz_checks::http_target::check(input));
