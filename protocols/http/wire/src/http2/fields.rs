//! The fields of a request as bytes (RFC 7541 section 6), which refer to the static table only.

use super::static_table;
use crate::request::decimal;

/// What HTTP/1.1 sends in the first line of a request, and the host.
#[derive(Clone, Copy, Debug)]
pub struct RequestLine<'a> {
    /// The method.
    pub method: &'a [u8],
    /// Whether the scheme is https.
    pub secure: bool,
    /// The host and the port.
    pub authority: &'a [u8],
    /// The path and the query.
    pub path: &'a [u8],
}

/// Appends the fields that every request begins with (RFC 9113 section 8.3.1).
pub fn request_line(out: &mut Vec<u8>, line: RequestLine<'_>) {
    match line.method {
        b"GET" => out.push(INDEXED | 2),
        b"POST" => out.push(INDEXED | 3),
        other => {
            out.push(2);
            string(out, other);
        }
    }
    out.push(INDEXED | if line.secure { 7 } else { 6 });
    out.push(1);
    string(out, line.authority);
    if line.path == b"/" {
        out.push(INDEXED | 4);
    } else {
        out.push(4);
        string(out, line.path);
    }
}

/// Appends a field. Names are sent in lower case (RFC 9113 section 8.2.1).
pub fn field(out: &mut Vec<u8>, name: &[u8], value: &[u8]) {
    if let Some(number) = static_table::number_of(name) {
        integer(out, 4, 0, usize::from(number));
    } else {
        out.push(0);
        string(out, name);
        let from = out.len() - name.len();
        if let Some(name) = out.get_mut(from..) {
            name.make_ascii_lowercase();
        }
    }
    string(out, value);
}

/// Appends the length of the body.
pub fn length(out: &mut Vec<u8>, bytes: u64) {
    decimal(bytes, |digits| field(out, b"content-length", digits));
}

/// The first bit of a field that is in a table.
const INDEXED: u8 = 1 << 7;

/// Appends a string as it is. The Huffman code would be shorter, but would take longer to write than to send.
fn string(out: &mut Vec<u8>, bytes: &[u8]) {
    integer(out, 7, 0, bytes.len());
    out.extend_from_slice(bytes);
}

/// Appends a number, of which the first `bits` bits share a byte with `first` (RFC 7541 section 5.1).
fn integer(out: &mut Vec<u8>, bits: u32, first: u8, value: usize) {
    let most = (1_u8 << bits) - 1;
    if let Ok(value) = u8::try_from(value)
        && value < most
    {
        out.push(first | value);
        return;
    }
    out.push(first | most);
    let mut rest = value - usize::from(most);
    while rest >= 128 {
        out.push((rest % 128) as u8 | 128);
        rest /= 128;
    }
    out.push(rest as u8);
}

#[cfg(test)]
mod tests {
    use super::super::FieldDecoder;
    use super::*;

    #[test]
    fn request_fields_are_decoded_as_they_were_written() {
        let long = "x".repeat(40_000);
        let mut out = Vec::new();
        let line = RequestLine { method: b"GET", secure: true, authority: b"a:1", path: b"/" };
        request_line(&mut out, line);
        assert_eq!(out, [&[0x82, 0x87, 1, 3][..], b"a:1", &[0x84]].concat());
        let line = RequestLine { method: b"PUT", secure: false, authority: b"b", path: b"/x?y" };
        request_line(&mut out, line);
        field(&mut out, b"User-Agent", b"brunt");
        length(&mut out, 1_234_567_890);
        field(&mut out, b"X-Long", long.as_bytes());
        for size in [126, 127, 128, 254, 255, 256, 16_510, 16_511] {
            field(&mut out, b"x", &long.as_bytes()[..size]);
        }
        let mut found = Vec::new();
        let mut decoder = FieldDecoder::default();
        decoder
            .decode(&out, &mut |name: &[u8], value: &[u8]| {
                found.push((String::from_utf8(name.to_vec()).unwrap(), value.to_vec()));
            })
            .unwrap();
        let names: Vec<_> = found.iter().take(11).map(|(name, _)| name.as_str()).collect();
        let four = [":method", ":scheme", ":authority", ":path"];
        assert_eq!(names, [&four[..], &four, &["user-agent", "content-length", "x-long"]].concat());
        assert_eq!((&found[4].1[..], &found[7].1[..]), (&b"PUT"[..], &b"/x?y"[..]));
        assert_eq!(found[9].1, b"1234567890");
        let lengths: Vec<_> = found.iter().skip(10).map(|(_, value)| value.len()).collect();
        assert_eq!(lengths, [40_000, 126, 127, 128, 254, 255, 256, 16_510, 16_511]);
    }
}
