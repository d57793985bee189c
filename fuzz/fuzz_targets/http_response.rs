//! libFuzzer's program for `brunt_fuzz_checks::http_response`.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: (u8, u8, &[u8])| brunt_fuzz_checks::http_response::check(
    input
));
