//! The texts of the tools' pages beside their options: the purpose of a tool, its differences, examples.
//!
//! The examples are those of the original tools' pages, so that they can be tried here unchanged. The tests read each
//! of them as a command line.

use super::tool::Tool;

/// The description of a tool.
pub fn description(tool: Tool) -> &'static str {
    match tool {
        Tool::Authrate => {
            "Measures bind throughput and response time of a directory service: binds only, or searches that are each \
             followed by a bind. Template strings may be used in the bind DN and in the authid and authzid SASL \
             options. With a base DN and a filter, a search precedes each bind, and the DN of the entry that it finds \
             is the last argument of the templates. Without -f each bind opens its own connection, which can exhaust \
             the local ports of this machine; a check before the run reports this."
        }
        Tool::Modrate => {
            "Measures modification throughput and response time of a directory service. Each trailing argument is an \
             attribute and a value template string, and replaces the values of that attribute in the target entry. \
             Without -f or -F each modification opens its own connection and binds on it."
        }
        Tool::Searchrate => {
            "Measures search throughput and response time of a directory service. The first trailing argument is the \
             filter template string, and further ones are the attributes to return. Without -f or -F each search \
             opens its own connection and binds on it."
        }
        Tool::Addrate => {
            "Measures add and delete throughput and response time of a directory service. It adds entries generated \
             from a MakeLDIF template, deletes them once there are more than the threshold, and at the end deletes all \
             entries that it added. It changes the directory: do not use it in production."
        }
        Tool::SearchAndModRate => {
            "Measures searches, and modifications of the entries that they find. The first trailing argument is the \
             filter template string, and each further one is an attribute and a value template string. Searches and \
             modifications are counted and timed separately."
        }
        Tool::Comparerate => {
            "Measures comparison throughput and response time of a directory service. The trailing argument is an \
             attribute and a value template string. Both answers, true and false, are successes, and are counted apart \
             by result code. Without -f or -F each comparison opens its own connection and binds on it."
        }
        Tool::Deleterate => {
            "Measures deletion throughput and response time of a directory service. Each operation deletes the entry \
             that the target DN names; addrate with '-C off --noPurge', or makeldif and an import, makes entries to \
             delete. An entry that does not exist is a failure (noSuchObject). It changes the directory: do not use \
             it in production. Without -f or -F each deletion opens its own connection and binds on it."
        }
        Tool::Moddnrate => {
            "Measures throughput and response time of renaming and moving entries (modify DN). The trailing argument \
             is the new RDN of the entry that the target DN names. Each renaming is followed on its connection by the \
             one that undoes it, and both are operations of the run. It changes the directory: do not use it in \
             production. Without -f or -F each operation opens its own connection and binds on it."
        }
    }
}

/// The intentional differences of a tool from the original.
pub fn differences(tool: Tool) -> Vec<&'static str> {
    let mut list = vec![
        "With -M each operation is due at a fixed time, and its response time counts from then. A slow server \
         therefore cannot hide its slowness by delaying the operations that follow. --compat shows the original \
         figure in the table; the record always contains response time, service time and lag.",
        "-d counts from the end of the warm-up, and no figure includes the warm-up.",
        "-m is the exact number of operations, whatever -c and -t are.",
        "-e accepts decimals.",
        "The last row covers the rest of the last interval up to the last answer. It also appears after a signal.",
        "If the server goes away, the tool reconnects and counts the failures; it no longer stops with success. The \
         exit code is then 5. The same applies to a server that keeps its connections and does not answer, for which \
         the original tools wait forever.",
        "If no operation succeeds, the exit code is 1. It is 0 in OpenDJ's tools, whatever fails after the start.",
        "A connection that the server closed while it was idle is not a failure: it is reopened and counted. --resend \
         decides what happens to a request that was sent on it.",
        "A summary with lag, dropped operations and result codes follows on standard error. Standard output is the \
         same as that of the original tools.",
        "Started through a link of its name and with standard error not a terminal, as by a script or cron, the tool \
         writes nothing there if the run passed or was measured and can be trusted, and else one line. --summary \
         writes all of it.",
        "With TLS and no trust option, the root certificates of the operating system are used. The tool never asks \
         whether to trust a certificate.",
        "The host name defaults to localhost, and the port to 389, or 636 with --useSsl.",
        "A property with an invalid value is an error that names the file and the line. A key of a properties file \
         that looks like a misspelt option is ignored with a note on standard error; other keys that this tool does \
         not know belong to other tools.",
    ];
    match tool {
        Tool::Modrate | Tool::SearchAndModRate => {
            list.push("A trailing argument without a colon is an error; the original tools ignore it.");
        }
        Tool::Addrate => list.extend([
            "A signal starts the purge phase; a second one ends it.",
            "If the template generates no more entries than the size threshold, the run ends when all are added. If \
             it generates more, it starts again from the first entry, which is deleted by then.",
        ]),
        Tool::Authrate => list.extend([
            "If the first binds, one for each connection and at least ten, are all refused with invalidCredentials, \
             the run ends with exit code 49: a wrong password would only lock accounts. With -I or --abort-on locked \
             it continues.",
            "There is no column 'bind time %', which the source of OpenDJ's authrate has for searches before binds, \
             but which it never shows. The summary and the record have the times of both as parts.",
        ]),
        Tool::Searchrate => {}
        Tool::Comparerate | Tool::Deleterate | Tool::Moddnrate => {
            list.insert(0, "OpenDJ and UnboundID have no such tool: options and table are those of modrate.");
        }
    }
    if tool != Tool::Addrate {
        list.extend([
            "inc has one counter for all connections, so that each value is used once before any is used again. \
             --inc-scope worker gives each of them its own counter.",
            "rand({min},{max}) excludes max, unless --rand-inclusive is given.",
            "Random values differ from run to run unless --seed is given.",
            "Generated values in a DN or a filter are escaped, unless --raw is given.",
        ]);
    }
    list
}

/// Examples: the purpose, and the command.
pub fn examples(tool: Tool) -> &'static [(&'static str, &'static str)] {
    match tool {
        Tool::Authrate => &[
            (
                "Bind as one of 2000 users, over 10 connections:",
                "authrate -p 1636 -Z -X -D 'uid=user.{},ou=people,dc=example,dc=com' \\\n\
                 \x20 -w password -f -c 10 -g 'rand(0,2000)'",
            ),
            (
                "Search for a user, then bind as the entry found:",
                "authrate -p 1636 -Z -X -D '{2}' -w password -f -c 10 \\\n\
                 \x20 -b 'ou=people,dc=example,dc=com' -s one \\\n\
                 \x20 -g 'rand(0,2000)' '(uid=user.{1})'",
            ),
            (
                "Open loop: 500 binds per second, with an objective and a record:",
                "authrate --hostname localhost --port 1389 --argument \"rand(0,2000)\" \\\n\
                 \x20 --bindDn \"uid=user.{},ou=people,dc=example,dc=com\" \\\n\
                 \x20 --bindPassword:env PW --numConnections 10 --keepConnectionsOpen \\\n\
                 \x20 --maxDuration 30 \\\n\
                 \x20 --targetThroughput 500 --slo 'bind.p99<20ms' --record run.json",
            ),
        ],
        Tool::Modrate => &[
            (
                "Write random descriptions to 2000 entries, with four concurrent requests on each of four connections:",
                "modrate -p 1636 -Z -X -D uid=admin,dc=example,dc=com -w password \\\n\
                 \x20 -F -c 4 -t 4 -b 'uid=user.{1},ou=people,dc=example,dc=com' \\\n\
                 \x20 -g 'rand(0,2000)' -g 'randstr(16)' 'description:{2}'",
            ),
            (
                "Read each entry first, and modify it only if its description has not changed since:",
                "modrate -p 1389 -D uid=admin,dc=example,dc=com -w password -F \\\n\
                 \x20 --strategy read_modify --mvcc description \\\n\
                 \x20 -b 'uid=user.{1},ou=people,dc=example,dc=com' -g 'rand(0,2000)' \\\n\
                 \x20 -g 'randstr(16)' 'description:{2}'",
            ),
        ],
        Tool::Searchrate => &[(
            "Search for one of 2000 users and return two attributes:",
            "searchrate -p 1636 -Z -X -D uid=admin,dc=example,dc=com -w password \\\n\
             \x20 -F -c 4 -t 4 -b 'dc=example,dc=com' -g 'rand(0,2000)' \\\n\
             \x20 '(uid=user.{})' cn mail",
        )],
        Tool::Addrate => &[
            (
                "Add entries, and delete the oldest once there are 10000:",
                "addrate -p 1636 -Z -X -D uid=admin,dc=example,dc=com -w password \\\n\
                 \x20 -F -c 10 -C fifo --deleteSizeThreshold 10,000 \\\n\
                 \x20 examples/templates/people.template",
            ),
            (
                "Add 2000 entries and keep them:",
                "addrate -p 1389 -D uid=admin,dc=example,dc=com -w password \\\n\
                 \x20 -F -c 10 -m 2,000 -C off --noPurge -g suffix=dc=example,dc=com \\\n\
                 \x20 examples/templates/people.template",
            ),
        ],
        Tool::Comparerate => COMPARERATE,
        Tool::Deleterate => DELETERATE,
        Tool::Moddnrate => MODDNRATE,
        Tool::SearchAndModRate => &[(
            "Find one of 2000 users and replace its description:",
            "search-and-mod-rate -p 1389 -D uid=admin,dc=example,dc=com -w password \\\n\
             \x20 -F -c 4 -b 'dc=example,dc=com' -g 'rand(0,2000)' -g 'randstr(16)' \\\n\
             \x20 '(uid=user.{1})' 'description:{2}'",
        )],
    }
}

const COMPARERATE: &[(&str, &str)] = &[(
    "Compare the mail address of one of 2000 users:",
    "comparerate -p 1389 -D uid=admin,dc=example,dc=com -w password -F -c 4 \\\n\
     \x20 -b 'uid=user.{1},ou=people,dc=example,dc=com' -g 'rand(0,2000)' \\\n\
     \x20 'mail:user.{1}@example.com'",
)];

const DELETERATE: &[(&str, &str)] = &[(
    "Delete 2000 users, each once:",
    "deleterate -p 1389 -D uid=admin,dc=example,dc=com -w password -F -c 4 \\\n\
     \x20 -m 2000 -b 'uid=user.{},ou=people,dc=example,dc=com' -g 'inc(0,1999)'",
)];

const MODDNRATE: &[(&str, &str)] = &[
    (
        "Rename users and give them their names back:",
        "moddnrate -p 1389 -D uid=admin,dc=example,dc=com -w password -F -c 4 \\\n\
         \x20 -d 30 -b 'uid=user.{1},ou=people,dc=example,dc=com' -g 'inc(0,1999)' \\\n\
         \x20 'uid=renamed.{1}'",
    ),
    (
        "Move 2000 users out of their branch, each once:",
        "moddnrate -p 1389 -D uid=admin,dc=example,dc=com -w password -F -c 4 \\\n\
         \x20 -m 2000 --oneWay -b 'uid=user.{1},ou=people,dc=example,dc=com' \\\n\
         \x20 -g 'inc(0,1999)' --newSuperior 'dc=example,dc=com' 'uid=user.{1}'",
    ),
];
