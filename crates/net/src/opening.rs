//! [`Opening`]: what an attempt to open a connection reports to its exchange.
//!
//! A connection that the run itself opens is reported in parts: connecting, the TLS handshake, the bind. One that the
//! server had closed while it was idle, and that is opened again, is reported as one part, so that the two are not
//! mixed, and it is counted.

use brunt_exchange::{Moment, Part, Watch};
use std::time::Duration;

/// An attempt to open a connection.
#[derive(Clone, Copy, Debug)]
pub struct Opening {
    began: Moment,
    again: bool,
}

impl Opening {
    /// An attempt that begins now. With `again` it replaces a connection that the server closed while it was idle.
    pub fn begin(again: bool, watch: &Watch<'_>) -> Self {
        Self { began: watch.now(), again }
    }

    /// When it began.
    pub const fn began(&self) -> Moment {
        self.began
    }

    /// Whether it replaces a connection that the server closed while it was idle.
    pub const fn is_again(&self) -> bool {
        self.again
    }

    /// Reports how long one part of it took, unless all of it is reported as one.
    pub fn part(&self, part: Part, took: Duration, watch: &mut Watch<'_>) {
        if !self.again {
            report(part, took, watch);
        }
    }

    /// The connection can be used. If it replaces another, reports all of it as `reconnect` and counts it.
    pub fn succeeded(&self, reconnect: Part, watch: &mut Watch<'_>) {
        if self.again {
            report(reconnect, watch.now() - self.began, watch);
            watch.reconnected();
        }
    }
}

/// Reports a part, as long as the exchange has room: one that is redirected may open several connections.
fn report(part: Part, took: Duration, watch: &mut Watch<'_>) {
    if watch.parts().len() < Watch::PARTS_MAX {
        watch.part(part, took);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_exchange::Clock;
    use std::cell::Cell;

    const MILLISECOND: Duration = Duration::from_millis(1);

    /// A clock that is a millisecond later each time it is read.
    #[derive(Default)]
    struct Ticking(Cell<Moment>);

    impl Clock for Ticking {
        fn now(&self) -> Moment {
            self.0.replace(self.0.get() + MILLISECOND)
        }
    }

    #[test]
    fn opening_reports_a_first_connection_in_parts() {
        let clock = Ticking::default();
        for (again, parts, count) in [
            (false, vec![(Part(0), 4 * MILLISECOND), (Part(1), 5 * MILLISECOND)], 0),
            (true, vec![(Part(2), MILLISECOND)], 1),
        ] {
            let mut watch = Watch::new(&clock, None);
            let opening = Opening::begin(again, &watch);
            opening.part(Part(0), 4 * MILLISECOND, &mut watch);
            opening.part(Part(1), 5 * MILLISECOND, &mut watch);
            opening.succeeded(Part(2), &mut watch);
            assert_eq!((watch.parts(), watch.times_reconnected()), (&parts[..], count));
            assert_eq!(opening.is_again(), again);
        }
    }

    #[test]
    fn opening_counts_connections_beyond_the_parts_limit() {
        let clock = Ticking::default();
        let mut watch = Watch::new(&clock, None);
        for _ in 0..=Watch::PARTS_MAX {
            Opening::begin(true, &watch).succeeded(Part(2), &mut watch);
        }
        assert_eq!(watch.parts().len(), Watch::PARTS_MAX);
        assert_eq!(watch.times_reconnected() as usize, Watch::PARTS_MAX + 1);
    }
}
