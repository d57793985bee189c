//! The head of a request: written line by line, and predicates for its parts.
//!
//! Writing checks nothing, because parts that are the same for every request of a run need to be checked only once,
//! with the predicates.

/// Writes the request line (RFC 9112 section 3). `target` is a path; `place` is the part of the URL before it, which is
/// only sent to a proxy.
pub fn request_line(out: &mut Vec<u8>, method: &[u8], place: &[u8], target: &[u8]) {
    out.reserve(method.len() + place.len() + target.len() + 11);
    out.extend_from_slice(method);
    out.push(b' ');
    out.extend_from_slice(place);
    out.extend_from_slice(target);
    out.extend_from_slice(b" HTTP/1.1\r\n");
}

/// Writes a field.
pub fn field(out: &mut Vec<u8>, name: &[u8], value: &[u8]) {
    out.reserve(name.len() + value.len() + 4);
    out.extend_from_slice(name);
    out.extend_from_slice(b": ");
    out.extend_from_slice(value);
    out.extend_from_slice(b"\r\n");
}

/// Writes the length of the body that follows the head.
pub fn length(out: &mut Vec<u8>, bytes: u64) {
    decimal(bytes, |digits| field(out, b"Content-Length", digits));
}

/// Shows the digits of a number.
pub(crate) fn decimal(number: u64, show: impl FnOnce(&[u8])) {
    // 2^64 has 20 digits.
    let mut digits = [b'0'; 20];
    let mut rest = number;
    let mut count = 0;
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + (rest % 10) as u8;
        rest /= 10;
        count += 1;
        if rest == 0 {
            break;
        }
    }
    let start = digits.len() - count;
    show(digits.get(start..).unwrap_or_default());
}

/// Writes the line before a chunk of this size (RFC 9112 section 7.1).
pub fn chunk_size(out: &mut Vec<u8>, bytes: u64) {
    let digits = (u64::BITS - bytes.leading_zeros()).div_ceil(4).max(1);
    for place in (0..digits).rev() {
        let digit = (bytes >> (4 * place) & 0xf) as u8;
        out.push(if digit < 10 { b'0' + digit } else { b'a' + digit - 10 });
    }
    out.extend_from_slice(b"\r\n");
}

/// Ends the head.
pub fn finish(out: &mut Vec<u8>) {
    out.extend_from_slice(b"\r\n");
}

/// The first byte of a target that is not allowed in a request line: anything except visible ASCII.
pub fn illegal_in_target(target: &[u8]) -> Option<u8> {
    if all(target, |byte| byte.is_ascii_graphic()) {
        return None;
    }
    target.iter().copied().find(|byte| !byte.is_ascii_graphic())
}

/// Whether it is a valid field value (RFC 9110 section 5.5): without control characters except tabs.
pub fn is_field_value(value: &[u8]) -> bool {
    all(value, |byte| (byte >= b' ' && byte != 0x7f) || byte == b'\t')
}

/// Whether it is a valid field name.
pub fn is_field_name(name: &[u8]) -> bool {
    is_token(name)
}

/// Whether it is a valid method.
pub fn is_method(method: &[u8]) -> bool {
    is_token(method)
}

/// Whether it is a token (RFC 9110 section 5.6.2).
fn is_token(bytes: &[u8]) -> bool {
    const MARKS: &[u8] = b"!#$%&'*+-.^_`|~";
    !bytes.is_empty()
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || MARKS.contains(byte))
}

/// Whether all bytes are legal. It always examines every byte: without an early exit, many are examined with one
/// instruction.
fn all(bytes: &[u8], legal: impl Fn(u8) -> bool) -> bool {
    bytes.iter().fold(true, |so_far, byte| so_far & legal(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn request_head_is_written_as_it_is_parsed() {
        let mut out = Vec::new();
        request_line(&mut out, b"PUT", b"", b"/a?b=c");
        field(&mut out, b"Host", b"h:1");
        length(&mut out, 0);
        finish(&mut out);
        assert_eq!(out, b"PUT /a?b=c HTTP/1.1\r\nHost: h:1\r\nContent-Length: 0\r\n\r\n");
        for count in [0, 1, 9, 15, 16, 10, 99, 12_345, u64::MAX] {
            out.clear();
            length(&mut out, count);
            assert_eq!(out, format!("Content-Length: {count}\r\n").as_bytes());
            out.clear();
            chunk_size(&mut out, count);
            assert_eq!(out, format!("{count:x}\r\n").as_bytes());
        }
    }

    #[test]
    fn request_parts_that_end_a_line_are_illegal() {
        for (wrong, byte) in [
            (&b"/a b"[..], b' '),
            (b"/a\r\n", b'\r'),
            (b"/\xc3\xa4", 0xc3),
            (b"/\0", 0),
            (b"/\x7f", 0x7f),
        ] {
            assert_eq!(illegal_in_target(wrong), Some(byte));
        }
        for right in [&b"*"[..], b"/a%20b?{}|", b"http://a/b"] {
            assert_eq!(illegal_in_target(right), None);
        }
        for wrong in [&b"a\rb"[..], b"a\nb", b"\0", b"\x7f", b"\x1b"] {
            assert!(!is_field_value(wrong), "{wrong:?}");
        }
        assert!(is_field_value(b"") && is_field_value(b"a\tb \xff"));
        assert!(is_field_name(b"X-a_1") && !is_field_name(b"X a") && !is_field_name(b"a:"));
        assert!(is_method(b"M-SEARCH") && !is_method(b"") && !is_method(b"GET "));
    }
}
