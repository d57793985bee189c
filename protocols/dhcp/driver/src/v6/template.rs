//! Packet templates: a SOLICIT and a REQUEST given as bytes, with offsets that say what is filled in.
//!
//! perfdhcp writes at the given offsets, whatever they point at, and corrupts the packet when a server's identifier is
//! longer or shorter than the one in the template. Here a template is parsed as a message of options, and the offsets
//! are checked. Whole options are then filled in, which may have any length: the options after them move.

use super::super::Population;
use super::super::template::Template;
use super::identity::{Identity, varying};
use super::layout::{Layout, Piece};
use brunt_dhcp_wire::dhcp6::{
    DecodeError, Duid, HEADER_LENGTH, Message, MessageType, Opt, code, option,
};
use std::fmt;
use thiserror::Error;

/// Why a template cannot be used.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum TemplateError {
    /// It cannot be read.
    #[error("it is no DHCPv6 message: {0}")]
    Decode(#[from] DecodeError),
    /// It is a different message.
    #[error("it is a {found}, and what is sent there is a {wanted}")]
    Type {
        /// The message found.
        found: MessageType,
        /// The message expected.
        wanted: MessageType,
    },
    /// It lacks an option that every message of this type has.
    #[error("it has no {}", Named(*.code))]
    Missing {
        /// The code of the option.
        code: u16,
    },
    /// Its client identifier is not valid.
    #[error(
        "its client identifier has {length} octets, and one has between 1 and {}",
        Duid::LENGTH_MAX
    )]
    Duid {
        /// The number of octets.
        length: usize,
    },
    /// An offset does not point at the field it should.
    #[error("offset {offset} ({switch}) is {place}; {remedy}")]
    Offset {
        /// The offset.
        offset: usize,
        /// The switch that gives it.
        switch: &'static str,
        /// What it points at.
        place: String,
        /// Where the intended field is.
        remedy: String,
    },
}

impl Template {
    /// Uses it as a SOLICIT. Its elapsed time is filled in if it is `timed`.
    pub(super) fn solicit(
        &self,
        population: &Population,
        timed: bool,
    ) -> Result<(Layout, Identity), TemplateError> {
        let message = self.message(MessageType::SOLICIT)?;
        let client = find(&message, code::CLIENT_ID)?;
        let base = Duid::new(client.data);
        let base = base.ok_or(TemplateError::Duid { length: client.data.len() })?;
        let end = self.varying_end(&message, &client, varying(population))?;
        let pieces = message.options().into_iter().map(|option| match option.code {
            code::CLIENT_ID if option.offset == client.offset => Piece::ClientId,
            code::ELAPSED_TIME if timed => Piece::Elapsed,
            _ => Piece::Fixed(option.whole.to_vec()),
        });
        let layout = Layout::in_order(MessageType::SOLICIT, pieces);
        Ok((layout, Identity::of_template(population.clone(), base, end)))
    }

    /// Uses it as a REQUEST.
    pub(super) fn request(&self) -> Result<Layout, TemplateError> {
        let message = self.message(MessageType::REQUEST)?;
        let offsets = self.offsets;
        let client = find(&message, code::CLIENT_ID)?;
        if let Some(offset) = offsets.identity
            && offset + 1 != end(&client)
        {
            let remedy = format!("{} ends at {}", Named(client.code), end(&client) - 1);
            return Err(self.misplaced(&message, offset, "-O", remedy));
        }
        let server = self.begins(&message, offsets.server_id, "-S", code::SERVER_ID)?;
        let association = self.begins(&message, offsets.lease, "-I", code::IA_NA)?;
        let elapsed = match offsets.elapsed {
            Some(0) => None,
            claimed => self.begins(&message, claimed, "-E", code::ELAPSED_TIME)?,
        };
        let pieces = message.options().into_iter().map(|option| match Some(option.offset) {
            at if at == Some(client.offset) => Piece::ClientId,
            at if at == server => Piece::ServerId,
            at if at == association => Piece::Addresses,
            at if at == elapsed => Piece::Elapsed,
            _ => Piece::Fixed(option.whole.to_vec()),
        });
        Ok(Layout::in_order(MessageType::REQUEST, pieces))
    }

    fn message(&self, wanted: MessageType) -> Result<Message<'_>, TemplateError> {
        let found = self.packet.first().map_or(wanted, |first| MessageType(*first));
        if found != wanted {
            return Err(TemplateError::Type { found, wanted });
        }
        let message = Message::parse(&self.packet)?;
        match self.offsets.xid {
            None | Some(1) => Ok(message),
            Some(offset) => {
                let remedy = "the transaction id begins at 1".to_owned();
                Err(self.misplaced(&message, offset, "-X", remedy))
            }
        }
    }

    /// The offset after the octets of the client identifier that differ from client to client.
    fn varying_end(
        &self,
        message: &Message<'_>,
        client: &Opt<'_>,
        count: usize,
    ) -> Result<usize, TemplateError> {
        let data_at = client.offset + option::HEADER_LENGTH;
        let Some(offset) = self.offsets.identity else { return Ok(client.data.len()) };
        let behind = (offset + 1).checked_sub(data_at);
        match behind {
            Some(behind) if behind >= count.max(1) && behind <= client.data.len() => Ok(behind),
            _ => {
                let remedy = format!(
                    "the {count} octets that differ from client to client must lie between {data_at} and {}, \
                     the data of {}",
                    end(client) - 1,
                    Named(client.code),
                );
                Err(self.misplaced(message, offset, "-O", remedy))
            }
        }
    }

    /// Where the option with this code begins, if there is one. Checks the given offset of it, if there is one.
    fn begins(
        &self,
        message: &Message<'_>,
        claimed: Option<usize>,
        switch: &'static str,
        code: u16,
    ) -> Result<Option<usize>, TemplateError> {
        let mut all = message.options().into_iter().filter(|option| option.code == code);
        let Some(offset) = claimed else { return Ok(all.next().map(|option| option.offset)) };
        if all.clone().any(|option| option.offset == offset) {
            return Ok(claimed);
        }
        let remedy = all.next().map_or_else(
            || format!("there is no {}", Named(code)),
            |option| format!("{} begins at {}", Named(code), option.offset),
        );
        Err(self.misplaced(message, offset, switch, remedy))
    }

    fn misplaced(
        &self,
        message: &Message<'_>,
        offset: usize,
        switch: &'static str,
        remedy: String,
    ) -> TemplateError {
        let place = match offset {
            0 => "the type of the message".to_owned(),
            1..HEADER_LENGTH => "in the transaction id, which stands from 1 to 3".to_owned(),
            _ => message.options().into_iter().find(|option| offset < end(option)).map_or_else(
                || format!("beyond the {} bytes of the packet", self.packet.len()),
                |option| within(&option, offset),
            ),
        };
        TemplateError::Offset { offset, switch, place, remedy }
    }
}

/// The offset after the last byte of an option.
const fn end(option: &Opt<'_>) -> usize {
    option.offset + option.whole.len()
}

fn within(option: &Opt<'_>, offset: usize) -> String {
    match offset - option.offset {
        0 => format!("where {} begins", Named(option.code)),
        1 => format!("inside {}, 1 byte behind its beginning", Named(option.code)),
        bytes => format!("inside {}, {bytes} bytes behind its beginning", Named(option.code)),
    }
}

fn find<'a>(message: &Message<'a>, code: u16) -> Result<Opt<'a>, TemplateError> {
    message.option(code).ok_or(TemplateError::Missing { code })
}

/// An option with its common name.
struct Named(u16);

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "option {}", self.0)?;
        code::name(self.0).map_or(Ok(()), |name| write!(f, " ({name})"))
    }
}
