//! [`Route`]: one route of the server.

use axum::routing::MethodFilter;
use schemars::{JsonSchema, Schema, SchemaGenerator};

use super::param::Param;
use crate::auth::{Role, Scope};
use crate::call::{Handler, JSON};
use crate::changes::plans::TEXT_MAX;

/// The most bytes of a form.
const FORM_MAX: usize = 128 << 10;
/// The most bytes of a form with a plan: each byte of the text may be written as three.
const PLAN_MAX: usize = FORM_MAX + 3 * TEXT_MAX;
/// The most bytes of a form with an uploaded document.
const UPLOAD_MAX: usize = 64 << 20;
/// The most bytes of a JSON object that describes something.
const OBJECT_MAX: usize = 1 << 20;
/// The most bytes of an uploaded record.
const DOCUMENT_MAX: usize = 64 << 20;

/// One route of the server.
#[derive(Clone, Copy)]
pub(crate) struct Route {
    pub(crate) method: Method,
    pub(crate) path: &'static str,
    pub(crate) access: Access,
    pub(crate) takes: BodyKind,
    /// What it does, in a sentence for the OpenAPI document.
    pub(crate) what: &'static str,
    /// The parameters of its query. The API refuses others.
    pub(crate) query: &'static [Param],
    /// What its body may be, for the OpenAPI document.
    pub(crate) bodies: &'static [Content],
    /// What it answers if it succeeds, for the OpenAPI document.
    pub(crate) gives: &'static [Gives],
    /// The statuses with which it may refuse a request, besides those of every route of the API.
    pub(crate) refuses: &'static [u16],
    /// Whether an idempotency key protects its requests from being carried out twice.
    pub(crate) keyed: bool,
    pub(crate) act: Handler,
    /// The page that has its form. It is shown again, with what was typed, if the form is not accepted.
    pub(crate) page: Option<Handler>,
}

impl Route {
    /// Whether programs use it, with a token.
    pub(super) const fn is_for_programs(&self) -> bool {
        matches!(self.access, Access::Token(..) | Access::AnyToken(_))
    }
}

/// An answer of a route that succeeds.
#[derive(Clone, Copy)]
pub(crate) struct Gives {
    pub(crate) status: u16,
    /// Its body, if it has one.
    pub(crate) content: Option<Content>,
}

/// The content of a body.
#[derive(Clone, Copy)]
pub(crate) struct Content {
    pub(crate) kind: &'static str,
    /// The schema of a JSON document.
    pub(crate) schema: Option<fn(&mut SchemaGenerator) -> Schema>,
}

impl Gives {
    /// A JSON document of this type.
    pub(crate) const fn json<T: JsonSchema>(status: u16) -> Self {
        Self { status, content: Some(Content::json::<T>()) }
    }

    /// A body of this kind.
    pub(crate) const fn file(kind: &'static str) -> Self {
        Self { status: 200, content: Some(Content { kind, schema: None }) }
    }
}

impl Content {
    /// A JSON document of this type.
    pub(crate) const fn json<T: JsonSchema>() -> Self {
        Self { kind: JSON, schema: Some(SchemaGenerator::subschema_for::<T>) }
    }
}

/// The method of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    /// Reads, and changes nothing.
    Get,
    Post,
    Put,
    Delete,
}

impl Method {
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Delete => "DELETE",
        }
    }

    pub(super) const fn filter(self) -> MethodFilter {
        match self {
            Self::Get => MethodFilter::GET,
            Self::Post => MethodFilter::POST,
            Self::Put => MethodFilter::PUT,
            Self::Delete => MethodFilter::DELETE,
        }
    }
}

/// Who may use a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Any client, with or without signing in.
    Anyone,
    /// The provider at which people sign in, without signing in itself: what it sends is signed.
    Provider,
    /// A signed-in user with at least this role.
    Signed(Role),
    /// A signed-in user, or a token with this scope, whose user has at least this role.
    Token(Role, Scope),
    /// A signed-in user, or a token with any scope, whose user has at least this role.
    AnyToken(Role),
}

impl Access {
    /// Whether it can be used without signing in.
    pub(super) fn is_open(self) -> bool {
        matches!(self, Self::Anyone | Self::Provider)
    }
}

/// The kind of body that a request has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodyKind {
    Nothing,
    Form,
    /// A form with a plan in it.
    Plan,
    /// A form with a document in it.
    Upload,
    /// A JSON object that describes something.
    Object,
    /// A document of any kind.
    Document,
}

impl BodyKind {
    /// Whether it is a form of a page.
    pub(super) const fn is_form(self) -> bool {
        matches!(self, Self::Form | Self::Plan | Self::Upload)
    }

    pub(super) const fn most(self) -> usize {
        match self {
            Self::Nothing => 0,
            Self::Form => FORM_MAX,
            Self::Plan => PLAN_MAX,
            Self::Upload => UPLOAD_MAX,
            Self::Object => OBJECT_MAX,
            Self::Document => DOCUMENT_MAX,
        }
    }
}
