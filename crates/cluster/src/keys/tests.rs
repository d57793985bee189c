//! The files that are made are complete, belong to their owner only, and are kept on the next call.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

use super::*;
use crate::policy::Policy;

fn wanted(agents: u32) -> Wanted {
    Wanted {
        agents,
        hosts: vec!["nats.lab".to_owned(), "2001:db8::1".to_owned()],
        port: 4222,
        from: "2026-11-22".parse().unwrap(),
        until: "2027-11-22".parse().unwrap(),
    }
}

/// Every file below a directory, by its relative path.
fn tree(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![directory.to_owned()];
    while let Some(path) = open.pop() {
        for entry in fs::read_dir(&path).unwrap().map(Result::unwrap) {
            if entry.file_type().unwrap().is_dir() {
                open.push(entry.path());
            } else {
                let name = entry.path().strip_prefix(directory).unwrap().display().to_string();
                found.insert(name, fs::read(entry.path()).unwrap());
            }
        }
    }
    found
}

#[test]
fn keys_of_each_party_are_in_a_private_directory() {
    let directory = tempfile::tempdir().unwrap();
    let place = directory.path().join("keys");
    let made = make(&place, &wanted(2)).unwrap();
    assert_eq!(made.agents, ["agent-0", "agent-1"]);
    let files = tree(&place);
    for party in ["coordinator", "agents/agent-0", "agents/agent-1"] {
        for name in ["ca.pem", "client.pem", "client.key", "login.seed", "login.toml"] {
            assert!(files.contains_key(&format!("{party}/{name}")), "{party}/{name}");
        }
        let login = Login::read(&place.join(party)).unwrap();
        assert_eq!(
            (login.name.as_str(), login.nats.as_str()),
            (party.rsplit('/').next().unwrap(), "tls://nats.lab:4222")
        );
    }
    for name in files.keys() {
        let permissions = fs::metadata(place.join(name)).unwrap().mode();
        assert_eq!(permissions & 0o777, 0o600, "{name}");
    }
    // No secret is in two places, and none is in a file that is shared.
    let is_secret = |name: &str| matches!(name.rsplit('.').next(), Some("seed" | "key"));
    let secrets = files.iter().filter(|(name, _)| is_secret(name));
    for (name, secret) in secrets {
        let secret = String::from_utf8(secret.clone()).unwrap();
        let secret = secret.lines().max_by_key(|line| line.len()).unwrap();
        let copies = files.values().filter(|bytes| String::from_utf8_lossy(bytes).contains(secret));
        assert_eq!(copies.count(), 1, "{name}");
    }
    let policy = Policy::read(&place.join("agents/agent-1/agent.toml")).unwrap();
    assert_eq!(policy.orders_from(), Some(&[made.order_key][..]));
}

#[test]
fn keys_existing_are_kept_and_agents_added() {
    let directory = tempfile::tempdir().unwrap();
    let place = directory.path();
    make(place, &wanted(2)).unwrap();
    let before = tree(place);
    fs::remove_dir_all(place.join("agents/agent-0")).unwrap();
    let made = make(place, &wanted(3)).unwrap();
    assert_eq!(made.agents, ["agent-0", "agent-1", "agent-2"]);
    assert_eq!(made.added, ["agent-0", "agent-2"]);
    let after = tree(place);
    for (name, bytes) in before.iter().filter(|(name, _)| !name.contains("agent-0/")) {
        assert!(name == "nats/nats.conf" || after[name] == *bytes, "{name} was changed");
    }
    let seed = "agents/agent-0/login.seed";
    assert_ne!(before[seed], after[seed], "whoever had the old key has none");
    let configuration = String::from_utf8(after["nats/nats.conf"].clone()).unwrap();
    assert_eq!(configuration.matches("nkey: U").count(), 4);
}

#[test]
fn keys_errors_are_named() {
    let directory = tempfile::tempdir().unwrap();
    for host in ["", "a b", "x\"}", "\u{1b}[2J"] {
        let wanted = Wanted { hosts: vec![host.to_owned()], ..wanted(1) };
        assert!(matches!(make(directory.path(), &wanted), Err(KeysError::Host(_))), "{host:?}");
    }
    make(directory.path(), &wanted(1)).unwrap();
    let agent = directory.path().join("agents/agent-0");
    fs::set_permissions(agent.join("login.seed"), fs::Permissions::from_mode(0o644)).unwrap();
    let error = Login::read(&agent).err().unwrap().to_string();
    assert!(error.contains("chmod 600") && error.contains("login.seed"), "{error}");
    fs::write(directory.path().join("ca.key"), "no key").unwrap();
    let error = make(directory.path(), &wanted(1)).unwrap_err().to_string();
    assert!(error.starts_with("use ") && error.contains("ca.key"), "{error}");
}
