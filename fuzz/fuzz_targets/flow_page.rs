//! libFuzzer's program for `brunt_fuzz_checks::flow_page`.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| brunt_fuzz_checks::flow_page::check(input));
