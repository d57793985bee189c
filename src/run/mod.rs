//! What every run has in common, whatever its protocol: how it is concluded, and how the program ends for it.
//!
//! [`conclude`] makes the record of what was measured, and [`exit()`] decides the exit code. Both are here once, since
//! a judgement that differs from command to command is none.

mod conclude;
mod exit;
mod share;

pub(crate) use conclude::{Conclude, EndedBy, ended_by, tool};
pub(crate) use exit::{Manner, exit, is_partial, objectives};
