//! libFuzzer's program for `brunt_fuzz_checks::http_parts`.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: (bool, &[u8], Vec<&[u8]>, u8, &[u8])| {
    brunt_fuzz_checks::http_parts::check(input)
});
