//! Responses of HTTP/1.1: never a panic, no place outside the bytes, and the same answer however it comes in.

use brunt_http_wire::{FIELDS_MAX, Framing, Heads, Malformed, RequestKind, scan};

/// Panics if the decoder treats this input otherwise.
pub fn check(input: (u8, u8, &[u8])) {
    let (requested, piece, bytes) = input;
    let requested =
        [RequestKind::Any, RequestKind::Head, RequestKind::Connect][usize::from(requested % 3)];
    let mut fields = 0;
    let scanned = scan(bytes, requested, FIELDS_MAX, |name, value| {
        fields += 1;
        assert!(!bytes[name].is_empty());
        assert!(!bytes[value].contains(&b'\n'));
    });
    let mut heads = Heads::default();
    for _ in 0..2 {
        assert_eq!(
            heads.scan(bytes, requested, FIELDS_MAX),
            scanned,
            "what is remembered is what is read"
        );
    }
    let Ok(Some(head)) = scanned else { return };
    assert!(head.length <= bytes.len() && fields <= FIELDS_MAX);
    assert!((100..1000).contains(&head.status));
    assert_eq!(scan(&bytes[..head.length], requested, FIELDS_MAX, |_, _| {}), scanned);
    for end in head.length.saturating_sub(40)..head.length {
        assert_eq!(
            scan(&bytes[..end], requested, FIELDS_MAX, |_, _| panic!("its end has not come")),
            Ok(None)
        );
    }
    if head.is_interim() {
        assert!(head.framing.has_ended());
    }
    let rest = &bytes[head.length..];
    let whole = body(head.framing, rest, rest.len().max(1));
    assert_eq!(whole, body(head.framing, rest, usize::from(piece).max(1)));
    if let (Ok((content, _, ended)), Some(length)) = (whole, head.framing.announced()) {
        assert_eq!(ended, content.len() as u64 == length);
    }
}

/// What is in a body that comes in pieces of that size: its bytes, how many were used, and whether it has ended.
fn body(
    mut framing: Framing,
    bytes: &[u8],
    piece: usize,
) -> Result<(Vec<u8>, usize, bool), Malformed> {
    let (mut content, mut used) = (Vec::new(), 0);
    for piece in bytes.chunks(piece) {
        if framing.has_ended() {
            break;
        }
        let taken = framing.take(piece, |data| content.extend_from_slice(data))?;
        assert!(taken.used <= piece.len() && taken.ended == framing.has_ended());
        assert!(
            taken.ended || taken.used == piece.len(),
            "bytes are left over in the midst of a body"
        );
        used += taken.used;
    }
    Ok((content, used, framing.has_ended()))
}
