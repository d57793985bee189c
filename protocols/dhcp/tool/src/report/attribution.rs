//! What happened to dropped exchanges, as far as this machine can know: answered after all, or lost, and where.

use super::Exchanges;

/// The drops of a run, divided by cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Attribution {
    /// Answered, but after the drop time.
    pub late: u64,
    /// Answered, but with a wrong checksum, so that the kernel did not deliver the answer.
    pub bad_checksum: u64,
    /// Lost in our own sockets' buffers.
    pub own_socket: u64,
    /// Their drop time ended while this program stood still, or they were sent in one burst when it continued. The
    /// schedule had not requested this, and it does not describe the server.
    pub own_stall: u64,
    /// Lost in the server's receive queue, where that can be observed.
    pub server_queue: Option<u64>,
    /// Everything else: the server, or the network.
    pub elsewhere: u64,
}

impl Attribution {
    /// Divides the drops of all stages. An exchange that was answered late is known not to be lost. A datagram lost in
    /// a queue is one drop at most (it may have been a duplicate, or of another tool), so no share exceeds the
    /// remaining drops.
    pub(crate) fn new(figures: &Exchanges) -> Self {
        let drops = figures.drops();
        let late: u64 = figures.stages.iter().map(|stage| stage.late.min(stage.drops)).sum();
        let lost = drops - late;
        let bad_checksum = lost.min(figures.bad_checksum);
        let lost = lost - bad_checksum;
        let own_socket = lost.min(figures.socket_drops);
        let stalled: u64 = figures.stages.iter().map(|stage| stage.drops_stalled).sum();
        let own_stall = stalled.min(lost - own_socket);
        let lost = lost - own_socket - own_stall;
        let server_queue = figures.server_drops.map(|queued| queued.min(lost));
        let elsewhere = lost - server_queue.unwrap_or(0);
        Self { late, bad_checksum, own_socket, own_stall, server_queue, elsewhere }
    }
}

#[cfg(test)]
mod tests {
    use super::super::StageFigures;
    use super::super::tests::nothing;
    use super::*;

    #[test]
    fn drops_are_attributed_exactly_once() {
        for (drops, late, own, stalled, server, expected) in [
            (10, 0, 3, 0, Some(4), (0, 3, 0, Some(4), 3)),
            (10, 0, 3, 0, None, (0, 3, 0, None, 7)),
            (10, 0, 30, 0, Some(4), (0, 10, 0, Some(0), 0)),
            (10, 0, 8, 0, Some(4), (0, 8, 0, Some(2), 0)),
            (0, 0, 8, 0, Some(4), (0, 0, 0, Some(0), 0)),
            (10, 2, 3, 0, Some(4), (4, 3, 0, Some(3), 0)),
            // Late answers to exchanges that were cut off, or duplicate answers, belong to no drop.
            (10, 7, 3, 0, None, (10, 0, 0, None, 0)),
            // Drops while this program stood still are not the server's, whatever its queue lost.
            (10, 0, 0, 4, Some(8), (0, 0, 8, Some(2), 0)),
            (10, 0, 3, 2, None, (0, 3, 4, None, 3)),
            (10, 4, 1, 5, None, (8, 1, 1, None, 0)),
        ] {
            // In two stages, as the drops of a real run would be.
            let stages = [drops / 2, drops - drops / 2].map(|drops| StageFigures {
                drops,
                late,
                drops_stalled: stalled,
                ..StageFigures::default()
            });
            let figures = Exchanges {
                stages: stages.into(),
                socket_drops: own,
                server_drops: server,
                ..nothing()
            };
            let found = Attribution::new(&figures);
            let Attribution { late, own_socket, own_stall, server_queue, elsewhere, .. } = found;
            assert_eq!((late, own_socket, own_stall, server_queue, elsewhere), expected);
            let all = late + own_socket + own_stall + server_queue.unwrap_or(0) + elsewhere;
            assert_eq!(all, drops);
        }
    }

    #[test]
    fn bad_checksums_are_not_attributed_as_losses() {
        let stage = StageFigures { drops: 10, late: 1, ..StageFigures::default() };
        let figures =
            Exchanges { stages: vec![stage], bad_checksum: 12, socket_drops: 3, ..nothing() };
        let found = Attribution::new(&figures);
        assert_eq!((found.late, found.bad_checksum), (1, 9));
        assert_eq!((found.own_socket, found.elsewhere), (0, 0));
    }
}
