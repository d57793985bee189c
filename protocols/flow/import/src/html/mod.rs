//! Pages in HTML, read in one pass without a tree, and their forms as a browser would send them.

mod control;
mod form;
mod reading;

pub(crate) use control::{Control, Kind};
pub(crate) use form::{Form, Forms, Method};
pub(crate) use reading::{Reading, Tag, read};
