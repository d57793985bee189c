//! `tests/setup` on machines where it may not install anything: it says what is missing, and who can install it.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::made::ROOT;

/// A directory with the few programs that the script itself needs, and these scripts.
fn machine(scripts: &[(&str, &str)]) -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    for name in ["bash", "sort", "mktemp", "sed", "grep", "cut", "dirname", "tail"] {
        let places = ["/usr/bin", "/bin"].map(|place| PathBuf::from(place).join(name));
        let there = places.iter().find(|path| path.exists()).expect("every machine has it");
        symlink(there, directory.path().join(name)).expect("a link");
    }
    for (name, text) in scripts {
        let path = directory.path().join(name);
        fs::write(&path, format!("#!/bin/bash\n{text}\n")).expect("a script");
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("it may run");
    }
    directory
}

fn setup(machine: &tempfile::TempDir) -> Output {
    let mut setup = Command::new("/bin/bash");
    setup.arg(Path::new(ROOT).join("tests/setup")).env_clear();
    setup.env("HOME", machine.path()).env("PATH", machine.path());
    setup.output().expect("it starts")
}

#[test]
fn setup_without_root_names_what_to_install() {
    let nobody = machine(&[("id", "echo 1000"), ("apt-get", "echo it was run >&2")]);
    let ended = setup(&nobody);
    let reply = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(1), "{reply}");
    assert!(
        reply.contains("neither root nor sudo; ask an administrator for: apt-get install "),
        "{reply}"
    );
    assert!(reply.contains(" tmux ") && !reply.contains("it was run"), "{reply}");
    // Neither Debian nor one of its kin.
    let other = setup(&machine(&[("id", "echo 0")]));
    let reply = String::from_utf8_lossy(&other.stderr);
    assert_eq!(other.status.code(), Some(1), "{reply}");
    assert!(reply.contains("no apt-get here; install what corresponds to them by hand"), "{reply}");
}
