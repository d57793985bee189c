//! The identity of a client: its DUID, a pure function of its number.

use super::super::Population;
use super::BaseDuid;
use brunt_dhcp_wire::dhcp6::Duid;

/// The DUIDs of a population.
#[derive(Clone, Debug)]
pub(super) struct Identity {
    population: Population,
    base: Duid,
    tail: Tail,
}

/// Which octets of the base differ from client to client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tail {
    /// None: there is one client.
    None,
    /// The last six, which form the MAC.
    Mac,
    /// `count` of the MAC's last octets, written so that they end before `end`.
    Octets { end: usize, count: usize },
}

impl Identity {
    /// Creates DUIDs from a base.
    pub(super) fn new(population: Population, duid: BaseDuid) -> Self {
        let mac = population.mac(0);
        let base = match duid {
            BaseDuid::Time(seconds) => Duid::link_layer_time(seconds, mac),
            BaseDuid::LinkLayer => Duid::link_layer(mac),
            BaseDuid::Given(duid) => duid,
        };
        let tail = if population.size() > 1 { Tail::Mac } else { Tail::None };
        Self { population, base, tail }
    }

    /// Creates DUIDs from that of a template. They differ in the octets before `end`, as many as
    /// are needed to distinguish the clients.
    pub(super) fn of_template(population: Population, base: Duid, end: usize) -> Self {
        let count = varying(&population);
        let tail = if count > 0 { Tail::Octets { end, count } } else { Tail::None };
        Self { population, base, tail }
    }

    /// The DUID of a client.
    #[inline]
    pub(super) fn duid(&self, client: u64) -> Duid {
        match self.tail {
            Tail::None => self.base,
            Tail::Mac => self.base.ending(&self.population.mac(client)),
            Tail::Octets { end, count } => {
                let mac = self.population.mac(client);
                self.base.with(end.saturating_sub(count), &mac[mac.len() - count..])
            }
        }
    }

    /// The offset after the octets that differ from client to client, in a DUID of this length.
    pub(super) const fn varying_end(&self, length: usize) -> usize {
        match self.tail {
            Tail::Octets { end, .. } => end,
            Tail::None | Tail::Mac => length,
        }
    }
}

/// How many octets at the end of the MAC are needed to distinguish the clients.
pub(super) fn varying(population: &Population) -> usize {
    let last = population.size() - 1;
    match (population.base(), last) {
        (_, 0) => 0,
        (None, _) => 6,
        (Some(_), last) => (8 - last.leading_zeros() as usize / 8).min(4),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    const BASE: [u8; 6] = [0x00, 0x0c, 0x01, 0x02, 0x03, 0x04];

    #[test]
    fn single_client_has_the_base_duid() {
        let one = Identity::new(Population::cycle(BASE, 1), BaseDuid::Time(0x3293_e00b));
        let expected = [0, 1, 0, 1, 0x32, 0x93, 0xe0, 0x0b, 0x00, 0x0c, 0x01, 0x02, 0x03, 0x04];
        assert_eq!(one.duid(0).octets(), expected);
        let given = Duid::new(&[1; 12]).unwrap();
        let one = Identity::new(Population::cycle(BASE, 0), BaseDuid::Given(given));
        assert_eq!(one.duid(0).octets(), [1; 12]);
    }

    #[test]
    fn duids_of_several_clients_contain_their_macs() {
        let given = Duid::new(&[9; 8]).unwrap();
        let clients = Identity::new(Population::cycle(BASE, 3), BaseDuid::Given(given));
        assert_eq!(clients.duid(2).octets(), [9, 9, 0x00, 0x0c, 0x01, 0x02, 0x03, 0x06]);
        let list = Population::list(vec![[1; 6], [2; 6]], 5);
        let clients = Identity::new(list, BaseDuid::LinkLayer);
        assert_eq!(clients.duid(1).octets(), [0, 3, 0, 1, 2, 2, 2, 2, 2, 2]);
    }

    #[test]
    fn duids_of_a_template_change_few_octets() {
        let base = Duid::new(&[0xaa; 14]).unwrap();
        for (range, changed) in [(1, 0), (2, 1), (256, 1), (257, 2), (65_536, 2), (1 << 24, 3)] {
            let clients = Identity::of_template(Population::cycle(BASE, range), base, 12);
            let duid = clients.duid(range - 1);
            let (head, tail) = duid.octets().split_at(12);
            assert_eq!(tail, [0xaa; 2]);
            let (kept, varied) = head.split_at(12 - changed);
            assert!(kept.iter().all(|octet| *octet == 0xaa), "{range}");
            let mac = Population::cycle(BASE, range).mac(range - 1);
            assert_eq!(varied, &mac[6 - changed..], "{range}");
        }
        let clients = Identity::of_template(Population::cycle(BASE, 1000), base, 14);
        let all: HashSet<Duid> = (0..1000).map(|client| clients.duid(client)).collect();
        assert_eq!(all.len(), 1000);
    }
}
