//! The options for what one of UnboundID's tools does.

use brunt_run::options::row::{Kind, Row};

use super::{COUNT, MOST, row, switch};
use crate::options::tool::Tool;

/// The rows of this file for a tool, in the order of its help.
pub(super) fn of(tool: Tool) -> Vec<Row> {
    match tool {
        Tool::Authrate => {
            [BASE, SCOPE, FILTER, RETURNED].into_iter().chain(AUTHRATE.iter().copied()).collect()
        }
        Tool::Searchrate => {
            [BASE, SCOPE, FILTER, RETURNED].into_iter().chain(SEARCHRATE.iter().copied()).collect()
        }
        Tool::Modrate => [ENTRY].into_iter().chain(MODRATE.iter().copied()).collect(),
        Tool::SearchAndModRate => {
            let first = [BASE, SCOPE, FILTER, RETURNED];
            first.into_iter().chain(SEARCH_AND_MOD_RATE.iter().copied()).collect()
        }
        Tool::Addrate | Tool::Comparerate | Tool::Deleterate | Tool::Moddnrate => Vec::new(),
    }
}

const BASE: Row = row(
    "baseDN",
    "dn",
    Kind::Text,
    "Base of the search, or with --bindOnly of authrate the DN to bind as. Value pattern. searchrate searches from the \
     root without it.",
)
.short('b');
const SCOPE: Row = row(
    "scope",
    "scope",
    Kind::Text,
    "Scope of the search: base, one, sub or subord, or the number 0 to 3 of one.",
)
.short('s')
.default("sub");
const FILTER: Row =
    row("filter", "filter", Kind::Text, "Filter of the search. Value pattern.").short('f');
const RETURNED: Row = row(
    "attribute",
    "name",
    Kind::Text,
    "Attribute to return. May be repeated. Default: all user attributes.",
)
.short('A')
.many();
const PROXY: Row = row(
    "proxyAs",
    "authzID",
    Kind::Text,
    "Use proxied authorization (RFC 4370) with this identity, such as dn:uid=user.1,dc=example,dc=com. Value pattern.",
)
.short('Y')
.to("proxyAs");
const RECONNECT: Row = row(
    "iterationsBeforeReconnect",
    "number",
    Kind::Integer(-MOST - 1, MOST),
    "Replace each connection after so many operations.",
)
.default("0, which is never");
const LENGTH: Row = row("valueLength", "number", COUNT, "Length of the random values.")
    .short('l')
    .default("10")
    .to("valueLength");
const CHARACTERS: Row =
    row("characterSet", "chars", Kind::Text, "Characters of the random values.")
        .short('C')
        .default("a to z")
        .to("characterSet");
const PERMISSIVE: Row =
    switch("permissiveModify", "Send the permissive modify control.").to("permissiveModify");
const PRE_READ: Row = row(
    "preReadAttribute",
    "name",
    Kind::Text,
    "Request this attribute as it was before (RFC 4527). May be repeated.",
)
.many()
.to("preReadAttribute");
const POST_READ: Row = row(
    "postReadAttribute",
    "name",
    Kind::Text,
    "Request this attribute as it is after (RFC 4527). May be repeated.",
)
.many()
.to("postReadAttribute");
const PAGES: Row =
    row("simplePageSize", "number", COUNT, "Read results in pages of so many entries.")
        .to("simplePageSize");
const CONTROL: Row =
    control("control", "Send this control with each request. May be repeated.").short('J');
const ASSERTION: Row = assertion("assertionFilter", "Send the assertion control with this filter.");

const fn control(long: &'static str, help: &'static str) -> Row {
    row(long, "oid[:criticality[:value|::base64]]", Kind::Text, help).many().to(long)
}

const fn assertion(long: &'static str, help: &'static str) -> Row {
    row(long, "filter", Kind::Text, help).to(long)
}

const AUTHRATE: &[Row] = &[
    row(
        "credentials",
        "password",
        Kind::Secret,
        "Password of the binds that are measured. Required.",
    )
    .short('C'),
    switch("bindOnly", "Bind as --baseDN without a search.").short('B'),
    row(
        "authType",
        "type",
        Kind::Choice(&["simple", "cram-md5", "digest-md5", "plain"]),
        "Kind of the binds that are measured.",
    )
    .short('a')
    .default("simple"),
    switch("authorizationIdentityRequestControl", "Request the authorization identity on binds.")
        .to("reportAuthzId"),
    switch("passwordPolicyRequestControl", "Send the password policy request control on binds.")
        .to("usePasswordPolicyControl"),
    control("searchControl", "Send this control with each search. May be repeated."),
    control("bindControl", "Send this control with each bind. May be repeated."),
];

const SEARCHRATE: &[Row] = &[
    row(
        "ldapURL",
        "url",
        Kind::Text,
        "Base, attributes, scope and filter in one. Its host and port are not used. Value pattern.",
    ),
    row("sizeLimit", "number", Kind::Integer(0, MOST), "Most entries of a search, 0 for no limit.")
        .short('z')
        .default("0")
        .to("sizeLimit"),
    row(
        "timeLimitSeconds",
        "number",
        Kind::Integer(0, MOST),
        "Most seconds of a search, 0 for no limit.",
    )
    .short('l')
    .also(&["timeLimit"])
    .default("0")
    .to("timeLimit"),
    row(
        "dereferencePolicy",
        "policy",
        Kind::Choice(&["never", "always", "search", "find"]),
        "When to follow aliases.",
    )
    .default("never")
    .to("dereferencePolicy"),
    switch("typesOnly", "Return attribute names without values.").to("typesOnly"),
    ASSERTION,
    PAGES,
    row("sortOrder", "keys", Kind::Text, "Let the server sort, by such as '-sn,uid'.")
        .to("sortOrder"),
    PROXY,
    CONTROL,
    switch("asynchronous", "Send searches without waiting for earlier ones.").short('a'),
    row(
        "maxOutstandingRequests",
        "number",
        COUNT,
        "Most searches in flight of all threads together.",
    )
    .short('O'),
    RECONNECT,
];

const ENTRY: Row = row("entryDN", "dn", Kind::Text, "Entry to modify. Value pattern. Required.")
    .short('b')
    .to("targetDn");

const MODRATE: &[Row] = &[
    row(
        "attribute",
        "name",
        Kind::Text,
        "Attribute to replace. May be repeated: all get the same values. Required.",
    )
    .short('A')
    .many()
    .to("attribute"),
    row("valuePattern", "pattern", Kind::Text, "Value pattern of the values.").to("valuePattern"),
    LENGTH,
    CHARACTERS,
    row(
        "valueCount",
        "number",
        Kind::Integer(0, MOST),
        "Values of each attribute; 0 removes them.",
    )
    .default("1")
    .to("valueCount"),
    switch("increment", "Increment the values instead.").to("increment"),
    row("incrementAmount", "number", Kind::Integer(-MOST - 1, MOST), "Amount of --increment.")
        .default("1")
        .to("incrementAmount"),
    RECONNECT,
    PERMISSIVE,
    PROXY,
    ASSERTION,
    PRE_READ,
    POST_READ,
    CONTROL,
];

const SEARCH_AND_MOD_RATE: &[Row] = &[
    row("modifyAttribute", "name", Kind::Text, "Attribute to replace. May be repeated. Required.")
        .short('m')
        .many()
        .to("modifyAttribute"),
    LENGTH,
    CHARACTERS,
    RECONNECT,
    PERMISSIVE,
    PROXY,
    PAGES,
    assertion(
        "searchAssertionFilter",
        "Send the assertion control with this filter with each search.",
    ),
    assertion(
        "modifyAssertionFilter",
        "Send the assertion control with this filter with each modification.",
    ),
    PRE_READ,
    POST_READ,
    control("searchControl", "Send this control with each search. May be repeated."),
    control("modifyControl", "Send this control with each modification. May be repeated."),
];
