//! Plans made on the website: imported, changed by forms, given thresholds.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use brunt_testbed::{loadgen_counts, loadgen_tree, until};
use serde_json::{Value, json};

use crate::website::{Visitor, api, between, end, record, site};
use brunt_test_program::{brunt, run, scratch};

const CANARY: &str = "canary-of-a-password";

/// A text as a form sends it.
fn encoded(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

/// A text as a page shows it.
fn shown(text: &str) -> String {
    [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&amp;", "&")]
        .iter()
        .fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

/// Lists an API as a target.
fn list(visitor: &Visitor, target: &str, more: &str) {
    let address = target.trim_start_matches("http://").trim_end_matches('/');
    let fields = format!(
        "name=api&allow={address}&settings=BASE=http://{address}{more}&users=10&seconds=60&days=1"
    );
    let (head, body) = visitor.send("/targets", "/targets", &fields);
    assert!(head.starts_with("HTTP/1.1 303"), "{head}\n{body}");
}

/// The text of a plan on its page.
fn text_of(visitor: &Visitor, page: &str) -> String {
    let (_, body) = visitor.ask("GET", page, "", "");
    let text = body.split_once("<textarea id=\"text\"").expect("a text").1;
    shown(between(text, ">\n", "</textarea>"))
}

/// The page of a run once it is over.
fn ended(visitor: &Visitor, live: &str) -> String {
    let page = live.replace("/live/", "/runs/");
    let over = until(Duration::from_secs(60), || {
        visitor.ask("GET", "/", "", "");
        visitor.ask("GET", &page, "", "").0.starts_with("HTTP/1.1 200")
    });
    assert!(over, "{}", visitor.ask("GET", live, "", "").1);
    page
}

fn loadgen(directory: &Path, tree: &BTreeMap<&str, String>) -> String {
    for (path, text) in tree {
        let path = directory.join(path);
        std::fs::create_dir_all(path.parent().expect("a tree")).expect("a directory");
        std::fs::write(path, text).expect("a file");
    }
    let job = directory.join("jobs/job.json");
    brunt("loadgen --config").arg(job).env("TZ", "UTC").run().stdout
}

#[test]
fn loadgen_tree_imported_gives_the_report_of_loadgen() {
    let directory = scratch();
    let (program, visitor) = site(&directory.path().join("site"));
    let (own, other) = (api(), api());
    let at = |target: &str| loadgen_tree(target.trim_end_matches('/'));
    let expected = loadgen_counts(&loadgen(&directory.path().join("tree"), &at(&own.1)));
    assert!(expected.iter().any(|line| line.starts_with("form 12 4000ms 12 0 0")), "{expected:#?}");
    // Dropped with the directory that holds it, as browsers give it.
    let dropped: BTreeMap<String, String> =
        at(&other.1).into_iter().map(|(path, text)| (format!("LoadGen/{path}"), text)).collect();
    list(&visitor, &other.1, "%0AADMINUSERPASSWORD=password");
    let fields = format!(
        "kind=loadgen&library=1&text={}",
        encoded(&serde_json::to_string(&dropped).unwrap())
    );
    let (head, body) = visitor.send("/plans/import", "/plans/import", &fields);
    assert!(head.contains("location: /plans/1"), "{head}\n{body}");
    let plan = text_of(&visitor, "/plans/1");
    assert!(
        plan.contains("lines = \"data/values-teams.txt\"") && !plan.contains("\"password\""),
        "{plan}"
    );
    let (_, page) = visitor.ask("GET", "/plans/1", "", "");
    assert!(page.contains("ADMINUSERPASSWORD is a secret"), "{page}");
    let (_, library) = visitor.ask("GET", "/steps", "", "");
    assert!(library.contains("<summary>form ") && library.contains("/echo/form"), "{library}");
    let (head, body) = visitor.send("/plans/1", "/plans/1/run", "target=1&duration=30s");
    assert!(head.starts_with("HTTP/1.1 303"), "{head}\n{body}");
    let page = ended(&visitor, between(&head, "location: ", "\r\n"));
    let (_, report) = visitor.ask("GET", &format!("{page}/loadgen"), "", "");
    assert_eq!(loadgen_counts(&report), expected, "{report}");
    end(program);
}

#[test]
fn plan_editor_forms_change_a_plan_and_keep_input() {
    let directory = scratch();
    let (program, visitor) = site(&directory.path().join("site"));
    let (page, draft) = ("/plans/1", "/plans/1/draft");
    visitor.send("/plans", "/plans", "name=Visit&template=0");
    let text = |visitor: &Visitor| encoded(&text_of(visitor, page));
    // A step is added and opens. Nothing is saved yet, and the draft is there again later.
    let step = encoded("step:[\"scenario\",0]");
    let fields = format!("text={}&after=1&do={step}", text(&visitor));
    let (head, body) = visitor.send(page, draft, &fields);
    assert!(head.contains("location: /plans/1?open="), "{head}\n{body}");
    assert_eq!(text_of(&visitor, page).matches("[[scenario.steps]]").count(), 3);
    let (_, body) = visitor.ask("GET", page, "", "");
    assert!(body.contains("Revision 1,") && body.contains("changed and not saved"), "{body}");
    // A wrong value comes back with the reason, a link to it and what was likely meant.
    let path = encoded("[\"scenario\",0,\"steps\",2,\"get\"]");
    let load = "load.shape=ramp&load.ramp.rate=200&load.ramp.ramp=30+s&load.ramp.users=";
    let typed = format!("text={}&after=1&{path}=%2Ftyped&{load}&load.ramp.hold=5", text(&visitor));
    let (head, body) = visitor.send(page, page, &typed);
    assert!(head.starts_with("HTTP/1.1 422"), "{head}\n{body}");
    assert!(
        body.contains("one field needs a correction") && body.contains("5 what? Add a unit."),
        "{body}"
    );
    assert!(
        body.contains("name=\"load.ramp.hold\" value=\"5\"") && body.contains("/typed"),
        "{body}"
    );
    assert!(body.contains("value=\"load.ramp.hold=5 min\""), "{body}");
    let fix = encoded("load.ramp.hold=5 min");
    let (head, body) = visitor.send(page, draft, &format!("{typed}&fix={fix}"));
    assert!(head.starts_with("HTTP/1.1 303"), "{head}\n{body}");
    let plan = text_of(&visitor, page);
    assert!(plan.contains("stages = \"ramp 0..200 over 30s, 200/s for 5m\""), "{plan}");
    assert!(plan.contains("get = \"/typed\"") && !plan.contains("users = "), "{plan}");
    // Undo goes back one change, and what is saved is no draft any more.
    visitor.send(page, draft, "do=undo");
    assert!(!text_of(&visitor, page).contains("stages"), "{}", text_of(&visitor, page));
    let (head, _) = visitor.send(page, page, &typed.replace("hold=5", "hold=5m"));
    assert!(head.starts_with("HTTP/1.1 303"), "{head}");
    let (_, body) = visitor.ask("GET", page, "", "");
    assert!(body.contains("Revision 2,") && !body.contains("changed and not saved"), "{body}");
    assert!(text_of(&visitor, page).contains("200/s for 5m"));
    end(program);
}

#[test]
fn plan_import_contains_no_secret_and_sends_nothing() {
    let directory = scratch();
    let (program, visitor) = site(&directory.path().join("site"));
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    silent.set_nonblocking(true).unwrap();
    let at = silent.local_addr().unwrap();
    let har = json!({"log": {"version": "1.2", "entries": [{
        "startedDateTime": "2026-01-01T00:00:00Z", "time": 1,
        "request": {"method": "GET", "url": format!("http://{at}/har"), "httpVersion": "HTTP/1.1", "headers": [
            {"name": "Authorization", "value": format!("Bearer {CANARY}")}], "queryString": [], "cookies": []},
        "response": {"status": 200, "headers": [], "cookies": [], "content": {"mimeType": "text/html", "size": 0}},
    }]}});
    let openapi = json!({"openapi": "3.0.0", "info": {"title": "Pets", "version": "1"},
        "servers": [{"url": format!("http://{at}")}], "paths": {"/pets": {"get": {"responses": {"200": {}}}}}});
    let listed = json!({
        "jobs/j.json": json!({"name": "j", "service-location-port": format!("http://{at}"), "threads": 1,
            "workloads": [{"w": 1}], "WILDCARDS": [{"name": "$WHO", "type": "rest-endpoint", "attribute": "/r",
            "member": "_id", "source": format!("http://{at}/list")}]}).to_string(),
        "workloads/w.json": json!({"name": "w", "tasks": [{"t": 100}]}).to_string(),
        "tasks/t.json": json!({"request": "GET", "header": {}, "url-endpoint": "/$WHO", "url-payload": ""}).to_string(),
    });
    let given = [
        ("auto", format!("curl -u ada:{CANARY} http://{at}/curl"), "/curl"),
        ("auto", har.to_string(), "/har"),
        ("auto", openapi.to_string(), "/pets"),
        ("loadgen", listed.to_string(), "choice = []"),
    ];
    for (number, (kind, text, expected)) in given.iter().enumerate() {
        let fields = format!("kind={kind}&text={}", encoded(text));
        let (head, body) = visitor.send("/plans/import", "/plans/import", &fields);
        let page = format!("/plans/{}", number + 1);
        assert!(head.contains(&format!("location: {page}")), "{head}\n{body}");
        let plan = text_of(&visitor, &page);
        assert!(plan.contains(expected), "{plan}");
        for path in [page.as_str(), "/plans", "/audit"] {
            assert!(!visitor.ask("GET", path, "", "").1.contains(CANARY), "{path}");
        }
    }
    // Input that cannot be read is answered with a message, beside the input.
    for (kind, text, output) in [
        ("curl", "curl -d @/etc/passwd http://h/", "not read here"),
        ("har", "{", "Failed to"),
        ("loadgen", "{\"../../x/jobs/a.json\": \"{}\"}", "Failed to"),
        (
            "loadgen",
            "{\"jobs/a.json\": \"{}\", \"jobs/b.json\": \"{}\"}",
            "name one of jobs/a.json, jobs/b.json",
        ),
    ] {
        let fields = format!("kind={kind}&text={}", encoded(text));
        let (head, body) = visitor.send("/plans/import", "/plans/import", &fields);
        assert!(
            head.starts_with("HTTP/1.1 422") && body.contains(output),
            "{text}: {head}\n{body}"
        );
    }
    assert!(silent.accept().is_err(), "something was sent");
    end(program);
}

#[test]
fn plan_is_changed_by_key_path_and_gets_thresholds() {
    let directory = scratch();
    let (program, visitor) = site(&directory.path().join("site"));
    let (_api, target) = api();
    list(&visitor, &target, "");
    visitor.send("/plans", "/plans", "name=visit&template=0");
    let before = text_of(&visitor, "/plans/1");
    let token = visitor.token("push");
    let edit = |text: &str, changes: Value| -> Value {
        let body = json!({"text": text, "changes": changes, "at": ["run"]}).to_string();
        let more = format!("Authorization: Bearer {token}\r\nContent-Type: application/json\r\n");
        let (head, body) = visitor.ask("POST", "/api/v1/edit", &more, &body);
        assert!(head.starts_with("HTTP/1.1 200"), "{head}\n{body}");
        serde_json::from_str(&body).unwrap()
    };
    let reply = edit(&before, json!([{"op": "set", "path": ["run", "users"], "text": "7"}]));
    assert_eq!(reply["fault"], "");
    assert_eq!(reply["form"]["label"], "run");
    let after = reply["text"].as_str().unwrap();
    let changed: Vec<&str> =
        after.lines().filter(|line| !before.lines().any(|one| one == *line)).collect();
    assert_eq!(changed, ["users = 7"], "{after}");
    let (head, body) = visitor.send("/plans/1", "/plans/1/thresholds", "target=1&duration=1s");
    assert!(head.starts_with("HTTP/1.1 303"), "{head}\n{body}");
    let page = between(&head, "location: ", "\r\n").to_owned();
    let mut shown_page = String::new();
    let done = until(Duration::from_secs(60), || {
        shown_page = visitor.ask("GET", &page, "", "").1;
        shown_page.contains("What would change")
    });
    assert!(done, "{shown_page}");
    let accepted = shown_page.split_once("<textarea name=\"text\"").expect("a proposal").1;
    let accepted = shown(between(accepted, ">\n", "</textarea>"));
    assert!(accepted.contains("threshold = \""), "{accepted}");
    // The threshold is what the run of one user says, rounded up.
    let run = page.split_once("run=").expect("a run").1;
    let entry: Value = serde_json::from_str(
        &visitor.api(&visitor.token("read"), &format!("/api/v1/records/{run}")),
    )
    .unwrap();
    assert_eq!(entry["summary"]["sessions"], 1);
    let took = entry["summary"]["operations"][0]["p999_ms"].as_f64().unwrap();
    let text = between(&accepted, "threshold = \"", "\"");
    let micros = |text: &str| {
        let digits: f64 = text.trim_end_matches(char::is_alphabetic).parse().unwrap();
        digits
            * if text.ends_with("us") {
                1.0
            } else if text.ends_with("ms") {
                1e3
            } else {
                1e6
            }
    };
    assert!((took * 1e3..took * 1.1e3 + 1.0).contains(&micros(text)), "{text} of {took} ms");
    let (head, _) =
        visitor.send("/plans/1", "/plans/1", &format!("after=1&text={}", encoded(&accepted)));
    assert!(head.starts_with("HTTP/1.1 303"), "{head}");
    assert_eq!(text_of(&visitor, "/plans/1"), accepted);
    end(program);
}

#[test]
fn trend_page_equals_brunt_trend_and_skips_invalid_runs() {
    let directory = scratch();
    let (program, visitor) = site(&directory.path().join("site"));
    let (_api, target) = api();
    let made = std::fs::read(record(directory.path(), &target, ("made.json", "1"))).unwrap();
    let made: Value = serde_json::from_slice(&made).unwrap();
    let token = directory.path().join("token");
    std::fs::write(&token, visitor.token("push")).unwrap();
    let (origin, token) = (format!("http://{}", visitor.at), token.display().to_string());
    let mut files = Vec::new();
    for day in 1..=9 {
        let mut record = made.clone();
        record["started"] = json!(format!("2026-11-0{day}T08:00:00Z"));
        record["run"] = json!(format!("0000000{day}"));
        record["verdict"]["status"] = json!(if day == 9 { "unstable" } else { "valid" });
        // It got faster on the fifth day.
        let achieved = record["rates"]["achieved"].as_f64().unwrap();
        record["rates"]["achieved"] =
            json!(achieved * if day < 5 { 1.0 } else { 2.0 } + f64::from(day) / 10.0);
        let path = directory.path().join(format!("{day}.json"));
        std::fs::write(&path, record.to_string()).unwrap();
        let path = path.display().to_string();
        let words = ["push", &path, "--to", &origin, "--token-file", &token];
        assert_eq!(run(words).code(), 0);
        if day < 9 {
            files.push(path);
        }
    }
    let read = visitor.token("read");
    let listed: Value = serde_json::from_str(&visitor.api(&read, "/api/v1/records")).unwrap();
    let load = listed["runs"][0]["summary"]["load"].as_str().unwrap();
    let trends: Value =
        serde_json::from_str(&visitor.api(&read, &format!("/api/v1/trends?load={load}"))).unwrap();
    let words = ["trend", "--format", "json"].into_iter().chain(files.iter().map(String::as_str));
    let expected: Value = serde_json::from_str(&run(words).stdout).unwrap();
    assert_eq!(trends["series"], expected["series"]);
    assert_eq!(trends["runs"].as_array().unwrap().len(), 8);
    let (_, page) = visitor.ask("GET", &format!("/trends?load={load}"), "", "");
    assert!(page.contains("1 runs that are not valid are left out"), "{page}");
    end(program);
}
