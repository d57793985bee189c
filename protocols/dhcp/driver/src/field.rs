//! A [`Field`]: a part of an answer that a plan can check.

/// A part of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// The option with this code.
    Option(u16),
    /// The offered or granted address (`yiaddr`, DHCPv4).
    Address,
    /// The address of the server to boot from (`siaddr`, DHCPv4).
    NextServer,
    /// The name of that server (`sname`, DHCPv4).
    ServerName,
    /// The name of the boot file (`file`, DHCPv4).
    BootFile,
}
