//! [`TraceContext`]: the identity of an exchange for the traces of the target (W3C Trace Context, version 00).
//!
//! It is a function of the seed, the iteration and the number of the exchange in it, so that a run with the same seed
//! has the same identities, and no two exchanges of a run share one. Nothing is kept of it.

use crate::Stream;
use std::fmt::{self, Display};

/// The first stream of random numbers for it, beyond those of variables and of picks in answers.
const STREAM: u64 = 1 << 56;

/// The identity of one exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceContext {
    trace: u128,
    parent: u64,
}

impl TraceContext {
    /// The header of HTTP that carries it, by which messages name it for every protocol.
    pub const FIELD: &str = "traceparent";

    /// The identity of an exchange, by its number in its iteration.
    pub fn new(seed: u64, iteration: u64, exchange: u32) -> Self {
        let mut draws = Stream::new(seed, STREAM | u64::from(exchange)).at(iteration);
        let (high, low, parent) = (draws.bits(), draws.bits(), draws.bits());
        // All zeros means that there is none.
        Self { trace: (u128::from(high) << 64 | u128::from(low)).max(1), parent: parent.max(1) }
    }
}

impl Display for TraceContext {
    /// The value of the header. The last bit requests that the target records the trace.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "00-{:032x}-{:016x}-01", self.trace, self.parent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn trace_identity_depends_on_seed_and_exchange() {
        let all = (0..50).flat_map(|iteration| (0..20).map(move |number| (iteration, number)));
        let of = |seed| all.clone().map(move |(at, number)| TraceContext::new(seed, at, number));
        let distinct = |texts: &mut dyn Iterator<Item = TraceContext>| {
            texts.map(|one| (one.trace, one.parent)).collect::<BTreeSet<_>>().len()
        };
        assert_eq!(distinct(&mut of(7).chain(of(8))), 2_000);
        assert!(of(7).eq(of(7)));
    }

    #[test]
    fn traceparent_text_has_the_w3c_form() {
        let text = TraceContext { trace: 0x4bf9, parent: 0xb7 }.to_string();
        assert_eq!(text, "00-00000000000000000000000000004bf9-00000000000000b7-01");
        assert_eq!(TraceContext::new(1, 2, 3).to_string().len(), 55);
    }
}
