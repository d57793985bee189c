//! The head of a response, scanned once for the fields that determine where its message ends.

use super::chunked::Chunked;
use super::{Framing, Malformed};
use std::mem::MaybeUninit;
use std::ops::Range;

/// The maximum number of fields in a head.
pub const FIELDS_MAX: usize = 256;

/// The property of a request that determines how its response is read (RFC 9112 section 6.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RequestKind {
    /// Any other method.
    #[default]
    Any,
    /// HEAD, whose response has no body, whatever its fields say.
    Head,
    /// CONNECT, whose success is followed by a tunnel.
    Connect,
}

/// A head that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// Its length in bytes.
    pub length: usize,
    /// The status.
    pub status: u16,
    /// Where the body ends.
    pub framing: Framing,
    /// Whether the connection stays open for another request (RFC 9112 section 9.3).
    pub persistent: bool,
}

impl Head {
    /// Whether another head follows, because this is an interim response.
    pub fn is_interim(&self) -> bool {
        (100..200).contains(&self.status)
    }
}

/// The information about the message in the fields of a head.
#[derive(Default)]
struct MessageFields {
    length: Option<u64>,
    coding: Option<Coding>,
    close: bool,
    keep_alive: bool,
}

/// The transfer coding of a body.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Coding {
    /// Only chunked, once.
    Chunked,
    /// A coding that was not requested.
    Other,
}

/// Scans the head at the beginning of `bytes`; `None` if its end has not arrived yet. Once the head is complete,
/// `shown` is called with the positions of each field's name and value, in order. At most `fields_max` fields are
/// accepted.
pub fn scan(
    bytes: &[u8],
    requested: RequestKind,
    fields_max: usize,
    mut shown: impl FnMut(Range<usize>, Range<usize>),
) -> Result<Option<Head>, Malformed> {
    let mut room = [const { MaybeUninit::uninit() }; FIELDS_MAX];
    let room = room.get_mut(..fields_max.min(FIELDS_MAX)).unwrap_or_default();
    let mut response = httparse::Response::new(&mut []);
    // A value may continue in the next line (RFC 9112 section 5.2); see [`unfold`].
    let parsed = httparse::ParserConfig::default()
        .allow_obsolete_multiline_headers_in_responses(true)
        .parse_response_with_uninit_headers(&mut response, bytes, room)
        .map_err(malformed)?;
    let httparse::Status::Complete(length) = parsed else { return Ok(None) };
    let (Some(status), Some(minor)) = (response.code, response.version) else {
        return Err(Malformed::StatusLine);
    };
    if status < 100 {
        return Err(Malformed::StatusLine);
    }
    let mut message = MessageFields::default();
    for field in response.headers.iter() {
        message.read(field.name.as_bytes(), field.value)?;
        shown(within(bytes, field.name.as_bytes()), within(bytes, field.value));
    }
    let framing = message.framing(status, minor, requested)?;
    let persistent = match minor {
        0 => message.keep_alive && !message.close,
        _ => !message.close,
    };
    Ok(Some(Head {
        length,
        status,
        framing,
        persistent: persistent && framing != Framing::UntilClose,
    }))
}

/// Puts a value that continues in another line into one line, with blanks in place of the line breaks.
pub fn unfold(value: &mut [u8]) {
    value.iter_mut().filter(|byte| matches!(byte, b'\r' | b'\n')).for_each(|byte| *byte = b' ');
}

/// The first line of a head that is no field, without its end.
pub fn refused_field(head: &[u8]) -> Option<&[u8]> {
    let lines = head.split(|byte| *byte == b'\n').skip(1);
    let lines = lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    lines.enumerate().take_while(|(_, line)| !line.is_empty()).find_map(|(at, line)| {
        let continues = at > 0 && matches!(line.first(), Some(b' ' | b'\t'));
        let whole = [line, b"\r\n\r\n"].concat();
        let mut room = [httparse::EMPTY_HEADER; 1];
        let parsed = httparse::parse_headers(&whole, &mut room);
        let fit = continues || matches!(parsed, Ok(httparse::Status::Complete(_)));
        (!fit).then_some(line)
    })
}

impl MessageFields {
    #[inline]
    fn read(&mut self, name: &[u8], value: &[u8]) -> Result<(), Malformed> {
        match name.len() {
            // Most servers send this in every response, so it is recognised by one comparison.
            10 if value == b"keep-alive" && name == b"Connection" => self.keep_alive = true,
            10 if name.eq_ignore_ascii_case(b"connection") => {
                for option in value.split(|byte| *byte == b',').map(<[u8]>::trim_ascii) {
                    self.close |= option.eq_ignore_ascii_case(b"close");
                    self.keep_alive |= option.eq_ignore_ascii_case(b"keep-alive");
                }
            }
            14 if name.eq_ignore_ascii_case(b"content-length") => {
                for length in value.split(|byte| *byte == b',').map(<[u8]>::trim_ascii) {
                    let length = decimal(length).ok_or(Malformed::Length)?;
                    if self.length.is_some_and(|before| before != length) {
                        return Err(Malformed::Length);
                    }
                    self.length = Some(length);
                }
            }
            17 if name.eq_ignore_ascii_case(b"transfer-encoding") => {
                let chunked = value.trim_ascii().eq_ignore_ascii_case(b"chunked");
                let alone = chunked && self.coding.is_none();
                self.coding = Some(if alone { Coding::Chunked } else { Coding::Other });
            }
            _ => {}
        }
        Ok(())
    }

    /// The rules of RFC 9112 section 6.3, in order.
    fn framing(
        &self,
        status: u16,
        minor: u8,
        requested: RequestKind,
    ) -> Result<Framing, Malformed> {
        let bodiless = requested == RequestKind::Head || matches!(status, 100..200 | 204 | 304);
        if bodiless || requested == RequestKind::Connect && matches!(status, 200..300) {
            return Ok(Framing::Length(0));
        }
        match (self.coding, self.length) {
            (Some(_), Some(_)) => Err(Malformed::LengthAndCoding),
            (Some(Coding::Chunked), None) if minor > 0 => Ok(Framing::Chunked(Chunked::default())),
            (Some(_), None) => Err(Malformed::Coding),
            (None, Some(length)) => Ok(Framing::Length(length)),
            (None, None) => Ok(Framing::UntilClose),
        }
    }
}

fn malformed(error: httparse::Error) -> Malformed {
    match error {
        httparse::Error::HeaderName | httparse::Error::HeaderValue => Malformed::Field,
        httparse::Error::TooManyHeaders => Malformed::TooManyFields,
        _ => Malformed::StatusLine,
    }
}

/// The range of a part of `bytes` in them.
fn within(bytes: &[u8], part: &[u8]) -> Range<usize> {
    let start = (part.as_ptr() as usize).saturating_sub(bytes.as_ptr() as usize);
    start..start + part.len()
}

/// Digits only: no sign, no blanks.
fn decimal(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0_u64, |number, digit| {
        let digit = char::from(*digit).to_digit(10)?;
        number.checked_mul(10)?.checked_add(digit.into())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(text: &str, requested: RequestKind) -> Result<Option<Head>, Malformed> {
        scan(text.as_bytes(), requested, FIELDS_MAX, |_, _| {})
    }

    fn framing(fields: &str) -> Result<Framing, Malformed> {
        head(&format!("HTTP/1.1 200 OK\r\n{fields}\r\n"), RequestKind::Any)
            .map(|head| head.unwrap().framing)
    }

    #[test]
    fn response_fields_are_reported_with_their_values() {
        let text = "HTTP/1.1 404 Not Found\r\nServer:  x \r\nContent-Length: 3\r\nA:\r\n\r\nabc";
        let mut seen = Vec::new();
        let found = scan(text.as_bytes(), RequestKind::Any, 8, |name, value| {
            seen.push((text[name].to_owned(), text[value].to_owned()));
        });
        let found = found.unwrap().unwrap();
        assert_eq!((found.status, &text[found.length..]), (404, "abc"));
        let fields = [("Server", "x"), ("Content-Length", "3"), ("A", "")];
        assert_eq!(seen, fields.map(|(name, value)| (name.to_owned(), value.to_owned())));
        assert_eq!(found.framing, Framing::Length(3));
        for end in 0..found.length {
            assert_eq!(
                scan(&text.as_bytes()[..end], RequestKind::Any, 8, |_, _| panic!("not yet")),
                Ok(None)
            );
        }
    }

    #[test]
    fn folded_fields_are_read_as_one_line() {
        let text =
            "HTTP/1.1 200 OK\r\nContent-Length:\r\n 3\r\nA: b\r\n\tc\r\n  d\r\nE: f\r\n\r\nabc";
        let mut seen = Vec::new();
        let found = scan(text.as_bytes(), RequestKind::Any, 8, |_, value| {
            let mut value = text.as_bytes()[value].to_vec();
            unfold(&mut value);
            seen.push(String::from_utf8(value).unwrap());
        });
        let found = found.unwrap().unwrap();
        assert_eq!((found.framing, &text[found.length..]), (Framing::Length(3), "abc"));
        let words: Vec<Vec<&str>> =
            seen.iter().map(|value| value.split_ascii_whitespace().collect()).collect();
        assert_eq!(words, [vec!["3"], vec!["b", "c", "d"], vec!["f"]]);
        assert!(seen.iter().all(|value| !value.contains(['\r', '\n'])), "{seen:?}");
    }

    #[test]
    fn malformed_field_line_is_found() {
        for (fields, refused) in [
            ("A: b\r\nContent-Length : 5\r\nC: d\r\n", Some("Content-Length : 5")),
            (" A: b\r\n", Some(" A: b")),
            ("no colon\r\n", Some("no colon")),
            ("A: b\r\n c\r\nD: \u{1}\r\n", Some("D: \u{1}")),
            ("A: b\r\n c\r\n", None),
        ] {
            let head = format!("HTTP/1.1 200 OK\r\n{fields}\r\nbody: not a field\u{1}");
            let found = refused_field(head.as_bytes());
            assert_eq!(found, refused.map(str::as_bytes), "{fields:?}");
        }
    }

    #[test]
    fn framing_follows_the_rules_in_order() {
        let chunked = Framing::Chunked(Chunked::default());
        assert_eq!(framing(""), Ok(Framing::UntilClose));
        assert_eq!(framing("content-LENGTH: 7\r\n"), Ok(Framing::Length(7)));
        assert_eq!(
            framing("Content-Length: 7, 7\r\nContent-Length: 7\r\n"),
            Ok(Framing::Length(7))
        );
        assert_eq!(framing("Transfer-Encoding: Chunked\r\n"), Ok(chunked));
        let both = "Content-Length: 9\r\nTransfer-Encoding: chunked\r\n";
        for (status, requested) in [
            (200, RequestKind::Head),
            (204, RequestKind::Any),
            (304, RequestKind::Any),
            (200, RequestKind::Connect),
        ] {
            let text = format!("HTTP/1.1 {status} x\r\n{both}\r\n");
            assert_eq!(
                head(&text, requested).unwrap().unwrap().framing,
                Framing::Length(0),
                "{status}"
            );
        }
        let refused = head("HTTP/1.1 407 x\r\nContent-Length: 4\r\n\r\n", RequestKind::Connect);
        assert_eq!(refused.unwrap().unwrap().framing, Framing::Length(4));
    }

    #[test]
    fn request_smuggling_is_refused() {
        for (fields, why) in [
            ("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", Malformed::LengthAndCoding),
            ("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", Malformed::LengthAndCoding),
            ("Content-Length: 5\r\nContent-Length: 6\r\n", Malformed::Length),
            ("Content-Length: 5, 6\r\n", Malformed::Length),
            ("Content-Length: +5\r\n", Malformed::Length),
            ("Content-Length: -1\r\n", Malformed::Length),
            ("Content-Length: 0x5\r\n", Malformed::Length),
            ("Content-Length: \r\n", Malformed::Length),
            ("Content-Length: 5 5\r\n", Malformed::Length),
            ("Content-Length: 18446744073709551616\r\n", Malformed::Length),
            ("Transfer-Encoding: gzip, chunked\r\n", Malformed::Coding),
            ("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", Malformed::Coding),
            ("Transfer-Encoding: chunked, identity\r\n", Malformed::Coding),
            ("Transfer-Encoding: xchunked\r\n", Malformed::Coding),
            ("Transfer-Encoding:\r\n", Malformed::Coding),
            ("Content-Length : 5\r\n", Malformed::Field),
            ("A b: c\r\n", Malformed::Field),
            (" A: b\r\n", Malformed::Field),
            ("Content-Length: 5\r\n 5\r\n", Malformed::Length),
            ("Transfer-Encoding: chunked\r\n , identity\r\n", Malformed::Coding),
        ] {
            assert_eq!(framing(fields), Err(why), "{fields:?}");
        }
        let old = head("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", RequestKind::Any);
        assert_eq!(old, Err(Malformed::Coding));
    }

    #[test]
    fn persistence_follows_version_and_connection_field() {
        let persistent = |version, fields| {
            let text = format!("HTTP/{version} 200 OK\r\nContent-Length: 0\r\n{fields}\r\n");
            head(&text, RequestKind::Any).unwrap().unwrap().persistent
        };
        assert!(persistent("1.1", "") && !persistent("1.0", ""));
        assert!(!persistent("1.1", "Connection: x, Close\r\n"));
        assert!(persistent("1.0", "connection: Keep-Alive\r\n"));
        let endless = head("HTTP/1.1 200 OK\r\n\r\n", RequestKind::Any).unwrap().unwrap();
        assert!(!endless.persistent);
    }

    #[test]
    fn invalid_response_is_recognized_at_once() {
        for (text, why) in [
            ("SSH-2.0-OpenSSH_9.2\r\n", Malformed::StatusLine),
            ("HTTP/2 200\r\n", Malformed::StatusLine),
            ("HTTP/1.1 2x0 OK\r\n", Malformed::StatusLine),
            ("HTTP/1.1 099 OK\r\n\r\n", Malformed::StatusLine),
            ("HTTP/1.1 200 OK\r\n\0: b\r\n", Malformed::Field),
        ] {
            assert_eq!(head(text, RequestKind::Any), Err(why), "{text:?}");
        }
        let many = format!("HTTP/1.1 200 OK\r\n{}\r\n", "a: b\r\n".repeat(3));
        assert_eq!(
            scan(many.as_bytes(), RequestKind::Any, 2, |_, _| {}),
            Err(Malformed::TooManyFields)
        );
        assert!(scan(many.as_bytes(), RequestKind::Any, 3, |_, _| {}).unwrap().is_some());
    }
}
