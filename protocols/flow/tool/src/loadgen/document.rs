//! [`Document`]: a JSON file that keeps the position of everything in it.
//!
//! The grammar is strictly that of RFC 8259, so that a file which is accepted here is also accepted by the tool it was
//! written for: `serde_json` checks the grammar and reports where it is violated; `jsonc-parser` then provides the
//! positions. Members keep their order and numbers their spelling, since both are sent in payloads.

use std::path::{Path, PathBuf};

use jsonc_parser::ast::{self, ObjectPropName};
use jsonc_parser::common::Ranged as _;
use jsonc_parser::{CollectOptions, ParseOptions};
use serde::de::IgnoredAny;

use super::job_error::{JobError, Position};

/// The largest file that is read: no job is as long as this.
const BYTES_MAX: u64 = 16 << 20;

/// A file and its content.
#[derive(Debug)]
pub struct Document {
    /// The file.
    pub path: PathBuf,
    /// Its text.
    text: String,
    /// The content.
    pub root: Node,
}

/// A value and its position.
#[derive(Clone, Debug)]
pub struct Node {
    /// Where it begins, in bytes.
    pub at: usize,
    /// Its kind.
    pub kind: Kind,
}

/// The kind of a value.
#[derive(Clone, Debug)]
pub enum Kind {
    /// Null.
    Null,
    /// True or false.
    Bool(bool),
    /// A number, as it is spelled.
    Number(String),
    /// A string, with its escapes resolved.
    Text(String),
    /// Values in order.
    List(Vec<Node>),
    /// Members in order, including those with the same name.
    Object(Vec<Member>),
}

/// A member of an object.
#[derive(Clone, Debug)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// Where the name begins.
    pub at: usize,
    /// Its value.
    pub value: Node,
}

impl Kind {
    /// The name of its kind.
    pub const fn words(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "true or false",
            Self::Number(_) => "a number",
            Self::Text(_) => "a string",
            Self::List(_) => "an array",
            Self::Object(_) => "an object",
        }
    }
}

impl Document {
    /// Reads a file.
    pub fn read(path: &Path, files: &brunt_feed::Files) -> Result<Self, JobError> {
        let whole = |what: String, remedy: &str| JobError {
            file: path.to_owned(),
            place: None,
            key: String::new(),
            what,
            remedy: remedy.to_owned(),
        };
        let length = std::fs::metadata(path).map_or(0, |metadata| metadata.len());
        if length > BYTES_MAX {
            let what =
                format!("it has {length} bytes, but a job file may have at most {BYTES_MAX}");
            return Err(whole(what, "name a job, workload or task file"));
        }
        let bytes = files
            .read(path, BYTES_MAX)
            .map_err(|error| whole(error.to_string(), "name a file that can be read"))?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            let before = String::from_utf8_lossy(&error.as_bytes()[..at]).into_owned();
            JobError {
                place: Some(Position::new(&before, at)),
                ..whole("it is not UTF-8 from here on".to_owned(), "save it as UTF-8")
            }
        })?;
        Self::parse(path, text)
    }

    /// Reads the text of a file.
    pub fn parse(path: &Path, text: String) -> Result<Self, JobError> {
        // Some editors begin a file with a byte order mark, which is not JSON.
        let text = text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text);
        let broken = |place, what: String| JobError {
            file: path.to_owned(),
            place: Some(place),
            key: String::new(),
            what: format!("this is not JSON: {what}"),
            remedy: remedy(&what).to_owned(),
        };
        if let Err(error) = serde_json::from_str::<IgnoredAny>(&text) {
            let place = Position { line: error.line().max(1), column: error.column().max(1) };
            let words = error.to_string();
            let what = words.split(" at line ").next().unwrap_or(&words).to_owned();
            return Err(broken(place, what));
        }
        let parsed = jsonc_parser::parse_to_ast(&text, &CollectOptions::default(), &strict());
        let value = parsed.map_err(|error| {
            broken(Position::new(&text, error.range().start), error.kind().to_string())
        })?;
        let root = match &value.value {
            Some(value) => node(value),
            None => Node { at: 0, kind: Kind::Null },
        };
        drop(value);
        Ok(Self { path: path.to_owned(), text, root })
    }

    /// A fault at this place.
    pub fn fault(
        &self,
        at: usize,
        key: &str,
        what: impl Into<String>,
        remedy: impl Into<String>,
    ) -> JobError {
        JobError {
            file: self.path.clone(),
            place: Some(Position::new(&self.text, at)),
            key: key.to_owned(),
            what: what.into(),
            remedy: remedy.into(),
        }
    }

    /// The line and column of a place.
    pub fn place(&self, at: usize) -> Position {
        Position::new(&self.text, at)
    }

    /// The whole content.
    pub fn value(&self) -> Value<'_> {
        Value { document: self, node: &self.root, key: String::new() }
    }
}

fn remedy(what: &str) -> &'static str {
    if what.starts_with("EOF") {
        "a brace, bracket or quote is not closed"
    } else if what.contains("trailing comma") {
        "remove the last comma"
    } else if what == "expected value" {
        "write a value here, or remove the comma before it"
    } else if what.contains("key must be a string") {
        "write the key in double quotes, or remove the comma before it"
    } else if what.contains("control character") || what.contains("escape") {
        "within a string write \\n for a new line, \\t for a tab and \\\\ for a backslash"
    } else if what.contains("recursion") || what.contains("nesting") {
        "nest less deeply"
    } else {
        "look here and at the end of the line before"
    }
}

fn strict() -> ParseOptions {
    ParseOptions {
        allow_comments: false,
        allow_loose_object_property_names: false,
        allow_trailing_commas: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

fn node(value: &ast::Value<'_>) -> Node {
    let kind = match value {
        ast::Value::NullKeyword(_) => Kind::Null,
        ast::Value::BooleanLit(bool) => Kind::Bool(bool.value),
        ast::Value::NumberLit(number) => Kind::Number(number.value.to_owned()),
        ast::Value::StringLit(text) => Kind::Text(text.value.clone().into_owned()),
        ast::Value::Array(list) => Kind::List(list.elements.iter().map(node).collect()),
        ast::Value::Object(object) => Kind::Object(object.properties.iter().map(member).collect()),
    };
    Node { at: value.range().start, kind }
}

fn member(property: &ast::ObjectProp<'_>) -> Member {
    let name = match &property.name {
        ObjectPropName::String(text) => text.value.clone().into_owned(),
        ObjectPropName::Word(word) => word.value.to_owned(),
    };
    Member { name, at: property.name.range().start, value: node(&property.value) }
}

/// A value within a document, with the keys that lead to it.
#[derive(Clone, Debug)]
pub struct Value<'a> {
    /// The document.
    pub document: &'a Document,
    /// The value.
    pub node: &'a Node,
    /// The keys that lead to it.
    pub key: String,
}

impl<'a> Value<'a> {
    /// A fault of this value.
    pub fn fault(&self, what: impl Into<String>, remedy: impl Into<String>) -> JobError {
        self.document.fault(self.node.at, &self.key, what, remedy)
    }

    fn unfit(&self, wanted: &str, remedy: &str) -> JobError {
        self.fault(format!("this is {}, but must be {wanted}", self.node.kind.words()), remedy)
    }

    /// A value below it.
    pub fn below(&self, key: &str, node: &'a Node) -> Self {
        let dot = if self.key.is_empty() || key.starts_with('[') { "" } else { "." };
        Self { document: self.document, node, key: format!("{}{dot}{key}", self.key) }
    }

    /// The value as a string.
    pub fn text(&self) -> Result<&'a str, JobError> {
        match &self.node.kind {
            Kind::Text(text) => Ok(text),
            _ => Err(self.unfit("a string", "write it in double quotes")),
        }
    }

    /// The value as a whole number, from `least` to `most`.
    pub fn whole(&self, least: u64, most: u64) -> Result<u64, JobError> {
        let remedy = || {
            format!(
                "write a whole number from {least} to {most}, without quotes or a decimal point"
            )
        };
        let Kind::Number(spelled) = &self.node.kind else {
            return Err(self.unfit("a whole number", &remedy()));
        };
        spelled
            .parse()
            .ok()
            .filter(|number| (least..=most).contains(number))
            .ok_or_else(|| self.fault(format!("{spelled} is not allowed here"), remedy()))
    }

    /// The elements of the array.
    pub fn list(&self) -> Result<impl Iterator<Item = Self> + use<'a>, JobError> {
        let Kind::List(elements) = &self.node.kind else {
            return Err(self.unfit("an array", "put it into brackets: [ ... ]"));
        };
        let this = self.clone();
        let numbered = elements.iter().enumerate();
        Ok(numbered.map(move |(at, node)| this.below(&format!("[{at}]"), node)))
    }

    /// The members of the object.
    pub fn members(&self) -> Result<&'a [Member], JobError> {
        match &self.node.kind {
            Kind::Object(members) => Ok(members),
            _ => Err(self.unfit("an object", "put it into braces: { \"key\": value }")),
        }
    }

    /// The members of the object, as values; of those with the same name only the last, which is reported to `notes`.
    pub fn last_of_each(&self, notes: &mut Vec<String>) -> Result<Vec<(&'a str, Self)>, JobError> {
        let mut kept: Vec<(&'a str, Self)> = Vec::new();
        for member in self.members()? {
            let value = self.below(&member.name, &member.value);
            match kept.iter_mut().find(|(name, _)| *name == member.name) {
                Some(before) => {
                    notes.push(self.twice(&member.name, member.at));
                    before.1 = value;
                }
                None => kept.push((&member.name, value)),
            }
        }
        Ok(kept)
    }

    /// A note that a key appears twice.
    pub fn twice(&self, name: &str, at: usize) -> String {
        let line = self.document.place(at).line;
        let file = self.document.path.display();
        format!("{file}, line {line}: \"{name}\" occurs twice; the last one counts")
    }

    /// The only member of the object it is, or all of them where there are several.
    pub fn is_text(&self) -> bool {
        matches!(self.node.kind, Kind::Text(_))
    }
}

/// The value as JSON without any white space, with members in their order and numbers as they were spelled.
pub(super) fn compact(node: &Node) -> String {
    let mut out = String::new();
    write(node, &mut out);
    out
}

fn write(node: &Node, out: &mut String) {
    match &node.kind {
        Kind::Null => out.push_str("null"),
        Kind::Bool(bool) => out.push_str(if *bool { "true" } else { "false" }),
        Kind::Number(spelled) => out.push_str(spelled),
        Kind::Text(text) => out.push_str(&quoted(text)),
        Kind::List(elements) => {
            out.push('[');
            for (at, element) in elements.iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                write(element, out);
            }
            out.push(']');
        }
        Kind::Object(members) => {
            out.push('{');
            for (at, member) in last_in_place(members).enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                out.push_str(&quoted(&member.name));
                out.push(':');
                write(&member.value, out);
            }
            out.push('}');
        }
    }
}

/// The members; of those with the same name only the last.
fn last_in_place(members: &[Member]) -> impl Iterator<Item = &Member> {
    let later = |at: usize, name: &str| members[at + 1..].iter().any(|member| member.name == name);
    members.iter().enumerate().filter(move |(at, it)| !later(*at, &it.name)).map(|(_, it)| it)
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Document, JobError> {
        Document::parse(Path::new("x.json"), text.to_owned())
    }

    #[test]
    fn json_errors_name_line_and_column() {
        for (text, line, column, word) in [
            ("{\n \"a\": 1,\n}", 3, 1, "remove the comma"),
            ("{\n \"a\": 1\n \"b\": 2}", 3, 2, "line before"),
            ("{\"a\": \"x", 1, 8, "not closed"),
            ("{'a': 1}", 1, 2, "double quotes"),
            ("{\"a\": 01}", 1, 8, "line before"),
            ("{\"a\": \"\t\"}", 1, 7, "\\t for a tab"),
            ("// note\n{}", 1, 1, "write a value"),
            ("", 1, 1, "not closed"),
            ("{} {}", 1, 4, "line before"),
        ] {
            let fault = parse(text).unwrap_err();
            let place = fault.place.unwrap();
            assert_eq!((place.line, place.column), (line, column), "{text}: {fault}");
            assert!(fault.remedy.contains(word), "{text}: {fault}");
        }
        assert!(parse(&format!("{}{}", "[".repeat(9_999), "]".repeat(9_999))).is_err());
    }

    #[test]
    fn payload_keeps_order_and_numbers() {
        let text = "{\"z\": 1.50, \"a\": [1e3, true, null, {}], \"q\": \"a\\\"b\\u00e4\\n/\"}";
        let read = parse(text).unwrap();
        assert_eq!(
            compact(&read.root),
            "{\"z\":1.50,\"a\":[1e3,true,null,{}],\"q\":\"a\\\"b\u{e4}\\n/\"}"
        );
        let twice = parse("{\"a\": 1, \"b\": 2, \"a\": 3}").unwrap();
        assert_eq!(compact(&twice.root), "{\"b\":2,\"a\":3}");
        assert_eq!(compact(&parse("\u{feff}[]").unwrap().root), "[]");
    }

    #[test]
    fn type_errors_name_the_key() {
        let read = parse("{\"a\": {\"b\": [1, \"x\", 2.5, -1]}}").unwrap();
        let members = read.value().last_of_each(&mut Vec::new()).unwrap();
        let inner = members[0].1.last_of_each(&mut Vec::new()).unwrap();
        let elements: Vec<_> = inner[0].1.list().unwrap().collect();
        assert_eq!(elements[0].whole(0, 9).unwrap(), 1);
        assert_eq!(elements[1].text().unwrap(), "x");
        let fault = elements[2].whole(0, 9).unwrap_err().to_string();
        assert_eq!(
            fault,
            "read x.json, line 1, column 22, at a.b[2]: 2.5 is not allowed here; write a whole number from 0 to 9, \
             without quotes or a decimal point"
        );
        assert!(elements[3].whole(0, 9).is_err());
        assert!(
            elements[0]
                .text()
                .unwrap_err()
                .to_string()
                .contains("this is a number, but must be a string")
        );
    }
}
