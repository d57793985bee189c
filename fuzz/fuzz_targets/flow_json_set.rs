//! libFuzzer's program for `brunt_fuzz_checks::flow_json_set`.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| brunt_fuzz_checks::flow_json_set::check(input));
