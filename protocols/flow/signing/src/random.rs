//! Random bytes that no seed repeats: a server refuses an identifier that it has seen, also from a run with the same
//! seed.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::{SecureRandom as _, SystemRandom};

/// A text that no other call returns, of 128 random bits.
pub fn unique() -> String {
    let mut bytes = [0; 16];
    // The system's generator does not fail once it has been seeded.
    let _ = SystemRandom::new().fill(&mut bytes);
    URL_SAFE_NO_PAD.encode(bytes)
}
