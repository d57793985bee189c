//! [`KeyError`]: what is wrong with a plan, and where.

use std::fmt;

use super::path::KeyPath;

/// What is wrong with a plan, before its line is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyError {
    /// The keys that lead to it.
    pub at: KeyPath,
    /// The wrong value and the possible ones, as a sentence without its full stop.
    pub what: String,
}

impl KeyError {
    /// A fault at this place.
    pub fn new(at: &KeyPath, what: impl Into<String>) -> Self {
        Self { at: at.clone(), what: what.into() }
    }
}

/// For a plan that was not read from a file.
impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.at.segments().is_empty() {
            write!(f, "{}: ", self.at)?;
        }
        f.write_str(&self.what)
    }
}

impl std::error::Error for KeyError {}

/// What is wrong with a plan that was read from a text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// The file cannot be read.
    #[error("failed to read the plan {file}: {why}")]
    Unreadable {
        /// Its name.
        file: String,
        /// The system's error.
        why: String,
    },
    /// Something in it is wrong.
    #[error("{place}: {fault}")]
    Wrong {
        /// The file, the line and the column; or the option.
        place: String,
        /// What is wrong there.
        fault: KeyError,
    },
    /// Something about the command line is wrong.
    #[error("{0}")]
    Usage(String),
}

/// The known name that is nearest to `name`, if one is near enough to have been meant: a slip of the fingers before a
/// beginning that is alike.
pub fn nearest<'a>(
    name: &str,
    known: impl IntoIterator<Item = &'a str> + Clone,
) -> Option<&'a str> {
    const SIMILAR: f64 = 0.8;
    let slips = |one: &&str| strsim::osa_distance(name, one);
    let slipped = known.clone().into_iter().min_by_key(slips);
    let few = slipped.filter(|one| slips(one) <= (name.chars().count() / 3).max(1));
    few.or_else(|| {
        let scored = known.into_iter().map(|one| (strsim::jaro_winkler(name, one), one));
        let best = scored.max_by(|(one, _), (other, _)| one.total_cmp(other));
        best.filter(|(score, _)| *score >= SIMILAR).map(|(_, known)| known)
    })
}

/// `; did you mean 'x'?` where a known name is near, else a list of what is known.
pub fn instead<'a>(name: &str, known: impl IntoIterator<Item = &'a str> + Clone) -> String {
    match nearest(name, known.clone()) {
        Some(near) => format!("; did you mean '{near}'?"),
        None => format!("; there are {}", known.into_iter().collect::<Vec<_>>().join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_name_is_suggested() {
        let known = ["get", "text", "threshold", "timeout", "head", "headers"];
        for (name, meant) in [
            ("gte", Some("get")),
            ("treshold", Some("threshold")),
            ("header", Some("headers")),
            ("time-out", Some("timeout")),
            ("thresh", Some("threshold")),
            ("zzz", None),
        ] {
            assert_eq!(nearest(name, known), meant, "{name}");
        }
    }
}
