//! What is imported equals what would have been sent: `brunt import`, whose plans are carried out against the identity
//! API, whose log is compared with the documents.

use std::fs;
use std::path::{Path, PathBuf};

use brunt_test_program::{Seen, scratch};

use crate::machine::{own, run};
use crate::rest_target::RestTarget;

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/import").join(name)
}

#[test]
fn import_examples_become_plans_that_run() {
    let names = ["AGENT_SECRET", "PASSWORD", "ADMIN_PASSWORD", "X_OPENAM_PASSWORD"];
    own(|machine| {
        for name in names {
            machine.set(name, "password");
        }
        machine.set("ADMIN_USER", "openidm-admin");
    });
    let (api, directory) = (RestTarget::start(), scratch());
    let plan = directory.path().join("plan.toml");
    let plan = plan.to_str().unwrap();
    let base = format!("http.base={}", api.base);
    for (kind, name, more) in [
        ("curl", "token.curl", &[][..]),
        ("har", "visit.har", &["--host", "127.0.0.1"]),
        ("openapi", "users.openapi.yaml", &["--server", &api.base]),
    ] {
        let file = example(name);
        let words = [&["import", kind, file.to_str().unwrap(), "-o", plan], more].concat();
        run(&words).expect(0);
        let checked = run(&["run", plan, "--check"]).expect(0);
        assert!(!checked.stdout.contains("Basic YWdlbnQ6"), "{checked}");
        // A recording is repeated for a minute.
        let once = ["run", plan, "--quiet", "--set", &base, "--set", "run.iterations.each=1"];
        run(&once).expect(0);
    }
    let seen = api.stop();
    let line = |one: &Seen| format!("{} {} {}", one.method, one.target, one.status);
    let requested: Vec<_> = seen.iter().map(line).collect();
    assert_eq!(
        requested,
        [
            "POST /oauth2/access_token 200",
            "POST /openam/json/authenticate?realm=%2F 200",
            "GET /echo?page=1&text=a%20b 200",
            "GET /openidm/info/ping 200",
            "GET /openidm/managed/user/user.0?_fields=userName,mail 200",
            "PATCH /openidm/managed/user/user.0 200",
            "POST /echo?limit=10 200",
        ]
    );
    assert_eq!(seen[6].json()["telephoneNumber"], "+11 111111");
    // 1.5 s were recorded between them, and each is on its way for some milliseconds.
    let pause = seen[2].at - seen[1].at;
    assert!((1_500_000..1_510_000).contains(&pause), "{pause} us");
}

#[test]
fn import_error_names_the_file_and_exits_2() {
    let directory = scratch();
    for (kind, text, output) in [
        ("har", "{\"log\":{}}", "missing field `entries` at line 1"),
        ("openapi", "swagger: '2.0'", "convert the document first"),
        ("openapi", "openapi: 3.0.0\npaths: [", "line 3"),
        ("curl", "curl --nosuch http://h/", "--nosuch"),
        ("curl", "wget http://h/", "wget"),
    ] {
        let file = directory.path().join("input");
        fs::write(&file, text).unwrap();
        let ended = run(&["import", kind, file.to_str().unwrap()]).expect(2);
        assert!(ended.output().contains(output), "{text}: {ended}");
        assert!(ended.stdout.is_empty(), "{ended}");
    }
    let nowhere = run(&["import", "har", "/nowhere/at.all"]).expect(2);
    assert!(nowhere.output().contains("/nowhere/at.all: failed to read it"), "{nowhere}");
    let curl = run(&["import", "curl", "curl -u jo:s3cret http://h/"]).expect(0);
    assert!(
        !curl.stdout.contains("s3cret") && curl.stdout.contains("{ env = \"PASSWORD\" }"),
        "{curl}"
    );
    // A hyphen is standard output, and no file of that name.
    let hyphen = run(&["import", "curl", "curl -u jo:s3cret http://h/", "-o", "-"]).expect(0);
    assert_eq!(hyphen.stdout, curl.stdout);
    let kept = run(&["import", "curl", "curl -u jo:s3cret http://h/", "--keep-secrets"]).expect(0);
    assert!(kept.stdout.contains("s3cret"), "{kept}");
}

#[test]
fn http_explains_flags_of_other_tools() {
    for (words, output) in [
        (&["--latency-correction"][..], "always corrected"),
        (&["-k"], "--insecure"),
        (&["--no-tui"], "--quiet"),
        (&["-s", "x.lua"], "brunt run"),
        (&["-p", "2"], "--http2"),
    ] {
        let ended = run(&[&["http", "http://127.0.0.1:9/"], words].concat()).expect(2);
        assert!(ended.output().contains(output), "{ended}");
    }
}
