//! The text of help and pages about a tool of UnboundID beside its options.

use brunt_run::options::exit::Exit;

use crate::options::tool::Tool;

/// What a tool does.
pub(super) const fn description(tool: Tool) -> &'static str {
    match tool {
        Tool::Authrate => {
            "Each operation searches for one entry with the filter and binds as it, over another connection; with \
             --bindOnly it only binds, as the DN in --baseDN. The password is the same for all of them."
        }
        Tool::Searchrate => {
            "Each operation is a search with a base and a filter that may contain value patterns. With --asynchronous \
             a connection has several searches in flight."
        }
        Tool::Modrate => {
            "Each operation replaces the values of attributes of one entry, by random text, by a value pattern, or by \
             a number that is increased."
        }
        _ => {
            "Each operation is a search, and then a modification of each entry that it returned. Rates count both \
             kinds."
        }
    }
}

/// Command lines of a tool, and what they do.
pub(super) const fn examples(tool: Tool) -> &'static [(&'static str, &'static str)] {
    match tool {
        Tool::Authrate => &[
            (
                "Find one of 2000 users and bind as it, 200 times per second:",
                "authrate -p 1389 -b ou=people,dc=example,dc=com \\\n  \
                 -f '(uid=user.[0-1999])' -C password -t 10 -r 200 -i 1 -I 30",
            ),
            (
                "Bind only, with SASL, over TLS:",
                "authrate -p 1636 -Z -X \\\n  \
                 -B -b 'uid=user.[0-1999],ou=people,dc=example,dc=com' \\\n  \
                 -C password -a plain -t 10 -I 12",
            ),
        ],
        Tool::Searchrate => &[
            (
                "Search with ten connections for 30 s, with a row each second:",
                "searchrate -p 1389 -b dc=example,dc=com \\\n  \
                 -f '(uid=user.[0-1999])' -A cn -t 10 -i 1 -I 30",
            ),
            (
                "The same at a rate, with an objective and a record:",
                "searchrate -p 1389 -b dc=example,dc=com \\\n  \
                 -f '(uid=user.[0-1999])' -t 10 -r 500 -I 12 \\\n  \
                 --slo 'p99<20ms' --record run.json",
            ),
        ],
        Tool::Modrate => &[(
            "Replace the description of one of 2000 users by 20 random letters:",
            "modrate -p 1389 -D uid=admin,dc=example,dc=com -w password \\\n  \
             -b 'uid=user.[0-1999],ou=people,dc=example,dc=com' \\\n  \
             -A description -l 20 -t 10 -I 12",
        )],
        _ => &[(
            "Search for one of 2000 users and replace its description:",
            "search-and-mod-rate -p 1389 -D uid=admin,dc=example,dc=com -w password \\\n  \
             -b dc=example,dc=com -f '(uid=user.[0-1999])' -m description \\\n  \
             -l 20 -t 10 -r 200 -I 12",
        )],
    }
}

/// What is different on purpose in one tool or two.
const OF_SOME: [(&[Tool], &str); 3] = [
    (
        &[Tool::Authrate, Tool::Searchrate, Tool::SearchAndModRate],
        "A malformed filter or LDAP URL is refused before the first connection, with the code that its operations \
         would have had: 87 for a filter.",
    ),
    (
        &[Tool::Authrate],
        "With --bindOnly each thread has one connection, as the second would carry nothing.",
    ),
    (
        &[Tool::SearchAndModRate],
        "In the summary and the record searches and modifications are two operations, each with its percentiles.",
    ),
];

/// What is different on purpose in this tool alone or in some.
pub(super) fn own_differences(tool: Tool) -> Vec<&'static str> {
    let of_some = OF_SOME.iter().filter(|(tools, _)| tools.contains(&tool));
    of_some.map(|(_, text)| *text).collect()
}

/// What is different on purpose in all of them.
pub(super) const DIFFERENCES: &[&str] = &[
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
    "There is no menu: --interactive and an empty command line are errors.",
];

/// The exit codes.
pub(super) fn exits() -> Vec<(String, &'static str)> {
    let own = EXITS.iter().map(|(code, meaning)| ((*code).to_owned(), *meaning));
    let ours = [Exit::Partial, Exit::Aborted, Exit::Missed, Exit::Interrupted, Exit::Terminated];
    own.chain(ours.map(|exit| (exit.code().to_string(), exit.meaning()))).collect()
}

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
