//! Tables that grow by a row while a run goes on.

mod layout;
mod rates;

pub use layout::{Extra, Layout, Row};
pub use rates::{RatesTable, TimeBasis};
