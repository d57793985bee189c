//! [`Heads`]: a cache of recent heads, so that a repeated head need not be parsed again.
//!
//! A server answers the same request with the same head, except for a date that changes once a second. The meaning of a
//! head depends only on its bytes, and comparing them costs a tenth of parsing them. The cache can only be used by
//! callers that do not need the fields.

use super::{Head, Malformed, RequestKind, scan};

/// How many heads are cached: a few kinds of answers, distinguished by how much was received at once.
const SLOTS: usize = 8;
/// The maximum length of a cached head.
const LENGTH_MAX: usize = 1024;

/// The cached heads.
#[derive(Debug, Default)]
pub struct Heads {
    slots: [Slot; SLOTS],
}

#[derive(Debug, Default)]
struct Slot {
    bytes: Vec<u8>,
    read: Option<(RequestKind, usize, Head)>,
}

impl Heads {
    /// Returns the same as [`scan`], for callers that do not need the fields.
    pub fn scan(
        &mut self,
        bytes: &[u8],
        requested: RequestKind,
        fields_max: usize,
    ) -> Result<Option<Head>, Malformed> {
        let Some(slot) = self.slots.get_mut(bytes.len() % SLOTS) else {
            return scan(bytes, requested, fields_max, |_, _| {});
        };
        if let Some((for_requested, for_max, head)) = slot.read
            && (for_requested, for_max) == (requested, fields_max)
            && bytes.starts_with(&slot.bytes)
        {
            return Ok(Some(head));
        }
        let scanned = scan(bytes, requested, fields_max, |_, _| {})?;
        if let Some(head) = scanned
            && let Some(bytes) = bytes.get(..head.length).filter(|head| head.len() <= LENGTH_MAX)
        {
            slot.bytes.clear();
            slot.bytes.extend_from_slice(bytes);
            slot.read = Some((requested, fields_max, head));
        }
        Ok(scanned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cached_head_equals_a_fresh_scan() {
        let mut heads = Heads::default();
        let texts = [
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nworld",
            "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello",
            "HTTP/1.1 404 OK\r\nContent-Length: 5\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nA: b\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n",
            "",
        ];
        for _ in 0..3 {
            for (requested, fields_max) in
                [(RequestKind::Any, 9), (RequestKind::Head, 9), (RequestKind::Any, 1)]
            {
                for text in texts {
                    let bytes = text.as_bytes();
                    for end in [bytes.len(), bytes.len().saturating_sub(8), bytes.len()] {
                        let bytes = &bytes[..end];
                        let expected = scan(bytes, requested, fields_max, |_, _| {});
                        assert_eq!(heads.scan(bytes, requested, fields_max), expected, "{text}");
                    }
                }
            }
        }
    }
}
