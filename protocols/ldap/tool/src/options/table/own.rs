//! The options that the original tools do not have: ours, and those of UnboundID's tools under their original names.
//!
//! They have only long names (except for `-J`, which is unused in every tool), so that no letter of an existing command
//! line changes its meaning.

use super::command::LONGEST;
use super::common_rows;
use super::{I64_MAX, I64_MIN, Kind, Row, Tool, group};
use brunt_run::options::run_options;

/// The rows of this file for a tool.
pub(super) fn of(tool: Tool) -> Vec<Row> {
    let mut rows = [LOAD, NETWORK, OUTPUT].concat();
    rows.extend(common_rows().iter().map(|row| of_row(group::LOAD, *row)));
    rows.extend(run_options::rows().iter().map(|row| of_row(group::OUTPUT, *row)));
    rows.extend_from_slice(&[BIND_CONTROL, MANAGE]);
    match tool {
        Tool::Authrate => rows.push(SEARCH_CONTROL),
        Tool::Modrate => {
            rows.extend_from_slice(MODIFYING);
            rows.extend_from_slice(&[CONTROL, ASSERTION, ATTRIBUTE_TO_MODIFY]);
        }
        Tool::Searchrate => {
            rows.extend_from_slice(SEARCHING);
            rows.extend_from_slice(&[CONTROL, ASSERTION]);
        }
        Tool::Addrate => rows.push(CONTROL),
        Tool::SearchAndModRate => {
            rows.extend_from_slice(MODIFYING);
            rows.extend_from_slice(SEARCHING);
            rows.extend_from_slice(BOTH);
            rows.push(SEARCH_CONTROL);
        }
        Tool::Comparerate | Tool::Deleterate | Tool::Moddnrate => {
            rows.extend_from_slice(&[CONTROL, ASSERTION]);
        }
    }
    if tool != Tool::Addrate {
        rows.extend_from_slice(FEEDING);
    }
    rows.into_iter().map(Row::ours).collect()
}

/// The row of an option that other commands have as well. These tools call a file a path.
fn of_row(group: &'static str, row: Row) -> Row {
    let value = if row.kind == Kind::Path { "path" } else { row.value };
    Row { group, value, ..row }
}

/// The largest number that a search request can contain.
const MOST: i128 = 2_147_483_647;

const fn load(long: &'static str, value: &'static str, kind: Kind, help: &'static str) -> Row {
    Row::new(group::LOAD, long, value, kind, help)
}

const fn request(long: &'static str, value: &'static str, kind: Kind, help: &'static str) -> Row {
    Row::new(group::REQUEST, long, value, kind, help)
}

const fn network(long: &'static str, value: &'static str, kind: Kind, help: &'static str) -> Row {
    Row::new(group::NETWORK, long, value, kind, help)
}

const fn output(long: &'static str, value: &'static str, kind: Kind, help: &'static str) -> Row {
    Row::new(group::OUTPUT, long, value, kind, help)
}

const LOAD: &[Row] = &[
    Row::switch(
        group::LOAD,
        "compat",
        "Show the original tools' response time in the table. With --targetThroughput it counts from sending, \
         and so excludes the time that operations waited. The record contains both.",
    ),
    load(
        "drainTimeout",
        "milliseconds",
        Kind::Integer(0, LONGEST),
        "How long to wait for outstanding answers at the end. Operations without an answer by then count as \
         cut off. Default: 10000; after --maxIterations or without --targetThroughput, as long as \
         --operationTimeout allows.",
    ),
    load(
        "operationTimeout",
        "milliseconds",
        Kind::Integer(0, LONGEST),
        "How long to wait for an answer before the operation counts as timed out. Use '0' for no timeout.",
    )
    .default("30000"),
    Row::switch(
        group::LOAD,
        "traceparent",
        "Send the control 1.3.6.1.4.1.36733.2.1.5.7 of PingDS with each measured request: a W3C trace id, which \
         depends on --seed, and which samples of failures show. Requests of one operation have the same. A server \
         that does not know the control ignores it.",
    ),
    load(
        "variableRateData",
        "path",
        Kind::Path,
        "File with a rate that changes, in the format of UnboundID's tools. Multiples such as 2.5X refer to \
         --targetThroughput.",
    ),
    load(
        "generateSampleRateFile",
        "path",
        Kind::Path,
        "Write a commented example of a --variableRateData file and \
        exit.",
    ),
];

const FEEDING: &[Row] = &[
    load(
        "seed",
        "number",
        Kind::Integer(0, I64_MAX),
        "Seed for all random values: the same seed draws the same values in the same order. Default: a new \
         one for each run, stated in the record.",
    )
    .also(&["randomSeed"]),
    load(
        "inc-scope",
        "scope",
        Kind::Choice(&["process", "worker"]),
        "Scope of the counter of 'inc': one for all connections ('process'), so that each value is used once \
         before any is used again, or one for each concurrent request of each connection ('worker'), as in \
         the original tools.",
    )
    .default("process"),
    Row::switch(group::LOAD, "rand-inclusive", "Include max in 'rand({min},{max})'."),
    Row::switch(
        group::LOAD,
        "raw",
        "Do not escape generated values in DNs and filters. By default, special characters are escaped.",
    ),
    Row::switch(
        group::LOAD,
        "value-patterns",
        "Also accept UnboundID's value patterns, such as [1-1000] or [random:8:abc], in every template \
         string.",
    ),
];

const CONTROL_VALUE: &str = "oid[:criticality[:value|::base64]]";

const CONTROL: Row = request(
    "control",
    CONTROL_VALUE,
    Kind::Text,
    "Send this request control with each measured request. May be repeated.",
)
.short('J')
.many();
const BIND_CONTROL: Row = request(
    "bindControl",
    CONTROL_VALUE,
    Kind::Text,
    "Send this request control with each bind. May be repeated.",
)
.many();
const SEARCH_CONTROL: Row = request(
    "searchControl",
    CONTROL_VALUE,
    Kind::Text,
    "Send this request control with each search. May be repeated.",
)
.many();
const MANAGE: Row = Row::switch(
    group::REQUEST,
    "manageDsaIt",
    "Send the ManageDsaIT control (RFC 3296) with each measured request, so that referral entries are \
         treated as entries.",
);
const ASSERTION: Row = request(
    "assertionFilter",
    "filter",
    Kind::Text,
    "Send the assertion control (RFC 4528) with this \
    filter with each measured request.",
);
const ATTRIBUTE_TO_MODIFY: Row = request(
    "attribute",
    "name",
    Kind::Text,
    "Attribute to give the value of --valuePattern \
    or --valueLength, besides those of trailing arguments. May be repeated.",
)
.many();

const MODIFYING: &[Row] = &[
    request(
        "characterSet",
        "chars",
        Kind::Text,
        "Characters of the values that --valueLength generates. Default: a to z.",
    ),
    Row::switch(
        group::REQUEST,
        "increment",
        "Increment attributes (RFC 4525) instead of replacing their values. The value of each trailing \
         argument is the amount.",
    ),
    request(
        "incrementAmount",
        "amount",
        Kind::Integer(I64_MIN, I64_MAX),
        "Amount for attributes that are not trailing arguments.",
    )
    .default("1"),
    Row::switch(
        group::REQUEST,
        "permissiveModify",
        "Send the permissive modify control: adding a value that exists or removing one that does not then \
         succeeds.",
    ),
    request(
        "postReadAttribute",
        "attribute",
        Kind::Text,
        "Request this attribute as it is after the modification (RFC 4527). May be repeated.",
    )
    .many(),
    request(
        "preReadAttribute",
        "attribute",
        Kind::Text,
        "Request this attribute as it was before the modification (RFC 4527). May be repeated.",
    )
    .many(),
    request(
        "valueLength",
        "bytes",
        Kind::Integer(1, 1_048_576),
        "Length of the random values generated for attributes that are not trailing arguments.",
    )
    .default("10"),
    request(
        "valuePattern",
        "pattern",
        Kind::Text,
        "UnboundID value pattern that generates these values instead.",
    ),
];

const SEARCHING: &[Row] = &[
    request(
        "simplePageSize",
        "number",
        Kind::Integer(1, MOST),
        "Read results in pages of this many \
        entries (RFC 2696). All pages of a search are one operation.",
    ),
    request(
        "sizeLimit",
        "number",
        Kind::Integer(0, MOST),
        "Maximum number of entries that the server should return for a search, 0 for no limit.",
    )
    .default("0"),
    request(
        "sortOrder",
        "keys",
        Kind::Text,
        "Let the server sort (RFC 2891) by these comma-separated attributes, such as '-sn,uid'. A leading \
         minus sign sorts in descending order; a colon and a matching rule may follow an attribute.",
    ),
    request(
        "timeLimit",
        "seconds",
        Kind::Integer(0, MOST),
        "Maximum time in seconds that the server should spend on a search, 0 for no limit.",
    )
    .default("0")
    .also(&["timeLimitSeconds"]),
    Row::switch(group::REQUEST, "typesOnly", "Return attribute names without values."),
];

const BOTH: &[Row] = &[
    request(
        "attribute",
        "name",
        Kind::Text,
        "Attribute to return from the searches. May be repeated. Default: all user \
        attributes.",
    )
    .many(),
    request(
        "modifyAttribute",
        "name",
        Kind::Text,
        "Attribute to give the value of --valuePattern or --valueLength, \
        besides those of trailing arguments. May be repeated.",
    )
    .many(),
    request(
        "modifyAssertionFilter",
        "filter",
        Kind::Text,
        "Send the assertion control (RFC 4528) with this filter with \
        each modification.",
    ),
    request(
        "modifyControl",
        CONTROL_VALUE,
        Kind::Text,
        "Send this request control with each modification. May be \
        repeated.",
    )
    .many(),
    request(
        "searchAssertionFilter",
        "filter",
        Kind::Text,
        "Send the assertion control (RFC 4528) with this filter with \
        each search.",
    ),
];

const NETWORK: &[Row] = &[
    network(
        "ca",
        "path",
        Kind::Path,
        "PEM file, or directory of PEM files, with the CA certificates for validating the server certificate.",
    )
    .also(&["trust-pem"]),
    network(
        "cert-pem",
        "path",
        Kind::Path,
        "PEM file with the client certificate and its chain. Needs --key-pem unless the same file contains \
         the key.",
    ),
    network(
        "close",
        "how",
        Kind::Choice(&["fin", "rst"]),
        "How to close connections that carry one operation: 'fin' closes in order and leaves a port in \
         TIME_WAIT; 'rst' resets, which does not, and is what the original tools do.",
    )
    .default("rst"),
    network(
        "iterationsBeforeReconnect",
        "number",
        Kind::Integer(1, I64_MAX),
        "Replace each connection after this many \
        operations. Needs --keepConnectionsOpen or --noRebind.",
    ),
    network("key-pem", "path", Kind::Path, "PEM file with the private key for --cert-pem."),
    network(
        "resend",
        "which",
        Kind::Choice(&["never", "safe", "always"]),
        "Which requests to send again, once, if a reused connection closes before any answer arrives: none \
         ('never'), those that have no further effect when repeated, such as binds and searches ('safe'), or \
         all ('always').",
    )
    .default("safe"),
    network(
        "source-ip",
        "addresses",
        Kind::Text,
        "Local addresses to connect from, in turn: a comma-separated list of addresses or networks, such as \
         10.0.0.5 or 127.0.1.0/28. May be repeated.",
    )
    .many(),
    network(
        "tls-ciphers",
        "names",
        Kind::Text,
        "Comma-separated IANA names of the cipher suites to offer, in order of preference, such as \
         TLS_AES_256_GCM_SHA384.",
    ),
    network(
        "tls-name",
        "name",
        Kind::Text,
        "Name to send to the server (SNI) and to verify in its certificate, instead of --hostname.",
    ),
    network("tls-max", "version", Kind::Choice(&["1.2", "1.3"]), "Highest TLS version to offer.").default("1.3"),
    network("tls-min", "version", Kind::Choice(&["1.2", "1.3"]), "Lowest TLS version to accept.").default("1.2"),
    network(
        "tls-resume",
        "when",
        Kind::Choice(&["always", "never"]),
        "Whether new connections resume earlier TLS sessions if the server allows it.",
    )
    .default("always"),
];

const OUTPUT: &[Row] = &[
    Row::switch(
        group::OUTPUT,
        "appendToOutputFile",
        "Append to --outputFile instead of replacing it.",
    ),
    Row::switch(
        group::OUTPUT,
        "codes",
        "Print the number of operations by result code after each row, on standard error.",
    ),
    output(
        "dialect",
        "dialect",
        Kind::Choice(&["opendj", "unboundid"]),
        "Grammar of the command line, and layout of the table: those of OpenDJ and PingDS, or those of UnboundID's \
         SDK and PingDirectory, whose options '--help --dialect unboundid' shows. Default: told from the options; see \
         'brunt help coming-from'. The name of a link (unboundid-searchrate), a property of this name and the variable \
         BRUNT_LDAP_DIALECT set it as well.",
    ),
    output(
        "generatePropertiesFile",
        "path",
        Kind::Path,
        "Write a commented properties file with every option of this \
        tool and exit.",
    ),
    output(
        "outputFile",
        "path",
        Kind::Path,
        "Write results and messages to this file instead of the terminal.",
    ),
    Row::switch(
        group::OUTPUT,
        "suppressPropertiesFileComment",
        "Do not report on standard error which options came from a properties file.",
    ),
    Row::switch(group::OUTPUT, "teeOutput", "Write to the terminal as well as to --outputFile."),
    output(
        "timestampFormat",
        "format",
        Kind::Choice(&["none", "with-date", "without-date"]),
        "Put the time of day at the start of each row.",
    )
    .default("none"),
];
