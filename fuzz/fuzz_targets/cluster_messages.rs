//! libFuzzer's program for `brunt_fuzz_checks::cluster_messages`.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| brunt_fuzz_checks::cluster_messages::check(input));
