//! Files of the machine that a plan names: only those beside the plan can be read.
//!
//! Two mechanisms prevent other access. A name that leads outside is refused; and for any name the kernel refuses
//! access, which is tested with world-readable files and with a link.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::Path;

use brunt_envelope::RunSpec;
use brunt_serve::queue::State;
use rustix::fs::{FlockOperation, flock};

use crate::counted::Counted;
use crate::site::{Site, children};

/// A plan that names a file by each key that takes one.
const KEYS: [(&str, &str); 12] = [
    ("[feeders.f]\nlines = \"FILE\"", ""),
    ("[feeders.f]\ncsv = \"FILE\"", ""),
    ("[feeders.f]\njson-lines = \"FILE\"", ""),
    ("[variables]\nv = { file = \"FILE\" }", ""),
    ("run.trace = \"FILE\"", ""),
    ("[http.tls]\nca = \"FILE\"", ""),
    ("[http.tls]\ncert = \"FILE\"", ""),
    ("[http.tls]\ncert = \"c.pem\"\nkey = \"FILE\"", ""),
    (
        "[ldap]\nserver = \"ldap://127.0.0.1:1\"\nbind = { dn = \"\", password = { file = \"FILE\" } }",
        "",
    ),
    ("[ldap]\nserver = \"ldap://127.0.0.1:1\"\n[ldap.tls]\nca = \"FILE\"", ""),
    ("", "body-file = \"FILE\""),
    ("", "basic = { user = \"u\", password = { file = \"FILE\" } }"),
];

fn plan(head: &str, step: &str, file: &str) -> String {
    format!(
        "{}\n[[scenario]]\nname = \"s\"\n[[scenario.steps]]\npost = \"http://127.0.0.1:1/\"\n{}\n",
        head.replace("FILE", file),
        step.replace("FILE", file)
    )
}

/// What is said of a plan.
fn output(plan: String) -> String {
    let checked =
        children().check(&RunSpec { plan, ..RunSpec::default() }, None).expect("a child answers");
    let words: Vec<String> = checked.findings.iter().map(|it| it.text.clone()).collect();
    words.join("; ")
}

/// Whether a file could not be opened. Of a file of data only that is said, and any text would be lines of one.
fn is_refused(output: &str) -> bool {
    output.to_lowercase().contains("permission denied") || output.contains("read the data file")
}

#[test]
fn paths_outside_the_directory_are_refused_in_every_key() {
    for (head, step) in KEYS {
        for file in ["/etc/passwd", "../etc/passwd", "a/../../etc/passwd", "/proc/self/environ"] {
            let output = output(plan(head, step, file));
            assert!(
                output.contains("lies outside the directory"),
                "{head}{step} {file}: {output:?}"
            );
        }
    }
}

#[test]
fn file_secrets_are_withheld_from_other_machines() {
    let directory = tempfile::tempdir().expect("a directory");
    fs::create_dir(directory.path().join("data")).expect("a directory");
    fs::write(directory.path().join("data/pw"), "secret\n").expect("a file");
    let output = |head: &str, agents| {
        let plan = plan(head, "", "data/pw");
        let requested = RunSpec { plan, agents, data: vec!["pw".to_owned()], ..RunSpec::default() };
        let checked =
            children().check(&requested, Some(directory.path())).expect("a child answers");
        checked.findings.iter().map(|it| it.text.clone()).collect::<Vec<_>>().join("; ")
    };
    let secret = "[variables]\nv = { file = \"FILE\" }";
    for (head, agents, refused) in [
        (secret, None, false),
        (secret, Some(2), true),
        ("[feeders.f]\nlines = \"FILE\"", Some(2), false),
    ] {
        let output = output(head, agents);
        assert_eq!(
            output.contains("secrets do not leave this machine"),
            refused,
            "{head}: {output}"
        );
        assert_eq!(output.is_empty(), !refused, "{head}: {output}");
    }
}

#[test]
fn sandbox_refuses_world_readable_files() {
    // A check is carried out in the root, so these names lead to files of the machine without leaving it.
    for file in [
        "etc/passwd",
        "etc/hostname",
        "proc/self/environ",
        "proc/1/cmdline",
        "proc/self/root/etc/passwd",
    ] {
        if fs::read(Path::new("/").join(file)).is_err() {
            continue;
        }
        for (head, step) in KEYS.iter().filter(|(head, _)| !head.contains("tls")) {
            let output = output(plan(head, step, file));
            assert!(is_refused(&output), "{head}{step} {file}: {output:?}");
        }
    }
    assert!(fs::read("/etc/passwd").is_ok(), "this test shows nothing");
}

#[test]
fn symlinks_outside_the_directory_are_refused() {
    let (site, server) = (Site::new(), Counted::start());
    let secret = tempfile::NamedTempFile::new().unwrap();
    fs::write(secret.path(), "canary-91ab\n").unwrap();
    for (link, is_read) in [(true, false), (false, true)] {
        // Nothing begins before the files are there.
        let held = File::create(&site.lock).unwrap();
        flock(&held, FlockOperation::LockExclusive).unwrap();
        let plan = format!(
            "[run]\niterations = {{ each = 1 }}\n[feeders.f]\nlines = \"names.txt\"\n[[scenario]]\nname = \"s\"\n\
             steps = [{{ get = \"http://{}/${{f}}\" }}]\n",
            server.at()
        );
        let id = site.submit(&plan, &[server.at().to_string()]);
        let beside = site.history.files(&id).path("names.txt");
        if link {
            symlink(secret.path(), &beside).unwrap();
        } else {
            fs::write(&beside, "canary-91ab\n").unwrap();
        }
        let before = server.requests();
        drop(held);
        let status = site.end(&id);
        assert_eq!(status.state == State::Done, is_read, "{status:?}");
        assert_eq!(server.requests() > before, is_read, "{status:?}");
        if link {
            assert!(is_refused(&status.reason), "{status:?}");
        }
    }
}

#[test]
fn server_environment_is_hidden_from_plans() {
    // Cargo sets it for every test, so it is in the environment that a child would inherit.
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some() && std::env::var_os("PATH").is_some());
    for name in ["CARGO_MANIFEST_DIR", "PATH", "HOME"] {
        let plan = plan("", "", "").replace("http://127", &format!("http://${{env:{name}}}.127"));
        let output = output(plan);
        assert!(output.contains("is no setting of the target"), "{name}: {output}");
    }
}
