//! [`Route`]: one thing that may be asked.

use axum::routing::MethodFilter;

use crate::auth::{Role, Scope};
use crate::call::{Answer, Call};
use crate::problem::Problem;

/// The most bytes of a form.
const FORM_MAX: usize = 128 << 10;
/// The most bytes of a form that brings a document.
const UPLOAD_MAX: usize = 64 << 20;
/// The most bytes of a record that is brought here.
const DOCUMENT_MAX: usize = 64 << 20;

/// What carries out a request.
pub(crate) type Handler = fn(&Call) -> Result<Answer, Problem>;

/// One thing that may be asked.
#[derive(Clone, Copy)]
pub(crate) struct Route {
    pub(crate) ask: Ask,
    pub(crate) path: &'static str,
    pub(crate) access: Access,
    pub(crate) takes: Takes,
    /// What it does, in a sentence for the API's document.
    pub(crate) what: &'static str,
    /// The parameters of its query, and what they mean.
    pub(crate) query: &'static [(&'static str, &'static str)],
    pub(crate) act: Handler,
}

/// How something is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ask {
    /// Reads, and changes nothing.
    Get,
    Post,
    Put,
}

impl Ask {
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
        }
    }

    pub(super) const fn filter(self) -> MethodFilter {
        match self {
            Self::Get => MethodFilter::GET,
            Self::Post => MethodFilter::POST,
            Self::Put => MethodFilter::PUT,
        }
    }
}

/// Who may ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Everybody.
    Anyone,
    /// Somebody who signed in and may do at least this.
    Signed(Role),
    /// The same, or a token for this.
    Token(Role, Scope),
    /// The same, or a token for anything.
    AnyToken(Role),
}

/// What a request brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Takes {
    Nothing,
    Form,
    /// A form with a document in it.
    Upload,
    Document,
}

impl Takes {
    pub(super) const fn most(self) -> usize {
        match self {
            Self::Nothing => 0,
            Self::Form => FORM_MAX,
            Self::Upload => UPLOAD_MAX,
            Self::Document => DOCUMENT_MAX,
        }
    }
}
