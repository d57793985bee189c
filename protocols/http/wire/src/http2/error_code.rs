//! [`ErrorCode`]: why a stream or a connection over HTTP/2 ended (RFC 9113 section 7).

use std::fmt;

/// An error code. Codes that the standard does not name are possible.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ErrorCode(pub u32);

impl ErrorCode {
    /// A graceful end.
    pub const NO_ERROR: Self = Self(0);
    /// A frame that is malformed or not allowed.
    pub const PROTOCOL_ERROR: Self = Self(1);
    /// More data than the window allows.
    pub const FLOW_CONTROL_ERROR: Self = Self(3);
    /// A frame on a stream that was closed.
    pub const STREAM_CLOSED: Self = Self(5);
    /// A frame whose size is not allowed.
    pub const FRAME_SIZE_ERROR: Self = Self(6);
    /// The stream was not processed.
    pub const REFUSED_STREAM: Self = Self(7);
    /// The stream is no longer needed.
    pub const CANCEL: Self = Self(8);
    /// Fields that cannot be decoded.
    pub const COMPRESSION_ERROR: Self = Self(9);
    /// The other side generates excessive load.
    pub const ENHANCE_YOUR_CALM: Self = Self(11);
}

/// The names of RFC 9113, by code.
const NAMES: [&str; 14] = [
    "NO_ERROR",
    "PROTOCOL_ERROR",
    "INTERNAL_ERROR",
    "FLOW_CONTROL_ERROR",
    "SETTINGS_TIMEOUT",
    "STREAM_CLOSED",
    "FRAME_SIZE_ERROR",
    "REFUSED_STREAM",
    "CANCEL",
    "COMPRESSION_ERROR",
    "CONNECT_ERROR",
    "ENHANCE_YOUR_CALM",
    "INADEQUATE_SECURITY",
    "HTTP_1_1_REQUIRED",
];

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = usize::try_from(self.0).ok().and_then(|code| NAMES.get(code));
        match name {
            Some(name) => f.write_str(name),
            None => write!(f, "code {}", self.0),
        }
    }
}

impl fmt::Debug for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_codes_have_the_names_of_the_standard() {
        assert_eq!(ErrorCode::REFUSED_STREAM.to_string(), "REFUSED_STREAM");
        assert_eq!(ErrorCode::ENHANCE_YOUR_CALM.to_string(), "ENHANCE_YOUR_CALM");
        assert_eq!(ErrorCode(13).to_string(), "HTTP_1_1_REQUIRED");
        assert_eq!(format!("{:?}", ErrorCode(14)), "code 14");
    }
}
