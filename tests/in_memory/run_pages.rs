//! The page of a run: every way to make it gives the same page, and none destroys an existing file.

use std::fs;

use brunt_test_program::scratch;

use crate::directory::Directory;

#[test]
fn page_is_the_same_from_run_record_and_events() {
    let directory = scratch();
    let at = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let [run_page, record, events] = ["run.html", "run.json", "run.ndjson"].map(at);
    let (machine, _) = Directory::with(10);
    let run = |words: &[&str]| machine.run(words);
    let user = "uid=user.<b>{}</b>,ou=people,dc=example,dc=com";
    let line = ["authrate", "-h", "10.0.0.2", "-p", "389", "-D", user, "-w", "password", "-f"];
    let files = ["--html", &run_page, "--record", &record, "--events", &events];
    run(&[&line[..], &["-g", "rand(0,9)", "-m", "200"], &files].concat());
    let page = fs::read_to_string(&run_page).unwrap();
    assert!(page.starts_with("<!doctype html>") && page.trim_end().ends_with("</html>"), "{page}");
    assert!(page.contains("user.&lt;b&gt;{}") && !page.contains("<b>{}"), "the command is text");
    assert!(page.contains("[uid=user.&lt;b&gt;") && !page.contains("src="));
    for (source, name) in [(&record, "again.html"), (&events, "events.html")] {
        run(&["report", source, "--html", &at(name)]).expect(0);
        assert_eq!(fs::read_to_string(at(name)).unwrap(), page, "{name}");
    }
    assert_eq!(run(&["report", &record, "--format", "html"]).expect(0).stdout, page);

    let before = fs::read(&record).unwrap();
    let refused = run(&["report", &record, "--html", &record]).expect(1);
    assert!(refused.output().contains("--html names the same file"), "{refused}");
    assert_eq!(fs::read(&record).unwrap(), before);
    let nowhere = at("no/such/place.html");
    let failed = run(&["report", &record, "--html", &nowhere]).expect(1);
    assert!(failed.output().contains(&format!("failed to write --html {nowhere}")), "{failed}");
}
