//! A parser of HTTP/1 requests that is fed with bytes (RFC 9112).
//!
//! It does no I/O: bytes are fed in, and a complete request is read in place. A body is kept up to a limit and counted
//! beyond it, so that large uploads need little memory. It is strict where leniency would allow request smuggling: a
//! length given twice, a line without its carriage return, a name with a space before the colon.

mod chunks;
mod request;

use chunks::Chunks;
pub use request::{Fields, Request, Version};
use request::{Line, Span};

/// Limits of a request.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The longest request line and fields together, in bytes. The limit also applies to the lines of a chunked body.
    pub head: usize,
    /// How much of a body is kept, in bytes; the rest is counted.
    pub body_kept: usize,
}

/// The most fields a request may have.
const FIELDS: usize = 128;
/// A buffer that grew beyond this is freed once it is empty.
const KEPT_BYTES: usize = 4 << 10;

/// Why bytes are not a valid request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// An invalid line.
    #[error("the request is malformed: {0}")]
    Syntax(httparse::Error),
    /// The head is longer than the server accepts.
    #[error("the request line and fields are longer than the server takes")]
    HeadTooLong,
    /// There are more fields than the server accepts.
    #[error("the request has more fields than the server takes")]
    TooManyFields,
    /// The length of the body is ambiguous.
    #[error("the length of the body is not clear: {0}")]
    Length(&'static str),
    /// A coding other than chunked.
    #[error("no transfer coding but chunked is known")]
    Coding,
    /// An invalid chunked body.
    #[error("the chunked body is malformed: {0}")]
    Chunk(&'static str),
    /// The host is missing, which HTTP/1.1 requires.
    #[error("the request has no Host, or several")]
    Host,
}

impl Malformed {
    /// The status of the answer.
    pub const fn status(self) -> u16 {
        match self {
            Self::HeadTooLong | Self::TooManyFields => 431,
            Self::Coding => 501,
            Self::Syntax(httparse::Error::Version) => 505,
            _ => 400,
        }
    }
}

/// The progress of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// A request is complete.
    Request,
    /// More bytes are needed.
    More {
        /// Whether the client waits for `100 Continue`. True once per request.
        go_on: bool,
    },
}

/// How the end of a body is determined.
#[derive(Clone, Copy, Debug)]
enum Framing {
    Length(u64),
    Chunked(Chunks),
}

/// Reads the requests of one connection.
#[derive(Debug)]
pub struct Reader {
    limits: Limits,
    input: Vec<u8>,
    /// Where the current request begins.
    begin: usize,
    /// Where the unparsed bytes begin.
    cursor: usize,
    /// The request line of the current request, once it is complete.
    line: Option<Line>,
    fields: Vec<[Span; 2]>,
    framing: Framing,
    /// Whether the body is complete.
    whole: bool,
    body: Vec<u8>,
    body_bytes: u64,
    /// Whether the client waits for `100 Continue` that was not sent yet.
    expects: bool,
}

impl Reader {
    /// A reader at the beginning of a connection.
    pub const fn new(limits: Limits) -> Self {
        Self {
            limits,
            input: Vec::new(),
            begin: 0,
            cursor: 0,
            line: None,
            fields: Vec::new(),
            framing: Framing::Length(0),
            whole: false,
            body: Vec::new(),
            body_bytes: 0,
            expects: false,
        }
    }

    /// Appends bytes that were received.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.input.extend_from_slice(bytes);
    }

    /// The bytes that do not belong to a complete request.
    pub fn rest(&self) -> &[u8] {
        &self.input[self.begin..]
    }

    /// Discards everything that was received.
    pub fn forget(&mut self) {
        *self = Self::new(self.limits);
    }

    /// Parses as far as the bytes allow, at most to the end of a request.
    pub fn advance(&mut self) -> Result<Progress, Malformed> {
        if self.line.is_none() && !self.read_head()? {
            return Ok(Progress::More { go_on: false });
        }
        if !self.whole {
            self.read_body()?;
        }
        if self.whole {
            return Ok(Progress::Request);
        }
        let go_on = std::mem::take(&mut self.expects) && self.cursor == self.input.len();
        Ok(Progress::More { go_on })
    }

    /// The complete request; `None` before [`Progress::Request`].
    pub fn request(&self) -> Option<Request<'_>> {
        let line = self.line.as_ref().filter(|_| self.whole)?;
        let head = &self.input[self.begin..];
        Some(Request::new(line, head, &self.fields, (&self.body, self.body_bytes)))
    }

    /// Removes the current request.
    pub fn finish(&mut self) {
        self.line = None;
        self.whole = false;
        self.fields.clear();
        self.body_bytes = 0;
        give_back(&mut self.body);
        self.begin = self.cursor;
        if self.cursor == self.input.len() {
            give_back(&mut self.input);
            (self.begin, self.cursor) = (0, 0);
        } else if self.begin > KEPT_BYTES {
            self.input.drain(..self.begin);
            (self.begin, self.cursor) = (0, 0);
        }
    }

    /// Reads the request line and the fields. False if they are not complete.
    fn read_head(&mut self) -> Result<bool, Malformed> {
        let input = &self.input[self.begin..];
        let mut fields = [const { std::mem::MaybeUninit::uninit() }; FIELDS];
        let mut request = httparse::Request::new(&mut []);
        let parsed = request.parse_with_uninit_headers(input, &mut fields);
        let length = match parsed {
            Ok(httparse::Status::Complete(length)) if length <= self.limits.head => length,
            Ok(httparse::Status::Partial) if input.len() <= self.limits.head => return Ok(false),
            Ok(_) => return Err(Malformed::HeadTooLong),
            Err(httparse::Error::TooManyHeaders) => return Err(Malformed::TooManyFields),
            Err(error) => return Err(Malformed::Syntax(error)),
        };
        self.fields.clear();
        self.fields.extend(
            request.headers.iter().map(|field| {
                [Span::of(field.name.as_bytes(), input), Span::of(field.value, input)]
            }),
        );
        let mut line = Line::new(&request, input, length);
        let found = framing(&line, request.headers)?;
        self.framing = found.framing;
        self.expects = found.expects;
        self.whole = matches!(found.framing, Framing::Length(0));
        line.keep_alive = found.keep_alive;
        self.line = Some(line);
        self.cursor = self.begin + length;
        Ok(true)
    }

    fn read_body(&mut self) -> Result<(), Malformed> {
        let room = self.limits.body_kept;
        let (body, bytes) = (&mut self.body, &mut self.body_bytes);
        let mut keep = |more: &[u8]| {
            let kept = more.len().min(room - body.len());
            body.extend_from_slice(&more[..kept]);
            *bytes += more.len() as u64;
        };
        let came = &self.input[self.cursor..];
        let taken = match &mut self.framing {
            Framing::Length(left) => {
                let taken = came.len().min(usize::try_from(*left).unwrap_or(usize::MAX));
                keep(&came[..taken]);
                *left -= taken as u64;
                self.whole = *left == 0;
                taken
            }
            Framing::Chunked(chunks) => {
                let taken = chunks.take(came, self.limits.head, &mut keep)?;
                self.whole = chunks.done();
                taken
            }
        };
        self.cursor += taken;
        if !self.whole
            && let Some(line) = &self.line
        {
            // The head stays in place; the bytes of the body that were processed are removed.
            let head_end = self.begin + line.length as usize;
            self.input.drain(head_end..self.cursor);
            self.cursor = head_end;
        }
        Ok(())
    }
}

fn give_back(buffer: &mut Vec<u8>) {
    buffer.clear();
    if buffer.capacity() > KEPT_BYTES {
        *buffer = Vec::new();
    }
}

/// What the fields say about the message itself.
struct Found {
    framing: Framing,
    expects: bool,
    keep_alive: bool,
}

fn framing(line: &Line, fields: &[httparse::Header<'_>]) -> Result<Found, Malformed> {
    let (mut length, mut chunked, mut hosts, mut expects) = (None, false, 0, false);
    let mut keep_alive = line.minor > 0;
    for field in fields {
        let is = |name: &str| field.name.eq_ignore_ascii_case(name);
        if is("content-length") {
            let said = decimal(field.value).ok_or(Malformed::Length("it is no number"))?;
            if length.is_some() {
                return Err(Malformed::Length("it is said twice"));
            }
            length = Some(said);
        } else if is("transfer-encoding") {
            if chunked || !field.value.trim_ascii().eq_ignore_ascii_case(b"chunked") {
                return Err(Malformed::Coding);
            }
            chunked = true;
        } else if is("host") {
            hosts += 1;
        } else if is("expect") {
            expects = field.value.eq_ignore_ascii_case(b"100-continue") && line.minor > 0;
        } else if is("connection") {
            for word in field.value.split(|byte| *byte == b',').map(<[u8]>::trim_ascii) {
                keep_alive = (keep_alive || word.eq_ignore_ascii_case(b"keep-alive"))
                    && !word.eq_ignore_ascii_case(b"close");
            }
        }
    }
    if line.minor > 0 && hosts != 1 {
        return Err(Malformed::Host);
    }
    let framing = match (chunked, length) {
        (true, None) if line.minor > 0 => Framing::Chunked(Chunks::new()),
        (true, _) => return Err(Malformed::Length("it is chunked where it cannot be")),
        (false, length) => Framing::Length(length.unwrap_or(0)),
    };
    Ok(Found { framing, expects, keep_alive })
}

fn decimal(text: &[u8]) -> Option<u64> {
    let text = text.trim_ascii();
    let digits = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    digits.then(|| std::str::from_utf8(text).ok()?.parse().ok()).flatten()
}

#[cfg(test)]
mod tests;
