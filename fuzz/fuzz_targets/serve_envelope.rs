//! libFuzzer's program for `brunt_fuzz_checks::serve_envelope`.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| brunt_fuzz_checks::serve_envelope::check(input));
