//! Requests that were described elsewhere: a cURL command line, a HAR file, an OpenAPI document.
//!
//! Each is read into an [`Imported`], which is nearer to a plan than to where it came from: steps with text that may
//! have holes, variables, and notes on whatever was left out or could not be known. Nothing is dropped in silence: what
//! a plan cannot say is an error where it matters and a note where it does not. Secrets are taken out unless they are
//! asked for, because plans are kept in places where recordings must not be.
//!
//! This is a crate because fuzzing needs it as well as the program. It opens no file and no socket: whoever calls it
//! reads files for it. It must not know how a plan is spelled, nor how one is run.

mod answers;
mod curl;
mod form;
mod har;
mod imported;
mod node;
pub mod notation;
mod openapi;
mod secrets;
mod shell;
mod yaml;

pub use curl::{CurlError, curl};
pub use har::{Filter, HarError, Pauses, har};
pub use imported::{
    Auth, Body, Client, Extract, Imported, Place, Resolve, Step, Value, Variable, Version,
};
pub use openapi::{OpenApiError, openapi};
pub use secrets::Secrets;
pub use shell::ShellError;

/// A text without its percent-encoding.
fn percent_decoded(text: &str) -> String {
    percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned()
}
