//! A dependency that no source of its package names is compiled for nothing, and draws an arrow that is not there.

use cargo_metadata::{DependencyKind, Package};
use std::collections::BTreeMap;
use std::path::Path;

/// Dependencies that are there for the features they switch on in another. Cargo.toml says why.
const FOR_FEATURES: &[(&str, &str)] =
    &[("brunt-http-driver", "idna_adapter"), ("brunt-http-server", "tracing")];

/// The dependencies of a package that its sources, by path from the root, do not name.
fn unneeded(package: &Package, sources: &BTreeMap<String, String>) -> Vec<String> {
    let root = package.manifest_path.parent().expect("a manifest is in a directory");
    let root = root.strip_prefix(super::ROOT).expect("packages are below the root");
    let library = code(sources, |path| path.starts_with(root.join("src")));
    let parts = ["src", "tests", "benches"].map(|part| root.join(part));
    let all = code(sources, |path| parts.iter().any(|part| path.starts_with(part)));
    let build = code(sources, |path| path == root.join("build.rs"));
    let dependencies = package.dependencies.iter().filter(|dependency| {
        let text = match dependency.kind {
            DependencyKind::Development => &all,
            DependencyKind::Build => &build,
            _ => &library,
        };
        let name = dependency.rename.as_ref().unwrap_or(&dependency.name);
        !FOR_FEATURES.contains(&(&package.name, name)) && !names(text, name)
    });
    dependencies
        .map(|dependency| format!("{} does not name {}", package.name, dependency.name))
        .collect()
}

/// The sources that are wanted, without comments.
fn code(sources: &BTreeMap<String, String>, wanted: impl Fn(&Path) -> bool) -> String {
    let wanted = sources.iter().filter(|(path, _)| wanted(Path::new(path)));
    let lines = wanted.flat_map(|(_, text)| text.lines());
    lines.filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// Whether code names a package: in Rust its hyphens are underscores, or, in `md-5`, left out.
fn names(code: &str, package: &str) -> bool {
    let spellings = [package.replace('-', "_"), package.replace('-', "")];
    spellings.iter().any(|spelling| is_word_of(spelling, code))
}

/// Whether a word stands in code, and not as a part of another.
fn is_word_of(word: &str, code: &str) -> bool {
    let of_a_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    code.match_indices(word).any(|(at, _)| {
        let (before, after) =
            (code[..at].chars().next_back(), code[at + word.len()..].chars().next());
        !before.is_some_and(of_a_word) && !after.is_some_and(of_a_word)
    })
}

#[test]
fn dependencies_are_all_used() {
    let sources = super::files("rs");
    let packages = super::metadata("Cargo.toml").packages;
    let unneeded: Vec<_> =
        packages.iter().flat_map(|package| unneeded(package, &sources)).collect();
    assert!(packages.len() > 10 && unneeded.is_empty(), "{unneeded:#?}");
}

#[test]
fn unused_dependency_is_found() {
    let code =
        |text: &str| code(&BTreeMap::from([("src/lib.rs".to_owned(), text.to_owned())]), |_| true);
    assert!(!names(&code("// serde_json is not used\nlet serde_jsonx = 1;"), "serde-json"));
    assert!(names(&code("use serde_json::Value;"), "serde-json"));
    assert!(names(&code("md5::Md5::new()"), "md-5"));
}
