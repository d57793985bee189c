//! What OpenTelemetry's conventions call the requests of a flow.

use brunt_feed::TextPiece;
use brunt_flow_driver::{Flow, PageStep, Payload, Step};
use brunt_run::Semantic;

/// The methods of RFC 9110 and RFC 5789. Any other is `_OTHER`.
const METHODS: [&str; 9] =
    ["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"];

/// The requests by the number of their operation. A form or a link of a page decides about method and place in the
/// run; then only what all such requests have in common is recorded. Steps of one name share an operation, of which the
/// first is recorded.
pub(crate) fn semantics(flow: &Flow) -> Vec<Option<Semantic>> {
    let mut all = vec![None; flow.operations.len()];
    for step in flow.scenarios.iter().flat_map(|scenario| &scenario.steps) {
        let Step::Exchange(exchange) = step else { continue };
        let Payload::Http(http) = &exchange.payload else { continue };
        let Some(place) = all.get_mut(usize::from(exchange.operation)) else { continue };
        if place.is_some() {
            continue;
        }
        let method = match http.page {
            Some(PageStep::Submit(_)) => None,
            Some(PageStep::Follow(_)) => Some("GET"),
            None => METHODS.iter().find(|known| **known == http.method).copied(),
        };
        let beginning = match http.url.pieces().first() {
            Some(TextPiece::Literal(bytes)) if http.page.is_none() => {
                std::str::from_utf8(bytes).ok()
            }
            _ => None,
        };
        // The authority is whole if something follows it in the same piece, or nothing at all.
        let whole = http.url.pieces().len() == 1;
        let (scheme, address, port) =
            beginning.and_then(|url| authority(url, whole)).unwrap_or_default();
        *place = Some(Semantic { method: method.unwrap_or("_OTHER"), scheme, address, port });
    }
    all
}

/// The scheme, the host and the port of the beginning of a URL.
fn authority(url: &str, whole: bool) -> Option<(String, String, String)> {
    let (scheme, rest) = url.split_once("://")?;
    let end = rest.find(['/', '?', '#']);
    let authority = match end {
        Some(end) => &rest[..end],
        None if whole => rest,
        None => return None,
    };
    let authority = authority.rsplit_once('@').map_or(authority, |(_, authority)| authority);
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, port),
        _ => (authority, if scheme == "https" { "443" } else { "80" }),
    };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    Some((scheme.to_owned(), host.to_owned(), port.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn url_authority_is_known_if_literal() {
        let of = |url, whole| {
            authority(url, whole).map(|(scheme, host, port)| format!("{scheme} {host} {port}"))
        };
        for (url, whole, expected) in [
            ("http://127.0.0.1:8080/a", true, Some("http 127.0.0.1 8080")),
            ("https://id.example.com", true, Some("https id.example.com 443")),
            ("https://[::1]:8443?x", true, Some("https ::1 8443")),
            ("http://[::1]/", true, Some("http ::1 80")),
            ("http://me:secret@host:81/", true, Some("http host 81")),
            ("http://host-", false, None),
            ("/path", true, None),
        ] {
            assert_eq!(of(url, whole).as_deref(), expected, "{url}");
        }
    }
}
