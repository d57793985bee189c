//! Frames of HTTP/2: never a panic, nothing outside the bytes, and the same frame however its bytes arrive.

use brunt_http_wire::http2::{FRAME_HEAD, Frame, unpadded};

/// Panics if the decoder treats this input otherwise.
pub fn check((longest, bytes): (u16, &[u8])) {
    let longest = usize::from(longest);
    let mut rest = bytes;
    while let Ok(Some(frame)) = Frame::read(rest, longest) {
        assert_eq!(frame.length(), FRAME_HEAD + frame.payload.len());
        assert!(frame.payload.len() <= longest);
        for cut in [0, FRAME_HEAD - 1, frame.length() - 1] {
            assert_eq!(Frame::read(&rest[..cut], longest), Ok(None));
        }
        if let Ok(kept) = unpadded(&frame) {
            assert!(kept.len() <= frame.payload.len());
        }
        if let Ok(settings) = frame.settings() {
            assert_eq!(settings.count() * 6, frame.payload.len());
        }
        if let Ok((_, _, text)) = frame.go_away() {
            assert_eq!(text.len() + 8, frame.payload.len());
        }
        assert_eq!(frame.increment().is_ok(), frame.payload.len() == 4);
        rest = &rest[frame.length()..];
    }
}
