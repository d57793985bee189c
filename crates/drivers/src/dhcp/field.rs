//! A [`Field`]: a part of an answer that a plan can look at.

/// A part of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// The option of this code.
    Option(u16),
    /// The address that is offered or given (`yiaddr`, DHCPv4).
    Address,
    /// The address of the server to boot from (`siaddr`, DHCPv4).
    NextServer,
    /// The name of that server (`sname`, DHCPv4).
    ServerName,
    /// The name of the boot file (`file`, DHCPv4).
    BootFile,
}
