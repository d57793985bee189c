//! The bill of materials and the licences, compared with the manifests.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use cargo_metadata::{DependencyKind, MetadataCommand, PackageId};

use crate::made::{DATE, ROOT, succeed, target};

/// What brunt cannot do without on any machine, and what it could have at most: by the manifests and the resolution in
/// `cargo metadata`, while the bill follows `cargo tree`, which knows what is switched on.
fn bounds(target: &str) -> [BTreeSet<String>; 2] {
    let mut command = MetadataCommand::new();
    command.manifest_path(Path::new(ROOT).join("Cargo.toml"));
    command.other_options(["--locked".to_owned(), format!("--filter-platform={target}")]);
    let metadata = command.exec().expect("cargo knows this workspace");
    let nodes = &metadata.resolve.as_ref().expect("a resolution").nodes;
    let reach = |needed: bool| {
        let brunt = metadata.packages.iter().find(|package| *package.name == "brunt");
        let (mut open, mut found) = (vec![&brunt.expect("it is a member").id], BTreeSet::new());
        while let Some(id) = open.pop() {
            if !found.insert(id) {
                continue;
            }
            let package = &metadata[id];
            let node = nodes.iter().find(|node| node.id == *id).expect("every package is a node");
            open.extend(
                node.deps
                    .iter()
                    .filter(|dep| {
                        let kinds = &dep.dep_kinds;
                        let used = kinds.iter().any(|it| {
                            it.kind != DependencyKind::Development
                                && !(needed && it.target.is_some())
                        });
                        let name = &metadata[&dep.pkg].name;
                        let optional = package.dependencies.iter().filter(|it| it.name == **name);
                        used && !(needed && optional.clone().any(|it| it.optional))
                    })
                    .map(|dep| &dep.pkg),
            );
        }
        let name = |id: &&PackageId| format!("{} {}", metadata[*id].name, metadata[*id].version);
        let others = found.iter().filter(|id| *metadata[**id].name != "brunt");
        others.map(name).collect::<BTreeSet<_>>()
    };
    [reach(true), reach(false)]
}

fn bill(target: &str) -> (serde_json::Value, String) {
    let directory = tempfile::tempdir().expect("a directory");
    let (sbom, licences) = (directory.path().join("sbom"), directory.path().join("licences"));
    let mut command = Command::new(Path::new(ROOT).join("packaging/bill"));
    command.arg(target).arg("--sbom").arg(&sbom).arg("--licences").arg(&licences);
    succeed(command.env("SOURCE_DATE_EPOCH", DATE));
    let read = |path| std::fs::read_to_string(path).expect("it was written");
    (serde_json::from_str(&read(sbom)).expect("JSON"), read(licences))
}

#[test]
fn bill_of_materials_equals_the_cargo_build() {
    for target in [target("gnu"), target("musl")] {
        let (bill, licences) = bill(&target);
        assert_eq!(bill["bomFormat"], "CycloneDX");
        assert_eq!(bill["metadata"]["timestamp"], "2025-06-15T15:06:40Z");
        let components = bill["components"].as_array().expect("components");
        let name = |of: &serde_json::Value| {
            format!("{} {}", of["name"].as_str().unwrap(), of["version"].as_str().unwrap())
        };
        let of_cargo =
            |of: &&serde_json::Value| of["purl"].as_str().unwrap().starts_with("pkg:cargo/");
        let listed: BTreeSet<String> = components.iter().filter(of_cargo).map(name).collect();
        let [least, most] = bounds(&target);
        assert!(least.len() > 150, "{} packages", least.len());
        assert_eq!(
            least.difference(&listed).collect::<Vec<_>>(),
            Vec::<&String>::new(),
            "{target}"
        );
        assert_eq!(listed.difference(&most).collect::<Vec<_>>(), Vec::<&String>::new(), "{target}");
        // What writes code for the compiler is in no binary, and what every run needs is.
        let scope = |name: &str| {
            let found = components.iter().find(|of| of["name"] == name);
            found.unwrap_or_else(|| panic!("no {name}"))["scope"].as_str().unwrap().to_owned()
        };
        assert_eq!(["serde_derive", "syn", "cc"].map(scope), ["excluded"; 3]);
        assert_eq!(["serde", "ring", "rustls", "tokio"].map(scope), ["required"; 4]);
        for component in components.iter().filter(of_cargo) {
            let required = component["scope"] == "required";
            let foreign = !name(component).starts_with("brunt-");
            assert_eq!(
                component["hashes"][0]["content"].is_string(),
                foreign,
                "{}",
                name(component)
            );
            assert!(component["licenses"][0]["expression"].is_string());
            if required && foreign {
                assert!(
                    licences.contains(&format!("\n{}: ", name(component))),
                    "{}",
                    name(component)
                );
            }
        }
        assert!(
            components.iter().any(|of| of["purl"].as_str().unwrap().starts_with("pkg:npm/uplot@"))
        );
        // Every edge leads to something that is listed.
        let known: BTreeSet<&str> =
            components.iter().map(|of| of["bom-ref"].as_str().unwrap()).collect();
        for edge in bill["dependencies"].as_array().expect("edges") {
            let below = edge["dependsOn"].as_array().expect("a list");
            assert!(below.iter().all(|of| known.contains(of.as_str().unwrap())), "{edge}");
        }
        for words in ["Permission is hereby granted", "Apache License", "Redistribution and use"] {
            assert!(licences.contains(words), "{words}");
        }
    }
}
