//! The LDAP rate tools, as the program lists them.

use crate::machine::run;

/// Their names.
pub(crate) fn ldap_tools() -> Vec<String> {
    let list = run(&["help"]).expect(0).stdout;
    let sections = list.split("\n\n").filter(|it| it.trim_start().starts_with("LDAP"));
    // What the commands do is in a second column, which may be continued.
    let names = sections.flat_map(str::lines).filter_map(|line| {
        line.strip_prefix("  ").filter(|it| !it.starts_with(' '))?.split_whitespace().next()
    });
    let is_rate_tool = |name: &&str| {
        let help = run(&[name, "--help"]).expect(0).stdout;
        help.starts_with(&format!("Usage:  {name} {{options}}"))
    };
    let tools: Vec<String> = names.filter(is_rate_tool).map(str::to_owned).collect();
    assert!(tools.len() > 1, "the help lists no LDAP rate tools: {list}");
    tools
}
