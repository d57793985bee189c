//! What is imported equals what would have been sent: `brunt import` and `brunt http --curl` against the identity API
//! in memory, whose log is compared with what cURL itself sends and with the documents.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use brunt_testbed::require;
use rustix::process::Signal;
use serde_json::Value;
use tempfile::TempDir;

use brunt_test_program::{Ended, Program, binary, command, run, scratch};

/// An identity API in memory that logs what it is asked.
struct Api {
    program: Program,
    directory: TempDir,
    base: String,
}

impl Api {
    fn start() -> Self {
        let directory = scratch();
        let mut target = command(binary());
        target.args(["target", "rest", "--listen", "127.0.0.1:0", "--log"]);
        let mut program = Program::start(target.arg(directory.path().join("log")));
        let mut base = String::new();
        program.wait_until("its address", |stdout, _| {
            let line = stdout.split_once('\n').map_or("", |(line, _)| line);
            line.trim_end_matches('/').clone_into(&mut base);
            !base.is_empty()
        });
        Self { program, directory, base }
    }

    /// Stops it; what it was asked, in order.
    fn stop(self) -> Vec<Value> {
        self.program.signal(Signal::INT);
        self.program.wait().expect(0);
        let log = fs::read_to_string(self.directory.path().join("log")).expect("a log");
        log.lines().map(|line| serde_json::from_str(line).expect("JSON on each line")).collect()
    }
}

/// A request without what belongs to the program that sends it.
fn essence(seen: &Value) -> (String, String, String, BTreeSet<(String, String)>) {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let own = ["expect", "user-agent", "content-length", "connection", "accept-encoding"];
    let headers = seen["headers"].as_array().into_iter().flatten();
    let headers = headers.map(|pair| (text(&pair[0]).to_lowercase(), text(&pair[1])));
    let headers = headers.filter(|(name, _)| !own.contains(&name.as_str()));
    let mut headers: BTreeSet<_> = headers.collect();
    let mut body = text(&seen["body"]);
    // Each program has its own line between parts.
    let line = headers.iter().find_map(|(_, value)| value.split_once("boundary="));
    if let Some(line) = line.map(|(_, line)| line.to_owned()) {
        body = body.replace(&line, "LINE");
        let one = |(name, value): (String, String)| (name, value.replace(&line, "LINE"));
        headers = headers.into_iter().map(one).collect();
    }
    (text(&seen["method"]), text(&seen["target"]), body, headers)
}

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/import").join(name)
}

/// Runs brunt with secrets in its environment.
fn with_secrets(words: &[&str]) -> Ended {
    let mut brunt = command(binary());
    for name in ["AGENT_SECRET", "PASSWORD", "ADMIN_PASSWORD", "X_OPENAM_PASSWORD"] {
        brunt.env(name, "password");
    }
    brunt.env("ADMIN_USER", "openidm-admin");
    Program::start(brunt.args(words)).wait()
}

#[test]
fn http_curl_sends_what_curl_sends() {
    if !require(&["curl"]) {
        return;
    }
    let api = Api::start();
    let url = |path: &str| format!("'{}{path}'", api.base);
    let file = api.directory.path().join("body");
    fs::write(&file, "line one\r\nline two & more\n").unwrap();
    let at = file.display();
    let echo = url("/echo");
    let lines = [
        format!("curl {}", url("/echo?a=1&b=%20c#part")),
        format!("curl -I {echo}"),
        format!("curl -X DELETE -H 'X-One:  1 ' -H 'Accept:' -H 'X-None;' {echo}"),
        format!("curl -d a=1 -d 'b=2&c=d' {echo}"),
        format!("curl -d '{{\"a\": [1, 2]}}' -H 'content-type: application/json' {echo}"),
        format!("curl --json '{{\"a\":' --json '1}}' {echo}"),
        format!("curl --data-raw $'it\\'s \\u00e9\\n' -H 'Content-Type: text/plain' {echo}"),
        format!("curl -d @{at} -H 'Content-Type: text/plain' {echo}"),
        format!("curl --data-binary @{at} {echo}"),
        format!("curl -T {at} {echo}"),
        format!("curl -F a=1 -F 'f=@{at};type=text/plain' -F 'g=@{at};filename=\"x y\"' {echo}"),
        format!(
            "curl --data-urlencode 'q=a b/c' --data-urlencode '=x y' -H 'Content-Type: text/plain' {echo}"
        ),
        format!("curl -G -d a=1 --data-urlencode 'b=c d' {}", url("/echo?z=0")),
        format!("curl -u jo:p:w -A agent/1 -e http://r/ -r 0-4 -b 'a=1; b=2' {echo}"),
        format!(
            "curl -XPATCH -d '[]' {} --next -X PUT -d x=y {}",
            url("/echo?first"),
            url("/echo?second")
        ),
        format!("curl -L {}", url("/redirect/2")),
    ];
    for line in &lines {
        let status = Command::new("bash")
            .args(["-c", &format!("{line} -s -o /dev/null -o /dev/null")])
            .status();
        assert!(status.unwrap().success(), "{line}");
        let output = run(["http", "-c", "1", "-n", "1", "--quiet", "--curl", line]);
        assert!(output.code() == 0, "{line}\n{output}");
    }
    let seen = api.stop();
    let mut rest = &seen[..];
    for line in &lines {
        let count = if line.contains("--next") {
            2
        } else if line.contains("redirect") {
            3
        } else {
            1
        };
        let (curls, others) = rest.split_at(count);
        let (ours, others) = others.split_at(count);
        for (curl, brunt) in curls.iter().zip(ours) {
            assert_eq!(essence(curl), essence(brunt), "{line}");
        }
        rest = others;
    }
    assert!(rest.is_empty(), "{rest:?}");
}

#[test]
fn import_examples_become_plans_that_run() {
    let api = Api::start();
    let plan = api.directory.path().join("plan.toml");
    let plan = plan.to_str().unwrap();
    let base = format!("http.base={}", api.base);
    for (kind, name, more) in [
        ("curl", "token.curl", &[][..]),
        ("har", "visit.har", &["--host", "127.0.0.1"]),
        ("openapi", "users.openapi.yaml", &["--server", &api.base]),
    ] {
        let file = example(name);
        let words = [&["import", kind, file.to_str().unwrap(), "-o", plan], more].concat();
        run(words).expect(0);
        let checked = with_secrets(&["run", plan, "--check"]).expect(0);
        assert!(!checked.stdout.contains("Basic YWdlbnQ6"), "{checked}");
        // A recording is repeated for a minute.
        let once = ["run", plan, "--quiet", "--set", &base, "--set", "run.iterations.each=1"];
        with_secrets(&once).expect(0);
    }
    let seen = api.stop();
    let requested: Vec<_> = seen
        .iter()
        .map(|one| {
            format!("{} {} {}", one["method"], one["target"], one["status"]).replace('"', "")
        })
        .collect();
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
    let body: Value = serde_json::from_str(seen[6]["body"].as_str().unwrap()).unwrap();
    assert_eq!(body["telephoneNumber"], "+11 111111");
    let before = seen[1]["time_us"].as_u64().unwrap();
    let pause = seen[2]["time_us"].as_u64().unwrap() - before;
    assert!(
        (1_400_000..4_000_000).contains(&pause),
        "1.5 s were recorded between them: {pause} us"
    );
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
        let ended = run(["import", kind, file.to_str().unwrap()]).expect(2);
        assert!(ended.output().contains(output), "{text}: {ended}");
        assert!(ended.stdout.is_empty(), "{ended}");
    }
    let nowhere = run(["import", "har", "/nowhere/at.all"]).expect(2);
    assert!(nowhere.output().contains("/nowhere/at.all: failed to read it"), "{nowhere}");
    let curl = run(["import", "curl", "curl -u jo:s3cret http://h/"]).expect(0);
    assert!(
        !curl.stdout.contains("s3cret") && curl.stdout.contains("{ env = \"PASSWORD\" }"),
        "{curl}"
    );
    // A hyphen is standard output, and no file of that name.
    let hyphen = run(["import", "curl", "curl -u jo:s3cret http://h/", "-o", "-"]).expect(0);
    assert_eq!(hyphen.stdout, curl.stdout);
    let kept = run(["import", "curl", "curl -u jo:s3cret http://h/", "--keep-secrets"]).expect(0);
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
        let ended = run([&["http", "http://127.0.0.1:9/"], words].concat()).expect(2);
        assert!(ended.output().contains(output), "{ended}");
    }
}
