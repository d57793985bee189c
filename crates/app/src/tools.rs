//! The tools of all protocols: the only list of them.

use std::sync::OnceLock;

use brunt_run::tool::Tool;

/// The tools of each protocol, in the order in which the help lists them.
const PROTOCOLS: &[&[Tool]] = &[
    #[cfg(feature = "plans")]
    brunt_flow_tool::TOOLS,
    #[cfg(feature = "names")]
    brunt_names_tool::TOOLS,
    brunt_ldap_tool::TOOLS,
    brunt_dhcp_tool::TOOLS,
    #[cfg(feature = "leases")]
    brunt_leases_tool::TOOLS,
];

/// Those that a program adds which has brunt as a library.
static ADDED: OnceLock<&'static [Tool]> = OnceLock::new();

/// Adds tools to the program, once.
pub(crate) fn add(tools: &'static [Tool]) {
    let _ = ADDED.set(tools);
}

/// Every tool.
pub(crate) fn all() -> impl Iterator<Item = &'static Tool> {
    let added = ADDED.get().copied().unwrap_or_default();
    PROTOCOLS.iter().copied().flatten().chain(added)
}

/// The tool of this name.
pub(crate) fn named(name: &str) -> Option<&'static Tool> {
    all().find(|tool| tool.name == name || tool.aliases.contains(&name))
}
