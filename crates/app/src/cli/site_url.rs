//! The address of a `brunt serve` site, as a user writes it.

use brunt_run::options::base_url::{BaseUrl, UrlError};

/// Why a text is not the address of a site.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SiteError {
    #[error("the address of a site has neither a path nor a name of a user; {EXAMPLE}")]
    NotAnOrigin,
    #[error(transparent)]
    Url(#[from] UrlError),
}

/// How an address is written.
const EXAMPLE: &str = "write the address of the site, such as https://load.example.com";

/// Reads the address of a site: an origin without a path.
pub(crate) fn site(text: &str) -> Result<BaseUrl, SiteError> {
    if text.contains('?') {
        return Err(SiteError::NotAnOrigin);
    }
    let url = BaseUrl::read(text, EXAMPLE)?;
    if url.path() != "/" || url.has_credentials() {
        return Err(SiteError::NotAnOrigin);
    }
    Ok(url.below(""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn site_url_must_be_an_origin() {
        let url = site("https://load.example.com").unwrap();
        assert_eq!((url.port(), url.is_secure(), url.is_loopback()), (443, true, false));
        assert_eq!(url.to_string(), "https://load.example.com");
        let url = site("http://[::1]:7878/").unwrap();
        assert_eq!((url.host(), url.port(), url.is_loopback()), ("::1", 7878, true));
        for wrong in [
            "127.0.0.1:7878",
            "ftp://x",
            "https://x/runs/1",
            "https://me:secret@x",
            "https://x/?a=b",
            "",
        ] {
            let why = site(wrong).unwrap_err().to_string();
            assert!(
                why.contains("https://load.example.com") && !why.contains("secret"),
                "{wrong}: {why}"
            );
        }
    }
}
