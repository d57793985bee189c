//! Requests that were described elsewhere: a cURL command line, a HAR file, an OpenAPI document.
//!
//! Each is read into an [`Imported`], which is closer to a plan than to its source: steps with text that may have
//! holes, variables, and notes on everything that was left out or could not be known. Nothing is dropped silently: what
//! a plan cannot express is an error where it matters and a note where it does not. Secrets are replaced by variables
//! unless they are to be kept, because plans are kept in places where recordings must not be.
//!
//! This is a crate because fuzzing needs it as well as the program. It opens no file and no socket: the caller reads
//! files for it. It must not know the syntax of a plan, or how one is run.

mod body;
mod curl;
mod form;
mod har;
mod imported;
mod multipart;
mod node;
pub mod notation;
mod openapi;
mod pairs;
mod secrets;
mod shell;
mod yaml;

pub use curl::{CurlError, curl};
pub use har::{Filter, HarError, Pauses, har, har_beside};
pub use imported::{
    Auth, Body, Client, Extract, Feeder, FormPart, Imported, Location, PageAction, PartContent,
    Resolve, Step, Value, Variable, Version,
};
pub use openapi::{OpenApiError, openapi};
pub use secrets::Secrets;
pub use shell::ShellError;

/// A text without its percent-encoding.
pub fn percent_decoded(text: &str) -> String {
    percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned()
}
