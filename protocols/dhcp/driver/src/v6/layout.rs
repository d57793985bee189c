//! A message as a sequence of pieces: constant bytes and fields that are filled in.

use super::VariedOption;
use brunt_dhcp_wire::dhcp6::{MessageType, Writer, code, option};

/// A message of one type, ready to be written.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    kind: MessageType,
    pieces: Vec<Piece>,
}

/// A part of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// Options that are already encoded.
    Fixed(Vec<u8>),
    /// The client identifier.
    ClientId,
    /// The server identifier.
    ServerId,
    /// The identity association with addresses.
    Addresses,
    /// The identity association with prefixes.
    Prefixes,
    /// The elapsed time.
    Elapsed,
    /// An option that differs from client to client.
    Varied(VariedOption),
}

/// The values that fill a message.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Contents<'a> {
    /// The number of the client.
    pub(super) client: u64,
    /// Its DUID.
    pub(super) duid: &'a [u8],
    /// The server's DUID.
    pub(super) server: &'a [u8],
    /// The options of the association with addresses, encoded, if there is one.
    pub(super) addresses: &'a [u8],
    /// The options of the association with prefixes, encoded, if there is one.
    pub(super) prefixes: &'a [u8],
    /// The elapsed time in hundredths of a second.
    pub(super) elapsed: u16,
}

impl Layout {
    /// A message with its options in ascending order of codes, those of the same code in the order
    /// given.
    pub(super) fn ascending(kind: MessageType, mut pieces: Vec<(u16, Piece)>) -> Self {
        pieces.sort_by_key(|(code, _)| *code);
        Self::in_order(kind, pieces.into_iter().map(|(_, piece)| piece))
    }

    /// A message with its options in the order given.
    pub(super) fn in_order(kind: MessageType, all: impl IntoIterator<Item = Piece>) -> Self {
        let mut pieces: Vec<Piece> = Vec::new();
        for piece in all {
            if let (Some(Piece::Fixed(before)), Piece::Fixed(bytes)) = (pieces.last_mut(), &piece) {
                before.extend_from_slice(bytes);
            } else {
                pieces.push(piece);
            }
        }
        Self { kind, pieces }
    }

    /// The type of the message.
    pub(super) const fn kind(&self) -> MessageType {
        self.kind
    }

    /// The pieces of the message.
    pub(super) fn into_pieces(self) -> Vec<Piece> {
        self.pieces
    }

    /// The maximum number of bytes without the associations and the server's DUID.
    pub(super) fn longest(&self, duid: usize) -> usize {
        let of = |piece: &Piece| match piece {
            Piece::Fixed(bytes) => bytes.len(),
            Piece::ClientId => option::HEADER_LENGTH + duid,
            Piece::Elapsed => option::HEADER_LENGTH + 2,
            Piece::Varied(varied) => varied.longest(),
            Piece::ServerId | Piece::Addresses | Piece::Prefixes => option::HEADER_LENGTH,
        };
        brunt_dhcp_wire::dhcp6::HEADER_LENGTH + self.pieces.iter().map(of).sum::<usize>()
    }

    /// Appends the message to `out`. Returns where its elapsed time begins, if it has one.
    pub(super) fn write(
        &self,
        xid: u32,
        contents: &Contents<'_>,
        out: &mut Vec<u8>,
    ) -> Option<usize> {
        let mut elapsed_at = None;
        Writer::message(out, self.kind, xid);
        for piece in &self.pieces {
            if *piece == Piece::Elapsed {
                elapsed_at = Some(out.len());
            }
            piece.write(contents, out);
        }
        elapsed_at
    }
}

impl Piece {
    /// An option that never changes.
    pub(super) fn fixed(code: u16, data: &[u8]) -> Self {
        let mut bytes = Vec::with_capacity(option::HEADER_LENGTH + data.len());
        Writer::behind(&mut bytes).option(code, data);
        Self::Fixed(bytes)
    }

    /// The code of its first option.
    pub(super) fn code(&self) -> u16 {
        match self {
            Self::Fixed(bytes) => bytes.first_chunk().map_or(0, |code| u16::from_be_bytes(*code)),
            Self::ClientId => code::CLIENT_ID,
            Self::ServerId => code::SERVER_ID,
            Self::Addresses => code::IA_NA,
            Self::Prefixes => code::IA_PD,
            Self::Elapsed => code::ELAPSED_TIME,
            Self::Varied(varied) => varied.code,
        }
    }

    /// Appends the piece to `out`.
    pub(super) fn write(&self, contents: &Contents<'_>, out: &mut Vec<u8>) {
        let mut option = |code, data| {
            Writer::behind(out).option(code, data);
        };
        match self {
            Self::Fixed(bytes) => out.extend_from_slice(bytes),
            Self::ClientId => option(code::CLIENT_ID, contents.duid),
            Self::ServerId => option(code::SERVER_ID, contents.server),
            Self::Addresses => out.extend_from_slice(contents.addresses),
            Self::Prefixes => out.extend_from_slice(contents.prefixes),
            Self::Elapsed => option(code::ELAPSED_TIME, &contents.elapsed.to_be_bytes()),
            Self::Varied(varied) => varied.write(contents.client, out),
        }
    }
}

impl VariedOption {
    /// The maximum number of bytes it takes.
    fn longest(&self) -> usize {
        option::HEADER_LENGTH + 6 + self.text.longest()
    }

    /// Writes the option for a client.
    fn write(&self, client: u64, out: &mut Vec<u8>) {
        let option = Writer::behind(out).open(self.code);
        if matches!(self.code, code::VENDOR_CLASS | code::REMOTE_ID) {
            out.extend_from_slice(&self.enterprise.to_be_bytes());
        }
        let instances = matches!(self.code, code::USER_CLASS | code::VENDOR_CLASS);
        let length_at = out.len();
        if instances {
            out.extend_from_slice(&[0, 0]);
        }
        let text_at = out.len();
        self.text.write(client, out);
        if instances {
            let length = (out.len() - text_at) as u16;
            out[length_at..text_at].copy_from_slice(&length.to_be_bytes());
        }
        Writer::behind(out).close(&option);
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::varied::Pattern;
    use super::*;

    #[test]
    fn class_options_are_framed_by_their_code() {
        let framed = |code| {
            let mut out = Vec::new();
            let text = Pattern::parse("kind {n}").unwrap();
            let varied = VariedOption { code, enterprise: 4491, text };
            varied.write(12, &mut out);
            assert!(varied.longest() >= out.len());
            out
        };
        let text = b"kind 12";
        assert_eq!(framed(15), [&[0, 15, 0, 9, 0, 7], &text[..]].concat());
        assert_eq!(framed(16), [&[0, 16, 0, 13, 0, 0, 0x11, 0x8b, 0, 7], &text[..]].concat());
        assert_eq!(framed(37), [&[0, 37, 0, 11, 0, 0, 0x11, 0x8b], &text[..]].concat());
        assert_eq!(framed(18), [&[0, 18, 0, 7], &text[..]].concat());
    }

    #[test]
    fn layout_sorts_options_and_keeps_equal_ones_in_order() {
        let layout = Layout::ascending(
            MessageType::SOLICIT,
            vec![
                (8, Piece::Elapsed),
                (6, Piece::fixed(6, &[0, 23])),
                (1, Piece::ClientId),
                (6, Piece::fixed(6, &[0, 25])),
            ],
        );
        let contents = Contents { duid: &[7, 7], elapsed: 0x102, ..Contents::default() };
        let mut out = Vec::new();
        let at = layout.write(0x0a_0b0c, &contents, &mut out);
        let expected = [
            &[1, 0x0a, 0x0b, 0x0c, 0, 1, 0, 2, 7, 7][..],
            &[0, 6, 0, 2, 0, 23, 0, 6, 0, 2, 0, 25],
            &[0, 8, 0, 2, 1, 2],
        ];
        assert_eq!(out, expected.concat());
        assert_eq!(at, Some(22));
        assert_eq!(layout.longest(2), out.len());
    }
}
