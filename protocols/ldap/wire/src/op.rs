//! The tags of the operations of LDAP (RFC 4511 section 4.2 to 4.14).
//!
//! Plain bytes rather than an enum, because a scan must be able to return an unknown tag.

/// `BindRequest`.
pub const BIND_REQUEST: u8 = 0x60;
/// `BindResponse`.
pub const BIND_RESPONSE: u8 = 0x61;
/// `UnbindRequest`.
pub const UNBIND_REQUEST: u8 = 0x42;
/// `SearchRequest`.
pub const SEARCH_REQUEST: u8 = 0x63;
/// `SearchResultEntry`.
pub const SEARCH_ENTRY: u8 = 0x64;
/// `SearchResultDone`.
pub const SEARCH_DONE: u8 = 0x65;
/// `SearchResultReference`.
pub const SEARCH_REFERENCE: u8 = 0x73;
/// `ModifyRequest`.
pub const MODIFY_REQUEST: u8 = 0x66;
/// `ModifyResponse`.
pub const MODIFY_RESPONSE: u8 = 0x67;
/// `AddRequest`.
pub const ADD_REQUEST: u8 = 0x68;
/// `AddResponse`.
pub const ADD_RESPONSE: u8 = 0x69;
/// `DelRequest`.
pub const DELETE_REQUEST: u8 = 0x4a;
/// `DelResponse`.
pub const DELETE_RESPONSE: u8 = 0x6b;
/// `ModifyDNRequest`.
pub const MODIFY_DN_REQUEST: u8 = 0x6c;
/// `ModifyDNResponse`.
pub const MODIFY_DN_RESPONSE: u8 = 0x6d;
/// `CompareRequest`.
pub const COMPARE_REQUEST: u8 = 0x6e;
/// `CompareResponse`.
pub const COMPARE_RESPONSE: u8 = 0x6f;
/// `AbandonRequest`.
pub const ABANDON_REQUEST: u8 = 0x50;
/// `ExtendedRequest`.
pub const EXTENDED_REQUEST: u8 = 0x77;
/// `ExtendedResponse`.
pub const EXTENDED_RESPONSE: u8 = 0x78;
/// `IntermediateResponse`.
pub const INTERMEDIATE_RESPONSE: u8 = 0x79;
