//! The rules of this repository that a compiler and clippy do not check, as tests.
//!
//! A rule that is not a test is forgotten when time is short. Each rule here is a function from text, or from cargo's
//! metadata, to what is wrong; one test applies it to this repository and another to a sample that breaks it, so that a
//! rule which no longer finds anything is noticed. The lengths of functions are checked by clippy (`clippy.toml`).

mod arrows;
mod clock;
mod needed;
mod slow;
mod sockets;
mod statics;
mod words;

use cargo_metadata::{Metadata, MetadataCommand};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const LONGEST_LINE: usize = 120;
const LONGEST_FILE: usize = 600;

/// The files that may hold unsafe code, each small enough to be read in one go.
const AUDITED: &[&str] = &[
    "bench/tool/src/cpu.rs",
    "crates/embedded/src/timer.rs",
    "crates/engine/src/timer.rs",
    "crates/net/src/bind.rs",
    "crates/net/src/mmsg.rs",
    "protocols/dhcp/driver/src/link/packet.rs",
    "protocols/ldap/driver/src/sasl/gssapi/library.rs",
    "protocols/leases/driver/src/sqlite/statement.rs",
    "protocols/names/driver/src/nss/calls.rs",
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
            let built = path.join("CACHEDIR.TAG").exists();
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
fn sources_follow_the_rules() {
    let sources = files("rs");
    let all = sources.iter().flat_map(|(path, text)| {
        faults(path, text).into_iter().map(move |fault| format!("{path}: {fault}"))
    });
    let all: Vec<String> = all.collect();
    assert!(sources.len() > 100, "the sources are not where this test looks for them");
    assert!(all.is_empty(), "{all:#?}");
}

#[test]
fn source_rules_each_find_a_violation() {
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
fn unsafe_code_is_only_in_audited_files() {
    let sources = files("rs");
    let found: Vec<&str> = sources
        .iter()
        .filter(|(_, text)| has_unsafe_code(text))
        .map(|(path, _)| path.as_str())
        .collect();
    assert_eq!(found, AUDITED, "on the left what there is, on the right what is listed");
}

#[test]
fn unsafe_code_is_distinguished_from_prose() {
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
fn sources_are_all_compiled() {
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
fn dead_source_file_is_found() {
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
fn decoders_are_all_fuzzed() {
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
fn crates_all_use_the_workspace_lints() {
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
fn docs_links_resolve_and_every_page_is_linked() {
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
fn broken_link_is_found() {
    let text = "[a](there.md#part) [b](../gone.md) [c](https://example.com/) [d](#below)";
    let exists = |path: &Path| path == Path::new("docs/there.md");
    assert_eq!(broken_links(Path::new("docs/page.md"), text, &exists), ["../gone.md"]);
}
