//! [`Nonces`]: the texts that servers demand in the next proof of a user (DPoP, RFC 9449 section 8).

/// The last nonce of each origin. A user who was never given one has an empty pointer.
#[derive(Debug, Default)]
pub(super) struct Nonces(Option<Box<Known>>);

#[derive(Debug, Default)]
struct Known {
    by_origin: Vec<(Vec<u8>, String)>,
}

/// The most origins, and the most bytes of a nonce, that are kept.
const ORIGINS_MAX: usize = 16;
const NONCE_MAX: usize = 4 << 10;

impl Nonces {
    /// The nonce for an origin.
    pub(super) fn get(&self, origin: &[u8]) -> Option<&str> {
        let mut known = self.0.iter().flat_map(|known| &known.by_origin);
        known.find(|(of, _)| of == origin).map(|(_, nonce)| nonce.as_str())
    }

    /// Keeps a nonce in place of the one before. One that is too long, or is no text, is left out.
    pub(super) fn keep(&mut self, origin: &[u8], nonce: &[u8]) {
        let Ok(nonce) = std::str::from_utf8(nonce) else { return };
        if nonce.len() > NONCE_MAX {
            return;
        }
        let known = &mut self.0.get_or_insert_default().by_origin;
        known.retain(|(of, _)| of != origin);
        if known.len() == ORIGINS_MAX {
            known.remove(0);
        }
        known.push((origin.to_vec(), nonce.to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nonces_are_kept_per_origin_and_limited() {
        let mut nonces = Nonces::default();
        assert_eq!(nonces.get(b"https://a"), None);
        nonces.keep(b"https://a", b"1");
        nonces.keep(b"https://b", b"2");
        nonces.keep(b"https://a", b"3");
        nonces.keep(b"https://b", &vec![b'x'; NONCE_MAX + 1]);
        nonces.keep(b"https://b", &[0xff]);
        assert_eq!((nonces.get(b"https://a"), nonces.get(b"https://b")), (Some("3"), Some("2")));
        for number in 0..ORIGINS_MAX {
            nonces.keep(format!("https://{number}").as_bytes(), b"n");
        }
        assert_eq!((nonces.get(b"https://a"), nonces.get(b"https://0")), (None, Some("n")));
    }
}
