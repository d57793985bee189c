//! [`Problem`]: why a request was not carried out, in words for the user.

use std::error::Error;
use std::fmt;

use http::StatusCode;
use schemars::JsonSchema;
use serde::Serialize;

use crate::child::ChildError;
use crate::store::StoreError;

/// The most characters of a value that is repeated in a problem.
const GIVEN_MAX: usize = 100;
/// The most faults that a problem lists.
pub(crate) const FAULTS_MAX: usize = 10;

/// The part of a request in which a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "Place")]
pub(crate) enum ParameterLocation {
    Path,
    Query,
    Header,
    Body,
}

/// One value of a request that is not acceptable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Fault")]
pub(crate) struct InvalidValue {
    /// The part of the request that has the value.
    #[serde(rename = "in")]
    pub(crate) location: ParameterLocation,
    /// The name of the parameter or of the header; in a body the JSON path of the field.
    pub(crate) name: String,
    /// What was given there, cut off if it is long. Null if nothing was.
    pub(crate) given: Option<String>,
    /// What is accepted there.
    pub(crate) wanted: String,
}

impl InvalidValue {
    pub(crate) fn new(
        location: ParameterLocation,
        name: impl Into<String>,
        given: Option<&str>,
        wanted: impl Into<String>,
    ) -> Self {
        let given = given.map(|given| match given.char_indices().nth(GIVEN_MAX) {
            Some((end, _)) => format!("{}…", &given[..end]),
            None => given.to_owned(),
        });
        Self { location, name: name.into(), given, wanted: wanted.into() }
    }

    /// A field of a body whose value is not acceptable.
    pub(crate) fn of_field(name: &str, given: &str, wanted: impl Into<String>) -> Self {
        Self::new(ParameterLocation::Body, format!("$.{name}"), Some(given), wanted)
    }

    fn sentence(&self) -> String {
        let Self { name, given, wanted, .. } = self;
        let what = match self.location {
            ParameterLocation::Path => "part of the path",
            ParameterLocation::Query => "parameter",
            ParameterLocation::Header => "header",
            ParameterLocation::Body => "field",
        };
        match given {
            Some(given) => {
                format!("The {what} {name} is not accepted: {given}. Accepted: {wanted}.")
            }
            None => format!("The {what} {name} is missing. Accepted: {wanted}."),
        }
    }
}

/// Why a request was not carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub(crate) status: StatusCode,
    /// What happened, in a few words.
    pub(crate) title: &'static str,
    /// Why, and what to do.
    pub(crate) detail: String,
    /// Details that only operators see, in the log.
    pub(crate) hidden: Option<String>,
    /// The number of seconds after which another try may succeed.
    pub(crate) wait: Option<i64>,
    /// The values that are not acceptable, where the problem is with single values.
    pub(crate) faults: Box<[InvalidValue]>,
    /// The field of the form that it is about, where it has another name than in a document.
    pub(crate) field: Option<&'static str>,
}

impl Problem {
    pub(crate) fn new(status: StatusCode, title: &'static str, detail: impl Into<String>) -> Self {
        let detail = detail.into();
        Self {
            status,
            title,
            detail,
            hidden: None,
            wait: None,
            faults: Box::default(),
            field: None,
        }
    }

    /// The problem as one of this field of the form.
    pub(crate) fn at(self, field: &'static str) -> Self {
        Self { field: Some(field), ..self }
    }

    /// Whether it is about this field of the form, or about this field of a document.
    pub(crate) fn is_about(&self, field: &str) -> bool {
        let named = |fault: &InvalidValue| {
            let path =
                fault.name.strip_prefix("$.").filter(|_| fault.location == ParameterLocation::Body);
            path.and_then(|path| path.split('[').next()) == Some(field)
        };
        self.field == Some(field) || self.faults.iter().any(named)
    }

    /// Whether it is about the request as a whole.
    pub(crate) fn is_about_no_field(&self) -> bool {
        self.field.is_none() && self.faults.is_empty()
    }

    /// The request is not acceptable.
    pub(crate) fn unusable(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, "Not accepted", detail)
    }

    /// Values of the request are not acceptable. There is at least one.
    pub(crate) fn faulty(mut faults: Vec<InvalidValue>) -> Self {
        faults.truncate(FAULTS_MAX);
        let more = faults.len() - 1;
        let first = faults[0].sentence();
        let detail = match more {
            0 => first,
            1 => format!("{first} One more is in errors."),
            _ => format!("{first} {more} more are in errors."),
        };
        Self { faults: faults.into(), ..Self::unusable(detail) }
    }

    /// A field of a body is not acceptable. The sentence says why.
    pub(crate) fn field(
        name: &str,
        given: &str,
        wanted: &str,
        sentence: impl Into<String>,
    ) -> Self {
        let fault = InvalidValue::of_field(name, given, wanted);
        Self { faults: Box::new([fault]), ..Self::unusable(sentence) }
    }

    /// There is no such thing, or the user may not know about it.
    pub(crate) fn missing(what: &str) -> Self {
        let detail = format!(
            "There is no such {what}. It may have been deleted, or the address is incomplete."
        );
        Self::new(StatusCode::NOT_FOUND, "Not found", detail)
    }

    /// The server itself failed.
    pub(crate) fn bug(why: impl std::fmt::Display) -> Self {
        let detail = "The server failed to do this. Its operator can find the reason in its log.";
        let problem = Self::new(StatusCode::INTERNAL_SERVER_ERROR, "Something went wrong", detail);
        Self { hidden: Some(why.to_string()), ..problem }
    }
}

impl From<ChildError> for Problem {
    fn from(error: ChildError) -> Self {
        match error {
            // What a program could not read of another is for its operator.
            ChildError::Garbled(_) => Self::bug(error),
            ChildError::Full(_) => Self::failed(error),
            _ => Self::unusable(sentence(&error.to_string())),
        }
    }
}

/// The reason for operators, who see what is hidden from users.
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.hidden.as_ref().unwrap_or(&self.detail))
    }
}

impl Error for Problem {}

impl Problem {
    /// Something failed that the user can do nothing about, unless the disk is full.
    pub(crate) fn failed(error: impl Error + 'static) -> Self {
        if !is_of_full_disk(&error) {
            return Self::bug(error);
        }
        let detail = "The disk of this site is full, or its quota is used up, so nothing was saved. Make room there, \
                      for example by deleting runs, and try again.";
        let problem = Self::new(StatusCode::INSUFFICIENT_STORAGE, "The disk is full", detail);
        Self { hidden: Some(error.to_string()), ..problem }
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        Self::failed(error)
    }
}

/// Whether a failure, or what caused it, is that the disk is full.
fn is_of_full_disk(error: &(dyn Error + 'static)) -> bool {
    let mut cause = Some(error);
    while let Some(error) = cause {
        let full = error.downcast_ref().is_some_and(brunt_record::is_full)
            || error.downcast_ref().is_some_and(StoreError::is_full)
            || matches!(error.downcast_ref(), Some(ChildError::Full(_)));
        if full {
            return true;
        }
        cause = error.source();
    }
    false
}

/// A message from a child, as a sentence.
pub(crate) fn sentence(why: &str) -> String {
    let mut letters = why.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    let end = if why.ends_with('.') { "" } else { "." };
    format!("{first}{}{end}", letters.as_str())
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn full_disk_is_status_507() {
        let of = |kind: io::ErrorKind| Problem::failed(io::Error::from(kind)).status.as_u16();
        assert_eq!(of(io::ErrorKind::StorageFull), 507);
        assert_eq!(of(io::ErrorKind::QuotaExceeded), 507);
        assert_eq!(of(io::ErrorKind::PermissionDenied), 500);
        assert_eq!(Problem::failed(ChildError::Full(String::new())).status.as_u16(), 507);
    }
}
