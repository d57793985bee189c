//! JSON lines: one failed exchange each, of any protocol.

use brunt_flow_driver::TracedExchange;
use brunt_flow_driver::trace::{Bytes, KeptValue, TracedRequest};
use serde_json::{Value, json};

use super::ExchangeReport;

/// The lines.
pub(super) fn text(reports: &[ExchangeReport]) -> String {
    reports.iter().flat_map(|report| [line(report).to_string(), "\n".to_owned()]).collect()
}

fn line(report: &ExchangeReport) -> Value {
    let exchange = &report.exchange;
    json!({
        "time": format!("{:.3}", report.began),
        "scenario": exchange.scenario,
        "step": exchange.step,
        "user": exchange.user,
        "outcome": report.outcome,
        "why": exchange.why,
        "took_ms": millis(exchange.took),
        "first_byte_ms": exchange.first_byte.map(millis),
        "request": exchange.request.as_ref().map(request),
        "curl": report.curl.as_ref().map(|curl| &curl.line),
        "curl_notes": report.curl.as_ref().map(|curl| &curl.notes),
        "form": exchange.form,
        "redirects": exchange.hops.iter().map(|hop| {
            json!({ "status": hop.status, "method": hop.method, "url": hop.url })
        }).collect::<Vec<_>>(),
        "answer": answer(exchange),
        "refused_cookies": exchange.refused_cookies,
        "checks": exchange.checks.iter().map(|check| {
            json!({ "holds": check.holds, "words": check.words })
        }).collect::<Vec<_>>(),
        "extracts": exchange.extracts.iter().map(|kept| {
            let (state, value) = match &kept.value {
                KeptValue::Value { shown, .. } => ("kept", Some(shown)),
                KeptValue::Missing => ("missing", None),
                KeptValue::Unlooked => ("not looked for", None),
            };
            json!({ "name": kept.name, "from": kept.from, "state": state, "value": value })
        }).collect::<Vec<_>>(),
    })
}

fn request(request: &TracedRequest) -> Value {
    match request {
        TracedRequest::Http { method, url, fields, body } => json!({
            "protocol": "HTTP",
            "method": method,
            "url": url,
            "headers": pairs(fields),
            "body": body.as_ref().map(bytes),
        }),
        TracedRequest::Words { protocol, lines } => json!({ "protocol": protocol, "lines": lines }),
    }
}

fn answer(exchange: &TracedExchange) -> Value {
    let Some(answer) = &exchange.answer else { return Value::Null };
    json!({
        "code": answer.code,
        "values": pairs(&answer.values),
        "body": answer.body.as_ref().map(bytes),
    })
}

fn bytes(bytes: &Bytes) -> Value {
    json!({ "length": bytes.length, "text": bytes.text, "cut": bytes.cut })
}

fn pairs(pairs: &[(String, String)]) -> Vec<Value> {
    pairs.iter().map(|(name, value)| json!({ "name": name, "value": value })).collect()
}

fn millis(time: std::time::Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
