//! libFuzzer's program for `brunt_fuzz_checks::http_request`.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: (&[u8], &[u8], Vec<(&[u8], &[u8])>, u64)| {
    brunt_fuzz_checks::http_request::check(input)
});
