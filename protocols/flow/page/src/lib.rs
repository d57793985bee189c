//! Pages: what users find in an HTML answer, and how they send its forms.
//!
//! A [`Document`] is the list of tags and texts of an answer, as the tokenizer of HTML defines them; there is no tree,
//! and nothing is repaired. [`Selector`]s find elements in it. A [`Page`] is what is kept of a document: the forms and
//! links that later requests may use. All work is counted by a [`Meter`], because a server decides what a page
//! contains.

mod document;
mod entities;
mod error_text;
mod fields;
mod form;
mod meter;
mod multipart;
mod open_elements;
mod page;
mod page_error;
mod part;
mod referrer;
mod selector;
mod selector_error;
mod selector_parser;
mod submission;

pub use document::Document;
pub use entities::decode_entities;
pub use error_text::error_text;
pub use fields::forms;
pub use form::{Button, Field, FieldKind, Form};
pub use meter::{Meter, Spent};
pub use multipart::{FormParts, MULTIPART, PartHead};
pub use page::{Page, PageQuery};
pub use page_error::{FormError, LinkError};
pub use part::{Part, StartTag};
pub use referrer::Referrer;
pub use selector::Selector;
pub use selector_error::SelectorError;
pub use submission::{Given, SentField, Submission, encoded};
