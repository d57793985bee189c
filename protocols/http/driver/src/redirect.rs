//! Redirects (RFC 9110 section 15.4): where the next request goes, and which parts of it are sent.
//!
//! The request is changed in place: its method, whether it still has a body, and which fields another origin receives.
//! A server decides where a redirect leads, so another origin receives only what is explicitly allowed, whatever the
//! names of the fields. It must not depend on a connection, nor on the number of redirects.

use super::failure::Failure;
use super::origin::UrlError;
use super::request::{Body, Request};
use super::response::Response;
use url::Url;

/// Fields that describe the client and what it understands, and may be sent to any origin.
const OF_THE_CLIENT: [&str; 4] = ["accept", "accept-encoding", "accept-language", "user-agent"];

/// What may be sent to another origin after a redirect, besides the fields that describe the client.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CrossOrigin {
    /// The names of the fields that may be sent.
    pub fields: Vec<String>,
    /// Whether a body may be sent.
    pub body: bool,
}

impl CrossOrigin {
    /// Whether a field of that name may be sent to another origin. Fields that name the first origin are never sent.
    fn allows(&self, name: &[u8]) -> bool {
        let is = |known: &str| name.eq_ignore_ascii_case(known.as_bytes());
        let allowed = || self.fields.iter().any(|known| is(known)) || self.body && is_of_body(name);
        !is("host") && (is_one_of(name, &OF_THE_CLIENT) || allowed())
    }
}

/// The URL to which an answer to `request`, which was sent to `from`, redirects the client; `None` if it is a final
/// answer. The request is changed into the next one, except for its target.
pub(super) fn next(
    from: &[u8],
    request: &mut Request,
    response: &Response,
    allowed: &CrossOrigin,
) -> Result<Option<Vec<u8>>, Failure> {
    let Some(turned) = RedirectAction::new(request.method(), response.status()) else {
        return Ok(None);
    };
    let Some(location) = response.values("location").next() else { return Ok(None) };
    let wrong = |what: &[u8], why: url::ParseError| UrlError::NotOne {
        url: String::from_utf8_lossy(what).into_owned(),
        why: why.to_string(),
    };
    let base = Url::parse(&String::from_utf8_lossy(from)).map_err(|why| wrong(from, why))?;
    // Bytes in it that are not UTF-8 could not be requested anyway.
    let to = base.join(&String::from_utf8_lossy(location)).map_err(|why| wrong(location, why))?;
    if turned == RedirectAction::Get {
        if request.method() != b"HEAD" {
            request.set_method(b"GET");
        }
        request.set_body(Body::None);
        request.retain(|name, _| !is_of_body(name));
    }
    if base.origin() != to.origin() {
        if request.body().bytes().is_some_and(|body| !body.is_empty()) && !allowed.body {
            return Err(Failure::BodyElsewhere(to.origin().ascii_serialization()));
        }
        request.retain(|name, _| allowed.allows(name));
    }
    Ok(Some(String::from(to).into_bytes()))
}

/// How a redirected request is sent.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RedirectAction {
    /// It is sent again unchanged.
    Same,
    /// The request was processed, and the answer is fetched from another URL.
    Get,
}

impl RedirectAction {
    fn new(method: &[u8], status: u16) -> Option<Self> {
        match status {
            303 => Some(Self::Get),
            // The RFC allows this for historical reasons, and every client does it.
            301 | 302 if method == b"POST" => Some(Self::Get),
            301 | 302 | 307 | 308 => Some(Self::Same),
            _ => None,
        }
    }
}

fn is_one_of(name: &[u8], names: &[&str]) -> bool {
    names.iter().any(|known| name.eq_ignore_ascii_case(known.as_bytes()))
}

/// Fields that describe a body, and have no meaning without one.
fn is_of_body(name: &[u8]) -> bool {
    let described = name.get(..8).is_some_and(|start| start.eq_ignore_ascii_case(b"content-"));
    described || is_one_of(name, &["transfer-encoding", "expect", "digest"])
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIELDS: [(&str, &str); 6] = [
        ("Host", "virtual.example"),
        ("authorization", "Bearer x"),
        ("COOKIE", "a=b"),
        ("Content-Type", "text/plain"),
        ("Expect", "100-continue"),
        ("X-Kept", "1"),
    ];

    fn request(method: &str) -> Request {
        let mut request = Request::default();
        request.begin(method);
        for (name, value) in FIELDS {
            request.add(name, value.as_bytes());
        }
        request.body_mut().extend_from_slice(b"body");
        request
    }

    fn everything() -> CrossOrigin {
        let fields = ["Authorization", "Cookie", "X-Kept", "Host"].map(str::to_owned).to_vec();
        CrossOrigin { fields, body: true }
    }

    /// The destination, and the changed request: its method, how many fields it has, and whether there is a body.
    fn moved(
        method: &str,
        status: u16,
        from: &str,
        location: &str,
    ) -> Option<(String, String, usize, bool)> {
        let mut request = request(method);
        let response = Response::sample(status, &[("LOCATION", location)], b"");
        let to = next(from.as_bytes(), &mut request, &response, &everything()).unwrap()?;
        let method = String::from_utf8(request.method().to_vec()).unwrap();
        let bytes = request.body().bytes().is_some();
        assert_eq!(request.value("X-Kept"), Some(&b"1"[..]));
        Some((String::from_utf8(to).unwrap(), method, request.fields().count(), bytes))
    }

    #[test]
    fn redirect_changes_method_and_body_by_the_rfc() {
        let from = "http://a.example/x";
        for (method, status, turned, fields, body) in [
            ("POST", 301, "GET", 4, false),
            ("POST", 302, "GET", 4, false),
            ("POST", 303, "GET", 4, false),
            ("POST", 307, "POST", 6, true),
            ("POST", 308, "POST", 6, true),
            ("PUT", 301, "PUT", 6, true),
            ("PUT", 302, "PUT", 6, true),
            ("PUT", 303, "GET", 4, false),
            ("DELETE", 303, "GET", 4, false),
            ("HEAD", 303, "HEAD", 4, false),
            ("HEAD", 302, "HEAD", 6, true),
            ("GET", 308, "GET", 6, true),
        ] {
            let expected = ("http://a.example/y".to_owned(), turned.to_owned(), fields, body);
            assert_eq!(moved(method, status, from, "y"), Some(expected), "{method} {status}");
        }
        for status in [200, 201, 300, 304, 305, 306, 400] {
            assert_eq!(moved("GET", status, from, "y"), None, "{status}");
        }
        let mut bare = request("GET");
        let nowhere = Response::sample(302, &[], b"");
        assert!(next(b"http://a/", &mut bare, &nowhere, &everything()).unwrap().is_none());
    }

    #[test]
    fn redirect_location_follows_the_url_standard() {
        let from = "http://a.example:8080/b/c?q#f";
        for (location, to) in [
            ("d", "http://a.example:8080/b/d"),
            ("../d", "http://a.example:8080/d"),
            ("/d?e", "http://a.example:8080/d?e"),
            ("?e", "http://a.example:8080/b/c?e"),
            ("", "http://a.example:8080/b/c?q"),
            ("//b.example/d", "http://b.example/d"),
            ("https://a.example/d", "https://a.example/d"),
            ("/with space/ä", "http://a.example:8080/with%20space/%C3%A4"),
            ("ftp://a.example/", "ftp://a.example/"),
        ] {
            assert_eq!(moved("GET", 307, from, location).unwrap().0, to, "{location}");
        }
        let mut request = request("GET");
        let wrong = Response::sample(302, &[("Location", "http://:0:0/")], b"");
        let words = next(from.as_bytes(), &mut request, &wrong, &everything()).unwrap_err();
        let words = words.to_string();
        assert!(words.contains("http://:0:0/"), "{words}");
    }

    /// The names of the fields that are sent to another origin, and whether the body is.
    fn sent_fields(status: u16, location: &str, allowed: &CrossOrigin) -> Result<String, String> {
        let mut request = request("POST");
        request.add("X-OpenIDM-Password", b"p");
        request.add("User-Agent", b"brunt");
        let response = Response::sample(status, &[("Location", location)], b"");
        let from = b"https://a.example/x";
        next(from, &mut request, &response, allowed).map_err(|failure| failure.to_string())?;
        let names = request.fields().map(|(name, _)| String::from_utf8_lossy(name).into_owned());
        let names: Vec<String> = names.collect();
        let body = if request.body().bytes().is_some() { " +body" } else { "" };
        Ok(names.join(" ") + body)
    }

    #[test]
    fn redirect_to_another_origin_drops_credentials() {
        let nothing = CrossOrigin::default();
        let all = "Host authorization COOKIE X-Kept X-OpenIDM-Password User-Agent";
        assert_eq!(sent_fields(302, "https://a.example:443/y", &nothing).unwrap(), all);
        for elsewhere in ["https://a.example:8443/y", "http://a.example/y", "https://b.example/y"] {
            assert_eq!(sent_fields(302, elsewhere, &nothing).unwrap(), "User-Agent", "{elsewhere}");
            let refused = sent_fields(307, elsewhere, &nothing).unwrap_err();
            assert!(refused.contains("its body"), "{refused}");
        }
        let kept = CrossOrigin { fields: vec!["x-kept".to_owned()], body: false };
        assert_eq!(sent_fields(303, "https://b.example/y", &kept).unwrap(), "X-Kept User-Agent");
        let most = sent_fields(307, "https://b.example/y", &everything()).unwrap();
        assert_eq!(most, "authorization COOKIE Content-Type Expect X-Kept User-Agent +body");
    }
}
