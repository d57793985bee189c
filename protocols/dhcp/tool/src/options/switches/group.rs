//! The headings under which the help of perfdhcp lists switches.

/// The parts of an exchange.
pub const EXCHANGE: &str = "Exchange";
/// The clients.
pub const CLIENTS: &str = "Clients";
/// The server, and the addresses to send from.
pub const NETWORK: &str = "Network";
/// The contents of messages.
pub const MESSAGES: &str = "Message content";
/// When exchanges start.
pub const RATE: &str = "Rate";
/// When the run ends.
pub const END: &str = "Drops and the end of the run";
/// The lives of a fleet's clients.
pub const FLEET: &str = "Client behaviour in --scenario fleet";
/// What is printed and written.
pub const OUTPUT: &str = "Output";
/// Help and version.
pub const GENERAL: &str = "Help and version";

/// Every heading, in the order of the help.
pub const ALL: [&str; 9] =
    [EXCHANGE, CLIENTS, NETWORK, MESSAGES, RATE, END, FLEET, OUTPUT, GENERAL];
