//! Whether the requests of a flow can be sent, as far as that can be known before any is sent.
//!
//! There is one rule for all URLs: they are sent as they are written, without the fragment. Characters that a request
//! line cannot contain (a space, a control character, a byte beyond ASCII) are an error. Characters that RFC 3986 does
//! not allow but a request line can contain are sent, because servers are tested with them, and noted, because they are
//! rarely intended.

use std::collections::BTreeSet;

use brunt_feed::{Escape, Hole, Text, TextPiece, Values};
use brunt_flow_driver::{Flow, HttpExchange, KeyCertificate, Payload, Source, Step};
use brunt_flow_plan::sample::Sample;
use jiff::Timestamp;

/// The characters that are allowed in a URL beside letters and digits (RFC 3986).
const PLAIN: &[u8] = b"-._~:/?#@!$&'()*+,;=%";

/// Why a flow cannot be sent. It reads after "failed to".
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum FitError {
    #[error("send the request '{name}': {source}")]
    Request { name: String, source: RequestError },
    #[error("use --traceparent: {NO_PLACE}, and no step is over HTTP or LDAP")]
    Untraced,
}

/// Why a request cannot be sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RequestError {
    #[error("its URL contains a space; write it as %20")]
    Space,
    #[error(
        "its URL contains the byte {0:#04x}, which no request line can carry; write it as %{0:02X}"
    )]
    Byte(u8),
    #[error("its URL is '{0}', which names no host: set http.base, or give the whole URL")]
    NoHost(String),
    #[error("\"{}\" is not a valid header name", .0.escape_debug())]
    FieldName(String),
    #[error(
        "the value of its header {name} contains the control character {byte:#04x}, which is not allowed in a header"
    )]
    FieldValue { name: String, byte: u8 },
}

/// Why some steps carry no identity for the traces of their target.
const NO_PLACE: &str = "messages of DHCP have no place for a trace id";

/// Examines the requests of the first iteration; returns notes about them, or why one cannot be sent.
pub(crate) fn examine(flow: &Flow, now: Timestamp) -> Result<Vec<String>, FitError> {
    let Sample { values, .. } = Sample::draw(flow);
    let mut notes = BTreeSet::new();
    notes.extend(untraced(flow)?);
    notes.extend(flow.certificates.iter().filter_map(|of| out_of_date(of, now)));
    for step in flow.scenarios.iter().flat_map(|scenario| &scenario.steps) {
        let Step::Exchange(act) = step else { continue };
        let Payload::Http(http) = &act.payload else { continue };
        let name = flow.operations.get(usize::from(act.operation)).map_or("", String::as_str);
        let wrong = |source| FitError::Request { name: name.to_owned(), source };
        fields_fit(http, flow, &values).map_err(wrong)?;
        // Where a page leads is known when it has come.
        if http.page.is_some() {
            continue;
        }
        let url = rendered(&http.url, flow, &values);
        let base = http.base_before(&url).map(|base| rendered(base, flow, &values));
        let url = [base.unwrap_or_default(), url].concat();
        url_fits(&url).map_err(wrong)?;
        names_host(&http.url, &url, flow, &values).map_err(wrong)?;
        if let Some(odd) = oddities(&url) {
            notes.insert(format!(
                "the URL of '{name}' contains {odd}, which RFC 3986 does not allow there; it is sent as it is"
            ));
        }
    }
    Ok(notes.into_iter().collect())
}

/// The note about a key whose certificate is not valid now. It signs nevertheless: a server may not look at
/// the certificate.
fn out_of_date(of: &KeyCertificate, now: Timestamp) -> Option<String> {
    let (from, until) = of.valid;
    let (what, at) = match now.as_second() {
        second if second >= until => ("expired at", until),
        second if second < from => ("is not valid before", from),
        _ => return None,
    };
    let at = Timestamp::from_second(at).map_or_else(|_| at.to_string(), |at| at.to_string());
    Some(format!(
        "keys.{}: the certificate in {} {what} {at}; a server that knows the key by it refuses what it signs",
        of.key, of.file
    ))
}

/// The note about steps that carry no identity for the traces of their target.
fn untraced(flow: &Flow) -> Result<Option<String>, FitError> {
    let steps = flow.scenarios.iter().flat_map(|scenario| &scenario.steps);
    let mut carry = steps.filter_map(|step| match step {
        Step::Exchange(act) => Some(!matches!(act.payload, Payload::Dhcp(_))),
        Step::Pause(_) | Step::Control(_) => None,
    });
    let (some, all) = (carry.clone().any(|one| one), carry.all(|one| one));
    match flow.traceparent {
        false => Ok(None),
        true if !some => Err(FitError::Untraced),
        true => Ok((!all).then(|| format!("--traceparent: {NO_PLACE}; the other steps have one"))),
    }
}

/// A text as it is sent, without the values that answers provide.
fn rendered(text: &Text, flow: &Flow, values: &Values) -> Vec<u8> {
    let mut out = Vec::new();
    for piece in text.pieces() {
        match piece {
            TextPiece::Literal(bytes) => out.extend_from_slice(bytes),
            TextPiece::Hole(hole, escape) => value(*hole, *escape, flow, values, &mut out),
        }
    }
    out
}

fn value(hole: Hole, escape: Escape, flow: &Flow, values: &Values, out: &mut Vec<u8>) {
    let source = flow.variables.get(usize::from(hole.0)).map(|variable| &variable.source);
    let start = out.len();
    let of_answer = match source {
        Some(Source::Answer | Source::Signed(_) | Source::Request(_)) => true,
        Some(Source::Filtered(..)) => made_of_answers(source, flow),
        _ => false,
    };
    match values.value(hole).filter(|_| !of_answer) {
        Some(value) => out.extend_from_slice(value),
        // A placeholder that is valid, also after a per cent sign.
        None => out.extend_from_slice(b"00"),
    }
    escape.apply(out, start);
}

/// Whether a URL fits into a request line.
fn url_fits(url: &[u8]) -> Result<(), RequestError> {
    let Some(byte) = url.iter().find(|byte| !(0x21..0x7f).contains(*byte)) else { return Ok(()) };
    Err(match byte {
        b' ' => RequestError::Space,
        byte => RequestError::Byte(*byte),
    })
}

/// Whether a URL names the host that it leads to, unless its beginning is known only during the run.
fn names_host(text: &Text, url: &[u8], flow: &Flow, values: &Values) -> Result<(), RequestError> {
    if let Some(TextPiece::Hole(hole, _)) = text.pieces().first() {
        let source = flow.variables.get(usize::from(hole.0)).map(|variable| &variable.source);
        if values.value(*hole).is_none() || made_of_answers(source, flow) {
            return Ok(());
        }
    }
    let whole = |scheme: &str| {
        url.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme.as_bytes()))
    };
    if whole("http://") || whole("https://") {
        return Ok(());
    }
    let url = brunt_redact::url(&values.shown(&String::from_utf8_lossy(url)));
    Err(RequestError::NoHost(url))
}

/// Whether a value is that of an answer, or is composed of one.
fn made_of_answers(source: Option<&Source>, flow: &Flow) -> bool {
    let Some(source) = source else { return true };
    let of = |hole: Hole| flow.variables.get(usize::from(hole.0)).map(|variable| &variable.source);
    matches!(source, Source::Answer)
        || source.texts().flat_map(Text::holes).any(|hole| made_of_answers(of(hole), flow))
}

/// Whether the fields can be lines of a request head.
fn fields_fit(http: &HttpExchange, flow: &Flow, values: &Values) -> Result<(), RequestError> {
    let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    for (name, value) in &http.fields {
        if name.is_empty() || !name.bytes().all(token) {
            return Err(RequestError::FieldName(name.clone()));
        }
        let value = rendered(value, flow, values);
        if let Some(byte) = value.iter().find(|byte| byte.is_ascii_control() && **byte != b'\t') {
            return Err(RequestError::FieldValue { name: name.clone(), byte: *byte });
        }
    }
    Ok(())
}

/// Each deviation of a URL from RFC 3986, once.
fn oddities(url: &[u8]) -> Option<String> {
    let authority = url.windows(3).position(|three| three == b"://").map_or(0, |at| at + 3);
    let path = url[authority..].iter().position(|byte| b"/?#".contains(byte));
    let rest = path.map_or(&[][..], |path| &url[authority + path..]);
    let mut odd = BTreeSet::new();
    for (at, &byte) in rest.iter().enumerate() {
        let followed = || rest.get(at + 1..at + 3).is_some_and(hexadecimal);
        if byte == b'%' && !followed() {
            odd.insert("a '%' without two hexadecimal digits".to_owned());
        } else if !byte.is_ascii_alphanumeric() && !PLAIN.contains(&byte) {
            odd.insert(format!("'{}'", char::from(byte)));
        }
    }
    let all: Vec<String> = odd.into_iter().collect();
    (!all.is_empty()).then(|| all.join(", "))
}

fn hexadecimal(digits: &[u8]) -> bool {
    digits.iter().all(u8::is_ascii_hexdigit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_flow_driver::{AfterFailure, ExchangeStep, Renewal, Scenario, Variable};

    #[test]
    fn url_without_a_host_is_an_error_unless_from_an_answer() {
        for value in ["/x/y", "?x", "", "h/x", "ftp://h/"] {
            let error = examined("${v}", ("A", "b"), value).unwrap_err().to_string();
            assert!(error.contains("names no host: set http.base"), "{value}: {error}");
        }
        assert!(examined("${v}", ("A", "b"), "HTTP://h/").is_ok());
    }

    fn examined(url: &str, field: (&str, &str), secret: &str) -> Result<Vec<String>, FitError> {
        let text = |text: &str| Text::parse(text, Escape::None, |_| Some(Hole(0))).unwrap();
        let http = HttpExchange {
            method: "GET".to_owned(),
            url: text(url),
            fields: vec![(field.0.to_owned(), text(field.1))],
            ..HttpExchange::default()
        };
        let source = Source::Text(Text::literal(secret));
        let variables = vec![Variable::new("v", source, Renewal::User)];
        let steps =
            vec![Step::Exchange(Box::new(ExchangeStep::new(0, Payload::Http(Box::new(http)))))];
        let after_failure = AfterFailure::Skip;
        let scenarios = vec![Scenario { name: "s".to_owned(), steps, after_failure }];
        let flow =
            Flow { scenarios, variables, operations: vec!["ask".to_owned()], ..Flow::default() };
        examine(&flow, Timestamp::UNIX_EPOCH)
    }

    #[test]
    fn unsendable_request_is_an_error_with_its_step() {
        for (url, field, value, message) in [
            ("http://h/a b", ("A", "b"), "", "'ask': its URL contains a space"),
            ("http://h/${v}", ("A", "b"), "x\ny", "the byte 0x0a"),
            ("http://h/\u{e9}", ("A", "b"), "", "the byte 0xc3"),
            ("http://h/", ("A b", "c"), "", "\"A b\" is not a valid header name"),
            ("http://h/", ("A", "b\r\nC: d"), "", "header A contains the control character 0x0d"),
            ("http://h/", ("A", "${v}"), "b\nc", "the control character 0x0a"),
        ] {
            let error = examined(url, field, value).unwrap_err().to_string();
            assert!(error.contains(message), "{url}: {error}");
        }
    }

    #[test]
    fn characters_outside_rfc_3986_are_noted() {
        for (url, noted) in [
            ("http://[::1]:80/a?b=c%20d&e[]=f", "'[', ']'"),
            ("http://h/{a}|\"\\", "'\"', '\\', '{', '|', '}'"),
            ("http://h/100%", "a '%' without"),
            ("http://h/%zz", "a '%' without"),
        ] {
            let notes = examined(url, ("A", "b"), "").unwrap();
            assert!(notes.len() == 1 && notes[0].contains(noted), "{url}: {notes:?}");
        }
        for url in ["http://[::1]:80/a?b=c%20d#e", "http://h/%${v}", "http://h"] {
            assert_eq!(examined(url, ("A", "b"), "41").unwrap(), [""; 0], "{url}");
        }
    }
}
