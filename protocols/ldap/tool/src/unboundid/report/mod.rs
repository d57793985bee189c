//! What UnboundID's tools print: a row for each interval, and the failures of the interval by result code.

mod figures;
mod layout;
mod table;

pub(crate) use table::{Table, completed};
