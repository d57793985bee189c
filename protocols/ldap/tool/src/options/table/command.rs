//! The options that set what a tool does: those of the original pages, and those about the terminal.
//!
//! Names, letters and defaults are those of the original tools; the longer spelling of an older release is accepted as
//! well as the newer one. None of our own options is listed here.

use super::{I64_MAX, Kind, Row, Tool, group};

const SCOPES: &[&str] = &["base", "one", "sub", "subordinates", "subord"];
const POLICIES: &[&str] = &["never", "always", "search", "find"];
/// The largest number of seconds or milliseconds: about 136 years.
pub(super) const LONGEST: i128 = 4_294_967_295;

/// The rows of this file for a tool.
pub(super) fn of(tool: Tool) -> Vec<Row> {
    let mut rows = COMMON.to_vec();
    rows.extend_from_slice(match tool {
        Tool::Authrate => AUTHRATE,
        Tool::Modrate => MODRATE,
        Tool::Searchrate => SEARCHRATE,
        Tool::Addrate => ADDRATE,
        Tool::SearchAndModRate => SEARCH_AND_MOD_RATE,
        Tool::Comparerate | Tool::Deleterate => &[TARGET_DN],
        Tool::Moddnrate => MODDNRATE,
    });
    if tool != Tool::Authrate {
        rows.extend_from_slice(CONCURRENT);
    }
    if tool != Tool::Addrate {
        rows.extend_from_slice(ARGUMENT);
    }
    if matches!(tool, Tool::Authrate | Tool::Searchrate | Tool::SearchAndModRate) {
        rows.extend_from_slice(SEARCHING);
    }
    rows.push(if tool == Tool::Addrate { NO_PROMPT } else { NO_PROMPT.short('n') });
    rows
}

const fn row(long: &'static str, value: &'static str, kind: Kind, help: &'static str) -> Row {
    Row::new(group::COMMAND, long, value, kind, help)
}

const COMMON: &[Row] = &[
    row(
        "warmUpDuration",
        "seconds",
        Kind::Integer(0, LONGEST),
        "Warm-up duration in seconds. No figure includes the warm-up.",
    )
    .short('B')
    .default("0"),
    row("numConnections", "number", Kind::Integer(1, 1_000_000), "Number of connections.").short('c').default("1"),
    row(
        "maxDuration",
        "seconds",
        Kind::Integer(0, LONGEST),
        "Maximum duration in seconds, 0 for unlimited. It counts from the end of the warm-up.",
    )
    .short('d')
    .default("0"),
    row(
        "percentile",
        "percentile",
        Kind::Decimal(0.0, 100.0),
        "Show the response time within which this percentage of operations completed, such as 99.5. May be \
         repeated; replaces the default columns.",
    )
    .short('e')
    .default("99.9, 99.99, 99.999")
    .many(),
    Row::switch(
        group::COMMAND,
        "keepConnectionsOpen",
        "Keep connections open, and bind again on them before each operation. Without this option each \
         operation opens, binds and closes its own connection, and its response time includes this.",
    )
    .short('f'),
    row("statInterval", "seconds", Kind::Integer(1, LONGEST), "Display results each specified number of seconds.")
        .short('i')
        .default("5")
        .also(&["intervalDuration"]),
    row(
        "maxIterations",
        "number",
        Kind::Integer(0, I64_MAX),
        "Total number of operations after which to stop, 0 for unlimited. The number is exact: it is not \
         divided among connections, and warm-up operations do not count.",
    )
    .short('m')
    .default("0"),
    row(
        "targetThroughput",
        "rate",
        Kind::Decimal(0.0, 1e9),
        "Operations to start per second over all connections (open loop), 0 for as many as the target takes. \
         Operations become due at this rate whether or not earlier ones were answered.",
    )
    .short('M')
    .default("0")
    .also(&["ratePerSecond"]),
    Row::switch(group::COMMAND, "scriptFriendly", "Use script-friendly mode: comma-separated values without a frame.")
        .short('S')
        .also(&["csv"]),
    Row::switch(group::UTILITY, "verbose", "Use verbose mode: print each failed operation on standard error.")
        .short('v'),
    Row::switch(group::UTILITY, "noPropertiesFile", "Do not read defaults from any properties file."),
    Row::new(
        group::UTILITY,
        "propertiesFilePath",
        "path",
        Kind::Path,
        "Properties file with values for options that are not on the command line. Default: the first that \
         exists of $XDG_CONFIG_HOME/brunt/tools.properties, ~/.config/brunt/tools.properties and \
         ~/.opendj/tools.properties.",
    ),
    Row::switch(group::GENERAL, "version", "Display the version.").short('V'),
    Row::switch(group::GENERAL, "help", "Display this usage information. -? is the same.").short('H'),
];

const NO_PROMPT: Row = Row::switch(
    group::UTILITY,
    "no-prompt",
    "Use non-interactive mode: fail instead of asking for missing values. This mode is the default if \
         standard input is not a terminal.",
);

const CONCURRENT: &[Row] = &[
    row(
        "numConcurrentRequests",
        "number",
        Kind::Integer(1, 65_536),
        "Number of concurrent requests per connection. More than one needs --noRebind, because a bind must \
         not overlap with other operations on its connection.",
    )
    .short('t')
    .default("1")
    .also(&["numThreads"]),
    Row::switch(group::COMMAND, "noRebind", "Keep connections open and bind only once on each.").short('F'),
    row(
        "proxyAs",
        "authzID",
        Kind::Text,
        "Use the proxied authorization control (RFC 4370) with this authorization \
        ID, such as dn:uid=user.0,ou=people,dc=example,dc=com. Template string.",
    )
    .short('Y'),
];

const ARGUMENT: &[Row] = &[row(
    "argument",
    "generator function or static string",
    Kind::Text,
    "Argument for the template strings, in which {} is the next argument and {N} the N-th. May be repeated. All \
     arguments are drawn once per operation, so that {1} is the same value in all of its templates. Besides static \
     strings there are these functions:\n\
     \"inc({filename})\" Consecutive line from a file\n\
     \"inc({min},{max})\" Consecutive number, both ends included\n\
     \"rand({filename})\" Random line from a file\n\
     \"rand({min},{max})\" Random number, max excluded unless --rand-inclusive is given\n\
     \"randstr({length},charSet)\" Random string of that length, of the characters in charSet, where [a-f] stands for \
     a range; by default [A-Z][a-z][0-9]\n\
     \"xrand({min},{max})\" Random number that does not repeat until all have been used, max excluded as for rand\n\
     Commas separate the arguments of a function, so numbers in them cannot be grouped.",
)
.short('g')
.many()];

const SEARCHING: &[Row] = &[
    row(
        "dereferencePolicy",
        "policy",
        Kind::Choice(POLICIES),
        "Alias dereference policy ('never', 'always', 'search', \
        or 'find').",
    )
    .short('a')
    .default("never"),
    row(
        "searchScope",
        "scope",
        Kind::Choice(SCOPES),
        "Search scope ('base', 'one', 'sub', or 'subordinates'). \
        'subordinates' is an extension that some servers do not know.",
    )
    .short('s')
    .default("sub")
    .also(&["scope"]),
];

const AUTHRATE: &[Row] = &[
    row(
        "baseDn",
        "baseDN",
        Kind::Text,
        "Base DN template string. With a filter as the first trailing argument, a search precedes each bind, \
         and the DN that it finds becomes the last argument of the templates.",
    )
    .short('b'),
    row(
        "invalidPassword",
        "percent",
        Kind::Decimal(0.0, 100.0),
        "Percentage of binds that send an invalid password (between 0 and 100). These binds are expected to \
         fail, and count as errors.",
    )
    .short('I')
    .default("0"),
];

const MODIFYING: [Row; 1] = [row(
    "valueCount",
    "number",
    Kind::Integer(0, 10_000),
    "Number of distinct values to give each modified attribute; 0 removes the attribute.",
)
.default("1")];

const TARGET_DN: Row =
    row("targetDn", "targetDN", Kind::Text, "Target entry DN template string. Required.")
        .short('b')
        .also(&["entryDN"]);

const MODDNRATE: &[Row] = &[
    TARGET_DN,
    row("newSuperior", "DN", Kind::Text, "Move each entry below this entry. Template string.")
        .also(&["newSuperiorDN"]),
    Row::switch(group::COMMAND, "keepOldRdn", "Keep the values of the old RDN in the entry."),
    Row::switch(
        group::COMMAND,
        "oneWay",
        "Rename each entry once. Without this option, the next operation on the same connection gives the entry its \
         old name back, so that the run can last any time and leaves the directory as it was.",
    ),
];

const MODRATE: &[Row] = &[
    TARGET_DN,
    row(
        "mvcc",
        "attribute",
        Kind::Text,
        "Attribute in the assertion filter of the read_modify strategy. OpenLDAP has no eTag: use entryCSN \
         there. The modify strategy ignores it.",
    )
    .default("eTag"),
    row(
        "strategy",
        "strategy",
        Kind::Choice(&["modify", "read_modify"]),
        "How to modify entries: 'modify' sends the modification only; 'read_modify' reads the --mvcc \
         attribute first and then asserts that it is unchanged. Both requests count as one operation with one \
         response time.",
    )
    .default("modify"),
    MODIFYING[0],
];

const SEARCHRATE: &[Row] = &[BASE_DN];

const BASE_DN: Row =
    row("baseDn", "baseDN", Kind::Text, "Base DN template string. Required.").short('b');

const SEARCH_AND_MOD_RATE: &[Row] = &[BASE_DN, MODIFYING[0]];

const ADDRATE: &[Row] = &[
    row(
        "deleteMode",
        "fifo | random | off",
        Kind::Choice(&["fifo", "random", "off"]),
        "Which entry to delete above the threshold: the oldest ('fifo'), any ('random'), or none ('off').",
    )
    .short('C')
    .default("fifo"),
    row(
        "deleteSizeThreshold",
        "count",
        Kind::Integer(1, I64_MAX),
        "Number of entries to add before deletion begins.",
    )
    .short('s')
    .default("10000"),
    row(
        "deleteAgeThreshold",
        "seconds",
        Kind::Integer(1, LONGEST),
        "Delete added entries at this age, instead of by number. Not with random deletion.",
    )
    .short('a'),
    row(
        "constant",
        "name=value",
        Kind::Text,
        "Constant that overrides the value defined in the template file, such as suffix=dc=example,dc=com. \
         May be repeated.",
    )
    .short('g')
    .many(),
    Row::switch(
        group::COMMAND,
        "noPurge",
        "Keep the added entries: skip the purge phase at the end.",
    )
    .short('n'),
    row("resourcePath", "path", Kind::Path, "Directory of the files that a template names.")
        .short('r'),
    row(
        "randomSeed",
        "seed",
        Kind::Integer(0, I64_MAX),
        "Seed for all generated values: the same seed generates the same entries.",
    )
    .short('R')
    .default("0")
    .also(&["seed"]),
];
