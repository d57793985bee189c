//! [`Frame`]: the unit in which HTTP/2 sends everything (RFC 9113 sections 4 and 6).

use super::ErrorCode;

/// What a client sends before its first frame.
pub const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// The length of the head of a frame.
pub const FRAME_HEAD: usize = 9;
/// The longest payload of a frame, unless a setting says otherwise.
pub const FRAME_SIZE: usize = 1 << 14;
/// The size of every window, unless a setting says otherwise.
pub const WINDOW: u32 = (1 << 16) - 1;
/// The flag of the last frame of a stream.
pub const END_STREAM: u8 = 1;
/// The flag of settings and pings that answer others.
pub const ACK: u8 = 1;
/// The flag of the last frame of a head.
pub const END_HEADERS: u8 = 4;
const PADDED: u8 = 8;
const PRIORITY: u8 = 0x20;

/// What a frame is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A part of a body.
    Data,
    /// The fields of a head or a trailer.
    Headers,
    /// A priority, which is obsolete.
    Priority,
    /// The end of a stream before its time.
    Reset,
    /// Settings, or their acknowledgement.
    Settings,
    /// A request that was not made.
    PushPromise,
    /// A ping, or its answer.
    Ping,
    /// The end of the connection.
    GoAway,
    /// More room in a window.
    WindowUpdate,
    /// More fields.
    Continuation,
    /// An extension, which is ignored.
    Other,
}

impl Kind {
    const fn from_number(number: u8) -> Self {
        match number {
            0 => Self::Data,
            1 => Self::Headers,
            2 => Self::Priority,
            3 => Self::Reset,
            4 => Self::Settings,
            5 => Self::PushPromise,
            6 => Self::Ping,
            7 => Self::GoAway,
            8 => Self::WindowUpdate,
            9 => Self::Continuation,
            _ => Self::Other,
        }
    }

    /// Its number; an extension cannot be sent and has that of data.
    const fn number(self) -> u8 {
        match self {
            Self::Data | Self::Other => 0,
            Self::Headers => 1,
            Self::Priority => 2,
            Self::Reset => 3,
            Self::Settings => 4,
            Self::PushPromise => 5,
            Self::Ping => 6,
            Self::GoAway => 7,
            Self::WindowUpdate => 8,
            Self::Continuation => 9,
        }
    }
}

/// The head of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameHead {
    /// What it is for.
    pub kind: Kind,
    /// Its flags.
    pub flags: u8,
    /// The number of its stream, or 0 for the connection.
    pub stream: u32,
    /// The length of its payload.
    pub length: usize,
}

impl FrameHead {
    /// The head at the beginning of `bytes`, if it is complete.
    #[inline]
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let head: &[u8; FRAME_HEAD] = bytes.first_chunk()?;
        let [a, b, c, kind, flags, stream @ ..] = *head;
        Some(Self {
            kind: Kind::from_number(kind),
            flags,
            stream: u32::from_be_bytes(stream) & !RESERVED,
            length: usize::from(a) << 16 | usize::from(b) << 8 | usize::from(c),
        })
    }

    /// Whether a flag is set.
    pub const fn has(self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

/// The bit of a stream number, and of an increment, that has no meaning.
const RESERVED: u32 = 1 << 31;

/// A frame that was received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame<'a> {
    /// Its head.
    pub head: FrameHead,
    /// Its payload.
    pub payload: &'a [u8],
}

impl<'a> Frame<'a> {
    /// The frame at the beginning of `bytes`, if it is complete. A longer payload than `longest` is an error as soon as
    /// its head is known.
    #[inline]
    pub fn read(bytes: &'a [u8], longest: usize) -> Result<Option<Self>, ErrorCode> {
        let Some(head) = FrameHead::read(bytes) else { return Ok(None) };
        if head.length > longest {
            return Err(ErrorCode::FRAME_SIZE_ERROR);
        }
        let payload = bytes.get(FRAME_HEAD..FRAME_HEAD + head.length);
        Ok(payload.map(|payload| Self { head, payload }))
    }

    /// The number of bytes that it occupies.
    pub const fn length(&self) -> usize {
        FRAME_HEAD + self.head.length
    }

    /// The payload of a frame of a fixed size that begins with a number.
    pub fn number(&self, size: usize) -> Result<u32, ErrorCode> {
        match self.payload.first_chunk() {
            Some(bytes) if self.payload.len() == size => Ok(u32::from_be_bytes(*bytes)),
            _ => Err(ErrorCode::FRAME_SIZE_ERROR),
        }
    }

    /// By how much a window grows.
    pub fn increment(&self) -> Result<u32, ErrorCode> {
        self.number(4).map(|number| number & !RESERVED)
    }

    /// The last stream that is processed, why, and the text that explains it, of a GOAWAY.
    pub fn go_away(&self) -> Result<(u32, ErrorCode, &'a [u8]), ErrorCode> {
        let split = self.payload.split_first_chunk::<4>();
        let code = split.and_then(|(last, rest)| Some((last, rest.split_first_chunk::<4>()?)));
        let (last, (code, text)) = code.ok_or(ErrorCode::FRAME_SIZE_ERROR)?;
        let last = u32::from_be_bytes(*last) & !RESERVED;
        Ok((last, ErrorCode(u32::from_be_bytes(*code)), text))
    }

    /// The settings, in order.
    pub fn settings(&self) -> Result<impl Iterator<Item = Setting> + use<'a>, ErrorCode> {
        let (settings, rest) = self.payload.as_chunks::<6>();
        if !rest.is_empty() {
            return Err(ErrorCode::FRAME_SIZE_ERROR);
        }
        Ok(settings.iter().map(|[a, b, value @ ..]| {
            let value = u32::from_be_bytes(*value);
            match u16::from_be_bytes([*a, *b]) {
                1 => Setting::HeaderTableSize(value),
                2 => Setting::EnablePush(value),
                3 => Setting::MaxConcurrentStreams(value),
                4 => Setting::InitialWindowSize(value),
                5 => Setting::MaxFrameSize(value),
                6 => Setting::MaxHeaderListSize(value),
                _ => Setting::Other,
            }
        }))
    }
}

/// The payload of a DATA or HEADERS frame without its padding and priority.
pub fn unpadded<'a>(frame: &Frame<'a>) -> Result<&'a [u8], ErrorCode> {
    let mut payload = frame.payload;
    if frame.head.has(PADDED) {
        let (padding, rest) = payload.split_first().ok_or(ErrorCode::FRAME_SIZE_ERROR)?;
        let kept = rest.len().checked_sub(usize::from(*padding));
        payload = kept.and_then(|kept| rest.get(..kept)).ok_or(ErrorCode::PROTOCOL_ERROR)?;
    }
    if frame.head.kind == Kind::Headers && frame.head.has(PRIORITY) {
        payload = payload.get(5..).ok_or(ErrorCode::FRAME_SIZE_ERROR)?;
    }
    Ok(payload)
}

/// A setting and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// How large the table of fields may be that the other side uses.
    HeaderTableSize(u32),
    /// Whether requests may be pushed.
    EnablePush(u32),
    /// How many streams the other side may have at a time.
    MaxConcurrentStreams(u32),
    /// The first window of each stream.
    InitialWindowSize(u32),
    /// The longest payload of a frame.
    MaxFrameSize(u32),
    /// The longest head that is accepted.
    MaxHeaderListSize(u32),
    /// An unknown setting, which is ignored.
    Other,
}

impl Setting {
    const fn parts(self) -> (u16, u32) {
        match self {
            Self::HeaderTableSize(value) => (1, value),
            Self::EnablePush(value) => (2, value),
            Self::MaxConcurrentStreams(value) => (3, value),
            Self::InitialWindowSize(value) => (4, value),
            Self::MaxFrameSize(value) => (5, value),
            Self::MaxHeaderListSize(value) => (6, value),
            Self::Other => (u16::MAX, 0),
        }
    }
}

/// Appends the head of a frame whose payload of this length follows. Payloads are shorter than 16 MiB.
#[inline]
pub fn frame(out: &mut Vec<u8>, kind: Kind, flags: u8, stream: u32, length: usize) {
    let [_, length @ ..] = (length as u32).to_be_bytes();
    out.extend_from_slice(&length);
    out.extend_from_slice(&[kind.number(), flags]);
    out.extend_from_slice(&stream.to_be_bytes());
}

/// Appends settings.
pub fn settings(out: &mut Vec<u8>, settings: &[Setting]) {
    frame(out, Kind::Settings, 0, 0, settings.len() * 6);
    for setting in settings {
        let (number, value) = setting.parts();
        out.extend_from_slice(&number.to_be_bytes());
        out.extend_from_slice(&value.to_be_bytes());
    }
}

/// Appends the answer to a ping.
pub fn ping(out: &mut Vec<u8>, flags: u8, payload: &[u8]) {
    frame(out, Kind::Ping, flags, 0, payload.len());
    out.extend_from_slice(payload);
}

/// Appends more room for a stream, or for the connection.
pub fn window_update(out: &mut Vec<u8>, stream: u32, increment: u32) {
    frame(out, Kind::WindowUpdate, 0, stream, 4);
    out.extend_from_slice(&increment.to_be_bytes());
}

/// Appends the end of a stream before its time.
pub fn reset(out: &mut Vec<u8>, stream: u32, code: ErrorCode) {
    frame(out, Kind::Reset, 0, stream, 4);
    out.extend_from_slice(&code.0.to_be_bytes());
}

/// Appends the end of the connection; a client that accepts no streams has processed none.
pub fn go_away(out: &mut Vec<u8>, code: ErrorCode) {
    frame(out, Kind::GoAway, 0, 0, 8);
    out.extend_from_slice(&0_u32.to_be_bytes());
    out.extend_from_slice(&code.0.to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Frame<'_> {
        Frame::read(bytes, FRAME_SIZE).unwrap().unwrap()
    }

    #[test]
    fn frames_are_read_as_they_were_written() {
        let mut out = Vec::new();
        settings(&mut out, &[Setting::EnablePush(0), Setting::InitialWindowSize(1 << 20)]);
        assert_eq!(out[..9], [0, 0, 12, 4, 0, 0, 0, 0, 0]);
        let found: Vec<_> = read(&out).settings().unwrap().collect();
        assert_eq!(found, [Setting::EnablePush(0), Setting::InitialWindowSize(1 << 20)]);
        out.clear();
        window_update(&mut out, 7, 9);
        assert_eq!(out, [0, 0, 4, 8, 0, 0, 0, 0, 7, 0, 0, 0, 9]);
        assert_eq!((read(&out).head.stream, read(&out).increment()), (7, Ok(9)));
        out.clear();
        reset(&mut out, 5, ErrorCode::CANCEL);
        assert_eq!(out, [0, 0, 4, 3, 0, 0, 0, 0, 5, 0, 0, 0, 8]);
        out.clear();
        go_away(&mut out, ErrorCode::PROTOCOL_ERROR);
        assert_eq!(read(&out).go_away(), Ok((0, ErrorCode::PROTOCOL_ERROR, &b""[..])));
        out.clear();
        ping(&mut out, ACK, b"12345678");
        assert_eq!((read(&out).head.kind, read(&out).payload), (Kind::Ping, &b"12345678"[..]));
    }

    #[test]
    fn incomplete_frame_waits_and_a_long_one_is_refused() {
        let mut out = Vec::new();
        frame(&mut out, Kind::Data, END_STREAM, 1, 3);
        out.extend_from_slice(b"abc");
        for cut in 0..out.len() {
            assert_eq!(Frame::read(&out[..cut], FRAME_SIZE), Ok(None), "{cut}");
        }
        assert_eq!(read(&out).payload, b"abc");
        assert_eq!(Frame::read(&out[..9], 2), Err(ErrorCode::FRAME_SIZE_ERROR));
        // What a server of HTTP/1.1 sends.
        let answer = Frame::read(b"HTTP/1.1 400 Bad Request\r\n", FRAME_SIZE);
        assert_eq!(answer, Err(ErrorCode::FRAME_SIZE_ERROR));
    }

    #[test]
    fn frame_padding_and_priority_are_removed() {
        let framed = |kind, flags, payload: &'static [u8]| {
            let head = FrameHead { kind, flags, stream: 1, length: payload.len() };
            unpadded(&Frame { head, payload })
        };
        assert_eq!(framed(Kind::Data, 0, b"abc"), Ok(&b"abc"[..]));
        assert_eq!(framed(Kind::Data, PADDED, b"\x02abcd"), Ok(&b"ab"[..]));
        assert_eq!(framed(Kind::Data, PADDED, b"\x00"), Ok(&b""[..]));
        assert_eq!(framed(Kind::Data, PADDED, b"\x02a"), Err(ErrorCode::PROTOCOL_ERROR));
        assert_eq!(framed(Kind::Data, PADDED, b""), Err(ErrorCode::FRAME_SIZE_ERROR));
        let both = framed(Kind::Headers, PADDED | PRIORITY, b"\x01ppppqab");
        assert_eq!(both, Ok(&b"a"[..]));
        assert_eq!(framed(Kind::Headers, PRIORITY, b"pppp"), Err(ErrorCode::FRAME_SIZE_ERROR));
    }
}
