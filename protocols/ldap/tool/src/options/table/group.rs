//! The headings under which the help of the LDAP rate tools lists options.

/// What the tool does.
pub const COMMAND: &str = "Command options";
/// The server and the identity.
pub const CONNECTION: &str = "LDAP connection options";
/// The behaviour at the terminal.
pub const UTILITY: &str = "Utility input/output options";
/// Help and version.
pub const GENERAL: &str = "General options";
/// Ours: when operations begin, and how many.
pub const LOAD: &str = "Load options added by brunt";
/// Ours: the contents of each request.
pub const REQUEST: &str = "Request options added by brunt";
/// Ours: the network.
pub const NETWORK: &str = "Connection options added by brunt";
/// Ours: the output.
pub const OUTPUT: &str = "Output options added by brunt";

/// Every heading, in the order of the help.
pub const ALL: [&str; 8] = [COMMAND, CONNECTION, UTILITY, GENERAL, LOAD, REQUEST, NETWORK, OUTPUT];
