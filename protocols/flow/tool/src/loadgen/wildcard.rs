//! [`Wildcard`]: a name that stands for a value, as a job, workload or task declares it.
//!
//! The kinds of declarations are those that LoadGen's author described but never implemented: generated, retained, file
//! and rest-endpoint. Names are restricted to letters, digits and a few marks, so that no name can break the JSON that
//! contains it.

use super::document::Value;
use super::fields::{Fields, nearest};
use super::file_position::FilePosition;
use super::header::header;
use super::job_error::JobError;
use super::kept::kept;

const KEYS: &[&str] = &[
    "name",
    "type",
    "source",
    "column",
    "separator",
    "encode",
    "lowerbounds",
    "upperbounds",
    "attribute",
    "member",
    "header",
];
const TYPES: &[&str] = &["generated", "retained", "file", "rest-endpoint"];
const GENERATORS: &[&str] = &["random", "increment", "thread", "uuid"];

/// A declared wildcard.
#[derive(Clone, Debug)]
pub struct Wildcard {
    /// Its name, the dollar sign included.
    pub name: String,
    /// Its kind.
    pub nature: Nature,
    /// Whether its value is percent-encoded in URLs.
    pub encodes: bool,
    /// Where it is declared.
    pub spot: FilePosition,
}

/// The kind of a wildcard.
#[derive(Clone, Debug)]
pub enum Nature {
    /// A random whole number, drawn for each iteration; the default maximum is `upperbounds`.
    Random {
        /// The least.
        least: u64,
        /// The most.
        most: Option<u64>,
    },
    /// A counter of the thread.
    Increment,
    /// The number of the thread.
    Thread,
    /// A UUID, drawn for each iteration.
    Uuid,
    /// A value from an answer of the iteration: the name of an attribute, or a JSON pointer.
    Retained(String),
    /// A random line of a file in each iteration.
    File(String),
    /// A column of a random row of a file in each iteration: of the same row for all columns of that file.
    Column(Column),
    /// A random value of those that a service lists before the run, in each iteration.
    Endpoint(Endpoint),
}

/// A column of a file of rows, whose first line names the columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// The file.
    pub file: String,
    /// The name of the column.
    pub name: String,
    /// The separator of values.
    pub separator: u8,
}

/// A list of values that a service provides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// The URL of the list.
    pub url: String,
    /// The fields of the request.
    pub header: Vec<(String, String)>,
    /// Which part of the answer the list is, if not the whole: a name or a JSON pointer.
    pub attribute: Option<String>,
    /// Which part of each element the value is, if not the whole: a name or a JSON pointer.
    pub member: Option<String>,
}

/// Reads declarations.
pub(super) fn list(value: &Value<'_>, notes: &mut Vec<String>) -> Result<Vec<Wildcard>, JobError> {
    let mut all: Vec<Wildcard> = Vec::new();
    for declared in value.list()? {
        let wildcard = one(&declared, notes)?;
        if all.iter().any(|known| known.name == wildcard.name) {
            let what = format!("{} is declared twice", wildcard.name);
            return Err(declared.fault(what, "leave one of them out"));
        }
        all.push(wildcard);
    }
    Ok(all)
}

fn one(declared: &Value<'_>, notes: &mut Vec<String>) -> Result<Wildcard, JobError> {
    let fields = Fields::read(declared, KEYS, notes)?;
    let named = fields.must("name", "name it, as \"$COSTCENTER\"")?;
    let name = named.text()?;
    if !is_name(name) {
        let what = format!("\"{name}\" is not a wildcard name");
        return Err(named.fault(
            what,
            "write a dollar sign and then letters, digits, dots, dashes or underscores",
        ));
    }
    let sort = fields.must("type", "write generated, retained, file or rest-endpoint")?;
    let nature = match sort.text()? {
        "generated" => generated(&fields, name)?,
        "retained" => Nature::Retained(
            fields.one("source").map_or_else(|| Ok(usual_attribute(name).to_owned()), kept)?,
        ),
        "file" => file(&fields)?,
        "rest-endpoint" => Nature::Endpoint(endpoint(&fields, notes)?),
        other => {
            let near = nearest(other, TYPES).map(|near| format!("did you mean \"{near}\"?"));
            let what = format!("there is no wildcard of the type \"{other}\"");
            let remedy =
                near.unwrap_or_else(|| format!("write one of the types {}", TYPES.join(", ")));
            return Err(sort.fault(what, remedy));
        }
    };
    if !matches!(nature, Nature::Random { .. })
        && let Some(stray) = fields.one("lowerbounds").or(fields.one("upperbounds"))
    {
        let what = format!("{name} is not a random number and has no bounds");
        return Err(stray.fault(what, "leave it out"));
    }
    if !matches!(nature, Nature::Column(_))
        && let Some(stray) = fields.one("column").or(fields.one("separator"))
    {
        let what = format!("{name} is not taken from a column of a file");
        return Err(stray.fault(what, "leave it out, or write both \"source\" and \"column\""));
    }
    let encodes = fields.one("encode").map_or(Ok(false), encodes)?;
    Ok(Wildcard { name: name.to_owned(), nature, encodes, spot: FilePosition::new(declared) })
}

/// A file's lines, or a column of the file.
fn file(fields: &Fields<'_>) -> Result<Nature, JobError> {
    let source = fields.must("source", "name the file whose lines are the values")?;
    let file = source.text()?.to_owned();
    let Some(column) = fields.one("column") else { return Ok(Nature::File(file)) };
    let name = column.text()?.to_owned();
    if name.is_empty() {
        let remedy = "write its name, as the first line of the file has it";
        return Err(column.fault("\"\" is not the name of a column", remedy));
    }
    let separator =
        fields.one("separator").map_or(Ok(b','), |value| match value.text()?.as_bytes() {
            [byte] if byte.is_ascii() && *byte != b'"' => Ok(*byte),
            _ => {
                Err(value
                    .fault("it is not one ASCII character", "write one such as \",\" or \";\""))
            }
        })?;
    Ok(Nature::Column(Column { file, name, separator }))
}

/// How a value is written into URLs.
fn encodes(value: &Value<'_>) -> Result<bool, JobError> {
    match value.text()? {
        "url" => Ok(true),
        "none" => Ok(false),
        other => Err(value.fault(
            format!("there is no encoding \"{other}\""),
            "write \"url\" for percent-encoding in URLs, or \"none\"",
        )),
    }
}

/// Whether it is a dollar sign followed by a word.
fn is_name(name: &str) -> bool {
    let word = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    name.strip_prefix('$').is_some_and(|rest| !rest.is_empty() && rest.bytes().all(word))
}

/// The default attribute of a retained wildcard without a source.
fn usual_attribute(name: &str) -> &str {
    match name {
        "$TOKENID" => "tokenId",
        "$AAD-ACCESS-TOKEN" => "access_token",
        other => other.trim_start_matches('$'),
    }
}

fn generated(fields: &Fields<'_>, name: &str) -> Result<Nature, JobError> {
    let source = fields.text("source")?.unwrap_or(match name {
        "$INCREMENT" => "increment",
        "$THREADID" => "thread",
        _ => "random",
    });
    Ok(match source {
        "random" => {
            let bound = |name: &str| {
                fields.one(name).map(|value| value.whole(0, i64::MAX as u64 - 1)).transpose()
            };
            let (least, most) = (bound("lowerbounds")?.unwrap_or(0), bound("upperbounds")?);
            if let (Some(value), Some(most)) = (fields.one("lowerbounds"), most)
                && least > most
            {
                let what = format!("no number is at least {least} and at most {most}");
                return Err(value.fault(what, "write a lower bound that is below the upper one"));
            }
            Nature::Random { least, most }
        }
        "increment" => Nature::Increment,
        "thread" => Nature::Thread,
        "uuid" => Nature::Uuid,
        other => {
            let near = nearest(other, GENERATORS).map_or_else(
                || format!("write one of {}", GENERATORS.join(", ")),
                |near| format!("did you mean \"{near}\"?"),
            );
            let value = fields.must("source", "")?;
            return Err(value.fault(format!("nothing generates \"{other}\""), near));
        }
    })
}

fn endpoint(fields: &Fields<'_>, notes: &mut Vec<String>) -> Result<Endpoint, JobError> {
    let source = fields.must("source", "write the URL that the values are fetched from")?;
    let url = source.text()?;
    if !["http://", "https://"].iter().any(|scheme| url.starts_with(scheme)) {
        let what = format!("\"{url}\" is not a URL");
        return Err(source.fault(what, "write it in full, such as http://host:8080/path"));
    }
    let part = |name: &str| fields.one(name).map(kept).transpose();
    Ok(Endpoint {
        url: url.to_owned(),
        header: fields.one("header").map_or(Ok(Vec::new()), |value| header(value, notes))?,
        attribute: part("attribute")?,
        member: part("member")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loadgen::document::Document;
    use std::path::Path;

    fn read(text: &str) -> Result<Vec<Wildcard>, String> {
        let document = Document::parse(Path::new("t.json"), text.to_owned()).unwrap();
        list(&document.value(), &mut Vec::new()).map_err(|fault| fault.to_string())
    }

    #[test]
    fn wildcard_declarations_are_read() {
        let all = read(
            "[{\"name\":\"$RANDOMVALUE\",\"type\":\"generated\"}, {\"name\":\"$TOKENID\",\"type\":\"retained\"}, \
             {\"name\":\"$FILE-A\",\"type\":\"file\",\"source\":\"a.txt\"}, \
             {\"name\":\"$OBJECT-O\",\"type\":\"rest-endpoint\",\"source\":\"http://h/o\"}]",
        )
        .unwrap();
        assert!(matches!(all[0].nature, Nature::Random { least: 0, most: None }));
        assert!(matches!(&all[1].nature, Nature::Retained(name) if name == "tokenId"));
        assert!(matches!(&all[2].nature, Nature::File(name) if name == "a.txt"));
        assert!(matches!(&all[3].nature, Nature::Endpoint(from) if from.url == "http://h/o"));
    }

    #[test]
    fn wildcard_declaration_errors_are_explained() {
        for (text, word) in [
            ("[{\"type\":\"file\"}]", "the key \"name\" is missing"),
            ("[{\"name\":\"X\",\"type\":\"file\"}]", "not a wildcard name"),
            ("[{\"name\":\"$X\"}]", "the key \"type\" is missing"),
            ("[{\"name\":\"$X\",\"type\":\"retaind\"}]", "did you mean \"retained\"?"),
            ("[{\"name\":\"$X\",\"type\":\"file\"}]", "the key \"source\" is missing"),
            (
                "[{\"name\":\"$X\",\"type\":\"rest-endpoint\",\"source\":\"h/o\"}]",
                "write it in full",
            ),
            (
                "[{\"name\":\"$X\",\"type\":\"generated\",\"source\":\"incremnt\"}]",
                "\"increment\"?",
            ),
            (
                "[{\"name\":\"$X\",\"type\":\"generated\",\"lowerbounds\":5,\"upperbounds\":4}]",
                "at least 5 and at most 4",
            ),
            (
                "[{\"name\":\"$X\",\"type\":\"file\",\"source\":\"f\",\"upperbounds\":4}]",
                "no bounds",
            ),
            (
                "[{\"name\":\"$X\",\"type\":\"file\",\"source\":\"f\",\"column\":\"\"}]",
                "not the name of a column",
            ),
            (
                "[{\"name\":\"$X\",\"type\":\"file\",\"source\":\"f\",\"column\":\"a\",\"separator\":\"::\"}]",
                "one ASCII character",
            ),
            (
                "[{\"name\":\"$X\",\"type\":\"generated\",\"column\":\"a\"}]",
                "not taken from a column",
            ),
            (
                "[{\"name\":\"$X\",\"type\":\"generated\",\"encode\":\"html\"}]",
                "no encoding \"html\"",
            ),
            (
                "[{\"name\":\"$X\",\"type\":\"generated\"},{\"name\":\"$X\",\"type\":\"generated\"}]",
                "declared twice",
            ),
        ] {
            let fault = read(text).unwrap_err();
            assert!(fault.contains(word), "{text}: {fault}");
        }
    }
}
