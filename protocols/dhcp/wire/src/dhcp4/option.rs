//! The codes of DHCPv4 options (RFC 2132 and its extensions), and their names.

/// Fills up to a boundary; has no length.
pub const PAD: u8 = 0;
/// Subnet mask.
pub const SUBNET_MASK: u8 = 1;
/// Routers.
pub const ROUTERS: u8 = 3;
/// Domain name servers.
pub const DOMAIN_NAME_SERVERS: u8 = 6;
/// Host name.
pub const HOST_NAME: u8 = 12;
/// Domain name.
pub const DOMAIN_NAME: u8 = 15;
/// Broadcast address.
pub const BROADCAST_ADDRESS: u8 = 28;
/// Requested IP address.
pub const REQUESTED_ADDRESS: u8 = 50;
/// Lease time.
pub const LEASE_TIME: u8 = 51;
/// Option overload: `file`, `sname` or both contain options.
pub const OVERLOAD: u8 = 52;
/// Message type.
pub const MESSAGE_TYPE: u8 = 53;
/// Server identifier.
pub const SERVER_ID: u8 = 54;
/// Parameter request list.
pub const PARAMETER_REQUEST_LIST: u8 = 55;
/// Message: the reason why a server refused, or a client declined.
pub const MESSAGE: u8 = 56;
/// Maximum message size.
pub const MAX_MESSAGE_SIZE: u8 = 57;
/// Renewal time, T1.
pub const RENEWAL_TIME: u8 = 58;
/// Rebinding time, T2.
pub const REBINDING_TIME: u8 = 59;
/// Vendor class identifier.
pub const VENDOR_CLASS: u8 = 60;
/// Client identifier (RFC 2132 section 9.14, RFC 4361).
pub const CLIENT_ID: u8 = 61;
/// User class (RFC 3004).
pub const USER_CLASS: u8 = 77;
/// Rapid commit (RFC 4039).
pub const RAPID_COMMIT: u8 = 80;
/// Client FQDN (RFC 4702).
pub const FQDN: u8 = 81;
/// Relay agent information (RFC 3046).
pub const RELAY_INFO: u8 = 82;
/// Ends the options; has no length.
pub const END: u8 = 255;

/// The name of an option in messages. Options that clients seldom send have no name here.
pub const fn name(code: u8) -> Option<&'static str> {
    Some(match code {
        PAD => "pad",
        SUBNET_MASK => "subnet mask",
        ROUTERS => "routers",
        DOMAIN_NAME_SERVERS => "domain name servers",
        HOST_NAME => "host name",
        DOMAIN_NAME => "domain name",
        BROADCAST_ADDRESS => "broadcast address",
        REQUESTED_ADDRESS => "requested IP address",
        LEASE_TIME => "lease time",
        OVERLOAD => "option overload",
        MESSAGE_TYPE => "message type",
        SERVER_ID => "server identifier",
        PARAMETER_REQUEST_LIST => "parameter request list",
        MESSAGE => "message",
        MAX_MESSAGE_SIZE => "maximum message size",
        RENEWAL_TIME => "renewal time",
        REBINDING_TIME => "rebinding time",
        VENDOR_CLASS => "vendor class",
        CLIENT_ID => "client identifier",
        USER_CLASS => "user class",
        RAPID_COMMIT => "rapid commit",
        FQDN => "client FQDN",
        RELAY_INFO => "relay agent information",
        END => "end",
        _ => return None,
    })
}
