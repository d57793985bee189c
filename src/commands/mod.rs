//! The commands beside the rate tools, a file each.

mod report;

pub(crate) use report::report;
