//! [`SiteUrl`]: where a site of `brunt serve` is.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use http::Uri;

/// The scheme, the host and the port of a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SiteUrl {
    pub(crate) secure: bool,
    /// Host and port as they were written.
    pub(crate) authority: String,
    pub(crate) host: String,
    pub(crate) port: u16,
}

impl SiteUrl {
    /// Whether what is sent there leaves this machine.
    pub(crate) fn is_loopback(&self) -> bool {
        self.host == "localhost"
            || self.host.parse().is_ok_and(|address: IpAddr| address.is_loopback())
    }
}

impl FromStr for SiteUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let example = "write the address of the site, such as https://load.example.com";
        let uri: Uri = text.parse().map_err(|_| example.to_owned())?;
        let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
            return Err(example.to_owned());
        };
        let secure = match scheme {
            "http" => false,
            "https" => true,
            _ => return Err(format!("its scheme is not http or https; {example}")),
        };
        if uri.path() != "/" || uri.query().is_some() || authority.as_str().contains('@') {
            return Err(format!(
                "the address of a site has neither a path nor a name of a user; {example}"
            ));
        }
        let host = authority.host().trim_start_matches('[').trim_end_matches(']');
        Ok(Self {
            secure,
            authority: authority.as_str().to_owned(),
            host: host.to_owned(),
            port: authority.port_u16().unwrap_or(if secure { 443 } else { 80 }),
        })
    }
}

impl fmt::Display for SiteUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", if self.secure { "https" } else { "http" }, self.authority)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_is_an_origin_and_nothing_else() {
        let site: SiteUrl = "https://load.example.com".parse().unwrap();
        assert_eq!((site.port, site.secure, site.is_loopback()), (443, true, false));
        assert_eq!(site.to_string(), "https://load.example.com");
        let site: SiteUrl = "http://[::1]:7878/".parse().unwrap();
        assert_eq!((site.host.as_str(), site.port, site.is_loopback()), ("::1", 7878, true));
        for wrong in [
            "127.0.0.1:7878",
            "ftp://x",
            "https://x/runs/1",
            "https://me:secret@x",
            "https://x/?a=b",
            "",
        ] {
            let why = wrong.parse::<SiteUrl>().unwrap_err();
            assert!(
                why.contains("https://load.example.com") && !why.contains("secret"),
                "{wrong}: {why}"
            );
        }
    }
}
