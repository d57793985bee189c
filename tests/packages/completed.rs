//! Completions as a shell uses them, also under the names of links.

use std::process::Command;

use brunt_testbed::require;

use crate::made::{BINARY, succeed};

/// What bash offers after these words.
fn offered(directory: &str, link: &str, begun: &str) -> Vec<String> {
    let script = format!(
        ". '{directory}/{link}.bash'; COMP_WORDS=({link} {begun}); COMP_CWORD=1; \
         function=$(complete -p {link} | sed 's/.* -F \\([^ ]*\\) .*/\\1/'); \
         $function {link} '{begun}' {link}; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    );
    let reply = succeed(Command::new("bash").args(["--norc", "-c", &script]));
    reply.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

#[test]
fn bash_completes_names_of_links() {
    if !require(&["bash", "sed"]) {
        return;
    }
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().to_str().expect("a plain path");
    succeed(Command::new(BINARY).args(["completions", "bash", "--all", path]));
    assert_eq!(offered(path, "authrate", "--keepConn"), ["--keepConnectionsOpen"]);
    assert_eq!(offered(path, "search-and-mod-rate", "--record"), ["--record"]);
    assert_eq!(offered(path, "search-and-mod-rate", "--nonsense"), Vec::<String>::new());
    assert_eq!(offered(path, "perfdhcp", "--record"), ["--record"]);
    assert_eq!(offered(path, "brunt", "quick"), ["quickstart"]);
    assert!(std::fs::read_dir(path).expect("scripts").count() > 10);
}
