//! libFuzzer's program for `brunt_fuzz_checks::rest_request`.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: (u8, &[u8])| brunt_fuzz_checks::rest_request::check(input));
