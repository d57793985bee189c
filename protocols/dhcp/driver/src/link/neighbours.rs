//! [`Neighbours`]: the hardware addresses of servers and routers, and the frames that wait for one.
//!
//! They are learned from replies. A frame to an unknown address is sent to the sender of the last reply: that is the
//! server, or the router or relay that has a route to it, and a client need not know which. An ARP request (RFC 826) is
//! sent only before the first reply, and a few frames wait meanwhile, as they would in a kernel. It must not send
//! anything, nor depend on the content of the frames.

use super::ethernet::Mac;
use std::net::Ipv4Addr;

/// The largest number of neighbours that are remembered.
const KNOWN_MAX: usize = 16;
/// The largest number of frames that wait.
const WAITING_MAX: usize = 64;
/// How many ARP requests are sent before the frames are dropped (RFC 1122 section 2.3.2.1 leaves it open).
const QUESTIONS_MAX: u8 = 3;

/// The hosts we send to.
#[derive(Debug, Default)]
pub(super) struct Neighbours {
    known: [Option<(Ipv4Addr, Mac)>; KNOWN_MAX],
    next: usize,
    replier: Option<Mac>,
    waiting: Vec<Waiting>,
}

#[derive(Debug)]
struct Waiting {
    to: Ipv4Addr,
    frame: Vec<u8>,
    requested: u8,
}

impl Neighbours {
    /// The hardware address to which a frame for this address is sent.
    pub(super) fn way(&self, to: Ipv4Addr) -> Option<Mac> {
        let known = self.known.iter().flatten().find(|(ip, _)| *ip == to);
        known.map(|(_, mac)| *mac).or(self.replier)
    }

    /// Learns the sender of a reply.
    pub(super) fn replied(&mut self, ip: Ipv4Addr, mac: Mac) {
        self.replier = Some(mac);
        self.learn(ip, mac);
    }

    /// Learns the hardware address of a pending request; an unrequested reply is ignored.
    pub(super) fn answered(&mut self, ip: Ipv4Addr, mac: Mac) {
        if self.waiting.iter().any(|it| it.to == ip) {
            self.learn(ip, mac);
        }
    }

    /// Keeps a frame until its hardware address is known, and returns whether an ARP request must be sent; `None` if
    /// too many frames wait.
    pub(super) fn wait(&mut self, to: Ipv4Addr, frame: &[u8]) -> Option<bool> {
        if self.waiting.len() == WAITING_MAX {
            return None;
        }
        let new = self.waiting.iter().all(|it| it.to != to);
        self.waiting.push(Waiting { to, frame: frame.to_vec(), requested: 1 });
        Some(new)
    }

    /// Whether any frame waits.
    pub(super) const fn is_waited_for(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Removes and returns a frame whose hardware address is known now, with that address.
    pub(super) fn take_ready(&mut self) -> Option<(Mac, Vec<u8>)> {
        let found =
            self.waiting.iter().enumerate().find_map(|(at, it)| Some((at, self.way(it.to)?)));
        found.map(|(at, mac)| (mac, self.waiting.remove(at).frame))
    }

    /// Repeats ARP requests: `send` is called once for each address, with a frame that waits for it. Frames for which
    /// enough requests were sent are dropped.
    pub(super) fn repeat_requests(&mut self, mut send: impl FnMut(Ipv4Addr, &[u8])) {
        self.waiting.retain(|it| it.requested < QUESTIONS_MAX);
        for at in 0..self.waiting.len() {
            let (before, rest) = self.waiting.split_at_mut(at);
            let it = &mut rest[0];
            if before.iter().all(|other| other.to != it.to) {
                send(it.to, &it.frame);
            }
            it.requested += 1;
        }
    }

    fn learn(&mut self, ip: Ipv4Addr, mac: Mac) {
        if let Some(known) = self.known.iter_mut().flatten().find(|(known, _)| *known == ip) {
            known.1 = mac;
            return;
        }
        self.known[self.next] = Some((ip, mac));
        self.next = (self.next + 1) % KNOWN_MAX;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SERVER: Ipv4Addr = Ipv4Addr::new(192, 0, 2, 1);
    const OTHER: Ipv4Addr = Ipv4Addr::new(198, 51, 100, 1);

    #[test]
    fn route_is_learned_from_replies() {
        let mut neighbours = Neighbours::default();
        assert_eq!(neighbours.way(SERVER), None);
        neighbours.replied(SERVER, [1; 6]);
        assert_eq!(neighbours.way(SERVER), Some([1; 6]));
        neighbours.replied(OTHER, [2; 6]);
        assert_eq!(neighbours.way(SERVER), Some([1; 6]), "its own, not the last");
        assert_eq!(neighbours.way(Ipv4Addr::new(203, 0, 113, 1)), Some([2; 6]), "through the last");
        neighbours.replied(SERVER, [3; 6]);
        assert_eq!(neighbours.way(SERVER), Some([3; 6]), "it has moved");
    }

    #[test]
    fn neighbour_table_is_bounded() {
        let mut neighbours = Neighbours::default();
        for n in 0..100 {
            neighbours.replied(Ipv4Addr::new(10, 0, 0, n), [n; 6]);
        }
        assert_eq!(neighbours.way(Ipv4Addr::new(10, 0, 0, 99)), Some([99; 6]));
        assert_eq!(neighbours.way(Ipv4Addr::new(10, 0, 0, 84)), Some([84; 6]));
        assert_eq!(neighbours.way(Ipv4Addr::new(10, 0, 0, 83)), Some([99; 6]), "forgotten");
    }

    #[test]
    fn frames_wait_for_an_arp_reply() {
        let mut neighbours = Neighbours::default();
        neighbours.answered(SERVER, [9; 6]);
        assert_eq!(neighbours.way(SERVER), None, "nobody asked");
        assert_eq!(neighbours.wait(SERVER, &[1]), Some(true));
        assert_eq!(neighbours.wait(SERVER, &[2]), Some(false), "somebody has asked for it");
        assert_eq!(neighbours.wait(OTHER, &[3]), Some(true));
        let mut requested = Vec::new();
        neighbours.repeat_requests(|to, frame| requested.push((to, frame.to_vec())));
        assert_eq!(requested, [(SERVER, vec![1]), (OTHER, vec![3])], "once each");
        assert_eq!(neighbours.take_ready(), None);
        neighbours.answered(SERVER, [9; 6]);
        assert_eq!(neighbours.take_ready(), Some(([9; 6], vec![1])));
        assert_eq!(neighbours.take_ready(), Some(([9; 6], vec![2])));
        assert_eq!(neighbours.take_ready(), None);
        assert!(neighbours.is_waited_for());
    }

    #[test]
    fn frames_without_an_arp_reply_are_given_up() {
        let mut neighbours = Neighbours::default();
        for n in 0..WAITING_MAX {
            assert!(neighbours.wait(SERVER, &[n as u8]).is_some());
        }
        assert!(neighbours.wait(SERVER, &[0]).is_none(), "too many wait");
        let mut requested = 0;
        for _ in 0..10 {
            neighbours.repeat_requests(|_, _| requested += 1);
        }
        assert_eq!(requested + 1, QUESTIONS_MAX);
        assert!(!neighbours.is_waited_for());
    }
}
