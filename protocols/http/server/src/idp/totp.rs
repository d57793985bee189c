//! One-time passwords (RFC 6238): six digits, 30 seconds, SHA-1. The seed of a user is the SHA-1 hash of its name.

use ring::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};
use ring::hmac;

/// The seconds for which a password is the current one.
const PERIOD: u64 = 30;

/// The period of a moment, in seconds since 1970, in which the password of a user is this one. It may be that before or
/// that after, since clocks differ.
pub(super) fn period(user: &str, password: &str, now: u64) -> Option<u64> {
    let seed = digest(&SHA1_FOR_LEGACY_USE_ONLY, user.as_bytes());
    let current = now / PERIOD;
    let known = password.len() == 6;
    (current.saturating_sub(1)..=current + 1)
        .find(|step| known && code(seed.as_ref(), *step, 1_000_000) == password.parse().ok())
}

/// The password of a period, as a number below `modulus` (RFC 4226 section 5.3).
fn code(seed: &[u8], step: u64, modulus: u32) -> Option<u32> {
    let key = hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, seed);
    let tag = hmac::sign(&key, &step.to_be_bytes());
    let at = usize::from(tag.as_ref().last()? & 0xf);
    let word = tag.as_ref().get(at..at + 4)?.try_into().map(u32::from_be_bytes).ok()?;
    Some((word & 0x7fff_ffff) % modulus)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totp_equals_rfc_6238() {
        for (time, expected) in [
            (59, 94_287_082),
            (1_111_111_109, 7_081_804),
            (1_111_111_111, 14_050_471),
            (1_234_567_890, 89_005_924),
            (2_000_000_000, 69_279_037),
            (20_000_000_000, 65_353_130),
        ] {
            let step = time / PERIOD;
            assert_eq!(code(b"12345678901234567890", step, 100_000_000), Some(expected));
        }
    }

    #[test]
    fn totp_accepts_neighbouring_periods() {
        let seed = digest(&SHA1_FOR_LEGACY_USE_ONLY, b"user.7");
        let text = format!("{:06}", code(seed.as_ref(), 100, 1_000_000).unwrap());
        let at = |now| period("user.7", &text, now);
        assert_eq!([at(2969), at(2970), at(3059), at(3060)], [None, Some(100), Some(100), None]);
        assert_eq!(period("user.8", &text, 3000), None);
        assert_eq!(period("user.7", "", 3000), None);
    }
}
