//! An exchange as `--once` prints it: the step and its outcome, the request, the answer, each check and each value that
//! was extracted. Text from a server is made safe for the terminal.

use std::fmt::Write as _;
use std::time::Duration;

use brunt_exchange::{Class, Layout, Outcome, inert};
use brunt_flow_driver::TracedExchange;
use brunt_flow_driver::trace::{Bytes, Kept, KeptValue, TracedAnswer, TracedRequest};
use brunt_http_driver::naming as http;

use super::ExchangeReport;

/// How many bytes of a body are printed.
const BODY_SHOWN: usize = 2_000;
/// How many characters of a field or a value are printed.
const VALUE_SHOWN: usize = 300;
/// How many fields or values of an answer are printed.
const VALUES_SHOWN: usize = 40;

/// The head of a scenario.
pub(crate) fn scenario(exchange: &TracedExchange) -> String {
    let name = line(&exchange.scenario);
    format!("\n{name}\n{}\n", "=".repeat(name.chars().count()))
}

/// One exchange.
pub(crate) fn exchange(report: &ExchangeReport) -> String {
    let exchange = &report.exchange;
    let word = match exchange.outcome {
        Outcome::Ok(_) => "passed",
        Outcome::Skipped => "skipped",
        _ => "FAILED",
    };
    let mut out = String::new();
    let step = line(&if exchange.group.is_empty() {
        exchange.step.clone()
    } else {
        format!("{} (in {})", exchange.step, exchange.group)
    });
    if exchange.outcome == Outcome::Skipped {
        let _ = writeln!(out, "\n-- {step}: skipped: {}", line(&exchange.why));
        return out;
    }
    let _ = writeln!(out, "\n-- {step}: {word} ({}) after {}", ended(report), time(exchange.took));
    if let Some(request) = &exchange.request {
        self::request(&mut out, request);
    }
    if let Some(words) = &exchange.form {
        let _ = writeln!(out, "   form  {}", value(words));
    }
    for hop in &exchange.hops {
        let _ = writeln!(out, "   < {} {}", hop.status, http::status(hop.status.into()));
        let _ = writeln!(out, "   > {} {}", line(&hop.method), line(&hop.url));
    }
    if let Some(answer) = &exchange.answer {
        self::answer(&mut out, report, answer);
    }
    for words in &exchange.refused_cookies {
        let _ = writeln!(out, "   note: {}", value(words));
    }
    for check in &exchange.checks {
        let word = if check.holds { "ok    " } else { "FAILED" };
        let _ = writeln!(out, "   {word}  {}", value(&check.words));
    }
    exchange.extracts.iter().for_each(|kept| self::kept(&mut out, kept));
    if exchange.pending && matches!(exchange.outcome, Outcome::Ok(_)) {
        let _ = writeln!(out, "   {}", value(&exchange.why));
    }
    // A failed check has already been printed.
    if !matches!(exchange.outcome, Outcome::Ok(_)) && !has_failed_check(exchange) {
        let _ = writeln!(out, "   FAILED  {}", value(&why(report)));
    }
    if let Some(curl) = &report.curl {
        let _ = writeln!(out, "   again   {}", curl.line);
        for note in &curl.notes {
            let _ = writeln!(out, "           # {note}");
        }
    }
    out
}

/// A failure in one line.
pub(crate) fn failure(report: &ExchangeReport) -> String {
    let exchange = &report.exchange;
    let (scenario, step) = (line(&exchange.scenario), line(&exchange.step));
    format!("{scenario} / {step}: {}", value(&why(report)))
}

fn has_failed_check(exchange: &TracedExchange) -> bool {
    exchange.checks.iter().any(|check| !check.holds)
}

/// Why a step failed. A server's message about a refusal is printed with the code that makes it one.
fn why(report: &ExchangeReport) -> String {
    let exchange = &report.exchange;
    let failed = exchange.checks.iter().find(|check| !check.holds);
    let refused =
        is_http(exchange) && matches!(exchange.outcome, Outcome::Failed(Class::Result, _));
    let is_same = failed.is_some_and(|check| check.words == exchange.why);
    match (failed, exchange.why.as_str()) {
        (Some(check), "") => check.words.clone(),
        (None, "") => code(report),
        (_, why) if refused && !is_same => format!("{}: {why}", code(report)),
        (_, why) => why.to_owned(),
    }
}

/// How an exchange ended: with its answer, or with time over, even if a part of an answer came.
fn ended(report: &ExchangeReport) -> String {
    let exchange = &report.exchange;
    if exchange.outcome == Outcome::TimedOut && exchange.answer.is_some() {
        return format!("{}, {}", report.outcome, code(report));
    }
    code(report)
}

/// The code of the answer and its name; if there was no answer, what happened.
fn code(report: &ExchangeReport) -> String {
    match &report.exchange.answer {
        Some(answer) if is_http(&report.exchange) => format!("{} {}", answer.code, report.code),
        Some(_) => report.code.clone(),
        None => report.outcome.clone(),
    }
}

fn is_http(exchange: &TracedExchange) -> bool {
    matches!(exchange.request, Some(TracedRequest::Http { .. }))
}

fn request(out: &mut String, request: &TracedRequest) {
    match request {
        TracedRequest::Http { method, url, fields, body } => {
            let _ = writeln!(out, "   > {} {}", line(method), line(url));
            for (name, shown) in fields {
                let _ = writeln!(out, "   > {}: {}", line(name), value(shown));
            }
            if let Some(body) = body {
                self::body(out, '>', body);
            }
        }
        TracedRequest::Words { protocol, lines } => {
            for (at, words) in lines.iter().enumerate() {
                let protocol = if at == 0 { format!("{protocol} ") } else { String::new() };
                let _ = writeln!(out, "   > {protocol}{}", value(words));
            }
        }
    }
}

fn answer(out: &mut String, report: &ExchangeReport, answer: &TracedAnswer) {
    let first =
        report.exchange.first_byte.map(|first| format!(" (first byte after {})", time(first)));
    let first = first.unwrap_or_default();
    let _ = writeln!(out, "   < {}{first}", code(report));
    for (name, shown) in answer.values.iter().take(VALUES_SHOWN) {
        let _ = writeln!(out, "   < {}: {}", line(name), value(shown));
    }
    if answer.values.len() > VALUES_SHOWN {
        let _ = writeln!(out, "   < ... {} more", answer.values.len() - VALUES_SHOWN);
    }
    if let Some(body) = &answer.body {
        self::body(out, '<', body);
    }
}

fn body(out: &mut String, mark: char, body: &Bytes) {
    let Some(text) = &body.text else {
        let _ = writeln!(out, "   {mark}\n   {mark} ({} bytes that are not text)", body.length);
        return;
    };
    if text.is_empty() && body.length == 0 {
        return;
    }
    let _ = writeln!(out, "   {mark}");
    let shown = cut(text, BODY_SHOWN);
    for part in inert(shown, Layout::Lines).split('\n') {
        let _ = writeln!(out, "   {mark} {}", part.trim_end_matches("\\u{d}"));
    }
    if body.cut || shown.len() < text.len() {
        let _ = writeln!(out, "   {mark} ... ({} bytes in all)", body.length);
    }
}

fn kept(out: &mut String, kept: &Kept) {
    let (name, from) = (line(&kept.name), line(&kept.from));
    let _ = match &kept.value {
        KeptValue::Value { shown, length } => {
            let length = if shown == brunt_redact::HIDDEN {
                format!(" ({length} bytes)")
            } else {
                String::new()
            };
            writeln!(out, "   kept    {name} = {}{length}, from {from}", value(shown))
        }
        KeptValue::Missing => {
            writeln!(out, "   MISSING {name}: the answer does not contain {from}")
        }
        KeptValue::Unlooked => writeln!(out, "   not kept: {name}, from {from}"),
    };
}

fn time(time: Duration) -> String {
    let millis = time.as_secs_f64() * 1e3;
    match millis {
        ..10.0 => format!("{millis:.2} ms"),
        ..1_000.0 => format!("{millis:.0} ms"),
        _ => format!("{:.2} s", millis / 1e3),
    }
}

/// A text on a line of its own.
fn line(text: &str) -> String {
    inert(text, Layout::Line)
}

/// A text on a line of its own, shortened.
fn value(text: &str) -> String {
    let shown = cut(text, VALUE_SHOWN);
    let more = if shown.len() < text.len() { " ..." } else { "" };
    format!("{}{more}", line(shown))
}

fn cut(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traced_body_is_escaped_and_shortened() {
        let mut out = String::new();
        let text = format!("a\u{1b}[2J\u{202e}b\r\nsecond\n{}", "x".repeat(5_000));
        let length = text.len() as u64;
        body(&mut out, '<', &Bytes { text: Some(text), length, cut: false });
        assert!(!out.contains(['\u{1b}', '\u{202e}', '\r']), "{out}");
        assert!(out.starts_with("   <\n   < a\\u{1b}[2J\\u{202e}b"), "{out}");
        assert!(out.contains("\n   < second\n"), "{out}");
        assert!(out.ends_with(&format!("   < ... ({length} bytes in all)\n")), "{out}");
        assert!(out.len() < 2_200);
        assert_eq!(value(&"é".repeat(400)).chars().count(), VALUE_SHOWN / 2 + 4);
    }

    #[test]
    fn traced_times_have_a_suitable_unit() {
        let shown = [70, 42_000, 1_234_000].map(|micros| time(Duration::from_micros(micros)));
        assert_eq!(shown, ["0.07 ms", "42 ms", "1.23 s"]);
    }
}
