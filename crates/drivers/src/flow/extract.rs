//! [`Extract`]: what is kept of an answer, and where.

use super::reply::Reply;
use brunt_feed::{Hole, Values};

/// What is kept of an answer.
#[derive(Clone, Debug)]
pub struct Extract {
    /// Where it is found.
    pub from: From,
    /// The variable it becomes.
    pub into: Hole,
}

/// Where in an answer a value is found.
#[derive(Clone, Debug)]
pub enum From {
    /// A field of HTTP, an attribute of LDAP: by its name, in any case.
    Field(String),
}

impl Extract {
    /// Finds the value and keeps it; says whether it was there.
    pub fn keep(&self, reply: &Reply<'_>, values: &mut Values) -> bool {
        let found = match &self.from {
            From::Field(name) => reply.value(name),
        };
        found.map(|value| values.set(self.into, value)).is_some()
    }
}
