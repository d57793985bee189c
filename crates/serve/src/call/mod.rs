//! [`Call`]: one request as its handler receives it: complete, of bounded size, and authorised.

mod answer;
mod cookie;

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use http::{HeaderMap, StatusCode};

use crate::app::App;
use crate::auth::Requester;
use crate::problem::Problem;
use crate::store::Visitor;

pub(crate) use answer::{Answer, JSON, PROBLEM, ProblemReply, pack};
pub use cookie::cookie_values;
pub(crate) use cookie::{
    attempt_cookie, attempt_name, cookie, ended_attempt, ended_cookie, has_utc_times,
    name as cookie_name, times_cookie,
};

/// The most characters that are stored of a browser's User-Agent.
const BROWSER_MAX: usize = 300;

/// One request.
#[derive(Clone)]
pub(crate) struct Call {
    pub(crate) app: Arc<App>,
    /// The user who makes the request, if authenticated.
    pub(crate) who: Option<Requester>,
    /// The path and the query.
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    /// The address of the client.
    pub(crate) from: IpAddr,
    pub(crate) segments: Vec<(String, String)>,
    pub(crate) query: Vec<(String, String)>,
    pub(crate) form: Vec<(String, String)>,
    pub(crate) body: Bytes,
    /// Why its form was not accepted, while the page that has the form is made again.
    pub(crate) refused: Option<Arc<Refusal>>,
}

/// The function that carries out a request.
pub(crate) type Handler = fn(&Call) -> Result<Answer, Problem>;

/// Why a form was not accepted.
pub(crate) struct Refusal {
    pub(crate) problem: Problem,
    /// The number of the request, by which the operator finds it in the log.
    pub(crate) request: String,
    /// Whether a form of the page has shown the reason.
    is_shown: AtomicBool,
}

impl Refusal {
    pub(crate) fn new(problem: Problem, request: String) -> Self {
        Self { problem, request, is_shown: AtomicBool::new(false) }
    }

    /// Remembers that the reason is shown. Returns whether it was not shown before.
    pub(crate) fn mark_shown(&self) -> bool {
        !self.is_shown.swap(true, Ordering::Relaxed)
    }
}

impl Call {
    /// The user who makes the request. The table of routes admits no other requests to a handler that needs one.
    pub(crate) fn who(&self) -> Result<&Requester, Problem> {
        let needed = || Problem::new(StatusCode::UNAUTHORIZED, "Sign in", "Sign in to do this.");
        self.who.as_ref().ok_or_else(needed)
    }

    /// A part of the path.
    pub(crate) fn segment(&self, name: &str) -> &str {
        value_of(&self.segments, name)
    }

    /// A parameter of the query; empty if there is none.
    pub(crate) fn query(&self, name: &str) -> &str {
        value_of(&self.query, name)
    }

    /// A field of the form; empty if there is none.
    pub(crate) fn field(&self, name: &str) -> &str {
        value_of(&self.form, name)
    }

    /// The address and the browser of the client, for the list of sessions.
    pub(crate) fn visitor(&self) -> Visitor {
        let browser = self.header("user-agent").unwrap_or_default();
        let browser = browser.chars().take(BROWSER_MAX).collect();
        Visitor { address: self.from.to_string(), browser }
    }

    /// The address of the site as this client sees it.
    pub(crate) fn origin(&self) -> String {
        let scheme = if self.app.secure { "https" } else { "http" };
        let host = self.header("host").unwrap_or_default();
        origin_of(self.app.public.as_deref(), scheme, host)
    }

    /// The values of a cookie of this name.
    pub(crate) fn cookies(&self, name: &str) -> Vec<String> {
        let texts = self.headers.get_all(http::header::COOKIE).iter();
        let texts = texts.filter_map(|text| text.to_str().ok());
        texts.flat_map(|text| cookie_values(text, name)).collect()
    }

    /// A header, if it is text.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }
}

/// The origin of a site that was reached as this host. A proxy may pass on the name alone: the port is then that of the
/// public address, if that has the same name.
fn origin_of(public: Option<&str>, scheme: &str, host: &str) -> String {
    let name = |authority: &str| match authority.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') => name.to_lowercase(),
        _ => authority.to_lowercase(),
    };
    let public = public.and_then(|url| {
        let (scheme, rest) = url.split_once("://")?;
        Some((scheme, rest.split('/').next().unwrap_or_default()))
    });
    match public {
        Some((scheme, authority)) if name(authority) == name(host) => {
            format!("{scheme}://{authority}")
        }
        _ => format!("{scheme}://{host}"),
    }
}

fn value_of<'a>(pairs: &'a [(String, String)], name: &str) -> &'a str {
    pairs.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str()).unwrap_or_default()
}

/// The pairs of a query or of a form.
pub(crate) fn pairs(text: &[u8]) -> Vec<(String, String)> {
    /// More than any form of this site has: that of a plan has several fields for each step.
    const PAIRS_MAX: usize = 4_000;
    form_urlencoded::parse(text).into_owned().take(PAIRS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origin_has_the_port_of_the_public_url() {
        let public = Some("https://load.example.com:8443/");
        for (public, host, origin) in [
            (public, "load.example.com", "https://load.example.com:8443"),
            (public, "LOAD.example.com:8443", "https://load.example.com:8443"),
            (public, "10.0.0.7", "http://10.0.0.7"),
            (public, "", "http://"),
            (None, "load.example.com", "http://load.example.com"),
            (Some("https://[::1]:8443"), "[::1]", "https://[::1]:8443"),
            (Some("https://[::1]"), "[::2]", "http://[::2]"),
        ] {
            assert_eq!(origin_of(public, "http", host), origin, "{host}");
        }
    }
}
