//! [`Problem`]: why a request was not carried out, in words for the user.

use http::StatusCode;

use crate::store::StoreError;

/// Why a request was not carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) status: StatusCode,
    /// What happened, in a few words.
    pub(crate) title: String,
    /// Why, and what to do.
    pub(crate) detail: String,
    /// Details that only operators see, in the log.
    pub(crate) hidden: Option<String>,
    /// The number of seconds after which another try may succeed.
    pub(crate) wait: Option<i64>,
}

impl Problem {
    pub(crate) fn new(status: StatusCode, title: &str, detail: impl Into<String>) -> Self {
        Self { status, title: title.to_owned(), detail: detail.into(), hidden: None, wait: None }
    }

    /// The request is not acceptable.
    pub(crate) fn unusable(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, "Not accepted", detail)
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

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        Self::bug(error)
    }
}
