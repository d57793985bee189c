//! [`Totp`]: one-time passwords of a person (RFC 6238), and which of them were used.

use crate::mac::Digest;
use ring::hmac;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use zeroize::Zeroizing;

/// The secret that a person's application and the server share.
#[derive(Clone, PartialEq, Eq)]
pub struct Seed(Zeroizing<Vec<u8>>);

/// A text that is no seed. It is not shown, because it may be a secret all the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SeedError {
    /// Neither notation.
    #[error(
        "read the seed of a one-time password: it is not base32 (A to Z, 2 to 7), nor 'hex:' and pairs \
         of hexadecimal digits"
    )]
    Notation,
    /// Nothing.
    #[error("read the seed of a one-time password: it is empty")]
    Empty,
}

/// How passwords are made of a seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Totp {
    digest: Digest,
    digits: u32,
    period: Duration,
}

/// Settings for which there are no passwords.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CodeError {
    /// A number of digits that is not in use.
    #[error("make one-time passwords of {0} digits: it must be from 6 to 8")]
    Digits(u32),
    /// No whole seconds.
    #[error("make one-time passwords for {0:?}: the period must be whole seconds, from 1s to 1h")]
    Period(Duration),
}

/// The last period in which the password of each seed was used. A server accepts each password once, so whoever needs
/// another one waits for the next period.
#[derive(Debug, Default)]
pub struct UsedCodes {
    last: Mutex<HashMap<Vec<u8>, u64>>,
}

impl Seed {
    /// Reads a seed in base32, as applications show it, or in hexadecimal after `hex:`.
    pub fn parse(text: &str) -> Result<Self, SeedError> {
        let bytes = match text.trim().strip_prefix("hex:") {
            Some(digits) => hex(digits),
            None => base32(text),
        };
        match bytes {
            None => Err(SeedError::Notation),
            Some(bytes) if bytes.is_empty() => Err(SeedError::Empty),
            Some(bytes) => Ok(Self(Zeroizing::new(bytes))),
        }
    }
}

impl std::fmt::Debug for Seed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Seed(..)")
    }
}

impl Totp {
    /// Passwords of this many digits that are valid for this long each.
    pub fn new(digest: Digest, digits: u32, period: Duration) -> Result<Self, CodeError> {
        if !(6..=8).contains(&digits) {
            return Err(CodeError::Digits(digits));
        }
        if period.subsec_nanos() != 0 || !(1..=3600).contains(&period.as_secs()) {
            return Err(CodeError::Period(period));
        }
        Ok(Self { digest, digits, period })
    }

    /// The number of the period at a time since 1970.
    pub const fn step(&self, since_1970: Duration) -> u64 {
        since_1970.as_secs() / self.period.as_secs()
    }

    /// The password of a period.
    pub fn code(&self, seed: &Seed, step: u64) -> String {
        let key = hmac::Key::new(self.digest.hmac(), &seed.0);
        let tag = hmac::sign(&key, &step.to_be_bytes());
        let bytes = tag.as_ref();
        // RFC 4226 section 5.3: the last four bits are the position of the number.
        let start = usize::from(bytes.last().copied().unwrap_or_default() & 0xf);
        let word =
            bytes[start..start + 4].iter().fold(0, |word: u32, byte| word << 8 | u32::from(*byte));
        let number = (word & 0x7fff_ffff) % 10_u32.pow(self.digits);
        format!("{number:0width$}", width = self.digits as usize)
    }

    /// How long after a time since 1970 the period begins.
    pub fn wait_for(&self, step: u64, since_1970: Duration) -> Duration {
        self.period
            .saturating_mul(u32::try_from(step).unwrap_or(u32::MAX))
            .saturating_sub(since_1970)
    }
}

impl UsedCodes {
    /// Takes the earliest period, from this one on, whose password was not used, and returns its number.
    pub fn take(&self, seed: &Seed, now: u64) -> u64 {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let step = last.get(&*seed.0).map_or(now, |used| now.max(used + 1));
        last.insert(seed.0.to_vec(), step);
        step
    }
}

fn hex(digits: &str) -> Option<Vec<u8>> {
    let pair = |pair: &[u8]| {
        let text = std::str::from_utf8(pair).ok().filter(|text| !text.starts_with('+'))?;
        if text.len() == 2 { u8::from_str_radix(text, 16).ok() } else { None }
    };
    digits.trim().as_bytes().chunks(2).map(pair).collect()
}

/// The bytes of a text in base32 (RFC 4648 section 6); `None` if it is none. The case of letters, spaces between groups
/// and padding do not matter.
fn base32(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim().trim_end_matches('=').bytes().filter(|byte| !b" -".contains(byte));
    let (mut bytes, mut kept, mut bits) = (Vec::new(), 0_u32, 0);
    for digit in digits {
        let value = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a',
            b'2'..=b'7' => digit - b'2' + 26,
            _ => return None,
        };
        kept = (kept << 5 | u32::from(value)) & 0xfff;
        bits += 5;
        if bits >= 8 {
            bits -= 8;
            bytes.push((kept >> bits) as u8);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn totp(digest: Digest) -> Totp {
        Totp::new(digest, 8, Duration::from_secs(30)).unwrap()
    }

    #[test]
    fn totp_codes_equal_rfc_6238() {
        // Appendix B: the seeds are "1234567890" repeated to the length of each digest.
        let seed = |length: usize| {
            Seed::parse(&format!("hex:{}", &"31323334353637383930".repeat(7)[..2 * length]))
        };
        let code = |digest, length, at| {
            let totp = totp(digest);
            totp.code(&seed(length).unwrap(), totp.step(Duration::from_secs(at)))
        };
        for (at, sha1, sha256, sha512) in [
            (59, "94287082", "46119246", "90693936"),
            (1_111_111_109, "07081804", "68084774", "25091201"),
            (1_234_567_890, "89005924", "91819424", "93441116"),
            (20_000_000_000, "65353130", "77737706", "47863826"),
        ] {
            assert_eq!(code(Digest::Sha1, 20, at), sha1);
            assert_eq!(code(Digest::Sha256, 32, at), sha256);
            assert_eq!(code(Digest::Sha512, 64, at), sha512);
        }
    }

    #[test]
    fn totp_code_is_used_once_and_the_next_awaited() {
        let (codes, totp) = (UsedCodes::default(), totp(Digest::Sha1));
        let (one, other) = (Seed::parse("MZXW6YTB").unwrap(), Seed::parse("hex:00").unwrap());
        let now = Duration::from_millis(65_500);
        let step = totp.step(now);
        assert_eq!([&one, &one, &other, &one].map(|seed| codes.take(seed, step)), [2, 3, 2, 4]);
        assert_eq!(totp.wait_for(2, now), Duration::ZERO);
        assert_eq!(totp.wait_for(3, now), Duration::from_millis(24_500));
        assert_eq!(codes.take(&one, 9), 9);
    }

    #[test]
    fn totp_seed_and_setting_errors_are_refused() {
        for wrong in ["MZXW1", "hex:0", "hex:0g", "hex:+1", "hex: 1"] {
            assert_eq!(Seed::parse(wrong), Err(SeedError::Notation), "{wrong}");
        }
        assert_eq!(Seed::parse(" "), Err(SeedError::Empty));
        assert_eq!(Seed::parse("hex:"), Err(SeedError::Empty));
        let period = |millis| Totp::new(Digest::Sha1, 6, Duration::from_millis(millis));
        assert!(period(30_000).is_ok());
        assert_eq!(period(500), Err(CodeError::Period(Duration::from_millis(500))));
        assert_eq!(Totp::new(Digest::Sha1, 9, Duration::from_secs(30)), Err(CodeError::Digits(9)));
        assert_eq!(format!("{:?}", Seed::parse("MZXW6YTB").unwrap()), "Seed(..)");
    }

    #[test]
    fn base32_decodes_the_rfc_4648_vectors() {
        // Section 10.
        for (text, bytes) in [
            ("", ""),
            ("MY======", "f"),
            ("MZXQ====", "fo"),
            ("MZXW6===", "foo"),
            ("MZXW6YQ=", "foob"),
            ("MZXW6YTB", "fooba"),
            ("MZXW6YTBOI======", "foobar"),
            ("mzxw 6ytb oi", "foobar"),
        ] {
            assert_eq!(base32(text), Some(bytes.as_bytes().to_vec()), "{text}");
        }
        for wrong in ["MZXW1", "0", "MZ=XQ", "ä"] {
            assert_eq!(base32(wrong), None, "{wrong}");
        }
    }
}
