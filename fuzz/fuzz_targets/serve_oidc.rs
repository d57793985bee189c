//! libFuzzer's program for `brunt_fuzz_checks::serve_oidc`.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| brunt_fuzz_checks::serve_oidc::check(input));
