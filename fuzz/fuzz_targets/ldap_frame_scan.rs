//! libFuzzer's program for `brunt_fuzz_checks::ldap_frame_scan`.

#![no_main]

libfuzzer_sys::fuzz_target!(|stream: &[u8]| brunt_fuzz_checks::ldap_frame_scan::check(stream));
