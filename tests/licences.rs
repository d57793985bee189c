//! Every dependency of brunt has a licence that `deny.toml` allows, and none is banned there.
//!
//! cargo-deny checks the same and more if it is installed; this test needs only cargo, so that it runs wherever the
//! tests run. Both read their lists from the same file.

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package, PackageId};
use std::collections::HashSet;

/// The quoted words of a list in `deny.toml` that has one on each line.
fn list(name: &str) -> Vec<String> {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/deny.toml"))
        .expect("deny.toml is there");
    let lines = text.lines().skip_while(|line| *line != format!("{name} = [")).skip(1);
    let words = lines.take_while(|line| *line != "]").filter_map(|line| line.split('"').nth(1));
    words.map(str::to_owned).collect()
}

fn metadata() -> Metadata {
    let mut command = MetadataCommand::new();
    command.manifest_path(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"));
    command.other_options(["--locked".to_owned()]).exec().expect("cargo knows this workspace")
}

/// The packages that end up in a program of ours: what `start` reaches by other than test dependencies.
fn built_in<'a>(metadata: &'a Metadata, start: &[PackageId]) -> Vec<&'a Package> {
    let nodes = &metadata.resolve.as_ref().expect("cargo resolved the workspace").nodes;
    let mut reached: HashSet<&PackageId> = HashSet::new();
    let mut open: Vec<&PackageId> = start.iter().collect();
    while let Some(id) = open.pop() {
        if reached.insert(id) {
            let node = nodes.iter().find(|node| node.id == *id).expect("every package is a node");
            let used = |kinds: &[cargo_metadata::DepKindInfo]| {
                kinds.iter().any(|k| k.kind != DependencyKind::Development)
            };
            open.extend(node.deps.iter().filter(|dep| used(&dep.dep_kinds)).map(|dep| &dep.pkg));
        }
    }
    metadata.packages.iter().filter(|package| reached.contains(&package.id)).collect()
}

/// Whether an SPDX expression can be met from `allowed`: one side of every OR, both of every AND.
fn can_be_met(expression: &str, allowed: &[String]) -> bool {
    let expression = expression.replace('/', " OR ");
    let expression = expression.trim();
    for (operator, every) in [(" AND ", true), (" OR ", false)] {
        let parts = split_outside_brackets(expression, operator);
        if parts.len() > 1 {
            let met = |part: &&str| can_be_met(part, allowed);
            return if every { parts.iter().all(met) } else { parts.iter().any(met) };
        }
    }
    match expression.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        Some(inner) => can_be_met(inner, allowed),
        None => allowed.iter().any(|licence| licence == expression),
    }
}

fn split_outside_brackets<'a>(expression: &'a str, operator: &str) -> Vec<&'a str> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0_u32, 0);
    for (index, character) in expression.char_indices() {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if depth == 0 && index >= start && expression[index..].starts_with(operator) => {
                parts.push(&expression[start..index]);
                start = index + operator.len();
            }
            _ => {}
        }
    }
    parts.push(&expression[start..]);
    parts
}

#[test]
fn advisory_known_here_concerns_no_package() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/.ci/advisories.toml"))
        .expect(".ci/advisories.toml is there");
    let known: toml::Table = text.parse().expect("a table");
    let fixed = known["fixed"].as_table().expect("versions that are not concerned");
    let looked_up = known["packages"].as_array().expect("names of packages");
    let metadata = metadata();
    for name in looked_up {
        let name = name.as_str().expect("a name");
        assert!(fixed.contains_key(name), "{name}");
        let mut built = metadata.packages.iter().filter(|package| *package.name == name).peekable();
        assert!(built.peek().is_some(), "{name} is no longer built: take it from the list");
        for package in built {
            let entry = &fixed[name];
            let least = entry["version"].as_str().and_then(|version| version.parse().ok());
            let least: cargo_metadata::semver::Version = least.expect("a version");
            assert!(package.version >= least, "{name} {}: {}", package.version, entry["advisory"]);
        }
    }
}

/// Cargo refuses to build with a Rust that is older than a package asks for, whatever `rust-version` in our manifest
/// promises.
#[test]
fn rust_version_suffices_for_every_package() {
    let metadata = metadata();
    let brunt = metadata.packages.iter().find(|package| *package.name == "brunt");
    let brunt = brunt.expect("it is a member");
    let ours = brunt.rust_version.clone().expect("its manifest says which");
    let built = built_in(&metadata, std::slice::from_ref(&brunt.id));
    let newer = built
        .iter()
        .filter(|it| it.rust_version.as_ref().is_some_and(|requested| *requested > ours));
    let newer: Vec<String> = newer.map(|it| format!("{} {}", it.name, it.version)).collect();
    assert!(built.len() > 100 && newer.is_empty(), "Rust {ours} builds none of {newer:?}");
}

#[test]
fn licences_are_allowed() {
    let (metadata, allowed) = (metadata(), list("allow"));
    assert!(
        allowed.contains(&"MIT".to_owned()),
        "deny.toml has no list of licences where this test looks for it"
    );
    let packages = built_in(&metadata, &metadata.workspace_members);
    let met = |package: &&&Package| {
        package.license.as_deref().is_some_and(|text| can_be_met(text, &allowed))
    };
    let refused: Vec<String> = packages
        .iter()
        .filter(|package| !met(package))
        .map(|package| format!("{} {}: {:?}", package.name, package.version, package.license))
        .collect();
    assert!(packages.len() > 10 && refused.is_empty(), "deny.toml does not allow {refused:#?}");
}

/// What is copied into the tree comes with its licence, and says in SPDX which that is.
#[test]
fn licences_of_vendored_files_are_allowed() {
    let allowed = list("allow");
    let vendored = concat!(env!("CARGO_MANIFEST_DIR"), "/crates/report/vendor");
    let mut seen = 0;
    for entry in std::fs::read_dir(vendored).expect("there is something vendored") {
        let path = entry.expect("an entry").path();
        let read = |name: &str| std::fs::read_to_string(path.join(name)).unwrap_or_default();
        let readme = read("README.md");
        let licence = readme
            .split("SPDX-License-Identifier: ")
            .nth(1)
            .and_then(|it| it.split_whitespace().next());
        assert!(
            licence.is_some_and(|licence| can_be_met(licence, &allowed)),
            "{}: {licence:?}",
            path.display()
        );
        assert!(read("LICENSE").contains("Copyright"), "{} has no licence", path.display());
        seen += 1;
    }
    assert!(seen > 0);
}

#[test]
fn banned_packages_are_not_built_in() {
    let (metadata, banned) = (metadata(), list("deny"));
    assert!(
        banned.contains(&"openssl-sys".to_owned()),
        "deny.toml has no list of bans where this test looks for it"
    );
    let packages = built_in(&metadata, &metadata.workspace_members);
    let found: Vec<_> = packages
        .iter()
        .filter(|package| banned.iter().any(|name| *name == *package.name))
        .collect();
    assert!(found.is_empty(), "banned by deny.toml, and built in: {found:#?}");
}

#[test]
fn spdx_expressions_are_evaluated() {
    let allowed = ["MIT".to_owned(), "ISC".to_owned()];
    let cases = [
        ("MIT", true),
        ("GPL-3.0", false),
        ("GPL-3.0 OR MIT", true),
        ("GPL-3.0/MIT", true),
        ("GPL-3.0 AND MIT", false),
        ("(GPL-3.0 OR MIT) AND ISC", true),
        ("(GPL-3.0 OR BSD-2-Clause) AND ISC", false),
        ("MIT AND (ISC OR GPL-3.0)", true),
    ];
    for (expression, expected) in cases {
        assert_eq!(can_be_met(expression, &allowed), expected, "{expression}");
    }
}
