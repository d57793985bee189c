//! Option codes, and the names people know them by.

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $number:literal, $words:literal;)*) => {
        $($(#[$doc])* pub const $name: u16 = $number;)*

        /// What an option of this code is called, if it is one of those listed here.
        pub const fn name(code: u16) -> Option<&'static str> {
            match code {
                $($number => Some($words),)*
                _ => None,
            }
        }
    };
}

codes! {
    /// The DUID of the client.
    CLIENT_ID = 1, "client identifier";
    /// The DUID of the server.
    SERVER_ID = 2, "server identifier";
    /// Addresses that are not temporary.
    IA_NA = 3, "IA_NA";
    /// Temporary addresses.
    IA_TA = 4, "IA_TA";
    /// An address inside an `IA_NA` or `IA_TA`.
    IAADDR = 5, "IA address";
    /// The codes of the options that a client wants.
    ORO = 6, "option request";
    /// How much a server wants to be chosen.
    PREFERENCE = 7, "preference";
    /// How long the client has been trying, in hundredths of a second.
    ELAPSED_TIME = 8, "elapsed time";
    /// The message that a relay agent carries.
    RELAY_MESSAGE = 9, "relay message";
    /// Authentication.
    AUTH = 11, "authentication";
    /// The address at which the server may be asked directly.
    UNICAST = 12, "server unicast";
    /// How it went.
    STATUS_CODE = 13, "status code";
    /// One round trip instead of two.
    RAPID_COMMIT = 14, "rapid commit";
    /// What kind of user.
    USER_CLASS = 15, "user class";
    /// Whose make the client is.
    VENDOR_CLASS = 16, "vendor class";
    /// What the vendor makes of it.
    VENDOR_OPTS = 17, "vendor-specific information";
    /// Where a relay agent got the message.
    INTERFACE_ID = 18, "interface-id";
    /// What a client is to send after a RECONFIGURE.
    RECONF_MSG = 19, "reconfigure message";
    /// That the client understands RECONFIGURE.
    RECONF_ACCEPT = 20, "reconfigure accept";
    /// Addresses of DNS servers (RFC 3646).
    DNS_SERVERS = 23, "DNS servers";
    /// Where names are looked for (RFC 3646).
    DOMAIN_LIST = 24, "domain search list";
    /// Prefixes that are delegated.
    IA_PD = 25, "IA_PD";
    /// A prefix inside an `IA_PD`.
    IAPREFIX = 26, "IA prefix";
    /// When to ask for information again.
    INFORMATION_REFRESH_TIME = 32, "information refresh time";
    /// Who is at the other end of the line, says the relay agent (RFC 4649).
    REMOTE_ID = 37, "remote-id";
    /// Who is at the other end of the line, says its provider (RFC 4580).
    SUBSCRIBER_ID = 38, "subscriber-id";
    /// The client's name (RFC 4704).
    CLIENT_FQDN = 39, "client FQDN";
    /// The client's link-layer address, says the relay agent (RFC 6939).
    CLIENT_LINKLAYER_ADDR = 79, "client link-layer address";
    /// The longest time between SOLICITs.
    SOL_MAX_RT = 82, "SOL_MAX_RT";
    /// The longest time between INFORMATION-REQUESTs.
    INF_MAX_RT = 83, "INF_MAX_RT";
    /// The port of a relay agent that does not use 547 (RFC 8357).
    RELAY_PORT = 135, "relay source port";
}
