//! Events outside the exchanges over HTTP, counted for the whole process.

use brunt_net::counters;

counters! {
    /// Connections that were opened, with TLS where requested.
    opened,
    /// Connections that the server ended while no request was pending.
    lost,
    /// Connections closed because of an unrequested response, such as a 408 (RFC 9110 section 15.5.9).
    unasked,
    /// Requests sent a second time, as the server had closed the connection before it could have read the first.
    healed,
}
