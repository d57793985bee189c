//! The rules of this repository that a compiler and clippy do not check, as tests.
//!
//! A rule that is not a test is forgotten when time is short. Each rule here is a function from text, or from cargo's
//! metadata, to what is wrong; one test applies it to this repository and another to a sample that breaks it, so that a
//! rule which no longer finds anything is noticed. The lengths of functions are checked by clippy (`clippy.toml`).

mod clock;
mod needed;
mod slow;
mod words;

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const LONGEST_LINE: usize = 120;
const LONGEST_FILE: usize = 600;

/// Who may name whom, beside itself: the left names those on the right. ARCHITECTURE.md says why.
const ARROWS: &[(&str, &[&str])] = &[
    // The spine, which knows no protocol.
    ("brunt-envelope", &[]),
    ("brunt-exchange", &[]),
    ("brunt-feed", &[]),
    ("brunt-redact", &[]),
    ("brunt-import", &["brunt-redact"]),
    ("brunt-record", &["brunt-exchange"]),
    ("brunt-engine", &["brunt-exchange", "brunt-record"]),
    ("brunt-net", &["brunt-exchange", "brunt-feed"]),
    ("brunt-target", &[]),
    ("brunt-report", &["brunt-capacity", "brunt-exchange", "brunt-record"]),
    ("brunt-capacity", &["brunt-record"]),
    ("brunt-cluster", &[]),
    ("brunt-serve", &["brunt-envelope", "brunt-exchange", "brunt-record", "brunt-report"]),
    (
        "brunt-run",
        &[
            "brunt-engine",
            "brunt-exchange",
            "brunt-feed",
            "brunt-net",
            "brunt-record",
            "brunt-report",
            "brunt-serve",
        ],
    ),
    // A protocol: its bytes, its sessions, the engine compiled with them, its embedded server. It names no other
    // protocol, except that the steps of a plan are made over HTTP, LDAP and DHCP, and that names are in directories.
    ("brunt-dhcp-wire", &[]),
    ("brunt-dhcp-driver", &["brunt-dhcp-wire", "brunt-exchange", "brunt-feed", "brunt-net"]),
    ("brunt-dhcp-load", &["brunt-dhcp-driver", "brunt-engine", "brunt-exchange", "brunt-net"]),
    ("brunt-dhcp-server", &["brunt-dhcp-wire", "brunt-target"]),
    (
        "brunt-flow-driver",
        &[
            "brunt-dhcp-driver",
            "brunt-exchange",
            "brunt-feed",
            "brunt-http-driver",
            "brunt-ldap-driver",
            "brunt-ldap-wire",
            "brunt-net",
            "brunt-redact",
        ],
    ),
    ("brunt-flow-load", &["brunt-engine", "brunt-flow-driver"]),
    ("brunt-http-wire", &[]),
    ("brunt-http-driver", &["brunt-exchange", "brunt-http-wire", "brunt-net", "brunt-redact"]),
    ("brunt-http-server", &["brunt-target"]),
    ("brunt-ldap-wire", &[]),
    ("brunt-ldap-driver", &["brunt-exchange", "brunt-feed", "brunt-ldap-wire", "brunt-net"]),
    ("brunt-ldap-load", &["brunt-engine", "brunt-ldap-driver"]),
    ("brunt-ldap-server", &["brunt-ldap-wire", "brunt-target"]),
    ("brunt-leases-driver", &["brunt-exchange", "brunt-net"]),
    ("brunt-leases-load", &["brunt-engine", "brunt-exchange", "brunt-leases-driver"]),
    ("brunt-names-wire", &[]),
    (
        "brunt-names-driver",
        &["brunt-exchange", "brunt-feed", "brunt-ldap-wire", "brunt-names-wire", "brunt-net"],
    ),
    ("brunt-names-load", &["brunt-engine", "brunt-exchange", "brunt-names-driver"]),
    (
        "brunt",
        &[
            "brunt-capacity",
            "brunt-cluster",
            "brunt-engine",
            "brunt-envelope",
            "brunt-exchange",
            "brunt-feed",
            "brunt-import",
            "brunt-net",
            "brunt-record",
            "brunt-redact",
            "brunt-report",
            "brunt-run",
            "brunt-serve",
            "brunt-dhcp-driver",
            "brunt-dhcp-load",
            "brunt-dhcp-server",
            "brunt-dhcp-wire",
            "brunt-flow-driver",
            "brunt-flow-load",
            "brunt-http-driver",
            "brunt-http-server",
            "brunt-http-wire",
            "brunt-ldap-driver",
            "brunt-ldap-load",
            "brunt-ldap-server",
            "brunt-ldap-wire",
            "brunt-leases-driver",
            "brunt-leases-load",
            "brunt-names-driver",
            "brunt-names-load",
        ],
    ),
    ("brunt-testbed", &[]),
    ("brunt-test-program", &["brunt-record", "brunt-testbed"]),
    // They start programs and read files, and must see brunt as any user does.
    ("brunt-bench-ldap", &["brunt-bench-tool", "brunt-testbed"]),
    ("brunt-bench-dhcp", &["brunt-bench-tool", "brunt-testbed"]),
    ("brunt-bench-http", &["brunt-bench-tool", "brunt-testbed"]),
    ("brunt-bench-leases", &["brunt-bench-tool", "brunt-testbed"]),
    ("brunt-bench-names", &["brunt-bench-tool", "brunt-testbed"]),
    ("brunt-bench-verdict", &["brunt-bench-tool"]),
    ("brunt-bench-tool", &[]),
    // It gives any octets to whatever decodes some.
    (
        "brunt-fuzz-checks",
        &[
            "brunt-cluster",
            "brunt-envelope",
            "brunt-feed",
            "brunt-import",
            "brunt-record",
            "brunt-serve",
            "brunt-dhcp-server",
            "brunt-dhcp-wire",
            "brunt-flow-driver",
            "brunt-http-driver",
            "brunt-http-server",
            "brunt-http-wire",
            "brunt-ldap-server",
            "brunt-ldap-wire",
            "brunt-names-wire",
        ],
    ),
];

/// What tests may name besides. Nothing a library's tests name may come to depend on that library's own users.
const TEST_ARROWS: &[(&str, &[&str])] = &[
    ("brunt", &["brunt-bench-verdict", "brunt-test-program", "brunt-testbed"]),
    ("brunt-cluster", &["brunt-testbed"]),
    ("brunt-engine", &["brunt-testbed"]),
    ("brunt-feed", &["brunt-testbed"]),
    ("brunt-net", &["brunt-testbed"]),
    ("brunt-record", &["brunt-testbed"]),
    ("brunt-run", &["brunt-testbed"]),
    ("brunt-dhcp-driver", &["brunt-testbed"]),
    ("brunt-dhcp-server", &["brunt-testbed"]),
    ("brunt-flow-driver", &["brunt-dhcp-wire", "brunt-testbed"]),
    ("brunt-http-driver", &["brunt-testbed"]),
    ("brunt-http-server", &["brunt-testbed"]),
    ("brunt-ldap-driver", &["brunt-testbed"]),
    ("brunt-ldap-server", &["brunt-testbed"]),
    ("brunt-leases-driver", &["brunt-testbed"]),
    // A table is tested on intervals that are filled as a worker fills them.
    ("brunt-report", &["brunt-exchange"]),
    // The verdicts of a search are derived again from records of simulated exchanges.
    ("brunt-capacity", &["brunt-exchange"]),
];

/// Who may name whom within the program, beside itself. A tool is a directory of its own in `src/tools`.
const PROGRAM_ARROWS: &[(&str, &[&str])] = &[
    ("cli", &[]),
    ("tools", &["cli"]),
    ("commands", &["cli", "tools"]),
    ("main", &["cli", "commands", "tools"]),
];

/// The files that may hold unsafe code, each small enough to be read in one go.
const AUDITED: &[&str] = &[
    "bench/tool/src/cpu.rs",
    "protocols/ldap/driver/src/sasl/gssapi/library.rs",
    "protocols/leases/driver/src/sqlite/statement.rs",
    "protocols/names/driver/src/nss/calls.rs",
    "crates/net/src/bind.rs",
    "protocols/dhcp/driver/src/link/packet.rs",
    "crates/net/src/mmsg.rs",
    "crates/engine/src/timer.rs",
    "crates/target/src/timer.rs",
    "tests/testbed/src/allocations.rs",
];

/// Names that say nothing about what is in a file.
const DRAWERS: &[&str] =
    &["common.rs", "helper.rs", "helpers.rs", "misc.rs", "util.rs", "utils.rs"];

/// What must not be left in code. In pieces, since this file is read as well.
const LEFT_OVER: &[&str] = &[
    concat!("to", "do!("),
    concat!("unimple", "mented!("),
    concat!("FIX", "ME"),
    concat!("TO", "DO"),
    concat!("XX", "X"),
    concat!("#[al", "low("),
    concat!("#![al", "low("),
    concat!("#[pa", "th"),
    concat!("fn ge", "t_"),
];

/// What is wrong with the text of one source file.
fn faults(path: &str, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    if !text.starts_with("//! ") {
        found.push("does not begin with //! and what it is responsible for".to_owned());
    }
    let name = path.rsplit('/').next().unwrap_or(path);
    if DRAWERS.contains(&name) {
        found.push(format!("{name} says nothing about what is in it"));
    }
    let length =
        text.lines().take_while(|line| !matches!(*line, "mod tests {" | "mod tests;")).count();
    if length > LONGEST_FILE {
        found.push(format!("has {length} lines before its tests, more than {LONGEST_FILE}"));
    }
    for (number, line) in (1..).zip(text.lines()) {
        if line.chars().count() > LONGEST_LINE {
            found.push(format!("line {number} is longer than {LONGEST_LINE} columns"));
        }
        for word in LEFT_OVER.iter().filter(|word| line.contains(**word)) {
            found.push(format!("line {number} has {word}"));
        }
    }
    found
}

/// Whether there is unsafe code, which the compiler does not check.
fn has_unsafe_code(text: &str) -> bool {
    let word = concat!("uns", "afe");
    let code = text.lines().map(str::trim_start).filter(|line| !line.starts_with("//"));
    code.flat_map(|line| line.match_indices(word).map(move |(at, _)| &line[at + word.len()..]))
        .any(|rest| rest.starts_with([' ', '(']) || rest.is_empty())
}

/// The modules that a file declares without a body.
fn declared(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let rest = line.trim_start();
        let rest = ["pub(crate) ", "pub(super) ", "pub "]
            .iter()
            .find_map(|visibility| rest.strip_prefix(visibility))
            .unwrap_or(rest);
        rest.strip_prefix("mod ")?.strip_suffix(';')
    })
}

/// Every file that is compiled when `roots` are, following declarations through `read`.
fn reached(roots: &[PathBuf], read: &dyn Fn(&Path) -> Option<String>) -> BTreeSet<PathBuf> {
    let mut seen = BTreeSet::new();
    let mut open: Vec<(PathBuf, bool)> = roots.iter().map(|root| (root.clone(), true)).collect();
    while let Some((file, root)) = open.pop() {
        let Some(text) = read(&file) else { continue };
        if !seen.insert(file.clone()) {
            continue;
        }
        let directory = if root || file.ends_with("mod.rs") {
            file.parent().map(Path::to_path_buf).unwrap_or_default()
        } else {
            file.with_extension("")
        };
        for module in declared(&text) {
            open.push((directory.join(format!("{module}.rs")), false));
            open.push((directory.join(module).join("mod.rs"), false));
        }
    }
    seen
}

/// Modules of the bytes of protocols that decode nothing.
const NO_DECODERS: [&str; 3] = ["code", "op", "request"];

/// The modules of a crate of decoders that no check of a fuzz target names; the crate itself, if it has none.
fn not_fuzzed(package: &str, decoders: &str, checks: &[&str]) -> Vec<String> {
    let mut modules: Vec<String> = decoders
        .lines()
        .filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'))
        .filter(|module| !NO_DECODERS.contains(module))
        .map(|module| format!("{package}::{module}"))
        .collect();
    if modules.is_empty() {
        modules.push(package.to_owned());
    }
    let named = |path: &String| {
        let used =
            |text: &&str| text.split(path.as_str()).skip(1).any(|rest| rest.starts_with("::"));
        checks.iter().any(used)
    };
    modules.retain(|module| !named(module));
    modules
}

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

/// Forbidden dependencies within the program: a file of `src`, without its tests, that refers to a part of the program
/// that its own part must not use, or a tool that refers to another tool; or that runs the engine, which is fast only
/// in the crates that compile it with a protocol's sessions.
fn wrong_program_arrows(path: &str, text: &str) -> Vec<String> {
    let inside = path.trim_start_matches("src/").trim_end_matches(".rs");
    let mut parts = inside.split('/');
    let (part, tool) = (parts.next().unwrap_or_default(), parts.next());
    let code = text.split("\n#[cfg(test)]\nmod ").next().unwrap_or_default();
    let code = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let mut found = BTreeSet::new();
    if code.clone().any(|line| line.contains("brunt_engine::run(") || line.contains("run_blocking"))
    {
        found.insert(format!("{path} runs the engine"));
    }
    for name in code.flat_map(|line| line.split("crate::").skip(1)) {
        let mut words = name.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        let (named, next) = (words.next().unwrap_or_default(), words.find(|word| !word.is_empty()));
        let other_tool = part == "tools" && named == "tools" && next != tool;
        if other_tool || named != part && !allows(PROGRAM_ARROWS, part, named) {
            found.insert(format!("{path} names {named} {}", next.unwrap_or_default()));
        }
    }
    found.into_iter().collect()
}

/// Links of a page to files that `exists` does not know.
fn broken_links(page: &Path, text: &str, exists: &dyn Fn(&Path) -> bool) -> Vec<String> {
    let links = local_links(page, text);
    links.into_iter().filter(|(_, to)| !exists(to)).map(|(link, _)| link).collect()
}

/// The links of a page to files of this repository, as written and as meant.
fn local_links(page: &Path, text: &str) -> Vec<(String, PathBuf)> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let local = targets.filter(|link| !link.contains("://") && !link.starts_with('#'));
    local
        .map(|link| {
            let file = link.split('#').next().unwrap_or(link);
            (link.to_owned(), plain(&page.parent().unwrap_or(Path::new("")).join(file)))
        })
        .collect()
}

/// A path without `..`.
fn plain(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut out, part| {
        match part {
            Component::ParentDir => {
                out.pop();
            }
            part => out.push(part),
        }
        out
    })
}

/// Every file of this repository with this extension, and its text, by path from the root.
fn files(extension: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut open = vec![PathBuf::from(ROOT)];
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(&directory).expect("a directory can be read") {
            let path = entry.expect("an entry can be read").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let built = name == "target" || path.join("CACHEDIR.TAG").exists();
            if path.is_dir() && !name.starts_with('.') && !built {
                open.push(path);
            } else if path.extension().is_some_and(|it| it == extension) {
                let text = std::fs::read_to_string(&path).expect("sources are text");
                let short = path.strip_prefix(ROOT).expect("it is below the root");
                found.insert(short.to_string_lossy().into_owned(), text);
            }
        }
    }
    found
}

fn metadata(manifest: &str) -> Metadata {
    let mut command = MetadataCommand::new();
    command.manifest_path(Path::new(ROOT).join(manifest)).no_deps();
    command.exec().expect("cargo knows this workspace")
}

#[test]
fn sources_keep_the_rules() {
    let sources = files("rs");
    let all = sources.iter().flat_map(|(path, text)| {
        faults(path, text).into_iter().map(move |fault| format!("{path}: {fault}"))
    });
    let all: Vec<String> = all.collect();
    assert!(sources.len() > 100, "the sources are not where this test looks for them");
    assert!(all.is_empty(), "{all:#?}");
}

#[test]
fn each_rule_about_a_source_finds_what_breaks_it() {
    let good = "//! What it does.\n\nfn f() {}\n";
    assert_eq!(faults("src/noun.rs", good), Vec::<String>::new());
    let long = format!("//! A line.\n// {}\n", "é".repeat(LONGEST_LINE - 3));
    assert_eq!(faults("src/noun.rs", &long), Vec::<String>::new(), "columns, not bytes, count");
    let tested =
        format!("//! Tests do not count.\nmod tests {{\n{}}}\n", "\n".repeat(LONGEST_FILE));
    assert_eq!(faults("src/noun.rs", &tested), Vec::<String>::new());
    for (path, text, expected) in [
        ("src/noun.rs", "fn f() {}\n".to_owned(), "does not begin"),
        ("src/util.rs", good.to_owned(), "says nothing"),
        ("src/noun.rs", format!("{long}{}", "x".repeat(LONGEST_LINE + 1)), "line 3 is longer"),
        ("src/noun.rs", format!("{good}{}", "\n".repeat(LONGEST_FILE)), "before its tests"),
    ] {
        let found = faults(path, &text);
        assert!(found.len() == 1 && found[0].contains(expected), "{expected}: {found:?}");
    }
    for word in LEFT_OVER {
        assert_eq!(faults("src/noun.rs", &format!("{good}{word}\n")).len(), 1, "{word}");
    }
}

#[test]
fn unsafe_code_is_in_audited_files_alone() {
    let sources = files("rs");
    let found: Vec<&str> = sources
        .iter()
        .filter(|(_, text)| has_unsafe_code(text))
        .map(|(path, _)| path.as_str())
        .collect();
    assert_eq!(found, AUDITED, "on the left what there is, on the right what is listed");
}

#[test]
fn unsafe_code_is_told_from_words_about_it() {
    let word = concat!("uns", "afe");
    for code in [
        format!("{word} {{ f() }}"),
        format!("    let x = {word} {{ f() }};"),
        format!("{word} fn f() {{}}"),
    ] {
        assert!(has_unsafe_code(&code), "{code}");
    }
    for prose in
        [format!("// {word} code"), format!("#[expect({word}_code)]"), format!("#[{word}_op]")]
    {
        assert!(!has_unsafe_code(&prose), "{prose}");
    }
}

#[test]
fn every_source_is_compiled_into_something() {
    let sources = files("rs");
    let packages = [metadata("Cargo.toml"), metadata("fuzz/Cargo.toml")]
        .into_iter()
        .flat_map(|metadata| metadata.packages);
    let roots: Vec<PathBuf> = packages
        .flat_map(|package| package.targets)
        .map(|target| target.src_path.into_std_path_buf())
        .map(|path| path.strip_prefix(ROOT).expect("targets are below the root").to_path_buf())
        .collect();
    let read = |path: &Path| sources.get(path.to_str()?).cloned();
    let reached = reached(&roots, &read);
    let dead: Vec<&String> =
        sources.keys().filter(|path| !reached.contains(Path::new(path))).collect();
    assert!(dead.is_empty(), "no declaration leads to {dead:#?}");
}

#[test]
fn a_dead_file_is_found() {
    let sources = BTreeMap::from([
        ("src/lib.rs", "mod a;\npub(crate) mod b;\n// mod c;\n"),
        ("src/a.rs", "pub mod inner;"),
        ("src/a/inner.rs", ""),
        ("src/b/mod.rs", "mod deep;"),
        ("src/b/deep.rs", ""),
        ("src/c.rs", ""),
        ("src/inner.rs", ""),
    ]);
    let read = |path: &Path| sources.get(path.to_str()?).map(ToString::to_string);
    let reached = reached(&[PathBuf::from("src/lib.rs")], &read);
    let dead: Vec<_> = sources.keys().filter(|path| !reached.contains(Path::new(path))).collect();
    assert_eq!(dead, [&"src/c.rs", &"src/inner.rs"]);
}

#[test]
fn every_decoder_is_fuzzed() {
    let sources = files("rs");
    // That a target runs the check of its name is a test of `fuzz/checks/tests/replay.rs`.
    let checks: Vec<&str> = sources
        .iter()
        .filter_map(|(path, text)| {
            let name = path.strip_prefix("fuzz/checks/src/")?;
            sources.contains_key(&format!("fuzz/fuzz_targets/{name}")).then_some(text.as_str())
        })
        .collect();
    for protocol in ["dhcp", "http", "ldap", "names"] {
        let decoders = &sources[&format!("protocols/{protocol}/wire/src/lib.rs")];
        let missing = not_fuzzed(&format!("brunt_{protocol}_wire"), decoders, &checks);
        assert!(missing.is_empty(), "no check of a fuzz target names {missing:?}");
    }
    let ldap = |decoders| not_fuzzed("brunt_ldap_wire", decoders, &checks);
    assert_eq!(ldap("pub mod ber;\npub mod op;\nmod x;\n"), [""; 0]);
    assert_eq!(ldap("pub mod ber;\npub mod be;\n"), ["brunt_ldap_wire::be"]);
    assert_eq!(not_fuzzed("brunt_ld", "", &checks), ["brunt_ld"]);
}

#[test]
fn crates_name_only_those_they_may() {
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
fn a_wrong_arrow_is_found() {
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
fn parts_of_the_program_name_only_those_they_may() {
    let sources = files("rs").into_iter().filter(|(path, _)| path.starts_with("src/"));
    let found: Vec<String> =
        sources.flat_map(|(path, text)| wrong_program_arrows(&path, &text)).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn a_wrong_arrow_within_the_program_is_found() {
    let fine = "use crate::cli::Command;\nuse crate::tools::ldap::x;\n#[cfg(test)]\nmod tests { crate::commands }";
    assert_eq!(wrong_program_arrows("protocols/ldap/tool/src/lib.rs", fine), Vec::<String>::new());
    for (path, wrong) in [
        ("protocols/ldap/tool/src/table.rs", "use crate::tools::dhcp::naming;"),
        ("protocols/flow/tool/src/plan/run.rs", "let done = crate::commands::report(&args);"),
        ("src/cli/docs.rs", "use crate::commands::report;"),
        ("protocols/ldap/tool/src/lib.rs", "let done = brunt_engine::run(&plan, &catalogue);"),
    ] {
        assert_eq!(wrong_program_arrows(path, wrong).len(), 1, "{path}: {wrong}");
    }
}

#[test]
fn every_crate_takes_the_lints_of_the_workspace() {
    let packages = metadata("Cargo.toml").packages;
    let without: Vec<_> = packages
        .iter()
        .filter(|package| {
            let text =
                std::fs::read_to_string(&package.manifest_path).expect("a manifest can be read");
            !takes_the_lints(&text)
        })
        .map(|package| &package.name)
        .collect();
    assert!(without.is_empty(), "no [lints] workspace = true in {without:?}");
    assert!(takes_the_lints("[lints]\nworkspace = true\n"));
    assert!(!takes_the_lints("[lints.rust]\nunsafe_code = \"allow\"\n"));
    assert!(!takes_the_lints("[package]\nworkspace = true\n"));
}

fn takes_the_lints(manifest: &str) -> bool {
    let mut lines = manifest.lines().skip_while(|line| *line != "[lints]").skip(1);
    lines.next() == Some("workspace = true")
}

#[test]
fn pages_link_to_what_is_there_and_none_is_forgotten() {
    let pages = files("md");
    let exists = |path: &Path| Path::new(ROOT).join(path).exists();
    let mut linked = BTreeSet::new();
    for (path, text) in &pages {
        let broken = broken_links(Path::new(path), text, &exists);
        assert!(broken.is_empty(), "{path} links to {broken:?}, which is not there");
        linked.extend(local_links(Path::new(path), text).into_iter().map(|(_, to)| to));
    }
    let forgotten: Vec<_> = pages
        .keys()
        .filter(|path| path.starts_with("docs/") && !linked.contains(Path::new(path)))
        .collect();
    assert!(forgotten.is_empty(), "no page links to {forgotten:?}");
}

#[test]
fn a_broken_link_is_found() {
    let text = "[a](there.md#part) [b](../gone.md) [c](https://example.com/) [d](#below)";
    let exists = |path: &Path| path == Path::new("docs/there.md");
    assert_eq!(broken_links(Path::new("docs/page.md"), text, &exists), ["../gone.md"]);
}
