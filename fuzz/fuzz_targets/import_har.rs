//! libFuzzer's program for `brunt_fuzz_checks::import_har`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| brunt_fuzz_checks::import_har::check(bytes));
