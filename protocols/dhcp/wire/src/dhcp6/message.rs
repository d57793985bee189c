//! A message between client and server: its contents, and the two fields that are changed in place.

use super::ia::status_in;
use super::{DecodeError, Ia, MessageType, Opt, Options, Status, code};

/// The length of the header: the type and the transaction id.
pub const HEADER_LENGTH: usize = 4;

/// A message whose options are known to fill it completely.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message<'a> {
    kind: MessageType,
    xid: u32,
    bytes: &'a [u8],
    options: Options<'a>,
}

impl<'a> Message<'a> {
    /// Parses a message that is not inside a relay message.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        Self::parse_at(bytes, 0)
    }

    /// The same, for a message that begins at `offset` of a datagram.
    pub(super) fn parse_at(bytes: &'a [u8], offset: usize) -> Result<Self, DecodeError> {
        let short = DecodeError::TooShort { length: bytes.len(), needed: HEADER_LENGTH };
        let ([kind, high, middle, low], options) = bytes.split_first_chunk().ok_or(short)?;
        let kind = MessageType(*kind);
        if kind.is_relay() {
            return Err(DecodeError::MessageType { offset, found: kind });
        }
        let xid = u32::from_be_bytes([0, *high, *middle, *low]);
        let options = Options::parse(options, offset + HEADER_LENGTH)?;
        Ok(Self { kind, xid, bytes, options })
    }

    /// Its type.
    pub const fn kind(&self) -> MessageType {
        self.kind
    }

    /// Its transaction id.
    pub const fn xid(&self) -> u32 {
        self.xid
    }

    /// All its bytes.
    pub const fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Its options, in order.
    pub const fn options(&self) -> Options<'a> {
        self.options
    }

    /// The first option of this code.
    pub fn option(&self, code: u16) -> Option<Opt<'a>> {
        self.options.find(code)
    }

    /// The DUID of the client, if it is named.
    pub fn client_id(&self) -> Option<&'a [u8]> {
        self.option(code::CLIENT_ID).map(|option| option.data)
    }

    /// The DUID of the server, if it is named.
    pub fn server_id(&self) -> Option<&'a [u8]> {
        self.option(code::SERVER_ID).map(|option| option.data)
    }

    /// The identity associations, each parsed when it is reached.
    pub fn associations(&self) -> impl Iterator<Item = Result<Ia<'a>, DecodeError>> + use<'a> {
        self.options.iter().filter_map(|option| Ia::parse(&option).transpose())
    }

    /// The status of the message as a whole; success if there is none.
    pub fn status(&self) -> Result<Status<'a>, DecodeError> {
        status_in(self.options)
    }

    /// The server's preference; 0 if it does not give one (RFC 8415 section 21.8).
    pub fn preference(&self) -> Result<u8, DecodeError> {
        let option = self.option(code::PREFERENCE);
        option.map_or(Ok(0), |option| option.exactly().map(|[value]| *value))
    }

    /// How long the client has been trying, in hundredths of a second, if it says so.
    pub fn elapsed(&self) -> Result<Option<u16>, DecodeError> {
        let option = self.option(code::ELAPSED_TIME);
        option.map(|option| option.exactly().map(|bytes| u16::from_be_bytes(*bytes))).transpose()
    }

    /// Whether rapid commit is requested or granted.
    pub fn rapid_commit(&self) -> bool {
        self.option(code::RAPID_COMMIT).is_some()
    }

    /// The codes of the options that the client requests.
    pub fn requested(&self) -> impl Iterator<Item = u16> + use<'a> {
        let data = self.option(code::ORO).map_or(&[][..], |option| option.data);
        data.chunks_exact(2).filter_map(|pair| Some(u16::from_be_bytes(*pair.first_chunk()?)))
    }
}

/// Changes the transaction id of the message that begins `bytes`. Bits above the lower 24 are lost.
#[inline]
pub fn set_xid(bytes: &mut [u8], xid: u32) {
    let [_, three @ ..] = xid.to_be_bytes();
    if let Some(place) = bytes.get_mut(1..HEADER_LENGTH) {
        place.copy_from_slice(&three);
    }
}

/// Changes the elapsed time, in hundredths of a second, of the option that begins at `at`.
#[inline]
pub fn set_elapsed(bytes: &mut [u8], at: usize, hundredths: u16) {
    if let Some(place) = bytes.get_mut(at + 4..).and_then(<[u8]>::first_chunk_mut) {
        *place = hundredths.to_be_bytes();
    }
}
