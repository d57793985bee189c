//! [`Addresses`]: which of our clients has which address, learned from what they send and receive.
//!
//! A server, or a router before it, asks for the hardware address of a client before it sends to it, and the client
//! must answer. A client has an address from the server's acknowledgement until the client releases it (RFC 2131
//! section 3). Only acknowledgements that one of our clients requested count: on a shared link, those of other hosts
//! are received as well. The table has a fixed size; if two addresses fall on the same place, the older is forgotten,
//! and addresses of one pool collide only if the pool is larger than the table. It must not send anything.

use super::ethernet::Mac;
use brunt_dhcp_wire::dhcp4::{Message, MessageType};
use std::net::Ipv4Addr;

/// The number of addresses of one pool that fit: a power of two.
pub(super) const PLACES: usize = 1 << 17;

/// The addresses of our clients.
pub(super) struct Addresses {
    places: Box<[Option<Entry>]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    address: Ipv4Addr,
    mac: Mac,
    /// Whether the client already has the address, and has not only requested it.
    held: bool,
}

impl Addresses {
    pub(super) fn new() -> Self {
        Self { places: vec![None; PLACES].into_boxed_slice() }
    }

    /// The client that has the address.
    pub(super) fn holder(&self, address: Ipv4Addr) -> Option<Mac> {
        let entry = self.places[place(address)]?;
        (entry.held && entry.address == address).then_some(entry.mac)
    }

    /// Processes a message that one of our clients is about to send.
    pub(super) fn on_sent(&mut self, message: &Message<'_>) {
        let Some(mac) = mac(message) else { return };
        let (own, wanted) = (message.ciaddr(), message.requested_address());
        match message.message_type() {
            Some(MessageType::Request | MessageType::Inform) if !own.is_unspecified() => {
                self.put(Entry { address: own, mac, held: true });
            }
            Some(MessageType::Request) => {
                if let Some(address) = wanted
                    && self.holder(address) != Some(mac)
                {
                    self.put(Entry { address, mac, held: false });
                }
            }
            Some(MessageType::Release) => self.forget(own, mac),
            Some(MessageType::Decline) => self.forget(wanted.unwrap_or(own), mac),
            _ => {}
        }
    }

    /// Processes a message from a server.
    pub(super) fn on_reply(&mut self, message: &Message<'_>) {
        if message.message_type() != Some(MessageType::Ack) {
            return;
        }
        let address = message.yiaddr();
        if let Some(entry) = &mut self.places[place(address)]
            && entry.address == address
            && Some(entry.mac) == mac(message)
        {
            entry.held = true;
        }
    }

    fn put(&mut self, entry: Entry) {
        self.places[place(entry.address)] = Some(entry);
    }

    fn forget(&mut self, address: Ipv4Addr, mac: Mac) {
        let place = &mut self.places[place(address)];
        if place.is_some_and(|it| it.address == address && it.mac == mac) {
            *place = None;
        }
    }
}

const fn place(address: Ipv4Addr) -> usize {
    address.to_bits() as usize % PLACES
}

fn mac(message: &Message<'_>) -> Option<Mac> {
    message.chaddr().try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_dhcp_wire::dhcp4::{Header, OPTIONS_AT, at, option};

    const OURS: Mac = [2, 0, 0, 0, 0, 1];
    const OTHER: Mac = [2, 0, 0, 0, 0, 2];
    const ADDRESS: Ipv4Addr = Ipv4Addr::new(192, 0, 2, 77);

    fn message(kind: MessageType, mac: Mac, own: Ipv4Addr, wanted: Option<Ipv4Addr>) -> Vec<u8> {
        let mut bytes = Vec::new();
        Header::request().write(&mut bytes);
        assert_eq!(bytes.len(), OPTIONS_AT);
        bytes[at::CHADDR..at::CHADDR + 6].copy_from_slice(&mac);
        let field = if kind == MessageType::Ack { at::YIADDR } else { at::CIADDR };
        bytes[field..field + 4].copy_from_slice(&own.octets());
        bytes.extend([option::MESSAGE_TYPE, 1, kind.byte()]);
        if let Some(wanted) = wanted {
            bytes.extend([option::REQUESTED_ADDRESS, 4]);
            bytes.extend(wanted.octets());
        }
        bytes.push(option::END);
        bytes
    }

    fn on_sent(
        addresses: &mut Addresses,
        kind: MessageType,
        mac: Mac,
        own: Ipv4Addr,
        wanted: Option<Ipv4Addr>,
    ) {
        addresses.on_sent(&Message::scan(&message(kind, mac, own, wanted)).unwrap());
    }

    fn acked(addresses: &mut Addresses, mac: Mac, address: Ipv4Addr) {
        addresses.on_reply(&Message::scan(&message(MessageType::Ack, mac, address, None)).unwrap());
    }

    #[test]
    fn address_is_held_from_ack_to_release() {
        let mut addresses = Addresses::new();
        let none = Ipv4Addr::UNSPECIFIED;
        on_sent(&mut addresses, MessageType::Request, OURS, none, Some(ADDRESS));
        assert_eq!(addresses.holder(ADDRESS), None, "only asked for");
        acked(&mut addresses, OURS, ADDRESS);
        assert_eq!(addresses.holder(ADDRESS), Some(OURS));
        // INIT-REBOOT requests the address that the client has.
        on_sent(&mut addresses, MessageType::Request, OURS, none, Some(ADDRESS));
        assert_eq!(addresses.holder(ADDRESS), Some(OURS));
        on_sent(&mut addresses, MessageType::Release, OTHER, ADDRESS, None);
        assert_eq!(addresses.holder(ADDRESS), Some(OURS), "not its to give back");
        on_sent(&mut addresses, MessageType::Release, OURS, ADDRESS, None);
        assert_eq!(addresses.holder(ADDRESS), None);
    }

    #[test]
    fn address_requires_our_own_ack() {
        let mut addresses = Addresses::new();
        acked(&mut addresses, OTHER, ADDRESS);
        assert_eq!(addresses.holder(ADDRESS), None);
        on_sent(&mut addresses, MessageType::Request, OURS, Ipv4Addr::UNSPECIFIED, Some(ADDRESS));
        acked(&mut addresses, OTHER, ADDRESS);
        assert_eq!(addresses.holder(ADDRESS), None, "theirs, whatever we asked for");
    }

    #[test]
    fn address_is_held_by_renewal_and_lost_by_decline() {
        let mut addresses = Addresses::new();
        on_sent(&mut addresses, MessageType::Request, OURS, ADDRESS, None);
        assert_eq!(addresses.holder(ADDRESS), Some(OURS));
        let none = Ipv4Addr::UNSPECIFIED;
        on_sent(&mut addresses, MessageType::Discover, OURS, none, Some(ADDRESS));
        assert_eq!(addresses.holder(ADDRESS), Some(OURS));
        on_sent(&mut addresses, MessageType::Decline, OURS, none, Some(ADDRESS));
        assert_eq!(addresses.holder(ADDRESS), None);
    }

    #[test]
    fn address_table_is_bounded() {
        let mut addresses = Addresses::new();
        let nth = |n: usize| Ipv4Addr::from_bits(0x0a01_0203 + n as u32);
        let mac = |n: usize| [2, 0, 0, (n >> 16) as u8, (n >> 8) as u8, n as u8];
        for n in 0..PLACES + 5 {
            on_sent(&mut addresses, MessageType::Request, mac(n), nth(n), None);
        }
        assert!((5..PLACES + 5).all(|n| addresses.holder(nth(n)) == Some(mac(n))));
        assert!((0..5).all(|n| addresses.holder(nth(n)).is_none()), "the oldest are forgotten");
        assert_eq!(addresses.places.len(), PLACES);
    }
}
