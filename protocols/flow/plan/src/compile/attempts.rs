//! Steps that are retried or polled: compiles `retry`, `pending` and `connection`.

use std::time::Duration;

use brunt_exchange::{Class, ThinkTime, duration};
use brunt_feed::Text;
use brunt_flow_driver::{Cause, ExchangeStep, Pause, Poll, Retry, Slower};

use super::answer;
use super::names::Names;
use super::numbers::numbered;
use super::ranges::codes;
use crate::key_error::{KeyError, instead};
use crate::model::{self, Connection, Http, Step};
use crate::path::KeyPath;
use crate::values::Scalar;

/// How long a step is polled by default.
const WITHIN: Duration = Duration::from_secs(600);
/// The least time between two requests of a step that is polled, and the least if a variable says it, which may be
/// anything.
const LEAST: Duration = Duration::from_millis(100);
const LEAST_OF_VARIABLE: Duration = Duration::from_secs(1);
/// The most further attempts.
const TIMES_MAX: u32 = 1_000;

/// How a step is tried again.
pub(super) fn retry(
    at: &KeyPath,
    step: &Step,
    name: &str,
    spans: &mut Vec<String>,
) -> Result<Option<Box<Retry>>, KeyError> {
    let Some(given) = &step.retry else { return Ok(None) };
    let at = at.key("retry");
    let times = given.times.unwrap_or(1);
    if times == 0 || times > TIMES_MAX {
        let what = format!("is {times}, but must be between 1 and {TIMES_MAX}");
        return Err(KeyError::new(&at.key("times"), what));
    }
    let of = given.of.iter().flat_map(|of| &of.0).map(|word| cause(&at.key("of"), word));
    let of: Vec<Vec<Cause>> = of.collect::<Result<_, _>>()?;
    let pause = pause(&at, given)?;
    let span = numbered(&at, spans, &format!("{name} retry"), "retried steps")?;
    Ok(Some(Box::new(Retry { times, of: of.concat(), pause, span })))
}

fn pause(at: &KeyPath, given: &model::Retry) -> Result<Option<Pause>, KeyError> {
    let Some(text) = &given.pause else { return Ok(None) };
    let time = ThinkTime::parse(text)
        .map_err(|error| KeyError::new(&at.key("pause"), format!("failed to {error}")))?;
    Ok(Some(Pause { time, name: "retry".to_owned() }))
}

/// The failures that a word means.
fn cause(at: &KeyPath, word: &Scalar) -> Result<Vec<Cause>, KeyError> {
    let text = word.to_string();
    if text == "timeout" {
        return Ok(vec![Cause::Timeout]);
    }
    let class = Class::ALL.into_iter().find(|class| class.word() == text);
    if let Some(class) = class {
        return Ok(vec![Cause::Class(class)]);
    }
    let ranges = codes(&text).filter(|_| text.starts_with(|first: char| first.is_ascii_digit()));
    if let Some(ranges) = ranges {
        return Ok(ranges.into_iter().map(|(least, most)| Cause::Code(least, most)).collect());
    }
    let known = Class::ALL.into_iter().map(Class::word).chain(["timeout"]);
    let hint = instead(&text, known.clone());
    let known: Vec<&str> = known.collect();
    let what = format!(
        "is \"{text}\", which is neither a code such as \"503\" nor one of {}{hint}",
        known.join(", ")
    );
    Err(KeyError::new(at, what))
}

/// How a step is polled while the answer means "not yet"; `operation` is what such answers are counted under.
pub(super) fn poll(
    at: &KeyPath,
    step: &Step,
    (name, operation): (&str, u16),
    names: &mut Names,
    spans: &mut Vec<String>,
) -> Result<Option<Box<Poll>>, KeyError> {
    if step.pending.is_empty() {
        let given = [
            ("every", step.every.is_some()),
            ("within", step.within.is_some()),
            ("slower", step.slower.is_some()),
        ];
        return match given.into_iter().find(|(_, given)| *given) {
            None => Ok(None),
            Some((key, _)) => {
                let what =
                    "belongs to 'pending', the conditions under which the step is asked again";
                Err(KeyError::new(&at.key(key), what))
            }
        };
    }
    if step.dhcp.is_some() {
        let what = "belongs to requests over HTTP and to directories";
        return Err(KeyError::new(&at.key("pending"), what));
    }
    let pending = answer::conditions(&at.key("pending"), &step.pending, names)?;
    let (every, least) = every(&at.key("every"), step, names)?;
    let slower = step.slower.as_ref().map(|given| {
        let when = answer::conditions(&at.key("slower").key("when"), &given.when, names)?;
        Ok(Slower { by: given.by.0, when })
    });
    let slower = slower.transpose()?;
    let within = step.within.map_or(WITHIN, |time| time.0);
    let span = numbered(at, spans, &format!("{name} wait"), "polled steps")?;
    let pause = Pause { time: ThinkTime::None, name: "pending".to_owned() };
    Ok(Some(Box::new(Poll { pending, every, least, within, slower, operation, span, pause })))
}

/// The time between two requests, and the least it is.
fn every(at: &KeyPath, step: &Step, names: &mut Names) -> Result<(Text, Duration), KeyError> {
    let Some(text) = &step.every else {
        let what =
            "is missing: 'pending' needs the time between two requests, such as every = \"5s\"";
        return Err(KeyError::new(at, what));
    };
    let every = names.plain(at, text)?;
    if every.constant().is_none() {
        return Ok((every, LEAST_OF_VARIABLE));
    }
    match duration(text.trim()) {
        Some(time) if time >= LEAST => Ok((every, LEAST)),
        Some(_) => Err(KeyError::new(at, format!("is \"{text}\", but must be at least {LEAST:?}"))),
        None => {
            let what =
                format!("is \"{text}\", but must be a time such as \"5s\" or \"${{interval}}s\"");
            Err(KeyError::new(at, what))
        }
    }
}

/// The most requests that a step makes: the first, further attempts, and those after an answer that means "not yet".
pub(super) fn most(act: &ExchangeStep) -> u64 {
    let retries = act.retry.as_ref().map_or(0, |retry| u64::from(retry.times));
    let polls = act.poll.as_ref().map_or(0, |poll| {
        let constant = poll.every.constant().and_then(|text| std::str::from_utf8(text).ok());
        let every = constant.and_then(|text| duration(text.trim())).unwrap_or(poll.least);
        let polls = poll.within.as_nanos() / every.max(poll.least).as_nanos().max(1);
        u64::try_from(polls).unwrap_or(u64::MAX)
    });
    polls.saturating_add(1 + retries)
}

/// Whether a step has a connection of its own.
pub(super) fn reconnects(at: &KeyPath, step: &Step, http: &Http) -> Result<bool, KeyError> {
    let Some(Connection::New) = step.connection else { return Ok(false) };
    let at = at.key("connection");
    if step.dhcp.is_some() {
        return Err(KeyError::new(
            &at,
            "belongs to requests over connections, which DHCP has none of",
        ));
    }
    if step.ldap.is_none() && http.streams.is_some_and(|streams| streams > 1) {
        let what = "cannot be used with http.streams, with which users share their connections";
        return Err(KeyError::new(&at, what));
    }
    Ok(true)
}
