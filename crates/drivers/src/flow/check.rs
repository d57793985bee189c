//! [`Check`]: what must hold of an answer.

use super::reply::Reply;

/// What must hold of an answer.
#[derive(Clone, Debug)]
pub enum Check {
    /// The code is one of these ranges, both ends included.
    Code(Vec<(u32, u32)>),
}

impl Check {
    /// Whether it holds of the answer.
    pub fn holds(&self, reply: &Reply<'_>) -> bool {
        match self {
            Self::Code(ranges) => {
                let code = reply.code();
                ranges.iter().any(|(least, most)| (*least..=*most).contains(&code))
            }
        }
    }
}
