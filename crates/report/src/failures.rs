//! What came of the exchanges that did not succeed, in words: `49 invalidCredentials 191,472 times`.

use crate::figure::thousands;
use brunt_exchange::Class;
use brunt_record::{CodeRecord, Record, SampleRecord, errno_words};
use std::collections::BTreeMap;

/// How many kinds are named.
const TOLD: usize = 2;
/// A share below this many per cent is told in more digits.
const FEW: f64 = 0.1;

/// The most frequent kinds of failure of a run; nothing if there was none.
pub fn failures(record: &Record) -> Option<String> {
    let codes = record.operations.iter().flat_map(|operation| &operation.codes);
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for code in codes.filter(|code| !matches!(code.class.as_str(), "ok" | "skipped")) {
        *counts.entry(words(code, record)).or_default() += code.count;
    }
    let mut counts: Vec<(String, u64)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let told = counts.iter().take(TOLD).map(|(what, count)| match count {
        1 => format!("{what} once"),
        count => format!("{what} {} times", thousands(*count)),
    });
    let told: Vec<String> = told.collect();
    (!told.is_empty()).then(|| told.join(", "))
}

/// The same, and what shows that the target was there although it did not seem to answer.
pub(crate) fn explained(record: &Record) -> Option<String> {
    let parts = failures(record).into_iter().chain(record.verdict.present.clone());
    let parts: Vec<String> = parts.collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// Why less than half succeeded, where that needs an explanation: an overload is one by itself.
pub(crate) fn cause(record: &Record) -> Option<String> {
    let counts = &record.counts;
    let due = counts.due();
    if counts.ok * 2 >= due {
        return None;
    }
    let why = explained(record);
    let sent = counts.missed() - counts.dropped;
    if sent * 2 > due
        && let Some(why) = why
    {
        return Some(format!("most failed: {why}"));
    }
    if record.rates.overload.is_some() {
        return None;
    }
    Some(match why {
        _ if counts.dropped * 2 > due => {
            "most were dropped unsent: no session became free in time".to_owned()
        }
        Some(why) => format!("less than half succeeded: {why}"),
        None => "less than half succeeded".to_owned(),
    })
}

/// How many of the exchanges that were due did not succeed in time, and what became of them.
pub(crate) fn lost(record: &Record) -> String {
    let counts = &record.counts;
    let due = thousands(counts.due());
    let waited = record.rates.overload.is_some() || !record.rates.fell_behind();
    let late = record.rates.late.filter(|_| !waited).unwrap_or_default();
    let parts = [
        (late, "were answered after the load had ended"),
        (counts.failed, "failed"),
        (counts.timed_out + counts.cut_off, "had no answer"),
        (counts.dropped, "were dropped unsent"),
    ];
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| match count {
            1 => format!("1 {}", what.replacen("were", "was", 1)),
            count => format!("{} {what}", thousands(count)),
        })
        .collect();
    if parts.is_empty() {
        return format!("none of {due} failed");
    }
    let share = 100.0 * counts.missed() as f64 / counts.due().max(1) as f64;
    let share = match share {
        0.0 => String::new(),
        share if share < FEW => format!(" ({share:.3}%)"),
        share => format!(" ({share:.1}%)"),
    };
    format!("of {due}, {}{share}", parts.join(", "))
}

/// A way in which exchanges ended: the words for an error of the system with its number behind them, else the number of
/// the protocol before its name.
pub(crate) fn named(code: &CodeRecord) -> String {
    let Some(number) = code.code else { return code.name.clone() };
    match errno_words(&code.class, number) {
        Some(words) => format!("{words} ({number})"),
        None => format!("{number} {}", code.name),
    }
}

/// One kind of failure.
fn words(code: &CodeRecord, record: &Record) -> String {
    let alike = |sample: &&SampleRecord| sample.class == code.class && sample.code == code.code;
    if let Some(reached) = record.samples.iter().find(alike).and_then(unreached) {
        return format!("could not connect to {reached}");
    }
    let words = code.code.and_then(|number| errno_words(&code.class, number));
    match code.class.as_str() {
        "result" => named(code),
        "connect" if words.is_some() => words.unwrap_or_default().to_owned(),
        "connect" if code.name == "connect" => "could not connect".to_owned(),
        "connect" => format!("could not connect ({})", code.name),
        "timed-out" => "no answer in time".to_owned(),
        "cut-off" => "no answer when the run ended".to_owned(),
        class if class == code.name => class.to_owned(),
        class => format!("{class} {}", code.name),
    }
}

/// The address that an exchange could not reach, and the error.
fn unreached(sample: &SampleRecord) -> Option<String> {
    match (&sample.address, &sample.error) {
        (Some(address), Some(error)) => Some(format!("{address}: {error}")),
        (address, _) if sample.class == Class::Connect.word() => {
            unreached_in_text(address.as_deref(), &sample.text)
        }
        _ => None,
    }
}

/// The same in a record of an older version, which has the error only in the text, and one still older the address
/// too.
fn unreached_in_text(address: Option<&str>, text: &str) -> Option<String> {
    // Advice follows the first semicolon.
    let text = text.split_once("; ").map_or(text, |(what, _)| what);
    let Some(address) = address else { return text.strip_prefix("connect to ").map(str::to_owned) };
    let error = text.split_once(&format!("{address}: ")).map(|(_, error)| error);
    Some(error.map_or_else(|| address.to_owned(), |error| format!("{address}: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::tests::measured;

    #[test]
    fn failures_name_system_errors_and_protocol_codes() {
        let code = |class: &str, number, name: &str| CodeRecord {
            class: class.to_owned(),
            code: number,
            name: name.to_owned(),
            meaning: None,
            count: 1,
        };
        assert_eq!(named(&code("connect", Some(111), "connect")), "connection refused (111)");
        assert_eq!(named(&code("result", Some(49), "invalidCredentials")), "49 invalidCredentials");
        assert_eq!(named(&code("timed-out", None, "timed out")), "timed out");
    }

    #[test]
    fn failures_list_the_most_frequent_kinds() {
        let mut record = measured(&[]);
        assert_eq!(failures(&record).unwrap(), "49 invalidCredentials 20 times");
        let code = |class: &str, name: &str, count| CodeRecord {
            class: class.to_owned(),
            code: None,
            name: name.to_owned(),
            meaning: None,
            count,
        };
        let mut other = record.operations[0].clone();
        other.codes = vec![
            code("ok", "success", 500),
            code("connect", "ECONNREFUSED", 3_000),
            code("timed-out", "timed out", 1),
        ];
        record.operations.push(other);
        assert_eq!(
            failures(&record).unwrap(),
            "could not connect (ECONNREFUSED) 3,000 times, 49 invalidCredentials 20 times"
        );
        record.samples.push(SampleRecord {
            operation: "bind".to_owned(),
            class: "connect".to_owned(),
            code: None,
            at_s: 0.0,
            text: String::new(),
            address: None,
            error: None,
            sent: None,
            answer: None,
        });
        let text = "connect to 127.0.0.1:9: connection refused; is the server running?";
        let address = || Some("127.0.0.1:9".to_owned());
        let error = || Some("no route".to_owned());
        for (text, address, error, told) in [
            // The text of a failure decides nothing where the fields are known.
            (text.to_owned(), address(), error(), "127.0.0.1:9: no route"),
            ("no way".to_owned(), address(), error(), "127.0.0.1:9: no route"),
            // Records of older versions.
            (text.to_owned(), address(), None, "127.0.0.1:9: connection refused"),
            (format!("connect: {text}"), address(), None, "127.0.0.1:9: connection refused"),
            ("no way".to_owned(), address(), None, "127.0.0.1:9"),
            (text.to_owned(), None, None, "127.0.0.1:9: connection refused"),
        ] {
            let sample = record.samples.last_mut().unwrap();
            (sample.text, sample.address, sample.error) = (text, address, error);
            let message = failures(&record).unwrap();
            let expected = format!("could not connect to {told} 3,000 times, ");
            assert!(message.starts_with(&expected), "{message}");
        }
        record.samples.pop();
        record.verdict.present = Some("5 answers came with a bad checksum".to_owned());
        let told = explained(&record).unwrap();
        assert!(told.ends_with(" times; 5 answers came with a bad checksum"), "{told}");
        record.operations[1].codes[1].name = "connect".to_owned();
        assert!(failures(&record).unwrap().starts_with("could not connect 3,000 times, "));
        record.operations.remove(0);
        assert!(failures(&record).unwrap().ends_with(", no answer in time once"));
        record.operations[0].codes.truncate(1);
        assert_eq!(failures(&record), None);
    }
}
