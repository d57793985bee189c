//! A failed request as a line of curl: pasted into a shell, it sends what the run had sent.

use std::fs;
use std::process::Command;

use serde_json::Value;

use brunt_test_program::{Plan, RestTarget, Seen, scratch};

/// Requests with everything that a shell or curl might take for something else; none has the status that is expected.
const STEPS: &str = r#"
[[scenario.steps]]
name = "get"
get = "/a%20b/[x]/{y}?q='1'&r=$HOME;*"
headers = { X-Quote = "it's \"so\" `now` \\ !x", Accept = "text/html" }

[[scenario.steps]]
name = "form"
post = "/form"
form = { user = "jo & co", password = "it's secret", note = "a=b" }

[[scenario.steps]]
name = "json"
put = "/json/./x"
json = { text = "two\nlines", at = "@file", tag = "é" }
headers = { User-Agent = "mine" }

[[scenario.steps]]
name = "text"
patch = "/text"
text = "@not a file\n\ttabs\n\n'quotes' \\n %d\u0007 \u202e end\n"
headers = { Content-Type = "text/plain", X-Empty = "" }

[[scenario.steps]]
name = "nothing"
delete = "/nothing"

[[scenario.steps]]
name = "bare"
post = "/bare"

[[scenario.steps]]
name = "head"
head = "/head"
bearer = "a-secret-token"
"#;

fn plan(base: &str) -> Plan {
    let steps = STEPS.replace("\n\n[[scenario.steps]]", "\nstatus = 299\n\n[[scenario.steps]]");
    Plan::from_text(&format!(
        "[run]\nusers = 1\niterations = {{ each = 1 }}\n[http]\nbase = \"{base}\"\ncookies = true\n\
         [[scenario]]\nafter-failure = \"go-on\"\n{steps}status = 299\n"
    ))
}

/// What a server can tell of a request, in an order of its own.
fn told(seen: &Seen) -> (&str, &str, Vec<(String, &str)>, &str) {
    let mut headers: Vec<_> =
        seen.headers.iter().map(|(name, value)| (name.to_lowercase(), value.as_str())).collect();
    headers.sort();
    (&seen.method, &seen.target, headers, &seen.body)
}

#[test]
fn curl_line_of_a_failed_request_repeats_it() {
    let target = RestTarget::start();
    let directory = scratch();
    let file = directory.path().join("failed.ndjson");
    let plan = plan(&target.base);
    let ended = plan.start(&["--once", "--trace", &file.to_string_lossy()]).wait().expect(1);
    let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{error}: {ended}"));
    let failed: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("JSON on each line")).collect();
    assert_eq!(failed.len(), 7, "{ended}");
    for failed in &failed {
        let line = failed["curl"].as_str().unwrap_or_else(|| panic!("{failed}"));
        assert!(ended.stdout.contains(&format!("   again   {line}\n")), "{line}: {ended}");
        let starred = line.contains("***");
        let notes = failed["curl_notes"].to_string();
        assert_eq!(notes.contains("put in what is ***"), starred, "{line}: {notes}");
        let line = line.replace("password=***", "password=it%27s+secret");
        let line = line.replace("Bearer ***", "Bearer a-secret-token");
        let pasted = Command::new("bash").args(["-c", &line]).env("HOME", "/no").output();
        let pasted = pasted.expect("a shell");
        assert!(pasted.status.success(), "{line}: {}", String::from_utf8_lossy(&pasted.stderr));
    }
    let seen = target.stop();
    let (sent, again) = seen.split_at(7);
    assert_eq!(again.len(), 7, "{seen:?}");
    for (sent, again) in sent.iter().zip(again) {
        assert_eq!(told(again), told(sent));
    }
    assert!(ended.stdout.contains("# put in what is ***: the header Authorization\n"), "{ended}");
    assert!(ended.stdout.contains("# put in what is ***: the body\n"), "{ended}");
}
