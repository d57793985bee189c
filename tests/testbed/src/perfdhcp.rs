//! The tool that brunt replaces for DHCP, run for real, and the parser of its output.
//!
//! The parser reads the same texts as users' scripts, so it works for any program that prints them.

use crate::lan::Lan;
use std::process::Output;

/// A run of perfdhcp that has ended.
#[derive(Clone, Debug)]
pub struct Perfdhcp {
    /// Its exit code.
    pub code: i32,
    /// What it said on standard output.
    pub report: String,
    /// What it said on standard error.
    pub errors: String,
}

impl Perfdhcp {
    /// Runs the old tool on the clients' host, with arguments as one would type them.
    pub fn run(lan: &Lan, arguments: &str) -> Self {
        let mut command = lan.client("perfdhcp");
        let output = command.args(arguments.split_whitespace()).output();
        let Output { status, stdout, stderr } = output.expect("perfdhcp is installed");
        let code = status.code().unwrap_or_else(|| panic!("{command:?} ended with {status}"));
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Self { code, report: text(stdout), errors: text(stderr) }
    }

    /// The number on a line of the block of an exchange: `count("DISCOVER-OFFER", "sent packets")`.
    pub fn count(&self, exchange: &str, line: &str) -> u64 {
        printed(&self.report, exchange, line).unwrap_or_else(|| {
            panic!("no {line} of {exchange} in:\n{}{}", self.report, self.errors)
        })
    }
}

/// The number on a line of the block of an exchange in a report of perfdhcp, or of what prints the same.
pub fn printed(report: &str, exchange: &str, line: &str) -> Option<u64> {
    let block = report
        .split("***Statistics for: ")
        .find_map(|block| block.strip_prefix(exchange).and_then(|rest| rest.strip_prefix("***")))?;
    let value = block.lines().find_map(|text| text.strip_prefix(line)?.strip_prefix(':'))?;
    value.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_number_belongs_to_its_block() {
        let report = "***Rate statistics***\nRate: 1\n***Statistics for: REQUEST-ACK***\nsent packets: 4\n\
            drops: 1\n***Statistics for: REQUEST-ACK (renewal)***\nsent packets: 9\n";
        assert_eq!(printed(report, "REQUEST-ACK", "sent packets"), Some(4));
        assert_eq!(printed(report, "REQUEST-ACK (renewal)", "sent packets"), Some(9));
        assert_eq!(printed(report, "REQUEST-ACK (renewal)", "drops"), None);
        assert_eq!(printed(report, "RELEASE", "sent packets"), None);
    }
}
