//! [`RequestFlags`]: what the fields of a request mean to its connection.

use brunt_http_wire::RequestKind;

/// What the fields of a request mean to its connection: flags in one byte, which is cheap to pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RequestFlags(pub(super) u8);

/// Its method is HEAD.
pub(super) const HEAD: u8 = 1;
/// It requests that the connection is closed.
pub(super) const CLOSE: u8 = 1 << 1;
/// It waits for `100 Continue` before it sends its body.
pub(super) const EXPECTS: u8 = 1 << 2;
/// It sets the `Host` field itself.
pub(super) const HOST: u8 = 1 << 3;
pub(super) const CONNECTION: u8 = 1 << 4;
/// Its body is sent in chunks.
pub(super) const CHUNKED: u8 = 1 << 5;

impl RequestFlags {
    /// Whether it requests that the connection is closed.
    pub(super) fn closes(self) -> bool {
        self.has(CLOSE)
    }

    /// Whether it waits for `100 Continue` before it sends its body.
    pub(super) fn expects(self) -> bool {
        self.has(EXPECTS)
    }

    /// How its answer must be read.
    pub(super) fn requested(self) -> RequestKind {
        if self.has(HEAD) { RequestKind::Head } else { RequestKind::Any }
    }

    pub(super) fn has(self, flag: u8) -> bool {
        self.0 & flag != 0
    }
}
