//! Tables that grow by a row while a run is in progress.

mod layout;
mod rates;

pub(crate) use layout::{Extra, Layout, Row};
pub(crate) use rates::{RatesTable, TimeBasis};
