//! [`BaseUrl`]: the address of a service beside the run, as a user writes it.

use std::fmt;
use std::net::IpAddr;

use http::Uri;

/// The URL of a service, which is the prefix of its paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseUrl {
    secure: bool,
    authority: String,
    host: String,
    port: u16,
    path: String,
}

/// Why a text is not such a URL. Each message ends in an example of how one is written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    /// It has no scheme or no host.
    #[error("{0}")]
    Incomplete(String),
    /// Another scheme.
    #[error("its scheme is not http or https; {0}")]
    Scheme(String),
}

impl BaseUrl {
    /// Reads a URL without a query. The error ends in `example`, which shows how it is written.
    pub fn read(text: &str, example: &str) -> Result<Self, UrlError> {
        let incomplete = || UrlError::Incomplete(example.to_owned());
        let uri: Uri = text.parse().map_err(|_| incomplete())?;
        let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
            return Err(incomplete());
        };
        let secure = match scheme {
            "http" => false,
            "https" => true,
            _ => return Err(UrlError::Scheme(example.to_owned())),
        };
        let host = authority.host().trim_start_matches('[').trim_end_matches(']');
        Ok(Self {
            secure,
            authority: authority.as_str().to_owned(),
            host: host.to_owned(),
            port: authority.port_u16().unwrap_or(if secure { 443 } else { 80 }),
            path: uri.path().to_owned(),
        })
    }

    /// The same server, below this path.
    #[must_use]
    pub fn below(self, path: &str) -> Self {
        Self { path: path.to_owned(), ..self }
    }

    /// Whether it contains a user or a password.
    pub fn has_credentials(&self) -> bool {
        self.authority.contains('@')
    }

    /// Whether its host is this machine's loopback.
    pub fn is_loopback(&self) -> bool {
        let address = self.host.parse().is_ok_and(|address: IpAddr| address.is_loopback());
        address || self.host == "localhost"
    }

    /// Whether it uses TLS.
    pub const fn is_secure(&self) -> bool {
        self.secure
    }

    /// Host and port as they were written.
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// The name or the address of the host.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port.
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// The path, which is `/` if none was written.
    pub fn path(&self) -> &str {
        &self.path
    }
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.secure { "https" } else { "http" };
        write!(f, "{scheme}://{}{}", self.authority, self.path)
    }
}
