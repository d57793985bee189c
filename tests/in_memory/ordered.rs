//! What may be ordered from other machines: `brunt cluster check`, `keys` and `manifest`.

use std::fs;
use std::path::Path;

use brunt_test_program::{Ended, scratch};

use crate::machine::run;

/// Checks a command.
fn check(line: &str) -> Ended {
    let words = ["cluster", "check", "--format", "json", "--"];
    run(&words.into_iter().chain(line.split_whitespace()).collect::<Vec<_>>())
}

#[test]
fn cluster_check_refuses_what_agents_cannot_run() {
    // What the command names are files of this repository, in which tests are carried out.
    let authrate = "authrate -h 127.0.0.1 -D cn=x -w:file Cargo.toml";
    let plan = "run examples/plans/objects.toml";
    for (line, named) in [
        ("authrate -D cn=x -w literal", "-w"),
        ("authrate -D cn=x --bindPassword=literal", "--bindPassword"),
        (&*format!("{authrate} --outputFile out"), "--outputFile"),
        (&format!("{authrate} --record out.json"), "--record"),
        (&format!("{authrate} --monitor pid:1"), "--monitor"),
        (&format!("{authrate} -o mech=GSSAPI"), "GSSAPI"),
        ("authrate -D cn=x -w:file Cargo.toml -h ldapi://%2Frun%2Fldapi", "--hostname ldapi"),
        ("perfdhcp -4 -w true 127.0.0.1", "-w"),
        ("perfdhcp -4 --web 127.0.0.1", "--web"),
        ("http --prometheus 0 http://127.0.0.1/", "--prometheus"),
        ("http --otlp http://127.0.0.1:1 http://127.0.0.1/", "--otlp"),
        ("http --node 0/2 --seed 1 http://127.0.0.1/", "--node"),
        ("http --trace out.har http://127.0.0.1/", "--trace"),
        ("http --unix-socket /run/s http://127.0.0.1/", "--unix-socket"),
        ("http -a jo:literal http://127.0.0.1/", "--basic-auth"),
        ("http -H Authorization:literal http://127.0.0.1/", "--header"),
        ("http --body password=literal http://127.0.0.1/", "--body"),
        ("http http://jo:literal@127.0.0.1/", "the URL"),
        ("http --curl curl", "--curl"),
        (&format!("{plan} --set variables.password=literal"), "--set variables.password"),
        ("run -", "standard input"),
        (&format!("{plan} --once"), "--once"),
        ("names lookup --socket /run/nscd/socket", "--socket"),
        ("names lookup --through ldap --url ldapi:///run/slapd --base dc=x", "ldapi"),
        ("names matrix", "names"),
        ("leases sqlite", "leases"),
        ("report x.json", "report"),
        ("find-max -- http http://127.0.0.1/", "find-max"),
    ] {
        let ended = check(line).expect(8);
        let output = ended.stderr.as_str();
        assert!(output.starts_with("refused: ") && output.contains(named), "{line}: {output}");
        assert!(!output.contains("literal"), "{line}: {output}");
        assert!(!Path::new("out").exists() && !Path::new("out.json").exists(), "{line}");
    }
    for line in ["run /etc/hostname", "run ../plan.toml", "http -D /etc/hostname http://127.0.0.1/"]
    {
        let output = check(line);
        assert!(output.code() != 0 && output.stderr.contains("relative names"), "{line}: {output}");
    }
}

#[test]
fn cluster_keys_are_made_and_manifest_is_printed() {
    let directory = scratch();
    let keys = directory.path().join("keys").display().to_string();
    let words = ["cluster", "keys", &keys, "--agents", "2", "--host", "nats.lab"];
    let first = run(&words).expect(0);
    assert!(first.stdout.starts_with("Keys of 2 agents, valid until "), "{first}");
    let again = run(&words).expect(0);
    assert!(again.stdout.starts_with("All 2 agents in "), "{again}");
    // What is said of the seeds is where they are.
    let seed = fs::read_to_string(directory.path().join("keys/coordinator/order.seed")).unwrap();
    assert!(!first.stdout.contains(seed.trim()) && !again.stdout.contains(seed.trim()));
    let manifest = |more: &[&str]| {
        run(&[&["cluster", "manifest"][..], more, &["--", "run", "p.toml"]].concat())
    };
    let kubernetes = manifest(&["k8s", "--agents", "3", "--image", "lab/brunt:1"]).expect(0);
    assert!(kubernetes.stdout.contains("\n  completions: 3\n"), "{kubernetes}");
    assert_eq!(
        kubernetes.stdout,
        manifest(&["k8s", "--agents", "3", "--image", "lab/brunt:1"]).stdout
    );
    for (line, named) in [
        (&["k8s", "--agents", "3"][..], "--image"),
        (&["slurm", "--agents", "3"], "--nats"),
        (&["slurm", "--agents", "3", "--nats", "nats://h:1"], "TLS"),
        (&["slurm", "--agents", "3", "--nats", "tls://h:1", "--image", "x"], "--image"),
        (&["ssh", "--agents", "2", "--nats", "tls://h:1", "--ssh-host", "a"], "--ssh-host"),
    ] {
        let output = manifest(line).expect(2).stderr;
        assert!(output.contains(named), "{line:?}: {output}");
    }
}
