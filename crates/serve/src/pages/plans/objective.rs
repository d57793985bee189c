//! Objectives as sentences: "99 of 100 requests are answered within 250 ms".

use maud::{Markup, html};

use super::field::Fields;
use super::sheet::Sheet;
use super::time;
use super::typed::{FieldError, Typed};

/// An objective.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Objective {
    /// So many of 100 requests are answered within a time.
    Within { of: String, request: String, time: String },
    /// Fewer than this share of the requests fail.
    Fewer { request: String, share: String },
    /// Any other, as the plan writes it.
    Other(String),
}

fn objective(text: &str) -> Objective {
    read(text).unwrap_or_else(|| Objective::Other(text.to_owned()))
}

fn read(text: &str) -> Option<Objective> {
    let (left, right) = text.split_once('<')?;
    let (left, right) = (left.trim(), right.trim());
    if right.starts_with('=') || right.is_empty() {
        return None;
    }
    let at = left.rfind(".p").or_else(|| left.rfind(".errors"));
    let (request, figure) = at.map_or(("", left), |at| (&left[..at], &left[at + 1..]));
    let (request, right) = (request.to_owned(), right.to_owned());
    if figure == "errors" {
        return Some(Objective::Fewer { request, share: right });
    }
    let of = figure.strip_prefix('p').filter(|of| of.parse::<f64>().is_ok())?;
    Some(Objective::Within { of: of.to_owned(), request, time: right })
}

impl Objective {
    fn text(&self) -> String {
        let of =
            |request: &str| if request.is_empty() { String::new() } else { format!("{request}.") };
        match self {
            Self::Within { of: number, request, time } => {
                format!("{}p{number} < {time}", of(request))
            }
            Self::Fewer { request, share } => format!("{}errors < {share}", of(request)),
            Self::Other(text) => text.clone(),
        }
    }
}

fn field(number: usize, part: &str) -> String {
    format!("slo.{number}.{part}")
}

/// The field that a fault of an objective stands at.
pub(super) fn first_field(number: usize, text: &str) -> String {
    let part = match objective(text) {
        Objective::Within { .. } => "time",
        Objective::Fewer { .. } => "share",
        Objective::Other(_) => "text",
    };
    field(number, part)
}

/// The text of an objective after what was typed, if it differs.
pub(super) fn wanted(
    number: usize,
    text: &str,
    typed: &Typed,
) -> Result<Option<String>, FieldError> {
    let before = objective(text);
    let part = |name: &str, stored: &str| typed.or(&field(number, name), stored).trim().to_owned();
    let after = match &before {
        Objective::Within { of, request, time } => {
            let drawn = time::pretty(time);
            let given = part("time", &drawn);
            let time = if given == drawn || given.ends_with('x') {
                if given == drawn { time.clone() } else { given }
            } else {
                time::read(&given).map_err(|likely| fault(number, "time", &given, likely))?
            };
            let of = part("of", of);
            if of.parse::<f64>().is_err() {
                let why = format!("'{of}' is no number, such as 99 or 99.9.");
                let (field, label) = (field(number, "of"), "Objective".to_owned());
                return Err(FieldError { field, label, why, likely: Vec::new() });
            }
            Objective::Within { of, request: part("of-request", request), time }
        }
        Objective::Fewer { request, share } => {
            let share = part("share", share).replace(' ', "");
            let share = if share.parse::<f64>().is_ok() { format!("{share}%") } else { share };
            Objective::Fewer { request: part("of-request", request), share }
        }
        Objective::Other(text) => Objective::Other(part("text", text)),
    };
    Ok((after != before).then(|| after.text()))
}

fn fault(number: usize, part: &str, given: &str, likely: Vec<String>) -> FieldError {
    FieldError {
        field: field(number, part),
        label: "Objective".to_owned(),
        why: time::refusal(given, &likely),
        likely,
    }
}

/// The objectives of a plan.
pub(super) fn list(sheet: &Sheet, fields: &Fields<'_>) -> Markup {
    html! {
        @if sheet.objectives.is_empty() {
            p.note { "None. Without an objective a run is measured, and neither passed nor missed." }
        }
        ul.sent {
            @for (number, text) in sheet.objectives.iter().enumerate() {
                li {
                    (one(number, &objective(text), sheet, fields))
                    (fields.remover(&format!("remove:[\"objectives\",{number}]"), "Remove this objective"))
                }
            }
        }
    }
}

fn one(number: usize, objective: &Objective, sheet: &Sheet, fields: &Fields<'_>) -> Markup {
    let name = |part: &str| field(number, part);
    html! {
        @match objective {
            Objective::Within { of, request, time } => {
                (fields.short(&name("of"), "of 100", of, "w3")) " of 100 "
                (requests(&name("of-request"), request, sheet, fields)) " are answered within "
                (fields.short(&name("time"), "time", &time::pretty(time), "w4"))
                (fields.why(&name("of"))) (fields.why(&name("time")))
            },
            Objective::Fewer { request, share } => {
                "Fewer than " (fields.short(&name("share"), "share", share, "w4")) " of the "
                (requests(&name("of-request"), request, sheet, fields)) " fail"
                (fields.why(&name("share")))
            },
            Objective::Other(text) => {
                (fields.short(&name("text"), "objective", text, "w12"))
                (fields.why(&name("text")))
            },
        }
    }
}

fn requests(name: &str, chosen: &str, sheet: &Sheet, fields: &Fields<'_>) -> Markup {
    let mut all = vec![("", "requests")];
    all.extend(sheet.requests().into_iter().map(|name| (name, name)));
    if !all.iter().any(|(value, _)| *value == chosen) {
        all.push((chosen, chosen));
    }
    fields.choice(name, "which requests", &all, chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objective_sentence_round_trips() {
        for text in ["p99 < 250ms", "log-in.p99.9 < 1s", "errors < 0.1%", "a.b.errors < 1%"] {
            assert!(!matches!(objective(text), Objective::Other(_)), "{text}");
            assert_eq!(objective(text).text(), text);
        }
        assert_eq!(objective("log-in.p99.9<1s").text(), "log-in.p99.9 < 1s");
        for text in ["rate > 10/s", "p99 <= 3ms", "GET /.max < 1s"] {
            assert_eq!(objective(text), Objective::Other(text.to_owned()));
        }
    }

    #[test]
    fn objective_input_is_applied_or_refused() {
        let typed = |pairs: &[(&str, &str)]| {
            let pairs: serde_json::Map<_, _> =
                pairs.iter().map(|(name, text)| ((*name).to_owned(), (*text).into())).collect();
            Typed::kept(&serde_json::Value::from(pairs).to_string())
        };
        let wanted = |text: &str, pairs: &[(&str, &str)]| super::wanted(0, text, &typed(pairs));
        assert_eq!(wanted("p99<250ms", &[("slo.0.time", "250 ms"), ("slo.0.of", "99")]), Ok(None));
        let after = wanted("p99<250ms", &[("slo.0.time", "1 min"), ("slo.0.of-request", "read")]);
        assert_eq!(after, Ok(Some("read.p99 < 1m".to_owned())));
        assert_eq!(
            wanted("errors<1%", &[("slo.0.share", "2")]),
            Ok(Some("errors < 2%".to_owned()))
        );
        let fault = wanted("p99<250ms", &[("slo.0.time", "300")]).unwrap_err();
        assert_eq!(fault.likely, ["300 ms", "300 s"]);
    }
}
