//! The files of a run: the record, what it must not hold, and where it is written. What is made from it, and the
//! verdict on objectives, are seen in the process of the tests (`tests/in_memory`).

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use brunt_testbed::{ADMIN_DN, BASE_DN, PASSWORD, PEOPLE_DN, user_dn};
use serde_json::Value;

use brunt_test_program::{
    Program, Target, at, binary, command, measure, run, schema_faults, scratch, slapd,
};

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).expect("the file is there")).expect("it is JSON")
}

#[test]
fn record_matches_the_schema() {
    let Some(slapd) = slapd(20) else { return };
    let directory = scratch();
    let template = directory.path().join("people.template");
    let text = format!(
        "branch: {PEOPLE_DN}\nsubordinateTemplate: person\n\ntemplate: person\nrdnAttr: uid\n\
         objectClass: inetOrgPerson\nuid: added.<sequential:0>\ncn: Added\nsn: Added\n"
    );
    fs::write(&template, text).unwrap();
    let admin = ["-D", ADMIN_DN, "-w", PASSWORD];
    let dn = user_dn(2);
    let lines: [(&str, &[&str], &[&str]); 6] = [
        ("authrate", &["bind"], &["-D", &dn, "-w", PASSWORD, "-m", "20", "-I", "50"]),
        (
            "authrate",
            &["search-and-bind"],
            &["-D", "{1}", "-w", PASSWORD, "-m", "9", "-b", BASE_DN, "(uid=user.1)"],
        ),
        (
            "searchrate",
            &["search"],
            &["-M", "100", "-B", "1", "-d", "1", "-b", BASE_DN, "(uid=user.1)"],
        ),
        ("modrate", &["modify"], &["-F", "-m", "20", "-b", &dn, "description:x"]),
        ("addrate", &["add", "delete"], &["-F", "-m", "20", "-s", "5", template.to_str().unwrap()]),
        (
            "search-and-mod-rate",
            &["search", "modify"],
            &["-F", "-m", "20", "-b", BASE_DN, "(uid=user.1)", "description:x"],
        ),
    ];
    for (tool, operations, line) in lines {
        let identity: &[&str] = if tool == "authrate" { &[] } else { &admin };
        let slo = ["--slo", "errors<0.1%", "--slo", "p99<1s"];
        let ended = measure(tool, slapd.port(), &[identity, &slo, line].concat());
        let record = ended.record();
        let written = json(ended.record_path());
        assert_eq!(schema_faults(&written), Vec::<String>::new(), "{ended}");
        let names: BTreeSet<&str> = record.operations.iter().map(|o| o.name.as_str()).collect();
        let expected: BTreeSet<&str> = operations.iter().copied().collect();
        assert!(expected.is_subset(&names), "{names:?}\n{ended}");
        let mode = fs::metadata(ended.record_path()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{mode:o}");

        // A record that lacks something, or has something else in its place, would be found out.
        let mut wrong = written.clone();
        wrong.as_object_mut().unwrap().remove("verdict");
        assert!(!schema_faults(&wrong).is_empty());
        let mut wrong = written;
        wrong["counts"]["ok"] = Value::from("many");
        assert!(!schema_faults(&wrong).is_empty());
    }
}

#[test]
fn record_and_output_contain_no_secrets() {
    let Some(slapd) = slapd(20) else { return };
    let canary = "Canary-7f3a!";
    let coded = STANDARD.encode(canary);
    let directory = scratch();
    let secret = directory.path().join("secret");
    fs::write(&secret, format!("{canary}\n")).unwrap();
    let secret = secret.to_str().unwrap();
    let [record, hlog, hgrm, out] =
        ["record.json", "run.hlog", "run.hgrm", "out.txt"].map(|name| directory.path().join(name));
    let dn = user_dn(1);
    let sasl = ["-o", "mech=PLAIN", "-o", "authid=dn:cn=a"];
    for given in [
        &["-w", canary][..],
        &["-wCanary-7f3a!"],
        &["--bindPassword=Canary-7f3a!"],
        &["--BINDPASSWORD", canary, "-T", canary, "-W", canary],
        &["-w:env", "CANARY"],
        &["-w:file", secret],
        &[&["-w", canary], &sasl[..]].concat(),
    ] {
        let mut brunt = command(binary());
        brunt
            .env("CANARY", canary)
            .arg("authrate")
            .args(at(slapd.port()))
            .args(["-D", &dn, "-m", "5", "-v"]);
        brunt.arg("--record").arg(&record).arg("--hlog").arg(&hlog).arg("--hgrm").arg(&hgrm);
        brunt.arg("--outputFile").arg(&out).arg("--teeOutput");
        // The password is wrong, so that every message about a failed bind is shown as well.
        let ended = Program::start(brunt.args(given)).wait();
        let mut texts = vec![ended.stdout.clone(), ended.stderr.clone()];
        if record.exists() {
            texts.extend(
                [&record, &hlog, &hgrm, &out].map(|path| fs::read_to_string(path).unwrap()),
            );
            let command = json(&record)["command"].to_string();
            assert!(command.contains(&dn), "{command}");
        }
        for text in texts {
            assert!(!text.contains(canary) && !text.contains(&coded), "{given:?}\n{text}");
        }
    }
    assert!(record.exists());
    // A command line that is wrong does not show it either.
    for line in [
        &["authrate", "-D", &*dn, "-w", canary, "-c", "x"][..],
        &["searchrate", "-w", canary, "-b", BASE_DN, "(cn=a)"],
        &["authrate", "-D", &*dn, "-w", canary, "-w", canary],
        &["authrate", "-D", &*dn, "-o", "mech=GUESS", "-w", canary],
        &["authrate", "-D", &*dn, "-w", canary, "-Z", "--ca", "/nonexistent"],
    ] {
        let ended = run(line).expect(89);
        assert!(!ended.stderr.contains(canary), "{ended}");
    }
}

/// What the server was asked, in its order.
fn requested(line: &[&str]) -> Option<Vec<String>> {
    let slapd = slapd(20)?;
    let more = [
        "-m",
        "50",
        "-F",
        "-b",
        BASE_DN,
        "-g",
        "rand(0,1000)",
        "-g",
        "randstr(6)",
        "-g",
        "xrand(1,60)",
    ];
    let filter = "(&(uid={1})(cn={2})(sn={3}))";
    measure("searchrate", slapd.port(), &[line, &more, &[filter]].concat()).expect(0);
    Some(crate::values::searched(&slapd, 50))
}

#[test]
fn seed_repeats_the_sequence() {
    let Some(first) = requested(&["--seed", "42"]) else { return };
    assert_eq!(first.len(), 50);
    assert_eq!(requested(&["--seed", "42"]).unwrap(), first);
    assert_ne!(requested(&["--seed", "43"]).unwrap(), first);
    // Without one it is new each time.
    assert_ne!(requested(&[]).unwrap(), requested(&[]).unwrap());
}

/// A load that was too much for its target leaves the command of a search, which is typed here into a shell. The others
/// are read in the process of the tests (`tests/in_memory`).
#[test]
fn proposed_search_after_an_overload_is_valid_shell() {
    let (target, directory) = (Target::start("rest"), scratch());
    let path = directory.path().join("run.json");
    let (record, url) = (path.to_str().unwrap(), format!("http://{}/", target.address()));
    run(["http", "-q", "50", "-z", "1s", "--record", record, &url]).expect(0);
    target.stop();
    let mut overloaded = json(&path);
    overloaded["outcome"] = "overloaded".into();
    overloaded["verdict"]["status"] = "valid".into();
    overloaded["rates"]["overload"] = serde_json::json!({ "waiting": 5 });
    let line = "brunt perfdhcp -4 -l lo -r10 -n300 -R 5000 -W3 -t1 -D 5 127.0.0.1";
    overloaded["command"] = line.split(' ').collect();
    fs::write(&path, overloaded.to_string()).unwrap();
    let screen = run(["report", record]).expect(0).stdout;
    let (_, next) = screen.split_once("\nnext  brunt ").unwrap_or_else(|| panic!("{screen}"));
    let (typed, _) = next.split_once("\n      brunt report ").expect("the record comes last");
    let typed = typed.replacen("find-max", "find-max --second 100ms --quiet", 1);
    let mut shell = command(Path::new("sh"));
    shell.current_dir(directory.path());
    let ended =
        Program::start(shell.arg("-c").arg(format!("{} {typed}", binary().display()))).wait();
    assert!(![0, 2, 89].contains(&ended.code()), "{screen}\n{ended}");
}
