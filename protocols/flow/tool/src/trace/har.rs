//! HAR 1.2 of the HTTP exchanges: the format of browsers' developer tools and proxies.
//!
//! A redirect that was followed is a separate entry, as in browsers. Unknown values (the protocol version if it was
//! negotiated, the size of a head) have the value that the format defines for that.

use brunt_flow_driver::TracedExchange;
use brunt_flow_driver::trace::{Bytes, TracedRequest};
use brunt_http_driver::Version;
use serde_json::{Value, json};

use super::ExchangeReport;
use brunt_http_driver::naming as http;

/// The document, and the number of exchanges that are not in it because they belong to other protocols.
pub(super) fn text(reports: &[ExchangeReport], version: Version) -> (String, usize) {
    let version = match version {
        Version::Http1 => "HTTP/1.1",
        Version::Http2 | Version::Http2PriorKnowledge => "HTTP/2",
        Version::Negotiate => "unknown",
    };
    let all: Vec<Vec<Value>> = reports.iter().map(|report| entries(report, version)).collect();
    let others = all.iter().filter(|entries| entries.is_empty()).count();
    let entries: Vec<Value> = all.into_iter().flatten().collect();
    let document = json!({ "log": {
        "version": "1.2",
        "creator": { "name": "brunt", "version": env!("CARGO_PKG_VERSION") },
        "entries": entries,
    } });
    (format!("{document:#}\n"), others)
}

/// The entries of one exchange: the requests that were redirected, and the last.
fn entries(report: &ExchangeReport, version: &str) -> Vec<Value> {
    let exchange = &report.exchange;
    let Some(TracedRequest::Http { method, url, fields, body }) = &exchange.request else {
        return Vec::new();
    };
    let first = request((method, url), fields, body.as_ref(), version);
    let led = exchange.hops.iter().map(|hop| request((&hop.method, &hop.url), &[], None, version));
    let requests: Vec<Value> = std::iter::once(first).chain(led).collect();
    let last = requests.len() - 1;
    let entry = |(at, request): (usize, Value)| match exchange.hops.get(at) {
        Some(hop) => json!({
            "startedDateTime": format!("{:.3}", report.began),
            "time": 0,
            "request": request,
            "response": moved(hop.status, &hop.url, version),
            "cache": {},
            "timings": { "send": 0, "wait": 0, "receive": 0 },
            "comment": format!("{}: redirect {} of {last}", exchange.step, at + 1),
        }),
        None => json!({
            "startedDateTime": format!("{:.3}", report.began),
            "time": millis(exchange.took),
            "request": request,
            "response": response(exchange, version),
            "cache": {},
            "timings": timings(exchange),
            "comment": comment(report),
            // A name of our own, which the format permits behind an underscore.
            "_curl": report.curl.as_ref().map(|curl| &curl.line),
        }),
    };
    requests.into_iter().enumerate().map(entry).collect()
}

fn request(
    (method, url): (&str, &str),
    fields: &[(String, String)],
    body: Option<&Bytes>,
    version: &str,
) -> Value {
    let mut request = json!({
        "method": method,
        "url": url,
        "httpVersion": version,
        "cookies": [],
        "headers": pairs(fields),
        "queryString": query(url),
        "headersSize": -1,
        "bodySize": body.map_or(0, |body| body.length),
    });
    if let Some(body) = body {
        request["postData"] = json!({
            "mimeType": field(fields, "content-type").unwrap_or_default(),
            "params": [],
            "text": body.text.clone().unwrap_or_default(),
            "comment": cut(body),
        });
    }
    request
}

/// A redirect answer whose target address is known.
fn moved(status: u16, url: &str, version: &str) -> Value {
    json!({
        "status": status,
        "statusText": http::status(status.into()),
        "httpVersion": version,
        "cookies": [],
        "headers": [{ "name": "Location", "value": url }],
        "content": { "size": 0, "mimeType": "" },
        "redirectURL": url,
        "headersSize": -1,
        "bodySize": -1,
    })
}

/// The answer; if there was none, the status is 0, as in browsers.
fn response(exchange: &TracedExchange, version: &str) -> Value {
    let (status, fields, body) = match &exchange.answer {
        Some(answer) => (answer.code, &answer.values[..], answer.body.as_ref()),
        None => (0, &[][..], None),
    };
    let size = body.map_or(0, |body| body.length);
    let mut content =
        json!({ "size": size, "mimeType": field(fields, "content-type").unwrap_or_default() });
    if let Some(body) = body {
        content["comment"] = json!(cut(body));
        if let Some(text) = &body.text {
            content["text"] = json!(text);
        }
    }
    json!({
        "status": status,
        "statusText": if status == 0 { "" } else { http::status(status) },
        "httpVersion": version,
        "cookies": [],
        "headers": pairs(fields),
        "content": content,
        "redirectURL": field(fields, "location").unwrap_or_default(),
        "headersSize": -1,
        "bodySize": size,
    })
}

/// Sending and waiting are one time, as far as it is known.
fn timings(exchange: &TracedExchange) -> Value {
    let wait = exchange.first_byte.unwrap_or(exchange.took).min(exchange.took);
    json!({ "send": 0, "wait": millis(wait), "receive": millis(exchange.took.saturating_sub(wait)) })
}

/// The name of the step, why it failed, and which cookies were not kept, for which the format has no member.
fn comment(report: &ExchangeReport) -> String {
    let exchange = &report.exchange;
    let why = if exchange.why.is_empty() { &report.outcome } else { &exchange.why };
    let message =
        format!("{} / {}, user {}: {why}", exchange.scenario, exchange.step, exchange.user);
    exchange.refused_cookies.iter().fold(message, |message, words| format!("{message}; {words}"))
}

fn cut(body: &Bytes) -> &'static str {
    match body {
        Bytes { text: None, .. } => "not text, left out",
        Bytes { cut: true, .. } => "the beginning",
        Bytes { .. } => "",
    }
}

fn query(url: &str) -> Vec<Value> {
    let url = url.split('#').next().unwrap_or(url);
    let Some((_, query)) = url.split_once('?') else { return Vec::new() };
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    let pair = |pair: &str| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        json!({ "name": name, "value": value })
    };
    pairs.map(pair).collect()
}

fn pairs(fields: &[(String, String)]) -> Vec<Value> {
    fields.iter().map(|(name, value)| json!({ "name": name, "value": value })).collect()
}

fn field<'a>(fields: &'a [(String, String)], name: &str) -> Option<&'a str> {
    let found = fields.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
    found.map(|(_, value)| value.as_str())
}

fn millis(time: std::time::Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_exchange::{Class, Outcome};
    use brunt_flow_driver::trace::{TracedAnswer, TracedHop};
    use std::time::Duration;

    fn report(request: TracedRequest) -> ExchangeReport {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let text = |text: &str| Bytes {
            text: Some(text.to_owned()),
            length: text.len() as u64,
            cut: false,
        };
        let exchange = TracedExchange {
            group: String::new(),
            scenario: "visit".to_owned(),
            scenario_number: 0,
            step: "log in".to_owned(),
            operation: 0,
            user: 7,
            sent: None,
            took: Duration::from_micros(2_500),
            first_byte: Some(Duration::from_millis(2)),
            outcome: Outcome::Failed(Class::Check, 302),
            why: "the code should be 200 but it is 302".to_owned(),
            pending: false,
            request: Some(request),
            form: None,
            hops: vec![TracedHop {
                status: 301,
                method: "GET".to_owned(),
                url: "http://b/".to_owned(),
            }],
            refused_cookies: Vec::new(),
            answer: Some(TracedAnswer {
                code: 302,
                values: vec![pair("content-type", "text/plain"), pair("Location", "/next")],
                body: Some(text("moved")),
            }),
            checks: Vec::new(),
            extracts: Vec::new(),
        };
        ExchangeReport {
            exchange,
            began: "2026-11-22T20:00:00.0005Z".parse().unwrap(),
            outcome: "check".to_owned(),
            code: "Found".to_owned(),
            curl: None,
        }
    }

    fn http() -> TracedRequest {
        let body = Bytes { text: Some("a=1".to_owned()), length: 3, cut: false };
        TracedRequest::Http {
            method: "POST".to_owned(),
            url: "http://a/x?q=1&r#f".to_owned(),
            fields: vec![("Content-Type".to_owned(), "text/a".to_owned())],
            body: Some(body),
        }
    }

    /// The members that HAR 1.2 requires in each object, by its position.
    const REQUIRED: [(&str, &[&str]); 9] = [
        ("/log", &["version", "creator", "entries"]),
        ("/log/creator", &["name", "version"]),
        ("", &["startedDateTime", "time", "request", "response", "cache", "timings"]),
        (
            "/request",
            &[
                "method",
                "url",
                "httpVersion",
                "cookies",
                "headers",
                "queryString",
                "headersSize",
                "bodySize",
            ],
        ),
        (
            "/response",
            &[
                "status",
                "statusText",
                "httpVersion",
                "cookies",
                "headers",
                "content",
                "redirectURL",
                "headersSize",
                "bodySize",
            ],
        ),
        ("/response/content", &["size", "mimeType"]),
        ("/timings", &["send", "wait", "receive"]),
        ("/request/headers/0", &["name", "value"]),
        ("/request/postData", &["mimeType", "params", "text"]),
    ];

    #[test]
    fn har_contains_every_required_field() {
        let (text, others) = text(&[report(http())], Version::Http1);
        let document: Value = serde_json::from_str(&text).unwrap();
        let entries = document["log"]["entries"].as_array().unwrap();
        assert_eq!((entries.len(), others), (2, 0));
        for (path, fields) in REQUIRED {
            let of_log = path.starts_with("/log");
            for owner in entries.iter().map(|entry| if of_log { &document } else { entry }) {
                // The fields and the body of the request after the redirect are unknown.
                let Some(object) = owner.pointer(path) else {
                    assert!(owner["request"]["method"] == "GET", "{path}");
                    continue;
                };
                for field in fields {
                    assert!(object.get(field).is_some(), "{path}: {field}");
                }
            }
        }
        let [first, last] = &entries[..] else { panic!("{entries:?}") };
        assert_eq!(first["response"]["status"], 301);
        assert_eq!(first["response"]["redirectURL"], "http://b/");
        assert_eq!(last["request"]["url"], "http://b/");
        assert_eq!(first["request"]["queryString"][1], json!({ "name": "r", "value": "" }));
        assert_eq!(first["request"]["postData"]["text"], "a=1");
        assert_eq!(last["response"]["redirectURL"], "/next");
        assert_eq!(last["startedDateTime"], "2026-11-22T20:00:00.000Z");
        // The parts of the time add up to it, as the format requires.
        let timings = &last["timings"];
        let parts = ["send", "wait", "receive"].map(|part| timings[part].as_f64().unwrap());
        assert_eq!((parts.iter().sum::<f64>(), last["time"].as_f64()), (2.5, Some(2.5)));
    }

    #[test]
    fn har_omits_and_counts_other_protocols() {
        let other = TracedRequest::Words { protocol: "LDAP", lines: vec!["bind as a".to_owned()] };
        let (text, others) = text(&[report(other), report(http())], Version::Negotiate);
        let document: Value = serde_json::from_str(&text).unwrap();
        assert_eq!((document["log"]["entries"].as_array().map(Vec::len), others), (Some(2), 1));
    }

    #[test]
    fn har_without_an_answer_has_status_zero() {
        let mut report = report(http());
        (report.exchange.answer, report.exchange.hops) = (None, Vec::new());
        let (text, _) = text(&[report], Version::Http2);
        let document: Value = serde_json::from_str(&text).unwrap();
        let entry = &document["log"]["entries"][0];
        assert_eq!(
            (&entry["response"]["status"], &entry["response"]["content"]["size"]),
            (&json!(0), &json!(0))
        );
        assert_eq!(entry["request"]["httpVersion"], "HTTP/2");
    }

    #[test]
    fn har_of_a_timeout_has_the_head_and_rejected_cookies() {
        let mut report = report(http());
        let exchange = &mut report.exchange;
        exchange.hops = Vec::new();
        (exchange.outcome, exchange.why) = (Outcome::TimedOut, String::new());
        report.outcome = "timed out".to_owned();
        exchange.refused_cookies =
            vec!["the cookie 'a' is not kept: it is of another host".to_owned()];
        exchange.answer = Some(TracedAnswer { code: 200, values: Vec::new(), body: None });
        let (text, _) = text(&[report], Version::Http1);
        let document: Value = serde_json::from_str(&text).unwrap();
        let entry = &document["log"]["entries"][0];
        assert_eq!((&entry["response"]["status"], &entry["time"]), (&json!(200), &json!(2.5)));
        assert_eq!(
            (&entry["timings"]["wait"], &entry["timings"]["receive"]),
            (&json!(2.0), &json!(0.5))
        );
        let comment =
            "visit / log in, user 7: timed out; the cookie 'a' is not kept: it is of another host";
        assert_eq!(entry["comment"], comment);
    }
}
