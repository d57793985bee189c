//! The command line of perfdhcp: every switch it ever had, and ours, from words to [`DhcpArgs`].

pub(crate) mod args;
pub(crate) mod varied;
