//! The original names: a program that is called by the name of a tool is that tool.

use brunt_ldap_server::Operation;
use brunt_testbed::{BASE_DN, PASSWORD, user_dn};

use crate::directory::Directory;
use crate::ldap_tools::ldap_tools;
use crate::machine::{own, run};

#[test]
fn link_named_after_a_tool_is_that_tool() {
    for tool in ldap_tools() {
        let link = format!("/some/directory/{tool}");
        let linked = |word: &str| own(|machine| machine.called(&link, &[word]));
        let named = run(&[&tool, "--help"]).expect(0);
        for help in ["-H", "-?", "--help", "--HELP"] {
            let linked = linked(help).expect(0);
            assert!(linked.stdout.starts_with(&format!("Usage:  {tool} ")), "{linked}");
            assert_eq!((&linked.stdout, &linked.stderr), (&named.stdout, &String::new()));
        }
        let version = linked("-V").expect(0);
        assert_eq!(version.stdout, format!("brunt {}\n", env!("CARGO_PKG_VERSION")));
        // A command line that is wrong is wrong in the same words.
        let (linked, named) = (linked("--nonsense").expect(89), run(&[&tool, "--nonsense"]));
        assert_eq!((named.code(), &linked.stderr), (89, &named.stderr));
        let ending = format!("See \"{tool} --help\" to get more usage help\n");
        assert!(linked.stderr.ends_with(&ending), "{linked}");
    }
}

#[test]
fn link_named_after_a_tool_runs_its_load() {
    let (machine, directory) = Directory::with(20);
    let dn = user_dn(1);
    let (bind, search) = (["-D", &dn, "-w", PASSWORD], ["-b", BASE_DN, "(uid=user.1)"]);
    let changes = ["-b", &dn, "-g", "inc(1,9)", "description:{1}"];
    for (tool, line, operation) in [
        ("authrate", &bind[..], Operation::Bind),
        ("searchrate", &search, Operation::Search),
        ("modrate", &[&bind[..], &changes].concat(), Operation::Modify),
    ] {
        let before = directory.answered(operation);
        let words = [&["-h", "10.0.0.2", "-p", "389", "-m", "7"], line].concat();
        let ended = machine.called(&format!("/some/directory/{tool}"), &words).expect(0);
        assert_eq!(ended.rows().len(), 1, "{ended}");
        assert_eq!(directory.answered(operation) - before, 7, "{ended}");
    }
}

#[test]
fn link_named_loadgen_is_the_command() {
    let linked = |words: &[&str]| own(|machine| machine.called("/some/directory/loadgen", words));
    let help = linked(&["-h"]).expect(0);
    assert!(help.stdout.contains("--compat"), "{help}");
    let nowhere = linked(&["-c", "nowhere.json"]).expect(2);
    assert!(nowhere.stderr.starts_with("failed to read nowhere.json"), "{nowhere}");
    let mistyped = linked(&["--conpat"]).expect(2);
    assert!(mistyped.stderr.contains("--compat"), "{mistyped}");
}
