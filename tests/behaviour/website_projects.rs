//! A record of a load that belongs to a project: refused with nothing kept for who does not see the project, and
//! hidden on a restored site as well.

use std::fs;

use brunt_test_program::{run, scratch};

use crate::website::{Visitor, api, between, end, record, site};

#[test]
fn push_to_a_hidden_project_is_refused() {
    let directory = scratch();
    let at = |name: &str| directory.path().join(name).display().to_string();
    let (_api, target) = api();
    let (program, admin) = site(&directory.path().join("site"));
    let origin = format!("http://{}", admin.at);
    let (_, people) = admin.send("/people", "/people", "name=ada&role=runner");
    let ada = Visitor::welcomed(&admin.at, between(&people, "/welcome#", "<"));
    fs::write(at("admin"), admin.token("push")).unwrap();
    fs::write(at("ada"), ada.token("push")).unwrap();
    let records = [("first.json", "1"), ("second.json", "2")]
        .map(|named| record(directory.path(), &target, named).display().to_string());
    let push =
        |file: &str, token: &str| run(["push", file, "--to", &origin, "--token-file", &at(token)]);
    let first = push(&records[0], "admin").expect(0).stdout;
    let page = between(&first, &origin, "\n").to_owned();
    let (_, home) = ada.ask("GET", "/", "", "");
    let test = format!("/tests/{}", between(&home, "href=\"/tests/", "\""));
    admin.send("/projects", "/projects", "name=house");
    let (head, body) = admin.send(&test, &format!("{test}/project"), "project=1");
    assert!(head.starts_with("HTTP/1.1 303"), "{head}\n{body}");
    // One is new here, and the other is known.
    for file in &records {
        let refused = push(file, "ada");
        let output = refused.output();
        assert!(
            refused.code() != 0 && output.contains("a project that you do not see"),
            "{output}"
        );
        assert!(!output.contains("house"), "{output}");
    }
    let kept = || fs::read_dir(directory.path().join("site/runs")).expect("runs").count();
    assert_eq!(kept(), 1);
    let status = |who: &Visitor| who.ask("GET", &page, "", "").0[9..12].to_owned();
    assert_eq!([status(&admin), status(&ada)], ["200", "404"]);
    // The same site elsewhere.
    let made = run(["serve", "--dir", &at("site"), "--backup", &at("backups")]).expect(0).stdout;
    let backup = made.lines().next().expect("a path");
    end(program);
    run(["serve", "--restore", backup, "--dir", &at("new")]).expect(0);
    fs::copy(at("site/secrets.key"), at("new/secrets.key")).expect("a key");
    let (program, new) = site(&directory.path().join("new"));
    let new = new.at;
    let [admin, ada] = [admin, ada].map(|who| Visitor { at: new.clone(), ..who });
    let status = |who: &Visitor| who.ask("GET", &page, "", "").0[9..12].to_owned();
    assert_eq!([status(&admin), status(&ada)], ["200", "404"]);
    // Who sees the project may push, and both runs are then in it.
    admin.send("/projects/1", "/projects/1", "name=house&users=ada");
    let origin = format!("http://{new}");
    run(["push", &records[1], "--to", &origin, "--token-file", &at("ada")]).expect(0);
    assert!(ada.ask("GET", &format!("{test}/runs"), "", "").1.contains("Runs 2"));
    end(program);
}
