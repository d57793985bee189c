//! The bill of materials and the licences, held against what cargo says in another way.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use crate::made::{DATE, ROOT, succeed, target};

/// What `cargo tree` finds over these kinds of dependencies.
fn tree(edges: &str, target: &str) -> BTreeSet<String> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["tree", "--locked", "--package", "brunt", "--prefix", "none", "--no-dedupe"]);
    cargo.args(["--edges", edges, "--target", target, "--format", "{p}"]).current_dir(ROOT);
    let named = |line: &str| {
        let mut words = line.split_whitespace();
        Some(format!("{} {}", words.next()?, words.next()?.trim_start_matches('v')))
    };
    succeed(&mut cargo).lines().filter_map(named).collect()
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
fn the_bill_of_materials_is_what_cargo_builds() {
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
        let mut expected = tree("normal,build", &target);
        assert!(expected.remove(&format!("brunt {}", env!("CARGO_PKG_VERSION"))));
        assert_eq!(listed, expected, "{target}");
        let built_in = tree("normal,no-proc-macro", &target);
        for component in components.iter().filter(of_cargo) {
            let required = component["scope"] == "required";
            assert_eq!(required, built_in.contains(&name(component)), "{}", name(component));
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
