//! The command lines of the tools for name services.

pub mod lookup;
pub mod matrix;
pub mod names;
