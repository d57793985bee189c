//! A [`Recipe`]: a packet that is composed once, with a few fields that are filled in for every exchange.
//!
//! Everything that is the same for all clients is copied unchanged. Options that differ may also differ in length, so
//! they are written between the constant parts instead of being patched.

use super::error::SetupError;
use crate::population::Mac;
use crate::varied::Pattern;
use brunt_dhcp_wire::dhcp4::{Draft, ETHERNET, Message, OPTIONS_AT, option, patch, relay};
use std::collections::BTreeMap;
use std::net::Ipv4Addr;

/// The values to fill in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields {
    pub(super) xid: u32,
    pub(super) secs: u16,
    /// The seconds to write into a packet that the user composed; `None` keeps the packet's own.
    pub(super) secs_in_template: Option<u16>,
    pub(super) mac: Mac,
    /// The number of the client.
    pub(super) client: u64,
    pub(super) ciaddr: Ipv4Addr,
    pub(super) giaddr: Ipv4Addr,
    pub(super) requested: Ipv4Addr,
    pub(super) server: Ipv4Addr,
}

/// A packet composed once.
#[derive(Debug)]
pub(super) struct Recipe {
    header: Vec<u8>,
    pieces: Vec<Piece>,
}

/// A part of the options.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    /// Bytes that are the same for all clients.
    Bytes(Vec<u8>),
    /// The client identifier: hardware type and MAC.
    ClientId,
    /// The requested address.
    Requested,
    /// The server identifier.
    Server,
    /// An option that varies by a pattern.
    Varied(Varied),
}

/// A varied option, its sub-options in the order of their codes.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Varied {
    code: u8,
    parts: Vec<VariedOption>,
}

/// Which options of a message are filled in, in addition to the client identifier that all messages have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub(super) requested: bool,
    pub(super) server: bool,
}

impl Recipe {
    /// Composes a message from the options that all messages have, those that the shape selects, and those that vary.
    /// `called` is the name of the message in errors.
    pub(super) fn compose(
        called: &'static str,
        mut draft: Draft,
        shape: Shape,
        extra: &[(u8, Vec<u8>)],
        varied: &[VariedOption],
    ) -> Result<Self, SetupError> {
        let mut filled = BTreeMap::from([(option::CLIENT_ID, Piece::ClientId)]);
        if shape.requested {
            filled.insert(option::REQUESTED_ADDRESS, Piece::Requested);
        }
        if shape.server {
            filled.insert(option::SERVER_ID, Piece::Server);
        }
        for (code, each) in combined(varied)? {
            // A client identifier of another form replaces the usual one.
            match filled.insert(code, Piece::Varied(each)) {
                None | Some(Piece::ClientId) => {}
                Some(_) => return Err(present(called, code)),
            }
        }
        for code in filled.keys() {
            if draft.option(*code).is_some() {
                return Err(present(called, *code));
            }
            // A placeholder, so that the option gets its place in the order.
            draft = draft.with(*code, &[]);
        }
        for (code, value) in extra {
            if [option::PAD, option::END].contains(code) {
                return Err(SetupError::Code { code: *code });
            }
            let grown = draft.add(*code, value);
            grown.map_err(|source| SetupError::Present { message: called, source })?;
        }
        Ok(Self::cut(&draft, &mut filled))
    }

    /// Cuts a packet into constant and filled-in parts.
    fn cut(draft: &Draft, filled: &mut BTreeMap<u8, Piece>) -> Self {
        let packet = draft.to_bytes();
        let mut pieces = Vec::new();
        let mut constant = Vec::new();
        let message = Message::scan(&packet).into_iter();
        for each in message.flat_map(|message| message.options()).flatten() {
            if let Some(piece) = filled.remove(&each.code) {
                if !constant.is_empty() {
                    pieces.push(Piece::Bytes(std::mem::take(&mut constant)));
                }
                pieces.push(piece);
            } else {
                constant.extend_from_slice(&packet[each.offset..each.value_at().end]);
            }
        }
        constant.push(option::END);
        pieces.push(Piece::Bytes(constant));
        Self { header: packet[..OPTIONS_AT].to_vec(), pieces }
    }

    /// Appends the packet, filled in.
    pub(super) fn write(&self, fields: &Fields, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend_from_slice(&self.header);
        let header = &mut out[start..];
        patch::xid(header, fields.xid);
        patch::secs(header, fields.secs);
        patch::ciaddr(header, fields.ciaddr);
        patch::giaddr(header, fields.giaddr);
        patch::chaddr(header, &fields.mac);
        for piece in &self.pieces {
            match piece {
                Piece::Bytes(bytes) => out.extend_from_slice(bytes),
                Piece::ClientId => {
                    out.extend_from_slice(&[option::CLIENT_ID, 7, ETHERNET]);
                    out.extend_from_slice(&fields.mac);
                }
                Piece::Requested => address(option::REQUESTED_ADDRESS, fields.requested, out),
                Piece::Server => address(option::SERVER_ID, fields.server, out),
                Piece::Varied(varied) => varied.write(fields.client, out),
            }
        }
    }
}

impl Varied {
    fn write(&self, client: u64, out: &mut Vec<u8>) {
        out.extend_from_slice(&[self.code, 0]);
        let start = out.len();
        for part in &self.parts {
            let Some(sub) = part.sub else {
                part.value.write(client, out);
                continue;
            };
            let header = out.len();
            relay::put(out, sub, &[]);
            part.value.write(client, out);
            out[header + 1] = (out.len() - header - 2) as u8;
        }
        out[start - 1] = (out.len() - start) as u8;
    }
}

fn address(code: u8, address: Ipv4Addr, out: &mut Vec<u8>) {
    out.extend_from_slice(&[code, 4]);
    out.extend_from_slice(&address.octets());
}

fn present(message: &'static str, code: u8) -> SetupError {
    SetupError::Present { message, source: brunt_dhcp_wire::dhcp4::Present { code } }
}

/// Combines the sub-options of one option, and checks that everything fits for every client.
fn combined(varied: &[VariedOption]) -> Result<BTreeMap<u8, Varied>, SetupError> {
    let mut options = BTreeMap::<u8, Varied>::new();
    for each in varied {
        let code = each.code;
        if [option::PAD, option::END].contains(&code) {
            return Err(SetupError::Code { code });
        }
        if each.sub.is_some() != (code == option::RELAY_INFO) {
            return Err(SetupError::SubOption { code });
        }
        let option = options.entry(code).or_insert_with(|| Varied { code, parts: Vec::new() });
        if option.parts.iter().any(|part| part.sub == each.sub) {
            return Err(present("list of varied options", code));
        }
        option.parts.push(each.clone());
        option.parts.sort_by_key(|part| part.sub);
        let header = if each.sub.is_some() { 2 } else { 0 };
        let length: usize = option.parts.iter().map(|part| part.value.longest() + header).sum();
        if length > 255 {
            let text = each.value.text().to_owned();
            return Err(SetupError::TooLong { code, text, length, room: 255 });
        }
    }
    Ok(options)
}

/// An option that differs from client to client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariedOption {
    /// Its code.
    pub code: u8,
    /// Its sub-option, for relay agent information (82); several of these form one option.
    pub sub: Option<u8>,
    /// Its value.
    pub value: Pattern,
}
