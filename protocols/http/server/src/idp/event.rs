//! What happens at a provider, counted under the names that Keycloak gives its events.

use std::sync::atomic::{AtomicU64, Ordering};

/// What can happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    Login,
    CodeToToken,
    RefreshToken,
    ClientLogin,
    JwtGrant,
    UserInfo,
    Introspect,
    Revoke,
    Logout,
    Device,
    DeviceVerify,
    DeviceToToken,
    Pushed,
    Registered,
    Saml,
}

/// The name of each event, and of the attempt that failed.
const NAMES: [(&str, &str); 15] = [
    ("LOGIN", "LOGIN_ERROR"),
    ("CODE_TO_TOKEN", "CODE_TO_TOKEN_ERROR"),
    ("REFRESH_TOKEN", "REFRESH_TOKEN_ERROR"),
    ("CLIENT_LOGIN", "CLIENT_LOGIN_ERROR"),
    ("JWT_AUTHORIZATION_GRANT", "JWT_AUTHORIZATION_GRANT_ERROR"),
    ("USER_INFO_REQUEST", "USER_INFO_REQUEST_ERROR"),
    ("INTROSPECT_TOKEN", "INTROSPECT_TOKEN_ERROR"),
    ("REVOKE_GRANT", "REVOKE_GRANT_ERROR"),
    ("LOGOUT", "LOGOUT_ERROR"),
    ("OAUTH2_DEVICE_AUTH", "OAUTH2_DEVICE_AUTH_ERROR"),
    ("OAUTH2_DEVICE_VERIFY_USER_CODE", "OAUTH2_DEVICE_VERIFY_USER_CODE_ERROR"),
    ("OAUTH2_DEVICE_CODE_TO_TOKEN", "OAUTH2_DEVICE_CODE_TO_TOKEN_ERROR"),
    ("PUSHED_AUTHORIZATION_REQUEST", "PUSHED_AUTHORIZATION_REQUEST_ERROR"),
    ("CLIENT_REGISTER", "CLIENT_REGISTER_ERROR"),
    ("SAML_RESPONSE", "SAML_RESPONSE_ERROR"),
];

/// How often each event happened.
#[derive(Debug, Default)]
pub(super) struct Events {
    counts: [[AtomicU64; 2]; NAMES.len()],
}

impl Events {
    /// Counts what was attempted and did or did not succeed.
    pub(super) fn count(&self, event: Event, succeeded: bool) {
        self.counts[event as usize][usize::from(!succeeded)].fetch_add(1, Ordering::Relaxed);
    }

    /// The events that happened, by name.
    pub(super) fn list(&self) -> Vec<(&'static str, u64)> {
        let each = NAMES.iter().zip(&self.counts).flat_map(|((name, failed), counts)| {
            let count = |at: usize| counts[at].load(Ordering::Acquire);
            [(*name, count(0)), (*failed, count(1))]
        });
        each.filter(|(_, count)| *count > 0).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn event_names_are_complete() {
        let events = Events::default();
        events.count(Event::Login, true);
        events.count(Event::Saml, false);
        assert_eq!(Event::Saml as usize + 1, NAMES.len());
        assert_eq!(events.list(), [("LOGIN", 1), ("SAML_RESPONSE_ERROR", 1)]);
    }
}
