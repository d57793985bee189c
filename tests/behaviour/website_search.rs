//! Searches for the highest rate through the website's API: started, followed, stopped, kept, exported, and indexed
//! again from their directories.

use std::time::Duration;

use brunt_capacity::rate;
use brunt_record::{Collection, Document};
use brunt_testbed::until;
use serde_json::{Value, json};

use crate::website::{Visitor, api, between, end, serve, site};
use brunt_test_program::{run, scratch};

/// A plan with a pace of its own, which a search leaves out.
const PLAN: &str = "# Kept.\n[run]\nrate = \"5/s\"\nduration = \"9s\"\nusers = 2\n[find-max]\nconfirm = \"20s\"\n\
                    [http]\nbase = \"${env:BASE}\"\n[[scenario]]\nname = \"s\"\nsteps = [{ get = \"/bytes/10\" }]\n";

fn encoded(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

/// What a program is answered that has this token.
fn requested(
    visitor: &Visitor,
    token: &str,
    (method, path): (&str, &str),
    body: &str,
) -> (u16, Value) {
    let by = format!("Authorization: Bearer {token}\r\n");
    let program = Visitor { at: visitor.at.clone(), cookie: String::new() };
    let (head, body) = program.ask(method, path, &by, body);
    let status = head.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or_default();
    (status, serde_json::from_str(&body).unwrap_or_else(|error| panic!("{error}: {body}")))
}

/// Lists an API that may get 100 requests a second, and makes the plan.
fn prepare(visitor: &Visitor, target: &str) {
    let address = target.trim_start_matches("http://").trim_end_matches('/');
    let fields = format!(
        "name=api&allow={address}&settings=BASE=http://{address}&rate=100&users=10&seconds=3600&days=1"
    );
    let (head, body) = visitor.send("/targets", "/targets", &fields);
    assert!(head.starts_with("HTTP/1.1 303"), "{head}\n{body}");
    visitor.send("/plans", "/plans", "name=visit&template=0");
    let fields = format!("after=1&text={}", encoded(PLAN));
    let (head, body) = visitor.send("/plans/1", "/plans/1", &fields);
    assert!(head.starts_with("HTTP/1.1 303"), "{head}\n{body}");
}

#[test]
fn search_by_api_reports_the_highest_rate_and_is_reindexed() {
    let directory = scratch();
    let at = directory.path().join("site");
    // A token can be made before the site is served with short seconds.
    let (program, visitor) = site(&at);
    let (token, reader) = (visitor.token("run"), visitor.token("read"));
    end(program);
    let mut program = serve(&at).args(["--search-second", "100ms"]).start();
    let served = crate::website::address(&mut program);
    let visitor = Visitor { at: served, ..visitor };
    let (_api, target) = api();
    prepare(&visitor, &target);
    let start = ("POST", "/api/v1/runs");
    let search = json!({ "objectives": ["p50<2s"], "from": "50/s", "to": "4k/s", "quick": true });
    let wanted = json!({ "plan": "visit", "target": "api", "tags": ["ci"], "search": search });
    // An impossible search is refused with a reason.
    for (field, wrong) in [("plan", "none"), ("target", "none"), ("sure", "1"), ("more", "x")] {
        let mut wanted = wanted.clone();
        wanted[field] = json!(wrong);
        let (status, _) = requested(&visitor, &token, start, &wanted.to_string());
        let expected = match field {
            "more" => 422,
            "sure" => 200,
            _ => 404,
        };
        assert_eq!(status, expected, "{field}");
    }
    // The accepted search continues, and is stopped.
    let mut going = Value::Null;
    let (_, listed) = visitor.ask("GET", "/", "", "");
    let id = between(&listed, "href=\"/live/", "\"").to_owned();
    let at_run = format!("/api/v1/runs/{id}");
    let searching = until(Duration::from_secs(60), || {
        going = requested(&visitor, &token, ("GET", &at_run), "").1;
        going["state"] == "searching" && going["seconds"].as_f64() > Some(1.0)
    });
    assert!(searching, "{going}");
    let (status, _) = requested(&visitor, &token, ("POST", &format!("{at_run}/stop")), "");
    assert_eq!(status, 200);
    let (_, submitted) = requested(&visitor, &token, start, &wanted.to_string());
    let id = submitted["id"].as_str().expect("an id").to_owned();
    let at_run = format!("/api/v1/runs/{id}");
    let over = until(Duration::from_secs(120), || {
        going = requested(&visitor, &token, ("GET", &at_run), "").1;
        going["over"] == true
    });
    // Where a busy machine let no step pass, nothing is claimed.
    let exit = going["exit"].as_u64();
    assert!(over && going["state"] == "done" && [Some(4), Some(9)].contains(&exit), "{going}");
    let record = at.join("runs").join(&id).join("record.json.gz");
    let Ok(Document::Collection(found)) = Document::read(&record) else { panic!("a search") };
    assert_eq!(
        found.figures.contains_key("floor"),
        exit == Some(4),
        "{going}: {:?}",
        found.figures
    );
    kept(&visitor, &id, &found, &record.display().to_string());
    assert_eq!(requested(&visitor, &token, ("GET", "/api/v1/records"), "").0, 403);
    let before = visitor.api(&reader, &format!("/api/v1/records/{id}"));
    end(program);
    std::fs::remove_file(at.join("brunt.db")).expect("the index can be removed");
    run(["serve", "--reindex", "--dir", &at.display().to_string()]).expect(0);
    let (program, visitor) = site(&at);
    let reader = visitor.token("read");
    assert_eq!(visitor.api(&reader, &format!("/api/v1/records/{id}")), before);
    end(program);
}

/// What the site has of it is what the record says.
fn kept(visitor: &Visitor, id: &str, found: &Collection, record: &str) {
    let output = match found.figures.get("floor").copied() {
        Some(floor) => {
            assert!(floor > 0.0 && floor <= 100.0, "{floor}");
            format!("Sustains at least {}", rate(floor))
        }
        None => "No claim: ".to_owned(),
    };
    let (_, page) = visitor.ask("GET", &format!("/runs/{id}"), "", "");
    assert!(page.contains(&output) && page.contains("Not tested"), "{page}");
    assert!(page.contains(">ci<") && !page.contains("Baseline"), "{page}");
    // The plan that was searched with is the plan without its pace.
    let text = std::fs::read_to_string(record.replace("record.json.gz", "plan.toml")).expect("it");
    assert!(
        text.contains("# Kept.") && !text.contains("users") && !text.contains("duration"),
        "{text}"
    );
    let (_, csv) = visitor.ask("GET", &format!("/runs/{id}/csv"), "", "");
    assert_eq!(csv.lines().count(), found.cells.len() + 1, "{csv}");
    let (_, html) = visitor.ask("GET", &format!("/runs/{id}/html"), "", "");
    assert!(html.contains("<!doctype html>") && html.contains(&output), "{html}");
    let report = run(["report", record]).expect(0);
    assert!(report.stdout.contains(&output), "{report}");
    let (head, body) = visitor.ask("GET", &format!("/compare?run={id}&run={id}"), "", "");
    assert!(
        head.starts_with("HTTP/1.1 422") && body.contains("search for the highest rate"),
        "{body}"
    );
    let (_, shared) = visitor.send("/shares", "/shares", &format!("run={id}&days=1"));
    let link = between(&shared, "data-link>", "<");
    let (_, seen) = visitor.ask("GET", link, "", "");
    assert!(seen.contains(&output) && !seen.contains("127.0.0.1:"), "{seen}");
}
