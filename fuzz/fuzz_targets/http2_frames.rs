//! libFuzzer's program for `brunt_fuzz_checks::http2_frames`.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: (u16, &[u8])| brunt_fuzz_checks::http2_frames::check(input));
