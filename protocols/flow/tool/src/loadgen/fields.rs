//! [`Fields`]: the members of an object that has a known set of keys.
//!
//! Keys are case-insensitive, since existing files spell `ADMINUSERID` both ways. An unknown key is an error and not
//! ignored: with a misspelt `theshold` the job would measure something else. A key that begins with an underscore, a
//! number sign or two slashes is a comment.

use super::document::{Member, Value};
use super::job_error::JobError;

/// How similar two words must be for one to be suggested for the other.
const ALIKE: f64 = 0.7;

/// The members of an object, by name.
#[derive(Debug)]
pub struct Fields<'a> {
    whole: Value<'a>,
    found: Vec<(&'static str, Value<'a>)>,
}

impl<'a> Fields<'a> {
    /// Reads an object that may have these keys and no others.
    pub fn read(
        whole: &Value<'a>,
        known: &[&'static str],
        notes: &mut Vec<String>,
    ) -> Result<Self, JobError> {
        let (fields, others) = Self::split(whole, known, notes)?;
        match others.first() {
            None => Ok(fields),
            Some(member) => Err(unknown(whole, member, known)),
        }
    }

    /// Reads an object of which some keys are known; the others are returned.
    pub fn split(
        whole: &Value<'a>,
        known: &[&'static str],
        notes: &mut Vec<String>,
    ) -> Result<(Self, Vec<&'a Member>), JobError> {
        let mut found: Vec<(&'static str, Value<'a>)> = Vec::new();
        let mut others = Vec::new();
        for member in whole.members()? {
            let name = known.iter().find(|name| name.eq_ignore_ascii_case(&member.name));
            let Some(name) = name else {
                if !is_remark(&member.name) {
                    others.push(member);
                }
                continue;
            };
            let value = whole.below(&member.name, &member.value);
            match found.iter_mut().find(|(known, _)| known == name) {
                Some(before) => {
                    notes.push(whole.twice(&member.name, member.at));
                    before.1 = value;
                }
                None => found.push((name, value)),
            }
        }
        Ok((Self { whole: whole.clone(), found }, others))
    }

    /// The value of a key, if it is present.
    pub fn one(&self, name: &str) -> Option<&Value<'a>> {
        self.found.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// The value of a key that must be present.
    pub fn must(&self, name: &str, remedy: &str) -> Result<&Value<'a>, JobError> {
        self.one(name)
            .ok_or_else(|| self.whole.fault(format!("the key \"{name}\" is missing"), remedy))
    }

    /// The string of a key, if it is present.
    pub fn text(&self, name: &str) -> Result<Option<&'a str>, JobError> {
        self.one(name).map(Value::text).transpose()
    }
}

/// Whether a key is a comment.
pub(super) fn is_remark(name: &str) -> bool {
    name.starts_with(['_', '#']) || name.starts_with("//")
}

/// The error for an unknown key, with a suggestion if one is similar.
pub(super) fn unknown(whole: &Value<'_>, member: &Member, known: &[&str]) -> JobError {
    let remedy = match nearest(&member.name, known) {
        Some(near) => format!("did you mean \"{near}\"?"),
        None => format!("the keys here are {}", known.join(", ")),
    };
    let value = whole.below(&member.name, &member.value);
    whole.document.fault(
        member.at,
        &value.key,
        format!("the key \"{}\" is unknown", member.name),
        remedy,
    )
}

/// The known word that is most similar to another, if one is.
pub(super) fn nearest<'k>(word: &str, known: &[&'k str]) -> Option<&'k str> {
    let lower = word.to_ascii_lowercase();
    let likeness = |known: &str| strsim::jaro_winkler(&lower, &known.to_ascii_lowercase());
    let best = known.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)))?;
    (likeness(best) >= ALIKE).then_some(*best)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loadgen::document::Document;
    use std::path::Path;

    const KNOWN: &[&str] = &["name", "threads", "ADMINUSERID"];

    fn read(text: &str) -> (Result<Vec<&'static str>, String>, Vec<String>) {
        let document = Document::parse(Path::new("job.json"), text.to_owned()).unwrap();
        let mut notes = Vec::new();
        let fields = Fields::read(&document.value(), KNOWN, &mut notes);
        let names = |fields: Fields<'_>| fields.found.iter().map(|(name, _)| *name).collect();
        (fields.map(names).map_err(|fault| fault.to_string()), notes)
    }

    #[test]
    fn keys_are_case_insensitive_and_remarks_ignored() {
        let (read, notes) =
            read("{\"AdminUserId\": \"a\", \"_why\": 1, \"name\": \"x\", \"#\": 2}");
        assert_eq!(read.unwrap(), ["ADMINUSERID", "name"]);
        assert!(notes.is_empty());
    }

    #[test]
    fn key_misspelt_is_an_error_with_a_suggestion() {
        let (fault, _) = read("{\n  \"thread\": 4}");
        assert_eq!(
            fault.unwrap_err(),
            "read job.json, line 2, column 3, at thread: the key \"thread\" is unknown; did you mean \"threads\"?"
        );
        let (fault, _) = read("{\"qqq\": 4}");
        assert!(fault.unwrap_err().ends_with("the keys here are name, threads, ADMINUSERID"));
    }

    #[test]
    fn key_given_twice_uses_the_last_and_is_noted() {
        let (read, notes) = read("{\"name\": 1,\n\"NAME\": 2}");
        assert_eq!(read.unwrap(), ["name"]);
        assert_eq!(notes, ["job.json, line 2: \"NAME\" occurs twice; the last one counts"]);
    }
}
