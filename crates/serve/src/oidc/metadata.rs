//! [`Metadata`]: the metadata of a provider (OpenID Connect Discovery 1.0, section 3).

use std::net::IpAddr;

use http::Uri;
use serde::Deserialize;

/// The most bytes of a URL.
const URL_MAX: usize = 2_000;

/// The metadata of a provider, as far as it is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metadata {
    /// Where browsers are sent to sign in.
    pub authorization: String,
    /// Where a code is exchanged for tokens.
    pub token: String,
    /// Where its keys are.
    pub keys: String,
    /// The `UserInfo` endpoint, if there is one.
    pub userinfo: Option<String>,
    /// Where browsers are sent to sign out, if there is such a place.
    pub end_session: Option<String>,
    /// Whether the client secret is sent in the body, because a header is not accepted.
    pub secret_in_body: bool,
    /// Whether every answer to a browser names the issuer (RFC 9207).
    pub names_issuer: bool,
}

/// Why the description of a provider is not accepted.
#[derive(Debug, thiserror::Error)]
pub enum MetadataError {
    /// It is not a description.
    #[error("its description cannot be read: {0}")]
    Form(#[from] serde_json::Error),
    /// It is that of another issuer.
    #[error("it calls itself '{named}', and the issuer is '{issuer}'")]
    Issuer {
        /// The issuer in the description.
        named: String,
        /// The expected issuer.
        issuer: String,
    },
    /// An endpoint is less secure than the issuer.
    #[error("its {name} is no address to which a secret may be sent: '{url}'")]
    Endpoint {
        /// The name of the endpoint.
        name: &'static str,
        /// Its address.
        url: String,
    },
}

#[derive(Deserialize)]
struct Document {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
    jwks_uri: String,
    userinfo_endpoint: Option<String>,
    end_session_endpoint: Option<String>,
    token_endpoint_auth_methods_supported: Option<Vec<String>>,
    #[serde(default)]
    authorization_response_iss_parameter_supported: bool,
}

impl Metadata {
    /// Reads the document of this issuer.
    pub fn read(text: &[u8], issuer: &str) -> Result<Self, MetadataError> {
        let document: Document = serde_json::from_slice(text)?;
        if document.issuer != issuer {
            let (named, issuer) = (super::words(&document.issuer), issuer.to_owned());
            return Err(MetadataError::Issuer { named, issuer });
        }
        let endpoint = |name, url: String| {
            if is_endpoint(&url, issuer) {
                return Ok(url);
            }
            Err(MetadataError::Endpoint { name, url: super::words(&url) })
        };
        let methods = document.token_endpoint_auth_methods_supported;
        let offers =
            |method: &str| methods.as_ref().is_some_and(|all| all.iter().any(|one| one == method));
        let optional = |name, url: Option<String>| url.map(|url| endpoint(name, url)).transpose();
        Ok(Self {
            authorization: endpoint("authorization_endpoint", document.authorization_endpoint)?,
            token: endpoint("token_endpoint", document.token_endpoint)?,
            keys: endpoint("jwks_uri", document.jwks_uri)?,
            userinfo: optional("userinfo_endpoint", document.userinfo_endpoint)?,
            end_session: optional("end_session_endpoint", document.end_session_endpoint)?,
            secret_in_body: offers("client_secret_post") && !offers("client_secret_basic"),
            names_issuer: document.authorization_response_iss_parameter_supported,
        })
    }
}

/// The address of the document of an issuer.
pub fn discovery(issuer: &str) -> String {
    format!("{}/.well-known/openid-configuration", issuer.trim_end_matches('/'))
}

/// Whether a text can be an issuer: a URL of https, or of http on this machine's loopback, without a query.
pub fn is_issuer(text: &str) -> bool {
    let uri = usable(text).filter(|uri| uri.query().is_none());
    uri.is_some_and(|uri| is_secure(&uri) || is_loopback(&uri))
}

/// Whether an endpoint is as safe to send secrets to as its issuer: by TLS, unless the issuer is on this machine, and
/// on this machine only if the issuer is.
fn is_endpoint(url: &str, issuer: &str) -> bool {
    let (Some(url), Some(issuer)) = (usable(url), usable(issuer)) else { return false };
    let is_here = is_loopback(&issuer);
    (is_secure(&url) || is_here && is_loopback(&url)) && (is_here || !is_loopback(&url))
}

/// A URL of HTTP without a user, a fragment or anything that has to be quoted.
fn usable(text: &str) -> Option<Uri> {
    let is_plain = text.len() <= URL_MAX
        && text.bytes().all(|byte| byte.is_ascii_graphic() && !b"\"'<>\\#".contains(&byte));
    let uri: Uri = text.parse().ok().filter(|_| is_plain)?;
    let has_scheme = matches!(uri.scheme_str(), Some("http" | "https"));
    let authority = uri.authority()?.as_str();
    (has_scheme && !authority.contains('@')).then_some(uri)
}

fn is_secure(uri: &Uri) -> bool {
    uri.scheme_str() == Some("https")
}

fn is_loopback(uri: &Uri) -> bool {
    let host = uri.host().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse().is_ok_and(|address: IpAddr| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    const ISSUER: &str = "https://sso.example.com/realms/load";

    fn document() -> Value {
        json!({
            "issuer": ISSUER,
            "authorization_endpoint": "https://sso.example.com/auth?realm=load",
            "token_endpoint": "https://sso.example.com/token",
            "jwks_uri": "https://keys.example.com/",
            "end_session_endpoint": "https://sso.example.com/logout",
        })
    }

    fn read(document: &Value, issuer: &str) -> Result<Metadata, MetadataError> {
        Metadata::read(document.to_string().as_bytes(), issuer)
    }

    #[test]
    fn metadata_requires_the_same_issuer() {
        let found = read(&document(), ISSUER).unwrap();
        assert_eq!(found.token, "https://sso.example.com/token");
        assert_eq!((found.userinfo, found.secret_in_body), (None, false));
        // A slash more is another issuer.
        for issuer in
            ["https://sso.example.com/realms/load/", "https://sso.example.com/realms/LOAD"]
        {
            let error = read(&document(), issuer).unwrap_err();
            assert!(matches!(error, MetadataError::Issuer { .. }), "{error}");
        }
        let mut posts = document();
        posts["token_endpoint_auth_methods_supported"] = json!(["client_secret_post"]);
        assert!(read(&posts, ISSUER).unwrap().secret_in_body);
        posts["token_endpoint_auth_methods_supported"] =
            json!(["client_secret_post", "client_secret_basic"]);
        assert!(!read(&posts, ISSUER).unwrap().secret_in_body);
        for text in ["", "[]", "{}", "{\"issuer\":7}", "null"] {
            assert!(Metadata::read(text.as_bytes(), ISSUER).is_err(), "{text}");
        }
    }

    #[test]
    fn metadata_endpoints_must_be_as_secure_as_the_issuer() {
        for wrong in [
            "http://sso.example.com/token",
            "https://127.0.0.1/token",
            "http://localhost:8080/token",
            "https://me:secret@sso.example.com/token",
            "https://sso.example.com/token#x",
            "https://sso.example.com/\"><script>",
            "file:///etc/passwd",
            "/token",
            "",
        ] {
            let mut document = document();
            document["token_endpoint"] = json!(wrong);
            let error = read(&document, ISSUER).unwrap_err();
            let is_of_token =
                matches!(error, MetadataError::Endpoint { name: "token_endpoint", .. });
            assert!(is_of_token, "{wrong}: {error}");
        }
        let mut local = document();
        for name in ["authorization_endpoint", "token_endpoint", "jwks_uri"] {
            local[name] = json!("http://127.0.0.1:8080/x");
        }
        local["issuer"] = json!("http://localhost:8080");
        assert!(read(&local, "http://localhost:8080").is_ok());
        local["jwks_uri"] = json!("http://192.0.2.1/keys");
        assert!(read(&local, "http://localhost:8080").is_err());
    }

    #[test]
    fn issuer_must_use_https_unless_on_localhost() {
        for (text, is_one) in [
            (ISSUER, true),
            ("http://127.0.0.1:8080/realms/x", true),
            ("http://[::1]:8080", true),
            ("http://localhost", true),
            ("http://sso.example.com", false),
            ("https://sso.example.com/?realm=x", false),
            ("sso.example.com", false),
            ("", false),
        ] {
            assert_eq!(is_issuer(text), is_one, "{text}");
        }
        assert_eq!(
            discovery("https://a.example/"),
            "https://a.example/.well-known/openid-configuration"
        );
    }
}
