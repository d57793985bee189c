//! [`Param`]: a parameter of a query, and which values it takes.
//!
//! The table of routes lists them. A request of the API with another parameter, or with another value, is refused
//! before its handler, so that no filter is ever ignored; the OpenAPI document has the same lists.

use brunt_history::RunId;
use serde_json::{Value, json};

use crate::problem::{InvalidValue, ParameterLocation, Problem};

/// A parameter of a query.
#[derive(Clone, Copy)]
pub(crate) struct Param {
    pub(crate) name: &'static str,
    /// What it means.
    pub(crate) what: &'static str,
    pub(crate) takes: Takes,
    /// Whether it may be repeated.
    pub(crate) many: bool,
}

/// The values that a parameter takes.
#[derive(Clone, Copy)]
pub(crate) enum Takes {
    /// Any text.
    Text,
    /// Only 1.
    Flag,
    /// A day, as `2026-11-23`.
    Day,
    /// The id of a run.
    Run,
    /// The position of a page in a list of runs.
    Position,
    /// One of these words.
    Words(fn() -> Vec<String>),
}

impl Takes {
    fn fits(self, value: &str) -> bool {
        match self {
            Self::Text => true,
            Self::Flag => value == "1",
            Self::Day => {
                value.parse::<jiff::civil::Date>().is_ok() && value.len() == "2026-11-23".len()
            }
            Self::Run => value.parse::<RunId>().is_ok(),
            Self::Position => {
                value.rsplit_once('~').is_some_and(|(_, id)| id.parse::<RunId>().is_ok())
            }
            Self::Words(words) => words().iter().any(|word| word == value),
        }
    }

    /// What is accepted, in words.
    fn wanted(self) -> String {
        match self {
            Self::Text => "text".to_owned(),
            Self::Flag => "1".to_owned(),
            Self::Day => "a day such as 2026-11-23".to_owned(),
            Self::Run => "the id of a run: 24 lower-case letters and digits".to_owned(),
            Self::Position => "the value of 'next' in the previous answer".to_owned(),
            Self::Words(words) => format!("one of {}", words().join(", ")),
        }
    }

    fn schema(self) -> Value {
        let id = "[0-9a-z]{24}";
        match self {
            Self::Text => json!({ "type": "string" }),
            Self::Flag => json!({ "type": "string", "enum": ["1"] }),
            Self::Day => json!({ "type": "string", "format": "date" }),
            Self::Run => json!({ "type": "string", "pattern": format!("^{id}$") }),
            Self::Position => json!({ "type": "string", "pattern": format!("~{id}$") }),
            Self::Words(words) => json!({ "type": "string", "enum": words() }),
        }
    }
}

impl Param {
    pub(crate) const fn new(name: &'static str, takes: Takes, what: &'static str) -> Self {
        Self { name, what, takes, many: false }
    }

    /// A parameter that may be repeated.
    pub(crate) const fn many(self) -> Self {
        Self { many: true, ..self }
    }

    /// Its entry in the OpenAPI document.
    pub(super) fn described(&self) -> Value {
        let one = self.takes.schema();
        let schema = if self.many { json!({ "type": "array", "items": one }) } else { one };
        json!({ "name": self.name, "in": "query", "description": self.what, "schema": schema })
    }
}

/// Refuses a query of the API that has a parameter which is not one of these, or a value which it does not take.
pub(super) fn known(params: &[Param], query: &[(String, String)]) -> Result<(), Problem> {
    let mut faults = Vec::new();
    for (number, (name, value)) in query.iter().enumerate() {
        let fault =
            |wanted: String| InvalidValue::new(ParameterLocation::Query, name, Some(value), wanted);
        let Some(param) = params.iter().find(|param| param.name == name) else {
            faults.push(fault(names(params)));
            continue;
        };
        if !param.takes.fits(value) {
            faults.push(fault(param.takes.wanted()));
        } else if !param.many && query[..number].iter().any(|(before, _)| before == name) {
            faults.push(fault("the parameter once".to_owned()));
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(Problem::faulty(faults)) }
}

fn names(params: &[Param]) -> String {
    let names: Vec<&str> = params.iter().map(|param| param.name).collect();
    match names[..] {
        [] => "no parameter".to_owned(),
        [name] => format!("no parameter but {name}"),
        _ => format!("one of the parameters {}", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn query_parameter_accepts_its_documented_values() {
        let id = "0123456789abcdef01234567";
        let words = Takes::Words(|| ["passed", "not-reliable"].map(str::to_owned).to_vec());
        for (takes, value, fits) in [
            (Takes::Text, "", true),
            (Takes::Flag, "1", true),
            (Takes::Flag, "true", false),
            (Takes::Flag, "", false),
            (Takes::Day, "2026-11-23", true),
            (Takes::Day, "2026-11-31", false),
            (Takes::Day, "2026-11-23T10:00", false),
            (Takes::Day, "20261123", false),
            (Takes::Run, id, true),
            (Takes::Run, "x", false),
            (Takes::Position, "2026-11-23T10:00:00Z~0123456789abcdef01234567", true),
            (Takes::Position, "2026", false),
            (words, "not-reliable", true),
            (words, "reliable", false),
        ] {
            assert_eq!(takes.fits(value), fits, "{value}: {}", takes.wanted());
        }
    }
}
