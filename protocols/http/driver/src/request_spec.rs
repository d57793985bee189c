//! [`RequestSpec`]: a request and how it must be carried out, for every version of HTTP.

use super::limits::Limits;
use super::origin::Origin;
use super::request::Request;
use super::request_flags::RequestFlags;
use super::response::Wanted;

/// A request and how it must be carried out.
#[derive(Clone, Copy)]
pub(super) struct RequestSpec<'a> {
    pub(super) request: &'a Request,
    pub(super) origin: &'a Origin,
    pub(super) flags: RequestFlags,
    /// Lines of fields that the client adds.
    pub(super) extra: &'a [u8],
    /// Whether it is the last on this connection.
    pub(super) last: bool,
    /// What is kept of the answer.
    pub(super) wanted: Wanted,
    pub(super) limits: &'a Limits,
}
