//! Answers that are made to delay the client that parses them: they count as failures, and the run ends on time.

use std::fmt::Write as _;

use crate::pages::pages;
use crate::planned::{InMemory as _, Plan};

fn nested_namespaces() -> String {
    let open = (0..9_000).fold(String::new(), |mut text, at| {
        let _ = write!(text, "<a xmlns:n{at}='u'>");
        text
    });
    open + &"</a>".repeat(9_000)
}

fn attributes() -> String {
    let open = (0..50_000).fold("<a".to_owned(), |mut text, at| {
        let _ = write!(text, " attribute{at}='v'");
        text
    });
    open + "/>"
}

fn chains() -> String {
    format!("[{}]", vec!["[".repeat(100) + &"]".repeat(100); 4_800].join(","))
}

/// Each of the answers once took between 47 s and for ever, which is longer than any test waits for a program.
#[test]
fn expensive_answers_are_counted_as_unexamined() {
    let bodies = [
        ("/namespaces", nested_namespaces()),
        ("/attributes", attributes()),
        ("/chains", chains()),
        ("/doctype", "<!DOCTYPE a><a/>".to_owned()),
        ("/number", "{\"a\":1e999}".to_owned()),
    ];
    assert!(bodies[0].1.len() > 200_000 && bodies[1].1.len() > 860_000);
    assert!(bodies[2].1.len() > 960_000);
    let mut plan = format!(
        "[run]\niterations = {{ each = 1 }}\n[http]\nbase = \"{}\"\nlimits = {{ body-kept = \"1MiB\" }}\n\
         [[scenario]]\nname = \"a\"\nafter-failure = \"go-on\"\n",
        pages(bodies.map(|(path, body)| (path, ("200 OK", body))))
    );
    for (path, check) in [
        ("namespaces", "xpath = \"//b\""),
        ("attributes", "xpath = \"//b\""),
        ("chains", "json = \"$..*..*..*\""),
        ("doctype", "xpath = \"//b\""),
        ("number", "json = \"$.b\""),
    ] {
        let _ = write!(
            plan,
            "[[scenario.steps]]\nget = \"/{path}\"\nchecks = [{{ {check}, exists = false }}]\n"
        );
    }
    let ended = Plan::from_text(&plan).run(&[]);
    let record = ended.record();
    assert_eq!((record.counts.ok, record.counts.failed), (0, 5), "{ended}");
    for operation in &record.operations {
        let classes: Vec<_> = operation.codes.iter().map(|code| &*code.class).collect();
        assert_eq!(classes, ["unexamined"], "{}\n{ended}", operation.name);
    }
    for why in ["units of work", "has a DOCTYPE", "out of the range"] {
        let explained = record.samples.iter().any(|sample| sample.text.contains(why));
        assert!(explained, "{why}\n{ended}");
    }
}

/// What lies behind `body-kept` was not looked at.
#[test]
fn negative_checks_fail_on_a_body_cut_at_body_kept() {
    let body = format!("{}secret", "x".repeat(100_000));
    let base = pages([("/", ("200 OK", body))]);
    let plan = |kept: &str| {
        Plan::from_text(&format!(
            "[run]\niterations = {{ each = 1 }}\n[http]\nbase = \"{base}\"\nlimits = {{ body-kept = \"{kept}\" }}\n\
             [[scenario]]\nname = \"a\"\n[[scenario.steps]]\nget = \"/\"\n\
             checks = [{{ body = true, contains = \"secret\", not = true }}]\n"
        ))
        .run(&[])
    };
    for (kept, class) in [("64KiB", "unexamined"), ("1MiB", "check")] {
        let ended = plan(kept);
        let record = ended.record();
        let classes: Vec<_> = record.operations[0].codes.iter().map(|code| &*code.class).collect();
        assert_eq!(classes, [class], "{kept}\n{ended}");
    }
}
