//! A [`Form`]: a packet that the user composed, and the places where fields are filled in.
//!
//! An offset that does not point at the right field would overwrite the middle of another one and produce a packet that
//! no server understands. So every offset is checked against the packet's own layout before the run, and the error says
//! what it really points at.

use super::error::SetupError;
use super::recipe::Fields;
use crate::template::{Offsets, Template};
use brunt_dhcp_wire::dhcp4::{
    DecodeError, FieldAt, Message, MessageType, Present, Writer, at, option, patch,
};
use std::ops::Range;

/// The last octet of a MAC in `chaddr`.
const CHADDR_LAST: usize = at::CHADDR + 5;

/// A template that is ready to be filled in.
#[derive(Debug)]
pub(super) struct Form {
    packet: Vec<u8>,
    /// Where the first octet of the MAC goes.
    mac_at: usize,
    /// Where a second copy of the MAC goes.
    mac_again_at: Option<usize>,
    /// Whether the seconds that the packet claims are filled in.
    elapsed: bool,
    /// Where the value of the server identifier goes.
    server_at: Option<usize>,
    /// Where the value of the requested address goes.
    requested_at: Option<usize>,
}

impl Form {
    /// Checks a template against its own layout.
    pub(super) fn check(template: &Template) -> Result<Self, SetupError> {
        let Template { name, packet, offsets } = template;
        if let Err(source) = Message::scan(packet) {
            return Err(SetupError::Packet { template: name.clone(), source });
        }
        let checked = Checked { template };
        checked.field('X', offsets.xid, at::XID, "the transaction id begins at 4")?;
        let elapsed = offsets.elapsed != Some(0);
        let place = offsets.elapsed.filter(|_| elapsed);
        checked.field('E', place, at::SECS, "the elapsed seconds (secs) begin at 8")?;
        let mac_at = checked.identity(offsets.identity.unwrap_or(CHADDR_LAST))?;
        let mac_again_at = if offsets.identity.is_none() { checked.repeated_mac() } else { None };
        let server_at = checked.option('S', offsets.server_id, option::SERVER_ID)?;
        let requested_at = checked.option('I', offsets.lease, option::REQUESTED_ADDRESS)?;
        let packet = packet.clone();
        Ok(Self { packet, mac_at, mac_again_at, elapsed, server_at, requested_at })
    }

    /// Adds an option after the last one, so that no existing option moves.
    pub(super) fn add(&mut self, code: u8, value: &[u8]) -> Result<(), Present> {
        let options =
            || Message::scan(&self.packet).into_iter().flat_map(|message| message.options());
        if options().flatten().any(|each| each.code == code) {
            return Err(Present { code });
        }
        let inside = |each: &Range<usize>| each.start >= at::COOKIE;
        let ends = options().flatten().map(|each| each.value_at()).filter(inside);
        let end = ends.map(|place| place.end).max().unwrap_or(at::COOKIE + 4);
        // A writer can only begin with a header, so the option is written after an empty one.
        let mut written = Vec::new();
        Writer::untyped(&mut written, &brunt_dhcp_wire::dhcp4::Header::request())
            .option(code, value);
        self.packet.splice(end..end, written.drain(at::COOKIE + 4..));
        Ok(())
    }

    /// The packet's message type.
    pub(super) fn kind(&self) -> Option<MessageType> {
        Message::scan(&self.packet).ok().and_then(|message| message.message_type())
    }

    /// Whether it requests rapid commit.
    pub(super) fn rapid_commit(&self) -> bool {
        Message::scan(&self.packet).is_ok_and(|message| message.rapid_commit())
    }

    /// Whether the MAC is varied in `chaddr`, which servers copy into their answers.
    pub(super) fn varies_chaddr(&self) -> bool {
        self.mac_at == at::CHADDR
    }

    /// Whether the seconds that the packet claims are filled in.
    pub(super) fn claims_time(&self) -> bool {
        self.elapsed
    }

    /// Where fields are filled in, with options by their code, for code that prints packets.
    pub(super) fn offsets(&self) -> Offsets {
        Offsets {
            xid: Some(at::XID),
            identity: Some(self.mac_at + 5),
            elapsed: self.elapsed.then_some(at::SECS),
            server_id: self.server_at.map(|value| value - 2),
            lease: self.requested_at.map(|value| value - 2),
        }
    }

    /// Appends the packet with its fields filled in. A field that has no place in it is omitted.
    pub(super) fn write(&self, fields: &Fields, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend_from_slice(&self.packet);
        let packet = &mut out[start..];
        patch::xid(packet, fields.xid);
        patch::put(packet, self.mac_at, &fields.mac);
        if let Some(offset) = self.mac_again_at {
            patch::put(packet, offset, &fields.mac);
        }
        if let Some(secs) = fields.secs_in_template.filter(|_| self.elapsed) {
            patch::secs(packet, secs);
        }
        if let Some(offset) = self.server_at {
            patch::put(packet, offset, &fields.server.octets());
        }
        if let Some(offset) = self.requested_at {
            patch::put(packet, offset, &fields.requested.octets());
        }
    }
}

/// The checks of one template.
struct Checked<'a> {
    template: &'a Template,
}

impl Checked<'_> {
    fn wrong(&self, switch: char, offset: usize, remedy: String) -> SetupError {
        SetupError::Offset {
            template: self.template.name.clone(),
            switch,
            offset,
            spot: FieldAt::new(&self.template.packet, offset),
            remedy,
        }
    }

    /// Checks the offset of a header field, which has only one valid value.
    fn field(
        &self,
        switch: char,
        offset: Option<usize>,
        place: usize,
        remedy: &str,
    ) -> Result<(), SetupError> {
        match offset {
            Some(offset) if offset != place => Err(self.wrong(switch, offset, remedy.to_owned())),
            _ => Ok(()),
        }
    }

    /// Checks the offset of the MAC's last octet. It must be the end of `chaddr` of an Ethernet client, or the end of a
    /// client identifier.
    fn identity(&self, offset: usize) -> Result<usize, SetupError> {
        let packet = &self.template.packet;
        let in_client_id = matches!(
            FieldAt::new(packet, offset),
            FieldAt::Option { code: option::CLIENT_ID, length, into } if into == length + 1 && length >= 6
        );
        if offset == CHADDR_LAST || in_client_id {
            return Ok(offset - 5);
        }
        let place = self.find(option::CLIENT_ID).filter(|place| place.len() >= 6);
        let other = place.map_or_else(String::new, |place| {
            format!(", that of the client identifier at {}", place.end - 1)
        });
        let remedy = format!("the last octet of chaddr is at {CHADDR_LAST}{other}");
        Err(self.wrong('O', offset, remedy))
    }

    /// Where a client identifier repeats the packet's own `chaddr`. Servers identify clients by it rather than by
    /// `chaddr`, so an unvaried identifier would make all clients appear as one.
    fn repeated_mac(&self) -> Option<usize> {
        let packet = &self.template.packet;
        let place = self.find(option::CLIENT_ID)?;
        let start = place.end.checked_sub(6).filter(|start| *start >= place.start)?;
        let chaddr = packet.get(at::CHADDR..=CHADDR_LAST)?;
        (packet.get(start..place.end)? == chaddr).then_some(start)
    }

    /// Checks the offset of an option that contains an address. Returns where its value begins, if the option is
    /// present.
    fn option(
        &self,
        switch: char,
        offset: Option<usize>,
        code: u8,
    ) -> Result<Option<usize>, SetupError> {
        let found = self.find(code);
        let Some(offset) = offset else {
            return Ok(found.filter(|place| place.len() == 4).map(|place| place.start));
        };
        if FieldAt::new(&self.template.packet, offset)
            == (FieldAt::Option { code, length: 4, into: 0 })
        {
            return Ok(Some(offset + 2));
        }
        let remedy = match found {
            Some(place) if place.start - 2 == offset => {
                "4 bytes are needed for an address".to_owned()
            }
            Some(place) => format!("option {code} begins at {}", place.start - 2),
            None => format!("there is no option {code} in the packet"),
        };
        Err(self.wrong(switch, offset, remedy))
    }

    /// The range of the value of the first option with this code.
    fn find(&self, code: u8) -> Option<Range<usize>> {
        let message = Message::scan(&self.template.packet).ok()?;
        let place = message.options().filter_map(Result::<_, DecodeError>::ok);
        place.into_iter().find(|each| each.code == code).map(|each| each.value_at())
    }
}
