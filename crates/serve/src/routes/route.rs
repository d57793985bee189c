//! [`Route`]: one route of the server.

use axum::routing::MethodFilter;

use crate::auth::{Role, Scope};
use crate::call::{Answer, Call};
use crate::problem::Problem;

/// The most bytes of a form.
const FORM_MAX: usize = 128 << 10;
/// The most bytes of a form with an uploaded document.
const UPLOAD_MAX: usize = 64 << 20;
/// The most bytes of an uploaded record.
const DOCUMENT_MAX: usize = 64 << 20;

/// The function that carries out a request.
pub(crate) type Handler = fn(&Call) -> Result<Answer, Problem>;

/// One route of the server.
#[derive(Clone, Copy)]
pub(crate) struct Route {
    pub(crate) ask: Ask,
    pub(crate) path: &'static str,
    pub(crate) access: Access,
    pub(crate) takes: BodyKind,
    /// What it does, in a sentence for the OpenAPI document.
    pub(crate) what: &'static str,
    /// The parameters of its query, and what they mean.
    pub(crate) query: &'static [(&'static str, &'static str)],
    pub(crate) act: Handler,
}

/// The method of a request.
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

/// Who may use a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Any client, with or without signing in.
    Anyone,
    /// A signed-in user with at least this role.
    Signed(Role),
    /// A signed-in user, or a token with this scope, whose user has at least this role.
    Token(Role, Scope),
    /// A signed-in user, or a token with any scope, whose user has at least this role.
    AnyToken(Role),
}

/// The kind of body that a request has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodyKind {
    Nothing,
    Form,
    /// A form with a document in it.
    Upload,
    Document,
}

impl BodyKind {
    pub(super) const fn most(self) -> usize {
        match self {
            Self::Nothing => 0,
            Self::Form => FORM_MAX,
            Self::Upload => UPLOAD_MAX,
            Self::Document => DOCUMENT_MAX,
        }
    }
}
