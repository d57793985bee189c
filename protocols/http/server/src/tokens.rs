//! Tokens and their grants: sessions of OpenAM, and the grants of OAuth 2.0.
//!
//! A token contains the number of its grant and a MAC. The number of grants is limited; the oldest is dropped as if it
//! had expired.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use base64::prelude::{BASE64_URL_SAFE_NO_PAD, Engine as _};
use brunt_embedded::script::mix;

/// How many grants are remembered.
const GRANTS_MAX: usize = 1_000_000;

/// The purpose of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A session of OpenAM.
    Session,
    /// An access token.
    Access,
    /// A refresh token.
    Refresh,
    /// A login that waits for its callbacks to be filled in.
    Dialogue,
}

/// The grant of a token.
#[derive(Clone, Debug)]
pub(super) struct Grant {
    pub(super) kind: Kind,
    /// The subject: a user or an administrator, or the client itself if it acts for itself.
    pub(super) subject: Arc<str>,
    /// The client of OAuth 2.0 that requested it.
    pub(super) client: Option<Arc<str>>,
    pub(super) scope: Arc<str>,
    /// When it was issued and when it ends, since the start of the server.
    pub(super) since: Duration,
    pub(super) until: Duration,
}

/// The grants of a server.
#[derive(Debug)]
pub(super) struct Tokens {
    seal: Seal,
    grants: Mutex<(u64, BTreeMap<u64, Grant>)>,
}

impl Tokens {
    pub(super) fn new(secret: u64) -> Self {
        Self { seal: Seal::new(secret), grants: Mutex::default() }
    }

    /// A new token for a grant.
    pub(super) fn issue(&self, grant: Grant) -> String {
        let kind = grant.kind;
        let mut grants = self.lock();
        grants.0 += 1;
        let number = grants.0;
        if grants.1.len() >= GRANTS_MAX {
            grants.1.pop_first();
        }
        grants.1.insert(number, grant);
        drop(grants);
        self.spell(number, kind)
    }

    /// The grant of a token, if it was issued here and has not ended.
    pub(super) fn look_up(&self, token: &str, kind: Kind, now: Duration) -> Option<Grant> {
        let number = self.number(token, kind)?;
        self.lock().1.get(&number).filter(|grant| grant.kind == kind && now < grant.until).cloned()
    }

    /// Ends the grant of a token. False if there was none.
    pub(super) fn revoke(&self, token: &str, kind: Kind) -> bool {
        let Some(number) = self.number(token, kind) else { return false };
        let mut grants = self.lock();
        let same = grants.1.get(&number).is_some_and(|grant| grant.kind == kind);
        same && grants.1.remove(&number).is_some()
    }

    /// A token in OpenAM's format, with a star and dots; tokens of OAuth 2.0 in the format of those.
    fn spell(&self, number: u64, kind: Kind) -> String {
        let text = self.seal.write(number);
        match kind {
            Kind::Session => format!("AQIC5wM2LY4Sfc{text}.*AAJTSQACMDEAAlNLABM{number:019}*"),
            Kind::Access | Kind::Refresh | Kind::Dialogue => text,
        }
    }

    fn number(&self, token: &str, kind: Kind) -> Option<u64> {
        let text = match kind {
            Kind::Session => token.strip_prefix("AQIC5wM2LY4Sfc")?.split_once(".*")?.0,
            Kind::Access | Kind::Refresh | Kind::Dialogue => token,
        };
        self.seal.read(text).filter(|number| self.spell(*number, kind) == token)
    }

    fn lock(&self) -> MutexGuard<'_, (u64, BTreeMap<u64, Grant>)> {
        self.grants.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes numbers as texts with a MAC, and reads them back. Only texts of the same secret are read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seal {
    secret: u64,
}

impl Seal {
    pub(super) const fn new(secret: u64) -> Self {
        Self { secret }
    }

    /// The text of a number.
    pub(super) fn write(self, number: u64) -> String {
        let mut bytes = [0; 24];
        bytes[..8].copy_from_slice(&mix(number ^ self.secret).to_le_bytes());
        bytes[8..16].copy_from_slice(&(number ^ self.secret).to_le_bytes());
        bytes[16..].copy_from_slice(&self.proof(number).to_le_bytes());
        BASE64_URL_SAFE_NO_PAD.encode(bytes)
    }

    /// The number of a text that was written here.
    pub(super) fn read(self, text: &str) -> Option<u64> {
        let mut bytes = [0; 24];
        let length = BASE64_URL_SAFE_NO_PAD.decode_slice(text, &mut bytes).ok()?;
        let word = |at: usize| bytes[at..at + 8].try_into().map(u64::from_le_bytes).ok();
        let number = word(8)? ^ self.secret;
        (length == bytes.len() && word(16)? == self.proof(number) && self.write(number) == text)
            .then_some(number)
    }

    fn proof(self, number: u64) -> u64 {
        mix(mix(number) ^ mix(self.secret))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grant(kind: Kind) -> Grant {
        Grant {
            kind,
            subject: "user.7".into(),
            client: None,
            scope: "".into(),
            since: Duration::from_secs(1),
            until: Duration::from_secs(9),
        }
    }

    #[test]
    fn token_is_valid_until_expiry_or_revocation() {
        let tokens = Tokens::new(42);
        let token = tokens.issue(grant(Kind::Session));
        assert!(
            token.contains('*') && token.contains('.') && token.starts_with("AQIC5w"),
            "{token}"
        );
        let at = |seconds| tokens.look_up(&token, Kind::Session, Duration::from_secs(seconds));
        assert_eq!(at(8).map(|grant| grant.subject), Some("user.7".into()));
        assert!(at(9).is_none());
        assert!(tokens.look_up(&token, Kind::Access, Duration::ZERO).is_none());
        assert!(tokens.revoke(&token, Kind::Session) && !tokens.revoke(&token, Kind::Session));
        assert!(at(8).is_none());
    }

    #[test]
    fn token_of_another_kind_or_seed_is_invalid() {
        let tokens = Tokens::new(42);
        let token = tokens.issue(grant(Kind::Access));
        assert!(tokens.look_up(&token, Kind::Access, Duration::ZERO).is_some());
        // The same grant under another kind of token, another server's, and every single letter changed.
        let session = tokens.issue(grant(Kind::Session));
        assert!(tokens.look_up(&session, Kind::Access, Duration::ZERO).is_none());
        assert!(
            tokens
                .look_up(&Tokens::new(43).issue(grant(Kind::Access)), Kind::Access, Duration::ZERO)
                .is_none()
        );
        for at in 0..token.len() {
            let mut other = token.clone().into_bytes();
            other[at] = if other[at] == b'A' { b'B' } else { b'A' };
            let other = String::from_utf8(other).unwrap();
            assert!(tokens.look_up(&other, Kind::Access, Duration::ZERO).is_none(), "{other}");
        }
        assert!(tokens.look_up("", Kind::Access, Duration::ZERO).is_none());
        assert!(tokens.look_up("AQIC5wM2LY4Sfc.*", Kind::Session, Duration::ZERO).is_none());
    }
}
