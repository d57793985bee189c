//! libFuzzer's program for `brunt_fuzz_checks::record_events`.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| brunt_fuzz_checks::record_events::check(input));
