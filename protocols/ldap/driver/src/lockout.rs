//! Whether a refused bind means that the account is locked or disabled, or that its password expired.
//!
//! RFC 4511 has no result code for this. Servers report it with the response control of the password policy (OpenLDAP
//! with `ppolicy_use_lockout`, OpenDJ, 389), with `constraintViolation` (389 and related servers after too many
//! failures), or only in the text of the diagnostic message (Active Directory's `data 775`, eDirectory's `-197`, 389's
//! "Account inactivated"). The text is searched only in refusals of binds: elsewhere the same words may have another
//! meaning.
//!
//! A server reports the lock at the bind after the one that locked the account, and a load uses all accounts in turn:
//! at the first report the other accounts are locked as well. So [`LockoutGuard`] treats an account that is refused
//! twice in a row as about to be locked, and then withholds every further bind at once, without waiting for the run to
//! end.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering::Relaxed};

use brunt_ldap_wire::code;
use brunt_ldap_wire::control::value::PolicyError;

/// Active Directory's codes of a refused logon: password expired, account disabled, account expired, password must be
/// changed, account locked.
const WINDOWS: [&str; 5] = ["data 532", "data 533", "data 701", "data 773", "data 775"];
/// eDirectory's errors: intruder lockout, account expired, password expired, no grace logins left.
const EDIRECTORY: [&str; 4] = ["(-197)", "(-220)", "(-222)", "(-223)"];
/// Words that other servers use.
const WORDS: [&str; 6] =
    ["locked", "lockout", "retry limit", "inactivated", "account disabled", "expired"];
/// Only this many bytes of a diagnostic message are searched.
const LOOKED_AT: usize = 512;

/// Whether a bind that was refused with this code was refused because of the state of its account.
pub(super) fn is_locked(refused: u32, diagnostic: &[u8], policy: Option<PolicyError>) -> bool {
    use PolicyError::{AccountLocked, ChangeAfterReset, PasswordExpired};
    if matches!(policy, Some(AccountLocked | PasswordExpired | ChangeAfterReset)) {
        return true;
    }
    match refused {
        code::CONSTRAINT_VIOLATION => true,
        code::INVALID_CREDENTIALS | code::UNWILLING_TO_PERFORM => {
            let seen = diagnostic.get(..LOOKED_AT).unwrap_or(diagnostic);
            let reported = String::from_utf8_lossy(seen).to_ascii_lowercase();
            let is_reported = |word: &&str| reported.contains(*word);
            WINDOWS.iter().chain(&EDIRECTORY).chain(&WORDS).any(is_reported)
        }
        _ => false,
    }
}

/// Accounts are distinguished by a hash with this many values. Two accounts with the same hash may end a run early,
/// never late.
const PLACES: usize = 1 << 16;
/// An account that is refused this many times in a row is about to be locked: no usual policy locks it sooner.
const IN_A_ROW: u8 = 2;

/// Withholds binds once more accounts than are tolerated are locked, or about to be.
#[derive(Debug)]
pub(super) struct LockoutGuard {
    tolerated: u64,
    found: AtomicU64,
    /// How many times each account was refused since its last successful bind.
    refused: Box<[AtomicU8]>,
    /// Whether any account was refused: until then a successful bind has no count to reset.
    any: AtomicBool,
}

impl LockoutGuard {
    pub(super) fn new(tolerated: u64) -> Self {
        Self {
            tolerated,
            found: AtomicU64::new(0),
            refused: (0..PLACES).map(|_| AtomicU8::new(0)).collect(),
            any: AtomicBool::new(false),
        }
    }

    /// Whether a bind may still be sent.
    pub(super) fn lets_through(&self) -> bool {
        self.found.load(Relaxed) <= self.tolerated
    }

    /// Records the result of a bind for `account`. Returns whether the account is locked or about to be.
    pub(super) fn answered(
        &self,
        code: u32,
        reported_locked: bool,
        account: impl FnOnce() -> String,
    ) -> bool {
        let at_risk = match code {
            code::SUCCESS if !self.any.load(Relaxed) => false,
            code::SUCCESS => {
                self.place(&account()).store(0, Relaxed);
                false
            }
            code::INVALID_CREDENTIALS => {
                self.any.store(true, Relaxed);
                let before = self.place(&account()).fetch_add(1, Relaxed);
                before.saturating_add(1) >= IN_A_ROW
            }
            _ => false,
        };
        let locked = reported_locked || at_risk;
        self.found.fetch_add(u64::from(locked), Relaxed);
        locked
    }

    fn place(&self, account: &str) -> &AtomicU8 {
        let mut hasher = DefaultHasher::new();
        account.hash(&mut hasher);
        &self.refused[hasher.finish() as usize % PLACES]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lockout_is_recognized_in_the_words_of_servers() {
        for (refused, reported) in [
            (
                49,
                "80090308: LdapErr: DSID-0C090446, comment: AcceptSecurityContext error, data 775, v3839",
            ),
            (53, "NDS error: login lockout (-197)"),
            (53, "Account inactivated. Contact system administrator."),
            (19, "Exceed password retry limit. Please try later."),
            (49, "Error, Account is locked"),
            (49, "password expired!"),
        ] {
            assert!(is_locked(refused, reported.as_bytes(), None), "{reported}");
        }
        assert!(is_locked(49, b"", Some(PolicyError::AccountLocked)));
        assert!(is_locked(0x50, b"", Some(PolicyError::PasswordExpired)));
    }

    #[test]
    fn lockout_risk_is_two_refusals_in_a_row() {
        let guard = LockoutGuard::new(0);
        let bind = |code, who: &str| guard.answered(code, false, || who.to_owned());
        assert!(!bind(0, "a") && !bind(49, "a") && !bind(49, "b"), "each failed once");
        assert!(!bind(0, "a") && !bind(49, "a"), "it was let in meanwhile");
        assert!(!bind(32, "b") && !bind(51, "b"), "other refusals lock nobody");
        assert!(guard.lets_through());
        assert!(bind(49, "b") && !guard.lets_through());
    }

    #[test]
    fn lockout_tolerance_is_kept() {
        let guard = LockoutGuard::new(2);
        for (number, goes_on) in [(1, true), (2, true), (3, false)] {
            assert!(guard.answered(19, true, String::new));
            assert_eq!(guard.lets_through(), goes_on, "{number}");
        }
    }

    #[test]
    fn lockout_is_not_assumed_for_wrong_passwords() {
        for (refused, reported) in [
            (
                49,
                "80090308: LdapErr: DSID-0C09044E, comment: AcceptSecurityContext error, data 52e, v3839",
            ),
            (49, ""),
            (53, "unauthenticated bind (DN with no password) disallowed"),
            (53, "no global superior knowledge"),
            (51, "the database is locked"),
        ] {
            assert!(!is_locked(refused, reported.as_bytes(), None), "{reported}");
        }
        assert!(!is_locked(49, b"", Some(PolicyError::TooYoung)));
        assert!(!is_locked(49, &[0xff; 4096], None));
    }
}
