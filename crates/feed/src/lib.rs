//! Generators and templates: the data that an exchange sends, as a pure function of (seed,
//! position).
//!
//! A value is computed from the seed of the run, the place of its argument in the list and the
//! [`Position`] of the exchange, never from the previous value. So a run repeats, its nodes share
//! it without communication, and any exchange can be examined by itself. [`Arguments`] draws the
//! values of an exchange into a [`Row`], a [`Template`] inserts them into text, and neither
//! allocates once the buffers have grown to their final size. Except for how values are escaped in
//! a DN and a filter, this crate does not depend on any protocol, nor on a clock or any other crate
//! of the workspace.
//!
#![doc = include_str!("../README.md")]

mod arguments;
mod chars;
mod charset;
mod conversion;
mod decimal;
mod escape;
mod feeder;
pub mod file;
pub mod files;
mod generator;
mod lines;
pub mod makeldif;
mod moment;
pub mod patterns;
mod permutation;
mod position;
pub mod rates;
mod row;
mod starred;
mod stream;
mod table;
mod template;
mod text;
mod timestamp;
mod trace_context;
pub mod uuid;

pub use arguments::{ArgumentError, Arguments, Settings};
pub use chars::{Chars, CharsError};
pub use charset::CharsetError;
pub use conversion::{Conversion, ConversionError};
pub use decimal::DecimalError;
pub use escape::Escape;
pub use feeder::{Feeder, RowOrder};
pub use files::Files;
pub use generator::{Kind, Scope};
pub use moment::Moment;
pub use position::Position;
pub use row::Row;
pub use starred::starred;
pub use stream::{Draws, Stream};
pub use table::{Table, TableError, TableProblem};
pub use template::{Piece, Slot, Template, TemplateError};
pub use text::{FILLED_MAX, Hole, Text, TextError, TextPiece, Unfilled, Values};
pub use timestamp::{FormError, since_1970};
pub use trace_context::TraceContext;
