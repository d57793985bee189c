//! Who may name whom: crates, the layers of a protocol, the parts of the program.

use std::collections::BTreeSet;

use cargo_metadata::DependencyKind;

use crate::{files, metadata};

/// Who may name whom, beside itself: the left names those on the right. ARCHITECTURE.md says why.
const ARROWS: &[(&str, &[&str])] = &[
    // The spine, which knows no protocol. Each names only crates above it.
    ("brunt-cluster", &[]),
    ("brunt-embedded", &[]),
    ("brunt-envelope", &[]),
    ("brunt-exchange", &[]),
    ("brunt-feed", &[]),
    ("brunt-net", &["brunt-exchange", "brunt-feed"]),
    ("brunt-record", &["brunt-exchange"]),
    ("brunt-capacity", &["brunt-record"]),
    ("brunt-engine", &["brunt-exchange", "brunt-record"]),
    ("brunt-history", &["brunt-record"]),
    ("brunt-redact", &[]),
    ("brunt-report", &["brunt-capacity", "brunt-exchange", "brunt-record"]),
    ("brunt-web", &[]),
    (
        "brunt-run",
        &[
            "brunt-engine",
            "brunt-exchange",
            "brunt-feed",
            "brunt-net",
            "brunt-record",
            "brunt-report",
            "brunt-web",
        ],
    ),
    (
        "brunt-serve",
        &[
            "brunt-envelope",
            "brunt-exchange",
            "brunt-history",
            "brunt-record",
            "brunt-report",
            "brunt-web",
        ],
    ),
    // A program that adds a protocol.
    (
        "brunt-echo",
        &["brunt-app", "brunt-engine", "brunt-exchange", "brunt-net", "brunt-record", "brunt-run"],
    ),
    // The protocols: bytes, sessions, the engine compiled with them, an embedded server, a tool.
    ("brunt-dhcp-wire", &[]),
    ("brunt-dhcp-driver", &["brunt-dhcp-wire", "brunt-exchange", "brunt-feed", "brunt-net"]),
    ("brunt-dhcp-load", &["brunt-dhcp-driver", "brunt-engine", "brunt-exchange", "brunt-net"]),
    ("brunt-dhcp-server", &["brunt-dhcp-wire", "brunt-embedded"]),
    (
        "brunt-dhcp-tool",
        &[
            "brunt-dhcp-driver",
            "brunt-dhcp-load",
            "brunt-dhcp-wire",
            "brunt-engine",
            "brunt-exchange",
            "brunt-net",
            "brunt-record",
            "brunt-report",
            "brunt-run",
        ],
    ),
    (
        "brunt-flow-driver",
        &[
            "brunt-dhcp-driver",
            "brunt-exchange",
            "brunt-feed",
            "brunt-flow-page",
            "brunt-flow-signing",
            "brunt-http-driver",
            "brunt-ldap-driver",
            "brunt-ldap-wire",
            "brunt-net",
            "brunt-redact",
        ],
    ),
    ("brunt-flow-page", &[]),
    ("brunt-flow-signing", &["brunt-net"]),
    ("brunt-flow-load", &["brunt-engine", "brunt-flow-driver"]),
    ("brunt-flow-import", &["brunt-flow-page", "brunt-redact"]),
    (
        "brunt-flow-plan",
        &[
            "brunt-capacity",
            "brunt-dhcp-driver",
            "brunt-engine",
            "brunt-exchange",
            "brunt-feed",
            "brunt-flow-driver",
            "brunt-flow-page",
            "brunt-flow-signing",
            "brunt-http-driver",
            "brunt-http-wire",
            "brunt-ldap-driver",
            "brunt-ldap-wire",
            "brunt-net",
            "brunt-record",
            "brunt-redact",
            "brunt-run",
        ],
    ),
    (
        "brunt-flow-tool",
        &[
            "brunt-capacity",
            "brunt-dhcp-driver",
            "brunt-engine",
            "brunt-envelope",
            "brunt-exchange",
            "brunt-feed",
            "brunt-flow-driver",
            "brunt-flow-import",
            "brunt-flow-load",
            "brunt-flow-plan",
            "brunt-http-driver",
            "brunt-ldap-driver",
            "brunt-ldap-wire",
            "brunt-net",
            "brunt-record",
            "brunt-redact",
            "brunt-report",
            "brunt-run",
        ],
    ),
    ("brunt-http-wire", &[]),
    ("brunt-http-driver", &["brunt-exchange", "brunt-http-wire", "brunt-net", "brunt-redact"]),
    ("brunt-http-server", &["brunt-embedded"]),
    ("brunt-ldap-wire", &[]),
    ("brunt-ldap-driver", &["brunt-exchange", "brunt-feed", "brunt-ldap-wire", "brunt-net"]),
    ("brunt-ldap-load", &["brunt-engine", "brunt-ldap-driver"]),
    ("brunt-ldap-server", &["brunt-embedded", "brunt-ldap-wire"]),
    (
        "brunt-ldap-tool",
        &[
            "brunt-engine",
            "brunt-exchange",
            "brunt-feed",
            "brunt-ldap-driver",
            "brunt-ldap-load",
            "brunt-ldap-wire",
            "brunt-net",
            "brunt-record",
            "brunt-redact",
            "brunt-run",
        ],
    ),
    ("brunt-leases-driver", &["brunt-exchange", "brunt-net"]),
    ("brunt-leases-load", &["brunt-engine", "brunt-exchange", "brunt-leases-driver"]),
    (
        "brunt-leases-tool",
        &[
            "brunt-engine",
            "brunt-exchange",
            "brunt-leases-driver",
            "brunt-leases-load",
            "brunt-net",
            "brunt-record",
            "brunt-report",
            "brunt-run",
        ],
    ),
    ("brunt-names-wire", &[]),
    ("brunt-names-driver", &["brunt-exchange", "brunt-ldap-wire", "brunt-names-wire", "brunt-net"]),
    ("brunt-names-load", &["brunt-engine", "brunt-exchange", "brunt-names-driver"]),
    (
        "brunt-names-tool",
        &[
            "brunt-engine",
            "brunt-exchange",
            "brunt-feed",
            "brunt-ldap-wire",
            "brunt-names-driver",
            "brunt-names-load",
            "brunt-net",
            "brunt-record",
            "brunt-report",
            "brunt-run",
        ],
    ),
    // The commands that use the loads of others, and the program.
    (
        "brunt-app",
        &[
            "brunt-capacity",
            "brunt-cluster",
            "brunt-dhcp-server",
            "brunt-dhcp-tool",
            "brunt-dhcp-wire",
            "brunt-engine",
            "brunt-envelope",
            "brunt-exchange",
            "brunt-feed",
            "brunt-flow-import",
            "brunt-flow-plan",
            "brunt-flow-tool",
            "brunt-history",
            "brunt-http-server",
            "brunt-ldap-server",
            "brunt-ldap-tool",
            "brunt-ldap-wire",
            "brunt-leases-tool",
            "brunt-names-driver",
            "brunt-names-tool",
            "brunt-net",
            "brunt-record",
            "brunt-redact",
            "brunt-report",
            "brunt-run",
            "brunt-serve",
        ],
    ),
    ("brunt", &["brunt-app"]),
    // What tests and benchmarks are made with. These start programs and read files, and must see brunt as any user
    // does.
    ("brunt-testbed", &[]),
    ("brunt-test-program", &["brunt-record", "brunt-testbed"]),
    ("brunt-bench-dhcp", &["brunt-bench-tool", "brunt-testbed"]),
    ("brunt-bench-http", &["brunt-bench-tool", "brunt-testbed"]),
    ("brunt-bench-ldap", &["brunt-bench-tool", "brunt-testbed"]),
    ("brunt-bench-leases", &["brunt-bench-tool", "brunt-testbed"]),
    ("brunt-bench-names", &["brunt-bench-tool", "brunt-testbed"]),
    ("brunt-bench-tool", &[]),
    ("brunt-bench-verdict", &["brunt-bench-tool"]),
    // It gives any octets to whatever decodes some.
    (
        "brunt-fuzz-checks",
        &[
            "brunt-cluster",
            "brunt-dhcp-wire",
            "brunt-engine",
            "brunt-envelope",
            "brunt-feed",
            "brunt-flow-driver",
            "brunt-flow-import",
            "brunt-flow-page",
            "brunt-flow-plan",
            "brunt-http-driver",
            "brunt-http-server",
            "brunt-http-wire",
            "brunt-ldap-wire",
            "brunt-names-wire",
            "brunt-net",
            "brunt-record",
            "brunt-run",
            "brunt-serve",
        ],
    ),
];

/// What tests may name besides. Nothing a library's tests name may come to depend on that library's own users.
const TEST_ARROWS: &[(&str, &[&str])] = &[
    (
        "brunt",
        &[
            "brunt-bench-verdict",
            "brunt-capacity",
            "brunt-cluster",
            "brunt-dhcp-server",
            "brunt-embedded",
            "brunt-engine",
            "brunt-envelope",
            "brunt-exchange",
            "brunt-history",
            "brunt-http-server",
            "brunt-ldap-server",
            "brunt-ldap-wire",
            "brunt-leases-driver",
            "brunt-net",
            "brunt-record",
            "brunt-report",
            "brunt-run",
            "brunt-serve",
            "brunt-test-program",
            "brunt-testbed",
            "brunt-web",
        ],
    ),
    ("brunt-echo", &["brunt-test-program", "brunt-testbed"]),
    // The verdicts of a search are derived again from records of simulated exchanges.
    ("brunt-capacity", &["brunt-exchange"]),
    ("brunt-cluster", &["brunt-testbed"]),
    ("brunt-dhcp-driver", &["brunt-testbed"]),
    ("brunt-dhcp-server", &["brunt-testbed"]),
    ("brunt-engine", &["brunt-testbed"]),
    ("brunt-feed", &["brunt-testbed"]),
    ("brunt-flow-driver", &["brunt-dhcp-wire", "brunt-testbed"]),
    ("brunt-flow-import", &["brunt-testbed"]),
    ("brunt-http-server", &["brunt-testbed"]),
    ("brunt-ldap-driver", &["brunt-testbed"]),
    ("brunt-ldap-server", &["brunt-testbed"]),
    ("brunt-ldap-tool", &["brunt-ldap-server"]),
    ("brunt-leases-driver", &["brunt-testbed"]),
    ("brunt-net", &["brunt-testbed"]),
    ("brunt-record", &["brunt-testbed"]),
    ("brunt-run", &["brunt-testbed"]),
];

/// Who may name another protocol, and of it which layers: the steps of a plan are made over HTTP, LDAP and DHCP, and
/// users and groups are in directories.
const PROTOCOLS: [(&str, &[&str]); 2] = [
    (
        "brunt-flow",
        &[
            "brunt-dhcp-driver",
            "brunt-dhcp-wire",
            "brunt-http-driver",
            "brunt-http-wire",
            "brunt-ldap-driver",
            "brunt-ldap-wire",
        ],
    ),
    ("brunt-names", &["brunt-ldap-wire"]),
];

/// Whether a list of arrows has this one.
fn allows(arrows: &[(&str, &[&str])], from: &str, to: &str) -> bool {
    arrows.iter().any(|(left, right)| *left == from && right.contains(&to))
}

/// Dependencies among our own packages that no arrow allows.
fn wrong_arrows(named: &[(String, String, DependencyKind)]) -> Vec<String> {
    let wrong = named.iter().filter(|(from, to, kind)| {
        let test = *kind == DependencyKind::Development;
        !(allows(ARROWS, from, to) || test && allows(TEST_ARROWS, from, to))
    });
    wrong.map(|(from, to, kind)| format!("{from} names {to} ({kind})")).collect()
}

/// Arrows from a protocol to another that the list of them does not have.
fn between_protocols(arrows: &[(&str, &[&str])]) -> Vec<String> {
    const LAYERS: [&str; 6] = ["-wire", "-driver", "-load", "-server", "-plan", "-tool"];
    let protocol = |name: &str| {
        LAYERS.iter().find_map(|layer| name.strip_suffix(layer)).map(ToOwned::to_owned)
    };
    let mut wrong = Vec::new();
    for (from, all) in arrows {
        let Some(own) = protocol(from) else { continue };
        let strange = |to: &&&str| {
            let other = protocol(to).is_some_and(|other| other != own);
            other && !allows(&PROTOCOLS, &own, to)
        };
        wrong.extend(all.iter().filter(strange).map(|to| format!("{from} names {to}")));
    }
    wrong
}

/// What is wrong with a file of a library: a command that is named where commands are only declared, or the engine run
/// where it is not compiled with a protocol's sessions, and is slow.
fn wrong_parts(path: &str, text: &str) -> Vec<String> {
    let code = text.split("\n#[cfg(test)]\nmod ").next().unwrap_or_default();
    let mut code = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let declares = path.starts_with("crates/app/src/cli/");
    let compiles = path.contains("/load/src/") || path.starts_with("crates/engine/");
    let mut found = BTreeSet::new();
    for line in code.by_ref() {
        if declares && line.contains("crate::commands") {
            found.insert(format!("{path} names a command"));
        }
        let runs = ["brunt_engine::run(", "run_blocking", "SessionFactory for"];
        if !compiles && runs.iter().any(|name| line.contains(name)) {
            found.insert(format!("{path} runs the engine"));
        }
    }
    found.into_iter().collect()
}

#[test]
fn crates_depend_only_on_permitted_crates() {
    let metadata = metadata("Cargo.toml");
    let ours: BTreeSet<&str> =
        metadata.packages.iter().map(|package| package.name.as_str()).collect();
    let known: BTreeSet<&str> = ARROWS.iter().map(|(name, _)| *name).collect();
    assert_eq!(
        ours, known,
        "on the left the crates there are, on the right those with a line in ARROWS"
    );
    let named: Vec<_> = metadata
        .packages
        .iter()
        .flat_map(|package| package.dependencies.iter().map(move |to| (package, to)))
        .filter(|(_, to)| ours.contains(to.name.as_str()))
        .map(|(from, to)| (from.name.to_string(), to.name.clone(), to.kind))
        .collect();
    assert!(named.len() > 10, "cargo's metadata does not tell what this test reads from it");
    assert_eq!(wrong_arrows(&named), Vec::<String>::new());
}

#[test]
fn crates_wrong_arrow_is_found() {
    let names = |from: &str, to: &str, kind| (from.to_owned(), to.to_owned(), kind);
    let (normal, test) = (DependencyKind::Normal, DependencyKind::Development);
    let allowed = [
        names("brunt-engine", "brunt-record", normal),
        names("brunt", "brunt-testbed", test),
        names("brunt-capacity", "brunt-exchange", test),
    ];
    assert_eq!(wrong_arrows(&allowed), Vec::<String>::new());
    for wrong in [
        names("brunt-engine", "brunt-ldap-driver", normal),
        names("brunt-ldap-driver", "brunt-dhcp-driver", test),
        names("brunt-ldap-wire", "brunt-exchange", normal),
        names("brunt", "brunt-testbed", normal),
        names("brunt-capacity", "brunt-exchange", DependencyKind::Build),
    ] {
        assert_eq!(wrong_arrows(std::slice::from_ref(&wrong)).len(), 1, "{wrong:?}");
    }
}

#[test]
fn protocols_do_not_depend_on_each_other() {
    assert_eq!(between_protocols(ARROWS), Vec::<String>::new());
    let wrong: &[(&str, &[&str])] = &[
        ("brunt-dhcp-tool", &["brunt-ldap-wire", "brunt-dhcp-wire", "brunt-run"]),
        ("brunt-names-driver", &["brunt-ldap-driver"]),
        ("brunt-flow-tool", &["brunt-ldap-tool", "brunt-ldap-driver"]),
    ];
    let found = between_protocols(wrong);
    let expected = [
        "brunt-dhcp-tool names brunt-ldap-wire",
        "brunt-names-driver names brunt-ldap-driver",
        "brunt-flow-tool names brunt-ldap-tool",
    ];
    assert_eq!(found, expected);
}

#[test]
fn engine_and_commands_are_named_only_where_permitted() {
    let program = |path: &String| path.starts_with("crates/") || path.starts_with("protocols/");
    let sources =
        files("rs").into_iter().filter(|(path, _)| program(path) && !path.contains("/tests"));
    let found: Vec<String> = sources.flat_map(|(path, text)| wrong_parts(&path, &text)).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
    let run = "let done = brunt_engine::run(&plan, &catalogue);";
    assert_eq!(wrong_parts("protocols/ldap/tool/src/lib.rs", run).len(), 1);
    assert_eq!(wrong_parts("protocols/ldap/load/src/lib.rs", run), Vec::<String>::new());
    let named = "use crate::commands::report;";
    assert_eq!(wrong_parts("crates/app/src/cli/docs.rs", named).len(), 1);
    assert_eq!(wrong_parts("crates/app/src/lib.rs", named), Vec::<String>::new());
}
