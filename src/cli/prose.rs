//! What the pages of the tools say besides their options: what a tool is for, where it differs, examples.
//!
//! The examples are those of the pages the tools had before, so that they can be tried here unchanged; the tests read
//! every one of them as a command line.

use super::tool::Tool;

/// What a tool does.
pub(super) fn description(tool: Tool) -> &'static str {
    match tool {
        Tool::Authrate => {
            "Measures bind throughput and response time of a directory service, by binds or by searches each followed \
             by a bind. Template strings may be used in the bind DN and in the authid and authzid SASL options. Given \
             a base DN and a filter, each bind is preceded by a search, and the DN of the entry it finds is the last \
             argument of the templates. Without -f each bind has a connection of its own, which can use up the local \
             ports of this machine: a check before the run says so."
        }
        Tool::Modrate => {
            "Measures modification throughput and response time of a directory service. Each trailing argument is an \
             attribute and a value template string, and replaces the values of that attribute in the target entry. \
             Without -f or -F each modification has a connection and a bind of its own."
        }
        Tool::Searchrate => {
            "Measures search throughput and response time of a directory service. The first trailing argument is the \
             filter template string, further ones are the attributes to return. Without -f or -F each search has a \
             connection and a bind of its own."
        }
        Tool::Addrate => {
            "Measures add and delete throughput and response time of a directory service. It adds entries made from a \
             MakeLDIF template, deletes them again once there are more than the threshold allows, and at the end \
             deletes all that it added. It changes the directory: do not use it on one that matters."
        }
        Tool::SearchAndModRate => {
            "Measures searches and modifications of the entries they find. The first trailing argument is the filter \
             template string, each further one an attribute and a value template string. Searches and modifications \
             are counted and timed apart."
        }
    }
}

/// Where a tool differs on purpose from its predecessor.
pub(super) fn differences(tool: Tool) -> Vec<&'static str> {
    let mut list = vec![
        "Under -M an operation is due at a fixed moment, and its response time counts from then, so a slow server \
         cannot hide its slowness by holding up the operations that follow. --compat shows the old figure in the \
         table; the record holds response time, service time and lag in any case.",
        "-d is counted from the end of the warm-up, and nothing of the warm-up enters any figure.",
        "-m is the exact number of operations, whatever -c and -t are.",
        "-e may have decimals.",
        "The last row covers what remained of the last interval up to the last answer, and appears after a signal too.",
        "When the server goes away the tool connects again and counts the failures; it no longer stops with success. \
         The exit code is then 5, or 1 if not one operation succeeded.",
        "A connection that the server closed while it was idle is no failure: it is made anew, and counted. Where a \
         request met the end of it, --resend says what happens.",
        "A summary with lag, dropped operations and result codes follows on standard error. Standard output holds \
         what it held of old.",
        "With TLS and no trust option the roots of the operating system are used; it never asks whether to trust.",
        "The host name defaults to localhost, and the port to 389, or 636 with --useSsl.",
        "A property with a value that is not acceptable is an error that names file and line.",
    ];
    match tool {
        Tool::Modrate | Tool::SearchAndModRate => {
            list.push("A trailing argument without a colon is refused instead of being dropped.");
        }
        Tool::Addrate => list.extend([
            "A signal starts the purge phase; a second one ends it.",
            "A template that makes no more entries than the size threshold ends the run when all are \
             added. One that makes more begins anew when all are used: the first are deleted by then.",
        ]),
        Tool::Authrate | Tool::Searchrate => {}
    }
    if tool != Tool::Addrate {
        list.extend([
            "inc counts for all connections together, so that each value is used once before any is used again; \
             --inc-scope worker has each of them count for itself.",
            "rand({min},{max}) never draws max; --rand-inclusive makes it do so.",
            "Random values differ from run to run unless --seed is given.",
            "Generated values are escaped where they stand in a DN or a filter; --raw leaves them as they are.",
        ]);
    }
    list
}

/// Examples: what they show, and the command.
pub(super) fn examples(tool: Tool) -> &'static [(&'static str, &'static str)] {
    match tool {
        Tool::Authrate => &[
            (
                "Binds as one of 2000 users:",
                "authrate -p 1636 -Z -X -D 'uid=user.{},ou=people,dc=example,dc=com' \\\n\
                 \x20 -w password -f -c 10 -g 'rand(0,2000)'",
            ),
            (
                "Searches for one of them, then binds as what was found:",
                "authrate -p 1636 -Z -X -D '{2}' -w password -f -c 10 \\\n\
                 \x20 -b 'ou=people,dc=example,dc=com' -s one -g 'rand(0,2000)' '(uid=user.{1})'",
            ),
            (
                "The same 500 binds a second whatever the server does, with an objective and a record:",
                "authrate --hostname localhost --port 1389 --argument \"rand(0,2000)\" \\\n\
                 \x20 --bindDn \"uid=user.{},ou=people,dc=example,dc=com\" --bindPassword:env PW \\\n\
                 \x20 --numConnections 10 --keepConnectionsOpen --maxDuration 30 \\\n\
                 \x20 --targetThroughput 500 --slo 'bind.p99<20ms' --record run.json",
            ),
        ],
        Tool::Modrate => &[
            (
                "Writes random descriptions to 2000 entries, four requests at a time on each of four connections:",
                "modrate -p 1636 -Z -X -D uid=admin -w password \\\n\
                 \x20 -F -c 4 -t 4 -b 'uid=user.{1},ou=people,dc=example,dc=com' \\\n\
                 \x20 -g 'rand(0,2000)' -g 'randstr(16)' 'description:{2}'",
            ),
            (
                "Reads each entry first, and modifies it only if nobody else has meanwhile:",
                "modrate -p 1389 -D uid=admin -w password -F --strategy read_modify \\\n\
                 \x20 --mvcc entryCSN -b 'uid=user.{1},ou=people,dc=example,dc=com' \\\n\
                 \x20 -g 'rand(0,2000)' -g 'randstr(16)' 'description:{2}'",
            ),
        ],
        Tool::Searchrate => &[(
            "Searches for one of 2000 users and returns two attributes:",
            "searchrate -p 1636 -Z -X -D uid=admin -w password -F -c 4 -t 4 \\\n\
             \x20 -b 'dc=example,dc=com' -g 'rand(0,2000)' '(uid=user.{})' cn mail",
        )],
        Tool::Addrate => &[
            (
                "Adds entries, and deletes the oldest once there are 10000:",
                "addrate -p 1636 -Z -X -D uid=admin -w password -F -c 10 \\\n\
                 \x20 -C fifo --deleteSizeThreshold 10,000 people.template",
            ),
            (
                "Adds 2000 entries and leaves them there:",
                "addrate -p 1389 -D uid=admin -w password -F -c 10 -m 2,000 \\\n\
                 \x20 -C off --noPurge -g suffix=dc=example,dc=com people.template",
            ),
        ],
        Tool::SearchAndModRate => &[(
            "Finds one of 2000 users and gives it a new description:",
            "search-and-mod-rate -p 1389 -D uid=admin -w password -F -c 4 \\\n\
             \x20 -b 'dc=example,dc=com' -g 'rand(0,2000)' -g 'randstr(16)' \\\n\
             \x20 '(uid=user.{1})' 'description:{2}'",
        )],
    }
}
