//! The systemd units in the packages.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use brunt_testbed::require;

use crate::made::{BINARY, ROOT};

const UNITS: [&str; 2] = ["brunt-agent.service", "brunt-serve.service"];

fn unit(name: &str) -> String {
    fs::read_to_string(Path::new(ROOT).join("packaging/units").join(name)).expect("a unit")
}

/// What systemd says of a unit whose program is the one under test.
fn analysed(words: &[&str], name: &str, text: &str) -> Output {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join(name);
    fs::write(&path, text.replace("/usr/bin/brunt", BINARY)).expect("a file");
    Command::new("systemd-analyze").args(words).arg(path).output().expect("it starts")
}

#[test]
fn units_pass_systemd_analyze() {
    if !require(&["systemd-analyze"]) {
        return;
    }
    for name in UNITS {
        let verified = analysed(&["verify"], name, &unit(name));
        assert!(verified.status.success() && verified.stderr.is_empty(), "{verified:?}");
        let wrong = unit(name).replace("Type=exec", "Type=never");
        assert!(
            !analysed(&["verify"], name, &wrong).stderr.is_empty(),
            "the check finds a wrong word"
        );
    }
}

/// By systemd's own count of what a service could do, from 0 to 10: a plain service has 9.6.
#[test]
fn services_have_few_privileges() {
    if !require(&["systemd-analyze"]) {
        return;
    }
    let exposed = |name, text: &str| {
        let reply = analysed(&["security", "--offline=yes", "--no-pager"], name, text);
        let reply = String::from_utf8_lossy(&reply.stdout).into_owned();
        let level = reply.rsplit_once(".service: ").and_then(|(_, rest)| rest.split(' ').next());
        level.and_then(|level| level.parse::<f64>().ok()).unwrap_or_else(|| panic!("{reply}"))
    };
    for name in UNITS {
        let level = exposed(name, &unit(name));
        assert!(level < 4.0, "{name}: {level}");
    }
    let open = "[Service]\nExecStart=/usr/bin/brunt agent\n";
    assert!(exposed("open.service", open) > 9.0);
}

/// The agent is handed what `brunt cluster keys` makes for one, file by file.
#[test]
fn agent_unit_gets_all_its_keys() {
    let directory = tempfile::tempdir().expect("a directory");
    let keys = directory.path().join("keys");
    let mut made = Command::new(BINARY);
    made.args(["cluster", "keys", "--agents", "1", "--host", "nats.lab"]).arg(&keys);
    crate::made::succeed(&mut made);
    let agents = fs::read_dir(keys.join("agents")).expect("keys of agents");
    let agent = agents.flatten().next().expect("one agent").path();
    let entries = fs::read_dir(agent).expect("its keys").flatten();
    let mut files: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    files.sort();
    let text = unit("brunt-agent.service");
    let lines = text.lines().filter_map(|line| line.strip_prefix("LoadCredential="));
    let handed: Vec<String> =
        lines.filter_map(|line| Some(line.split(':').next()?.to_owned())).collect();
    assert_eq!(files, handed);
}
