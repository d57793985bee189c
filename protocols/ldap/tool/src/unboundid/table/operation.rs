//! The options that say what one of UnboundID's tools does.

use super::{COUNT, MOST};
use crate::options::table::Kind;
use crate::options::tool::Tool;
use crate::unboundid::row::Row;

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

const BASE: Row = Row::new(
    "baseDN",
    "dn",
    Kind::Text,
    "Base of the search, or with --bindOnly of authrate the DN to bind as. Value pattern. searchrate searches from the \
     root without it.",
)
.short('b');
const SCOPE: Row = Row::new(
    "scope",
    "scope",
    Kind::Text,
    "Scope of the search: base, one, sub or subord, or the number 0 to 3 of one.",
)
.short('s')
.default("sub");
const FILTER: Row =
    Row::new("filter", "filter", Kind::Text, "Filter of the search. Value pattern.").short('f');
const RETURNED: Row = Row::new(
    "attribute",
    "name",
    Kind::Text,
    "Attribute to return. May be repeated. Default: all user attributes.",
)
.short('A')
.many();
const PROXY: Row = Row::new(
    "proxyAs",
    "authzID",
    Kind::Text,
    "Use proxied authorization (RFC 4370) with this identity, such as dn:uid=user.1,dc=example,dc=com. Value pattern.",
)
.short('Y')
.to("proxyAs");
const RECONNECT: Row = Row::new(
    "iterationsBeforeReconnect",
    "number",
    Kind::Integer(-MOST - 1, MOST),
    "Replace each connection after so many operations.",
)
.default("0, which is never");
const LENGTH: Row = Row::new("valueLength", "number", COUNT, "Length of the random values.")
    .short('l')
    .default("10")
    .to("valueLength");
const CHARACTERS: Row =
    Row::new("characterSet", "chars", Kind::Text, "Characters of the random values.")
        .short('C')
        .default("a to z")
        .to("characterSet");
const PERMISSIVE: Row =
    Row::switch("permissiveModify", "Send the permissive modify control.").to("permissiveModify");
const PRE_READ: Row = Row::new(
    "preReadAttribute",
    "name",
    Kind::Text,
    "Request this attribute as it was before (RFC 4527). May be repeated.",
)
.many()
.to("preReadAttribute");
const POST_READ: Row = Row::new(
    "postReadAttribute",
    "name",
    Kind::Text,
    "Request this attribute as it is after (RFC 4527). May be repeated.",
)
.many()
.to("postReadAttribute");
const PAGES: Row =
    Row::new("simplePageSize", "number", COUNT, "Read results in pages of so many entries.")
        .to("simplePageSize");
const CONTROL: Row =
    control("control", "Send this control with each request. May be repeated.").short('J');
const ASSERTION: Row = assertion("assertionFilter", "Send the assertion control with this filter.");

const fn control(long: &'static str, help: &'static str) -> Row {
    Row::new(long, "oid[:criticality[:value|::base64]]", Kind::Text, help).many().to(long)
}

const fn assertion(long: &'static str, help: &'static str) -> Row {
    Row::new(long, "filter", Kind::Text, help).to(long)
}

const AUTHRATE: &[Row] = &[
    Row::new(
        "credentials",
        "password",
        Kind::Secret,
        "Password of the binds that are measured. Required.",
    )
    .short('C'),
    Row::switch("bindOnly", "Bind as --baseDN without a search.").short('B'),
    Row::new(
        "authType",
        "type",
        Kind::Choice(&["simple", "cram-md5", "digest-md5", "plain"]),
        "Kind of the binds that are measured.",
    )
    .short('a')
    .default("simple"),
    Row::switch(
        "authorizationIdentityRequestControl",
        "Request the authorization identity on binds.",
    )
    .to("reportAuthzId"),
    Row::switch(
        "passwordPolicyRequestControl",
        "Send the password policy request control on binds.",
    )
    .to("usePasswordPolicyControl"),
    control("searchControl", "Send this control with each search. May be repeated."),
    control("bindControl", "Send this control with each bind. May be repeated."),
];

const SEARCHRATE: &[Row] = &[
    Row::new(
        "ldapURL",
        "url",
        Kind::Text,
        "Base, attributes, scope and filter in one. Its host and port are not used. Value pattern.",
    ),
    Row::new(
        "sizeLimit",
        "number",
        Kind::Integer(0, MOST),
        "Most entries of a search, 0 for no limit.",
    )
    .short('z')
    .default("0")
    .to("sizeLimit"),
    Row::new(
        "timeLimitSeconds",
        "number",
        Kind::Integer(0, MOST),
        "Most seconds of a search, 0 for no limit.",
    )
    .short('l')
    .hidden(&["timeLimit"])
    .default("0")
    .to("timeLimit"),
    Row::new(
        "dereferencePolicy",
        "policy",
        Kind::Choice(&["never", "always", "search", "find"]),
        "When to follow aliases.",
    )
    .default("never")
    .to("dereferencePolicy"),
    Row::switch("typesOnly", "Return attribute names without values.").to("typesOnly"),
    ASSERTION,
    PAGES,
    Row::new("sortOrder", "keys", Kind::Text, "Let the server sort, by such as '-sn,uid'.")
        .to("sortOrder"),
    PROXY,
    CONTROL,
    Row::switch("asynchronous", "Send searches without waiting for earlier ones.").short('a'),
    Row::new(
        "maxOutstandingRequests",
        "number",
        COUNT,
        "Most searches in flight of all threads together.",
    )
    .short('O'),
    RECONNECT,
];

const ENTRY: Row =
    Row::new("entryDN", "dn", Kind::Text, "Entry to modify. Value pattern. Required.")
        .short('b')
        .to("targetDn");

const MODRATE: &[Row] = &[
    Row::new(
        "attribute",
        "name",
        Kind::Text,
        "Attribute to replace. May be repeated: all get the same values. Required.",
    )
    .short('A')
    .many()
    .to("attribute"),
    Row::new("valuePattern", "pattern", Kind::Text, "Value pattern of the values.")
        .to("valuePattern"),
    LENGTH,
    CHARACTERS,
    Row::new(
        "valueCount",
        "number",
        Kind::Integer(0, MOST),
        "Values of each attribute; 0 removes them.",
    )
    .default("1")
    .to("valueCount"),
    Row::switch("increment", "Increment the values instead.").to("increment"),
    Row::new("incrementAmount", "number", Kind::Integer(-MOST - 1, MOST), "Amount of --increment.")
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
    Row::new(
        "modifyAttribute",
        "name",
        Kind::Text,
        "Attribute to replace. May be repeated. Required.",
    )
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
