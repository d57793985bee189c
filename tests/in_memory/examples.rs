//! The examples of every help that are about an embedded server, carried out against one in memory.
//!
//! They are taken from the pages of the commands, which a test writes from the same tables as the helps.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use brunt_record::Record;
use brunt_test_program::{scratch, without_a_limit};

use crate::directory::Directory;
use crate::ldap_tools::ldap_tools;
use crate::machine::own;
use crate::rest_target::RestTarget;

/// What stands in an example, and what is carried out instead.
const INSTEAD: [(&str, &str); 10] = [
    // A server in memory has no process whose time could be read.
    (" --server-cpu local", ""),
    // What takes long is shortened.
    ("--deleteSizeThreshold 10,000", "--deleteSizeThreshold 20"),
    ("-d 30 ", "-d 1 "),
    ("-d30s", "-d1s"),
    ("-n 10k", "-n 100"),
    ("-c100", "-c2"),
    ("-i 1 -I 30", "-i 1 -I 1"),
    ("-I 12", "-i 1 -I 1"),
    ("find-max ", "find-max --second 10ms --from 100/s --to 200/s "),
    ("\\\n", " "),
];

/// An example: the page, and its block.
fn examples() -> Vec<(String, String)> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let mut all = Vec::new();
    for entry in fs::read_dir(docs).expect("pages") {
        let path = entry.expect("an entry").path();
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let Some((_, examples)) = text.split_once("\n## Examples\n") else { continue };
        let examples = examples.split("\n## ").next().unwrap_or_default();
        let blocks = examples.split("```sh\n").skip(1).filter_map(|it| it.split("```").next());
        let name = path.file_stem().expect("a name").display().to_string();
        all.extend(blocks.map(|block| (name.clone(), block.to_owned())));
    }
    all
}

/// Whether an example makes load for an embedded server. `ab` and `cluster run` start processes
/// (`tests/behaviour/examples.rs`).
fn loads_one(name: &str, block: &str) -> bool {
    let is_of_a_process = ["ab", "cluster-run"].contains(&name);
    let loads = !name.starts_with("target-") && !name.starts_with("import") && !is_of_a_process;
    let servers = [":1389", "-p 1389", "-p 1636", ":8080"];
    loads && (name == "loadgen" || servers.iter().any(|server| block.contains(server)))
}

/// Carries out the examples of these pages that are about an embedded server, and returns how many there are of each.
fn carry_out_all(is_page: impl Fn(&str) -> bool) -> BTreeMap<String, usize> {
    own(|machine| {
        machine.set("PW", "password");
        RestTarget::listen(machine, "127.0.0.1:8080", "");
    });
    let (tools, mut counts) = (ldap_tools(), BTreeMap::new());
    for (name, block) in examples() {
        if is_page(&name) && loads_one(&name, &block) {
            carry_out(&name, &block, &tools);
            *counts.entry(name).or_default() += 1;
        }
    }
    counts
}

#[test]
fn help_examples_of_ldap_tools_work_against_the_embedded_server() {
    let tools = ldap_tools();
    let is_secured =
        |(name, block): &(String, String)| tools.contains(name) && block.contains("-Z");
    assert!(examples().iter().filter(|it| is_secured(it)).count() > 3);
    let counts = carry_out_all(|page| tools.iter().any(|tool| tool == page));
    assert!(tools.iter().all(|tool| counts[tool] > 0), "{counts:?}");
}

#[test]
fn help_examples_of_unboundid_tools_work_against_the_embedded_server() {
    let counts = carry_out_all(|page| page.starts_with("unboundid-"));
    assert!(counts.len() > 3, "{counts:?}");
}

#[test]
fn help_examples_of_other_loads_work_against_the_embedded_servers() {
    let tools = ldap_tools();
    let is_other =
        |page: &str| !page.starts_with("unboundid-") && tools.iter().all(|tool| tool != page);
    let counts = carry_out_all(is_other);
    assert!(counts["http"] > 1 && counts["loadgen"] > 3 && counts["find-max"] > 2, "{counts:?}");
}

/// Examples with files name such as there are.
#[test]
fn help_examples_name_existing_files() {
    let is_file = |word: &str| word.ends_with(".template") || word.starts_with("examples/");
    let blocks = examples();
    let words = blocks.iter().flat_map(|(name, block)| {
        block.split_whitespace().filter(|word| is_file(word)).map(move |word| (name, word))
    });
    for (name, word) in words.clone() {
        assert!(Path::new(env!("CARGO_MANIFEST_DIR")).join(word).exists(), "{name}: {word}");
    }
    assert!(words.count() > 6);
}

/// Carries an example out. Files that it writes are in a directory of their own, and loads of a directory that have no
/// limit end after fifty.
fn carry_out(name: &str, block: &str, tools: &[String]) {
    // What an example changes is there again for the next.
    let directory_server = (!block.contains(":8080") && name != "loadgen").then(Directory::listen);
    let directory = scratch();
    let line = INSTEAD.iter().fold(block.to_owned(), |it, (from, to)| it.replace(from, to));
    let mut words = shlex::split(&line).unwrap_or_else(|| panic!("{line}"));
    if words[0] == "brunt" {
        words.remove(0);
    }
    let unboundid = name.starts_with("unboundid-");
    let is_rated = unboundid || tools.iter().any(|tool| tool == name);
    let limits = ["-m", "-d", "--maxDuration"];
    if is_rated && !unboundid && !words.iter().any(|word| limits.contains(&&**word)) {
        words.splice(1..1, ["-m", "50"].map(str::to_owned));
    }
    if is_rated && !words.iter().any(|word| word == "--record") {
        words.splice(1..1, ["--record", "run.json"].map(str::to_owned));
    }
    for at in 1..words.len() {
        if ["--record", "--to-plan"].contains(&&*words[at - 1]) {
            words[at] = directory.path().join(&words[at]).display().to_string();
        }
    }
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let ended = own(|machine| machine.run(&words));
    if name == "find-max" {
        without_a_limit(&ended);
    } else {
        assert_eq!(ended.code(), 0, "{ended}");
    }
    if let Some(server) = directory_server {
        let is_secured = words.iter().any(|word| *word == "-Z" || word.starts_with("ldaps://"));
        assert_eq!(server.stats().handshakes > 0, is_secured, "{ended}");
    }
    let is_read_as_unboundid = ended.output().contains("was read as one of UnboundID's");
    assert_eq!(is_read_as_unboundid, unboundid, "{ended}");
    if is_rated {
        let record = Record::read(&directory.path().join("run.json")).expect("a record");
        assert!(record.counts.ok > 0 && record.counts.failed == 0, "{ended}");
    }
}
