//! libFuzzer's program for `brunt_fuzz_checks::flow_plan`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| brunt_fuzz_checks::flow_plan::check(bytes));
