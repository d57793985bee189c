//! libFuzzer's program for `brunt_fuzz_checks::dhcp6_reply`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| brunt_fuzz_checks::dhcp6_reply::check(bytes));
