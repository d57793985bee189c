//! [`Reply`]: what a step got, whatever protocol it spoke, as checks and extractions see it.

use crate::http::Response;

/// The answer to a step.
#[derive(Clone, Copy, Debug)]
pub enum Reply<'a> {
    /// Over HTTP.
    Http(&'a Response),
    /// Of a protocol whose answers are named values: attributes of an entry, options of a lease.
    Named {
        /// The protocol's own code.
        code: u32,
        /// The values, by name. A name may come more than once.
        values: &'a [(String, Vec<u8>)],
    },
}

impl<'a> Reply<'a> {
    /// The protocol's own code: the status of HTTP, the result code of LDAP.
    pub fn code(&self) -> u32 {
        match self {
            Self::Http(response) => response.status().into(),
            Self::Named { code, .. } => *code,
        }
    }

    /// The first value of that name, in any case: of a field of HTTP, of an attribute.
    pub fn value(&self, name: &str) -> Option<&'a [u8]> {
        match self {
            Self::Http(response) => {
                let mut fields = response.fields();
                fields
                    .find(|(field, _)| field.eq_ignore_ascii_case(name.as_bytes()))
                    .map(|(_, value)| value)
            }
            Self::Named { values, .. } => {
                let mut named = values.iter();
                named
                    .find(|(known, _)| known.eq_ignore_ascii_case(name))
                    .map(|(_, value)| &value[..])
            }
        }
    }

    /// The body; empty where there is none.
    pub fn body(&self) -> &'a [u8] {
        match self {
            Self::Http(response) => response.body(),
            Self::Named { .. } => &[],
        }
    }
}
