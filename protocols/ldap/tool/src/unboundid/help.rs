//! The pages `--help` and `--helpSASL` of this dialect.

use brunt_run::options::exit::Exit;
use brunt_run::options::help::{Help, Layout, Section};
use brunt_run::options::row::Row;

use super::table;
use crate::options::tool::Tool;

/// The page of a tool: the original's options, ours that it takes as well, and what is different on purpose.
pub(super) fn page(tool: Tool, rows: &[Row]) -> String {
    let help = Help {
        layout: Layout::Braces { secret: "", names_others: false },
        usage: format!("{} {{options}}", tool.name()),
        description: &[DESCRIPTION],
        examples: &[],
        groups: &[table::ORIGINAL, table::ADDED],
        rows,
        sections: vec![Section::list(
            "Intentional differences from the original tools",
            DIFFERENCES,
        )],
        exits: exits(),
    };
    help.page()
}

fn exits() -> Vec<(String, &'static str)> {
    let own = EXITS.iter().map(|(code, meaning)| ((*code).to_owned(), *meaning));
    let ours = [Exit::Partial, Exit::Aborted, Exit::Missed, Exit::Interrupted, Exit::Terminated];
    own.chain(ours.map(|exit| (exit.code().to_string(), exit.meaning()))).collect()
}

const DESCRIPTION: &str = "The options of UnboundID's tool of this name. There are no trailing arguments. 'brunt help \
                           coming-from' says how a line of this dialect is told from one of OpenDJ's; --dialect \
                           unboundid and --dialect opendj decide.";

/// What is different on purpose.
const DIFFERENCES: &[&str] = &[
    "A malformed filter or LDAP URL is refused before the first connection, with the code that its operations would \
     have had: 87 for a filter.",
    "A connection that cannot be opened is tried again with growing pauses, and not as fast as it fails.",
    "--warmUpIntervals works with --variableRateData as well.",
    "After a signal the rest of the last row is shown, and the summary on standard error.",
    "With a rate, operations become due whether or not earlier ones were answered. The table shows the original's \
     durations, from sending to the answer; the summary and the record have the response times from when they were \
     due, with percentiles.",
    "Numbers have a decimal point in every locale.",
    "A step of a random range, as in [1-9x2], and a step below 1 are refused instead of ignored; so is [http:...].",
    "A byte order mark at the beginning of a data file is not a part of its first value.",
    "Unknown keys and lines without = in a properties file are reported.",
    "--appendToOutputFile and --teeOutput need --outputFile.",
    "The server's certificate is always verified, its name included, unless --trustAll is given; no question is \
     asked.",
    "With --bindOnly each thread has one connection, as the second would carry nothing.",
    "There is no menu: --interactive and an empty command line are errors.",
];

const EXITS: &[(&str, &str)] = &[
    ("0", "No operation failed."),
    ("82", "A password was to be asked for, and standard input is not a terminal."),
    ("89", "The command line is wrong."),
    (
        "other",
        "The LDAP result of the first operation that failed, also in the warm-up, or of the first connection: 81 for \
         a lost connection, 91 if none could be opened, 94 and 95 where authrate found no entry or several. The \
         summary names it.",
    ),
];

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
    fn the_page_names_every_option_and_fits_a_terminal() {
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
