//! Who lost what was dropped, as far as this machine can know.

use super::Exchanges;

/// The drops of a run, shared out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attribution {
    /// Lost in our own sockets' buffers.
    pub own_socket: u64,
    /// Lost in the server's receive queue, where that can be looked at.
    pub server_queue: Option<u64>,
    /// Everything else: the server, or the wire.
    pub elsewhere: u64,
}

impl Attribution {
    /// Shares out the drops of all stages. A datagram lost in a queue is one drop at most (it may
    /// have been a duplicate, or of another tool), so no share exceeds what is left of the drops.
    pub fn of(figures: &Exchanges) -> Self {
        let drops = figures.drops();
        let own_socket = drops.min(figures.socket_drops);
        let server_queue = figures.server_drops.map(|lost| lost.min(drops - own_socket));
        let elsewhere = drops - own_socket - server_queue.unwrap_or(0);
        Self { own_socket, server_queue, elsewhere }
    }
}

#[cfg(test)]
mod tests {
    use super::super::StageFigures;
    use super::super::tests::nothing;
    use super::*;

    #[test]
    fn every_drop_has_one_place_where_it_was_lost() {
        for (drops, own, server, expected) in [
            (10, 3, Some(4), (3, Some(4), 3)),
            (10, 3, None, (3, None, 7)),
            (10, 30, Some(4), (10, Some(0), 0)),
            (10, 8, Some(4), (8, Some(2), 0)),
            (0, 8, Some(4), (0, Some(0), 0)),
        ] {
            // In two stages, as the drops of a real run would be.
            let stages = [drops / 2, drops - drops / 2]
                .map(|drops| StageFigures { drops, ..StageFigures::default() });
            let figures = Exchanges {
                stages: stages.into(),
                socket_drops: own,
                server_drops: server,
                ..nothing()
            };
            let found = Attribution::of(&figures);
            assert_eq!((found.own_socket, found.server_queue, found.elsewhere), expected);
            let sum = found.own_socket + found.server_queue.unwrap_or(0) + found.elsewhere;
            assert_eq!(sum, drops);
        }
    }
}
