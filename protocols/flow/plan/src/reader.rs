//! Reads the text of a plan into the model, and finds the line of an error.
//!
//! The text becomes a tree with positions; overrides of the command line are merged into it and references to the
//! environment filled in before the model is read from it. So every error is reported with the place where the value
//! was written: a line of the file, or the override.

use std::ops::Range;

use serde::Deserialize as _;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::choices;
use super::key_error::{KeyError, PlanError, nearest};
use super::model::Plan;
use super::path::KeyPath;
use super::removal;

/// The text of a plan, and the additions of the command line.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a> {
    /// The name of the text: that of its file.
    pub name: &'a str,
    /// The text.
    pub text: &'a str,
    /// Keys that are left out of it, each as `key.key`.
    pub unset: &'a [String],
    /// Overrides, each as `key.key=value`.
    pub overrides: &'a [String],
}

/// A plan that was read, and the position of everything in its text.
#[derive(Debug)]
pub struct Written {
    /// The plan.
    pub plan: Plan,
    places: Places,
}

/// The positions of everything in a plan.
#[derive(Debug)]
struct Places {
    name: String,
    /// The text, and after it each override on a line of its own.
    source: String,
    /// How many bytes of it are the file's.
    length: usize,
    /// Every key and value, by its path.
    known: Vec<(KeyPath, Range<usize>)>,
}

impl Written {
    /// Whether the plan has this key, from its text or from an override.
    pub fn has(&self, path: &KeyPath) -> bool {
        self.places.known.iter().any(|(known, _)| known == path)
    }

    /// Whether the text has this key, regardless of overrides.
    pub fn text_has(&self, path: &KeyPath) -> bool {
        let of_text = |span: &Range<usize>| span.start < self.places.length;
        self.places.known.iter().any(|(known, span)| known == path && of_text(span))
    }

    /// The fault with its position.
    pub fn error(&self, fault: KeyError) -> PlanError {
        self.places.error(fault)
    }
}

/// Reads a plan. `variable` looks up environment variables.
pub fn read(
    text: &Text<'_>,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<Written, PlanError> {
    let mut places = Places {
        name: text.name.to_owned(),
        source: text.text.to_owned(),
        length: text.text.len(),
        known: Vec::new(),
    };
    let overrides: Vec<String> =
        text.overrides.iter().map(|set| places.add(set)).collect::<Result<_, _>>()?;
    let parsed = DeTable::parse(text.text).map_err(|error| places.syntax(&error))?;
    let mut tree = Spanned::new(parsed.span(), DeValue::Table(parsed.into_inner()));
    for key in text.unset {
        removal::remove(&mut tree, key).map_err(|error| PlanError::Wrong {
            place: format!("--unset {key}"),
            fault: KeyError::new(&KeyPath::default(), error.to_string()),
        })?;
    }
    for set in &overrides {
        let table = DeTable::parse(set).map_err(|error| places.syntax(&error))?;
        merge(&mut tree, Spanned::new(table.span(), DeValue::Table(table.into_inner())));
    }
    places.know(&KeyPath::default(), &tree);
    fill(&mut tree, &KeyPath::default(), variable).map_err(|fault| places.error(fault))?;
    let DeValue::Table(table) = tree.into_inner() else { unreachable!("a document is a table") };
    let read = Plan::deserialize(toml::Deserializer::from(Spanned::new(0..0, table)));
    let plan = read.map_err(|error| places.unfit(&error))?;
    Ok(Written { plan, places })
}

/// Merges one tree into another: tables are merged, and an element of an array is addressed by its number.
fn merge<'a>(below: &mut Spanned<DeValue<'a>>, above: Spanned<DeValue<'a>>) {
    let span = above.span();
    match (below.get_mut(), above.into_inner()) {
        (DeValue::Table(known), DeValue::Table(table)) => {
            for (key, value) in table {
                match known.get_mut(&**key.get_ref()) {
                    Some(there) => merge(there, value),
                    None => drop(known.insert(key, value)),
                }
            }
        }
        (DeValue::Array(elements), DeValue::Table(table))
            if table.keys().all(|key| key.get_ref().parse::<usize>().is_ok()) =>
        {
            for (key, value) in table {
                let place = key.get_ref().parse::<usize>().ok().and_then(|n| n.checked_sub(1));
                match place.and_then(|place| elements.get_mut(place)) {
                    Some(there) => merge(there, value),
                    None => elements.push(value),
                }
            }
        }
        (_, value) => *below = Spanned::new(span, value),
    }
}

/// Replaces `${env:NAME}` in all texts.
fn fill(
    value: &mut Spanned<DeValue<'_>>,
    at: &KeyPath,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<(), KeyError> {
    match value.get_mut() {
        DeValue::String(text) => {
            let filled = environment(text, variable);
            if let Some(filled) = filled.map_err(|unset| KeyError::new(at, unset.to_string()))? {
                *text = filled.into();
            }
        }
        DeValue::Array(elements) => {
            for index in 0..elements.len() {
                if let Some(element) = elements.get_mut(index) {
                    fill(element, &at.index(index), variable)?;
                }
            }
        }
        DeValue::Table(table) => {
            for (key, value) in table.iter_mut() {
                fill(value, &at.key(key.get_ref()), variable)?;
            }
        }
        _ => {}
    }
    Ok(())
}

/// The name of an environment variable that is not set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "names the environment variable {0}, which is not set; set it, or write ${{env:{0}:-VALUE}} for a value to take \
     instead"
)]
pub struct UnsetVariable(pub String);

/// The text with every `${env:NAME}` and `${env:NAME:-INSTEAD}` replaced, if there is one.
pub fn environment(
    text: &str,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<Option<String>, UnsetVariable> {
    const OPEN: &str = "${env:";
    let mut out = String::new();
    let mut rest = text;
    let mut filled = false;
    while let Some(at) = rest.find(OPEN) {
        let inside = &rest[at + OPEN.len()..];
        let Some(end) = inside.find('}').filter(|_| !rest[..at].ends_with('$')) else {
            out.push_str(&rest[..at + OPEN.len()]);
            rest = inside;
            continue;
        };
        let (name, instead) = match inside[..end].split_once(":-") {
            Some((name, instead)) => (name, Some(instead.to_owned())),
            None => (&inside[..end], None),
        };
        let unset = || UnsetVariable(name.trim().to_owned());
        let value = variable(name.trim()).or(instead).ok_or_else(unset)?;
        out.push_str(&rest[..at]);
        out.push_str(&value);
        rest = &inside[end + 1..];
        filled = true;
    }
    out.push_str(rest);
    Ok(filled.then_some(out))
}

impl Places {
    /// Adds an override to the source, and returns a document in which it has the same position.
    fn add(&mut self, set: &str) -> Result<String, PlanError> {
        let refused = |what: String| PlanError::Wrong {
            place: format!("--set {set}"),
            fault: KeyError::new(&KeyPath::default(), what),
        };
        let Some((key, value)) = set.split_once('=') else {
            return Err(refused("has no value; write it as --set run.users=50".to_owned()));
        };
        let as_text = || format!("{key}={}", toml::Value::String(value.to_owned()));
        let line = match (DeTable::parse(set), DeTable::parse(&as_text())) {
            (Ok(_), _) => set.to_owned(),
            (Err(_), Ok(_)) => as_text(),
            (Err(_), Err(error)) => {
                let why = error.message();
                return Err(refused(format!(
                    "cannot be read: {why}; write it as --set run.users=50"
                )));
            }
        };
        self.source.push('\n');
        let document = format!("{}{line}", " ".repeat(self.source.len()));
        self.source.push_str(&line);
        Ok(document)
    }

    /// Records the position of every key and value.
    fn know(&mut self, at: &KeyPath, value: &Spanned<DeValue<'_>>) {
        match value.get_ref() {
            DeValue::Table(table) => {
                for (key, value) in table {
                    let at = at.key(key.get_ref());
                    self.known.push((at.clone(), key.span()));
                    self.known.push((at.clone(), value.span()));
                    self.know(&at, value);
                }
            }
            DeValue::Array(elements) => {
                for (index, element) in elements.iter().enumerate() {
                    let at = at.index(index);
                    self.known.push((at.clone(), element.span()));
                    self.know(&at, element);
                }
            }
            _ => {}
        }
    }

    /// The fault with the position of the nearest existing key.
    fn error(&self, fault: KeyError) -> PlanError {
        let mut segments = fault.at.segments();
        while !segments.is_empty() {
            // The last is the value: its key comes before it.
            let mut there = self.known.iter().rev();
            if let Some((_, span)) = there.find(|(path, _)| path.segments() == segments) {
                return PlanError::Wrong { place: self.place(span.start), fault };
            }
            segments = &segments[..segments.len() - 1];
        }
        PlanError::Wrong { place: self.name.clone(), fault }
    }

    /// Text that is not TOML.
    fn syntax(&self, error: &toml::de::Error) -> PlanError {
        let at = KeyPath::default();
        let place = error.span().map_or_else(|| self.name.clone(), |span| self.place(span.start));
        let what = match error.message() {
            message if message.starts_with("duplicate key") => {
                format!("{message}: each key may be given once")
            }
            message => format!("this is not TOML: {message}"),
        };
        PlanError::Wrong { place, fault: KeyError::new(&at, what) }
    }

    /// TOML that does not fit the model.
    fn unfit(&self, error: &toml::de::Error) -> PlanError {
        let start = error.span().unwrap_or_default().start;
        let found = self.known.iter().rev().find(|(_, span)| span.start == start);
        let at = found.map(|(path, _)| path.clone()).unwrap_or_default();
        let what = words(error.message(), &at);
        PlanError::Wrong { place: self.place(start), fault: KeyError { at, what } }
    }

    /// `plan.toml:3:7`, or the override.
    fn place(&self, offset: usize) -> String {
        if offset > self.length {
            let line = self.source[self.length..].lines().scan(self.length, |end, line| {
                *end += line.len() + 1;
                Some((*end, line))
            });
            let found = line.filter(|(end, _)| *end > offset).map(|(_, line)| line).next();
            return format!("--set {}", found.unwrap_or_default());
        }
        let bytes = &self.source.as_bytes()[..offset.min(self.source.len())];
        let before = String::from_utf8_lossy(bytes);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        format!("{}:{line}:{column}", self.name)
    }
}

/// Serde's message in this program's wording: the wrong value and the possible ones.
fn words(message: &str, at: &KeyPath) -> String {
    let quoted = |text: &str| -> Vec<String> {
        text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
    };
    if let Some(rest) = message.strip_prefix("unknown field ") {
        return unknown("there is no key", &quoted(rest));
    }
    if let Some(rest) = message.strip_prefix("unknown variant ") {
        return unknown("there is no choice", &quoted(rest));
    }
    if let Some(rest) = message.strip_prefix("missing field ") {
        let name = quoted(rest).concat();
        return format!("the key '{name}' is missing");
    }
    let found =
        ["invalid type: ", "invalid value: "].iter().find_map(|start| message.strip_prefix(start));
    if let Some((found, expected)) = found.and_then(|rest| rest.split_once(", expected ")) {
        let found = match found {
            "sequence" => "an array".to_owned(),
            "map" => "a table".to_owned(),
            other => other.replace('`', ""),
        };
        return format!("is {found}, but must be {}", plain(expected, at));
    }
    if message.starts_with("wanted exactly 1 element") {
        return format!("must hold exactly one key ({at} = {{ key = value }})");
    }
    if message == "wanted string or table" {
        return format!("must be {}", choice(at));
    }
    message.to_owned()
}

fn unknown(what: &str, names: &[String]) -> String {
    let [name, known @ ..] = names else { return what.to_owned() };
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    let near = nearest(name, known.iter().copied());
    let hint = near.map(|near| format!("; did you mean '{near}'?")).unwrap_or_default();
    format!("{what} '{name}' here{hint} (known: {})", known.join(", "))
}

/// One of the choices there.
fn choice(at: &KeyPath) -> String {
    match choices::at(at).as_slice() {
        [] => "one of the known choices, in quotes or as a table of one key".to_owned(),
        all => format!("one of {}", all.join(", ")),
    }
}

/// User-friendly names of types.
fn plain(expected: &str, at: &KeyPath) -> String {
    match expected {
        "a string" | "path string" => "text in quotes".to_owned(),
        "a boolean" => "true or false".to_owned(),
        "a sequence" => "an array such as [\"a\", \"b\"]".to_owned(),
        "a map" => "a table".to_owned(),
        "u8" => "a whole number from 0 to 255".to_owned(),
        "u32" | "u64" => "a whole number of 0 or more".to_owned(),
        "i64" => "a whole number".to_owned(),
        other if other.starts_with("struct ") => "a table".to_owned(),
        other if other.starts_with("enum ") => choice(at),
        other => other.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_with(text: &str, overrides: &[&str]) -> Result<Plan, String> {
        let overrides: Vec<String> = overrides.iter().map(ToString::to_string).collect();
        let text = Text { name: "p.toml", text, unset: &[], overrides: &overrides };
        let variable = |name: &str| (name == "HOST").then(|| "h".to_owned());
        read(&text, &variable).map(|written| written.plan).map_err(|error| error.to_string())
    }

    #[test]
    fn set_reaches_tables_arrays_and_missing_keys() {
        let text = "[run]\nusers = 5\n[[scenario]]\nname = \"a\"\n[[scenario]]\nname = \"b\"\n";
        let overrides = [
            "run.users=7",
            "scenario.2.weight=3",
            "http.base=http://x",
            "run.think=uniform 1s..2s",
            "name=\"n\"",
        ];
        let plan = read_with(text, &overrides).unwrap();
        assert_eq!((plan.run.users, plan.scenario[1].weight), (Some(7), Some(3)));
        assert_eq!(plan.http.unwrap().base.as_deref(), Some("http://x"));
        assert_eq!(plan.run.think.as_deref(), Some("uniform 1s..2s"));
        assert_eq!(plan.name.as_deref(), Some("n"));
    }

    #[test]
    fn set_errors_name_the_override() {
        let wrong = |set: &str| read_with("[run]\nusers = 5\n", &[set]).unwrap_err();
        assert!(
            wrong("run.users=many")
                .starts_with("--set run.users=\"many\": run.users: is string \"many\""),
            "{}",
            wrong("run.users=many")
        );
        assert!(wrong("run.user=5").contains("did you mean 'users'?"));
        assert_eq!(
            wrong("run.iterations=5"),
            "--set run.iterations=5: run.iterations: must be one of { each = .. }, { shared = .. }"
        );
        assert!(wrong("run.users").contains("has no value"));
        assert!(wrong("run users=5").contains("cannot be read"));
    }

    #[test]
    fn environment_variables_are_filled_in() {
        let base = |text: &str| {
            let plan = read_with(&format!("[http]\nbase = \"{text}\"\n"), &[])?;
            Ok::<_, String>(plan.http.and_then(|http| http.base).unwrap_or_default())
        };
        assert_eq!(base("http://${env:HOST}:80").unwrap(), "http://h:80");
        assert_eq!(base("http://${env:NONE:-other}").unwrap(), "http://other");
        assert_eq!(base("$${env:HOST} ${user}").unwrap(), "$${env:HOST} ${user}");
        let wrong = base("${env:NONE}").unwrap_err();
        assert!(
            wrong.starts_with("p.toml:2:8: http.base: names the environment variable NONE"),
            "{wrong}"
        );
    }
}
