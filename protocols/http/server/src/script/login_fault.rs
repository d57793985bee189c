//! What a script can make of a login at `/idp`, and of a request to `/scim`.

use serde::Deserialize;

/// What the provider does differently. Each is about some of its paths, and selects requests for these only.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum LoginFault {
    /// The page has no form, but says that the service is being maintained.
    NoForm,
    /// The page's form is drawn by a script.
    ScriptForm,
    /// The page has two forms with the same fields.
    TwoForms,
    /// The page is JSON.
    JsonPage,
    /// The page sets no cookie.
    NoCookie,
    /// The page sets its cookie for another host.
    OtherHostCookie,
    /// The form that was sent is too old: the login page comes again, by a redirect.
    ExpiredForm,
    /// The password or the one-time password is wrong, whatever it is.
    WrongPassword,
    /// The login ends with an error instead of a code.
    AccessDenied,
    /// The login ends with another state than was given.
    WrongState,
    /// The code, or the refresh token, is of no use any more.
    ExpiredGrant,
    /// The access token is of no use any more.
    ExpiredToken,
    /// The client is not who it says, and the clock of the server is five minutes slow.
    RefusedClient,
    /// The device was not approved yet, though it was.
    Pending,
    /// The device is refused as if it polled too often.
    SlowDown,
    /// A proof must contain a nonce.
    DemandNonce,
    /// Lifetimes are said to be longer than any number of seconds makes sense.
    HugeLifetime,
}

/// What a provider of SCIM does differently.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ScimFault {
    /// 409: another resource has that name.
    Uniqueness,
    /// 412: the resource was changed meanwhile.
    Version,
    /// 400: there would be more results than the server sends.
    TooMany,
    /// 400: an attribute that cannot be changed.
    Mutability,
    /// 429: too many requests, with `Retry-After`.
    TooManyRequests,
}

impl LoginFault {
    /// Its name in scripts.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::NoForm => "no-form",
            Self::ScriptForm => "script-form",
            Self::TwoForms => "two-forms",
            Self::JsonPage => "json-page",
            Self::NoCookie => "no-cookie",
            Self::OtherHostCookie => "other-host-cookie",
            Self::ExpiredForm => "expired-form",
            Self::WrongPassword => "wrong-password",
            Self::AccessDenied => "access-denied",
            Self::WrongState => "wrong-state",
            Self::ExpiredGrant => "expired-grant",
            Self::ExpiredToken => "expired-token",
            Self::RefusedClient => "refused-client",
            Self::Pending => "pending",
            Self::SlowDown => "slow-down",
            Self::DemandNonce => "demand-nonce",
            Self::HugeLifetime => "huge-lifetime",
        }
    }

    /// Whether requests for this path can be met by it.
    pub(super) fn concerns(self, path: &str) -> bool {
        let Some(end) = path.strip_prefix("/idp/") else { return false };
        let page = matches!(end, "authorize" | "login" | "verify" | "saml");
        let resource = matches!(end, "userinfo" | "token" | "par");
        match self {
            Self::NoForm
            | Self::ScriptForm
            | Self::TwoForms
            | Self::JsonPage
            | Self::NoCookie
            | Self::OtherHostCookie => page,
            Self::ExpiredForm | Self::WrongPassword => end == "login",
            Self::AccessDenied | Self::WrongState => matches!(end, "login" | "authorize"),
            Self::ExpiredGrant | Self::Pending | Self::SlowDown => end == "token",
            Self::ExpiredToken => end == "userinfo",
            Self::RefusedClient => {
                matches!(end, "token" | "par" | "introspect" | "revoke" | "device")
            }
            Self::DemandNonce => resource,
            Self::HugeLifetime => matches!(end, "token" | "device" | "par"),
        }
    }
}

impl ScimFault {
    /// Its name in scripts.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Uniqueness => "uniqueness",
            Self::Version => "version",
            Self::TooMany => "too-many",
            Self::Mutability => "mutability",
            Self::TooManyRequests => "too-many-requests",
        }
    }

    /// Whether requests for this path can be met by it.
    pub(super) fn concerns(path: &str) -> bool {
        path.strip_prefix("/scim").is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_concern_their_paths() {
        assert!(
            LoginFault::NoForm.concerns("/idp/authorize")
                && !LoginFault::NoForm.concerns("/idp/token")
        );
        assert!(LoginFault::ExpiredGrant.concerns("/idp/token"));
        assert!(!LoginFault::ExpiredGrant.concerns("/oauth2/access_token"));
        assert!(ScimFault::concerns("/scim/v2/Users") && !ScimFault::concerns("/scimitar"));
    }
}
