//! Option codes and their common names.

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $number:literal, $words:literal;)*) => {
        $($(#[$doc])* pub const $name: u16 = $number;)*

        /// The name of the option with this code, if it is listed here.
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
    /// The codes of the options that a client requests.
    ORO = 6, "option request";
    /// The preference with which a server asks to be chosen.
    PREFERENCE = 7, "preference";
    /// How long the client has been trying, in hundredths of a second.
    ELAPSED_TIME = 8, "elapsed time";
    /// The message that a relay agent carries.
    RELAY_MESSAGE = 9, "relay message";
    /// Authentication.
    AUTH = 11, "authentication";
    /// The address at which the server may be contacted directly.
    UNICAST = 12, "server unicast";
    /// The result of a request.
    STATUS_CODE = 13, "status code";
    /// One round trip instead of two.
    RAPID_COMMIT = 14, "rapid commit";
    /// The kind of user.
    USER_CLASS = 15, "user class";
    /// The vendor of the client.
    VENDOR_CLASS = 16, "vendor class";
    /// Options defined by the vendor.
    VENDOR_OPTS = 17, "vendor-specific information";
    /// The interface on which a relay agent received the message.
    INTERFACE_ID = 18, "interface-id";
    /// The message that a client must send after a RECONFIGURE.
    RECONF_MSG = 19, "reconfigure message";
    /// The client accepts RECONFIGURE.
    RECONF_ACCEPT = 20, "reconfigure accept";
    /// Addresses of DNS servers (RFC 3646).
    DNS_SERVERS = 23, "DNS servers";
    /// The domains in which names are searched for (RFC 3646).
    DOMAIN_LIST = 24, "domain search list";
    /// Prefixes that are delegated.
    IA_PD = 25, "IA_PD";
    /// A prefix inside an `IA_PD`.
    IAPREFIX = 26, "IA prefix";
    /// When to request information again.
    INFORMATION_REFRESH_TIME = 32, "information refresh time";
    /// The identity of the remote end of the line, according to the relay agent (RFC 4649).
    REMOTE_ID = 37, "remote-id";
    /// The identity of the subscriber, according to the provider (RFC 4580).
    SUBSCRIBER_ID = 38, "subscriber-id";
    /// The client's name (RFC 4704).
    CLIENT_FQDN = 39, "client FQDN";
    /// The client's link-layer address, according to the relay agent (RFC 6939).
    CLIENT_LINKLAYER_ADDR = 79, "client link-layer address";
    /// The longest time between SOLICITs.
    SOL_MAX_RT = 82, "SOL_MAX_RT";
    /// The longest time between INFORMATION-REQUESTs.
    INF_MAX_RT = 83, "INF_MAX_RT";
    /// The port of a relay agent that does not use 547 (RFC 8357).
    RELAY_PORT = 135, "relay source port";
}
