//! Annotations: what happened at a time, as a user or a program writes it down.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use super::is_name;
use crate::app::App;
use crate::auth::Requester;
use crate::problem::Problem;
use crate::store::{Annotation, Target};

/// The most characters of a label.
pub(crate) const LABEL_MAX: usize = 100;
/// How far ahead an annotation may be: what is further is most likely a mistake.
const AHEAD_MAX: i64 = 366 * 86_400;
/// How long before the request an annotation may be, in seconds: a form was opened at the time that it marks.
const BACKDATED_MAX: i64 = 600;

/// Adds an annotation at a time that is given as text, now if that is empty, and returns it.
pub(crate) fn add(
    app: &App,
    who: &Requester,
    (label, at): (&str, &str),
    target: Option<&Target>,
) -> Result<Annotation, Problem> {
    let now = app.now();
    let at = if at.trim().is_empty() { Some(now) } else { read(at.trim()) };
    let Some(at) = at.filter(|at| (0..now + AHEAD_MAX).contains(at)) else {
        let wanted = "a time such as 2026-11-30T14:05:00Z, at most a year ahead";
        let sentence = format!("The time is not understood: write {wanted}.");
        return Err(Problem::field("at", "", wanted, sentence));
    };
    add_at(app, who, (label, at), target)
}

/// Adds an annotation at a time `ago` seconds in the past, when its form was opened.
pub(crate) fn mark(
    app: &App,
    who: &Requester,
    (label, ago): (&str, i64),
    target: Option<&Target>,
) -> Result<Annotation, Problem> {
    add_at(app, who, (label, app.now() - ago.clamp(0, BACKDATED_MAX)), target)
}

fn add_at(
    app: &App,
    who: &Requester,
    (label, at): (&str, i64),
    target: Option<&Target>,
) -> Result<Annotation, Problem> {
    let label = label.trim();
    if !is_name(label, LABEL_MAX) {
        let wanted = format!("1 to {LABEL_MAX} characters on one line");
        let sentence = format!("A label has {wanted}, such as deploy 42.");
        return Err(Problem::field("label", label, &wanted, sentence));
    }
    let made = Annotation {
        id: 0,
        at,
        label: label.to_owned(),
        target: target.map(|target| target.id),
        by: who.named(),
        made: app.now(),
    };
    let id = app.store.annotate(&made)?;
    let about = target.map(|target| format!(" of {}", target.name)).unwrap_or_default();
    app.audit(who, "annotate", &format!("{label}{about}"))?;
    Ok(Annotation { id, ..made })
}

/// Removes an annotation.
pub(crate) fn end(app: &App, who: &Requester, id: i64) -> Result<(), Problem> {
    let found = app.store.annotation(id)?.ok_or_else(|| Problem::missing("annotation"))?;
    app.store.end_annotation(id)?;
    app.audit(who, "remove annotation", &found.label)
}

/// A time in RFC 3339, or one in UTC without saying so.
fn read(text: &str) -> Option<i64> {
    if let Ok(at) = text.parse::<Timestamp>() {
        return Some(at.as_second());
    }
    let at: DateTime = text.trim_end_matches(" UTC").parse().ok()?;
    Some(at.to_zoned(TimeZone::UTC).ok()?.timestamp().as_second())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn annotation_time_is_parsed_with_and_without_zone() {
        for (text, at) in [
            ("1970-01-02T00:00:00Z", Some(86_400)),
            ("1970-01-02T01:00:00+01:00", Some(86_400)),
            ("1970-01-02 00:00", Some(86_400)),
            ("1970-01-02 00:00 UTC", Some(86_400)),
            ("yesterday", None),
            ("12:00", None),
        ] {
            assert_eq!(read(text), at, "{text}");
        }
    }
}
