//! Tables that grow by a row while a run is in progress.

mod layout;
mod rates;

pub use layout::{Extra, Layout, Row};
pub use rates::{RatesTable, TimeBasis};
