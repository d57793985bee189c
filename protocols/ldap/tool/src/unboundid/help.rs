//! The pages `--help` and `--helpSASL` of this dialect.

use brunt_run::options::help::{Help, Layout, Section};
use brunt_run::options::row::Row;

use super::{prose, table};
use crate::options::tool::Tool;

/// How the tools show options.
pub(super) const LAYOUT: Layout = Layout::Braces { secret: "", names_others: false };

/// The page of a tool: the original's options, ours that it takes as well, and what is different on purpose.
pub(super) fn page(tool: Tool, rows: &[Row]) -> String {
    let differences = [prose::own_differences(tool), prose::DIFFERENCES.to_vec()].concat();
    let help = Help {
        layout: LAYOUT,
        usage: format!("{} {{options}}", tool.name()),
        description: &[prose::description(tool), DESCRIPTION],
        examples: prose::examples(tool),
        groups: &[table::ORIGINAL, table::ADDED],
        rows,
        sections: vec![Section::list(
            "Intentional differences from the original tools",
            &differences,
        )],
        exits: prose::exits(),
    };
    help.page()
}

const DESCRIPTION: &str = "The options of UnboundID's tool of this name. There are no trailing arguments. 'brunt help \
                           coming-from' says how a line of this dialect is told from one of OpenDJ's; --dialect \
                           unboundid and --dialect opendj decide.";

/// The page of `--helpSASL`.
pub(super) const SASL: &str = "\
SASL mechanisms, each with the options that --saslOption takes for it:

mech=PLAIN          authID, authzID; password
mech=CRAM-MD5       authID; password
mech=DIGEST-MD5     authID, authzID, realm, qop; password
mech=SCRAM-SHA-1    username; password
mech=SCRAM-SHA-256  username; password
mech=SCRAM-SHA-512  username; password
mech=EXTERNAL       the client certificate, or the user at a Unix socket
mech=GSSAPI         authID, realm, kdcAddress; password, or a ticket
mech=OAUTHBEARER    the access token as the password

An identity is dn:DN or u:NAME. The password is that of --bindPassword.
";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::dialect::Dialect;

    #[test]
    fn help_fits_a_terminal_and_names_every_option() {
        for tool in Tool::ALL.into_iter().filter(|tool| Dialect::Unboundid.has(*tool)) {
            let rows = table::of(tool);
            let page = page(tool, &rows);
            for row in &rows {
                assert!(page.contains(&format!("--{}", row.name)), "{tool:?} {}", row.name);
            }
            assert!(page.lines().all(|line| line.chars().count() < 80), "{page}");
        }
    }
}
