//! The website as CI and its operator see it: records are pushed, compared with a baseline and downloaded; the index is
//! rebuilt from the directory; unsafe settings are refused.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use brunt_testbed::{free_port, until};
use rustix::process::Signal;

use brunt_test_program::{Program, Target, Trial, brunt, run, scratch};

/// Somebody at a browser without scripts.
pub(crate) struct Visitor {
    pub(crate) at: String,
    pub(crate) cookie: String,
}

impl Visitor {
    /// Signs in at a site by the link for a password.
    pub(crate) fn welcomed(at: &str, link: &str) -> Self {
        let mut visitor = Self { at: at.to_owned(), cookie: String::new() };
        let password = "correct-horse-battery";
        let fields = format!("link={link}&password={password}&again={password}");
        let (head, _) = visitor.ask("POST", "/welcome", "", &fields);
        between(&head, "set-cookie: ", ";").clone_into(&mut visitor.cookie);
        visitor
    }

    pub(crate) fn ask(&self, method: &str, path: &str, more: &str, body: &str) -> (String, String) {
        let mut stream = TcpStream::connect(&self.at).expect("a site");
        stream.set_read_timeout(Some(Duration::from_secs(90))).expect("a timeout");
        let Self { at, cookie } = self;
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: {at}\r\nConnection: close\r\nSec-Fetch-Site: same-origin\r\n\
             Cookie: {cookie}\r\n{more}Content-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .expect("a request that is taken");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("an answer");
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
        (head.to_owned(), body.to_owned())
    }

    /// Sends a form of a page, with what the page put into it.
    pub(crate) fn send(&self, page: &str, path: &str, fields: &str) -> (String, String) {
        let (_, shown) = self.ask("GET", page, "", "");
        let form = between(&shown, "name=\"form\" value=\"", "\"");
        self.ask("POST", path, "", &format!("form={form}&{fields}"))
    }

    /// A token for this.
    pub(crate) fn token(&self, scope: &str) -> String {
        let (_, shown) =
            self.send("/account", "/account/tokens", &format!("name=ci&scope={scope}&days=7"));
        between(&shown, "data-copy>", "<").to_owned()
    }

    pub(crate) fn api(&self, token: &str, path: &str) -> String {
        let (head, body) = self.ask("GET", path, &format!("Authorization: Bearer {token}\r\n"), "");
        assert!(head.starts_with("HTTP/1.1 200"), "{path}: {head}\n{body}");
        body
    }
}

pub(crate) fn between<'a>(text: &'a str, begin: &str, end: &str) -> &'a str {
    let rest = text.split_once(begin).unwrap_or_else(|| panic!("no {begin} in {text}")).1;
    rest.split_once(end).unwrap_or_else(|| panic!("no {end} in {rest}")).0
}

/// Ends a site, as ^C does.
pub(crate) fn end(program: Program) {
    program.signal(Signal::INT);
    program.wait();
}

/// The command that serves a directory. The runs of such a site do not wait for those of other tests' sites.
pub(crate) fn serve(directory: &Path) -> Trial {
    let serve = brunt("serve --listen 127.0.0.1:0 --dir").arg(directory);
    serve.env("XDG_RUNTIME_DIR", directory.parent().expect("the directory of the test"))
}

/// Starts a site that already has an administrator, or sets the password of the first one.
pub(crate) fn site(directory: &Path) -> (Program, Visitor) {
    site_with(directory, &[])
}

/// The same with more options.
pub(crate) fn site_with(directory: &Path, more: &[&str]) -> (Program, Visitor) {
    let mut program = serve(directory).args(more).start();
    let output = address(&mut program);
    let visitor = match output.split_once("/welcome#") {
        Some((at, link)) => Visitor::welcomed(at, link),
        None => Visitor { at: output, cookie: String::new() },
    };
    (program, visitor)
}

/// The address that a site prints, without its scheme.
pub(crate) fn address(program: &mut Program) -> String {
    program.wait_for_url("serve: ").replace("http://", "")
}

/// An API in memory, and its address.
pub(crate) fn api() -> (Target, String) {
    let target = Target::start("rest");
    let url = target.url("/");
    (target, url)
}

/// The record of a run against it, which misses its objective.
pub(crate) fn record(directory: &Path, target: &str, (name, seed): (&str, &str)) -> PathBuf {
    let path = directory.join(name);
    let run = brunt("http -c 2 -n 300 --quiet --slo p99<0.001ms").args(["--seed", seed]);
    run.arg("--record").arg(&path).arg(target).run().expect(99);
    path
}

/// Pushes a file to a site.
fn push(file: &Path, origin: &str, token: &Path) -> Trial {
    brunt("push").arg(file).args(["--to", origin, "--token-file"]).arg(token)
}

#[test]
fn push_failure_says_what_to_do() {
    let directory = scratch();
    let [token, run_file] = ["token", "run.json"].map(|name| directory.path().join(name));
    let origin = format!("http://127.0.0.1:{}", free_port());
    fs::write(&run_file, "{}").unwrap();
    let pushed = || push(&run_file, &origin, &token).run().expect(1);
    let without = pushed();
    assert!(without.stderr.contains("on the page of your account"), "{without}");
    fs::write(&token, "brunt_token\n").unwrap();
    let nobody = pushed();
    assert!(nobody.stderr.contains("is a server running there"), "{nobody}");
}

#[test]
fn records_are_pushed_compared_downloaded_and_reindexed() {
    let directory = scratch();
    let at = directory.path().join("site");
    let (_api, target) = api();
    let (program, visitor) = site(&at);
    let read = visitor.token("read");
    let token = directory.path().join("token");
    fs::write(&token, visitor.token("push")).unwrap();
    let origin = format!("http://{}", visitor.at);
    let pushed = |file: &Path, more: &[&str]| push(file, &origin, &token).args(more).run();
    let first = record(directory.path(), &target, ("first.json", "1"));
    let ended = pushed(&first, &["--tag", "nightly", "--commit", "4f2a91c"]);
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    assert!(
        ended.stdout.contains("missed: p99<0.001ms\nbaseline: none for this load"),
        "{}",
        ended.stdout
    );
    // Nothing is worse than nothing; an objective was missed.
    assert_eq!(pushed(&first, &["--fail-on-regression"]).code(), 99);
    let page = between(&ended.stdout, &origin, "\n").to_owned();
    let (head, _) =
        visitor.send(&page, &format!("{page}/about"), "name=First&baseline=1&tags=nightly");
    assert!(head.starts_with("HTTP/1.1 303"), "{head}");
    // Another seed is the same load.
    let second = record(directory.path(), &target, ("second.json", "2"));
    let ended = pushed(&second, &[]);
    assert!(ended.stdout.contains("/compare?run="), "{}", ended.stdout);
    // What comes back is the record.
    let id = page.rsplit('/').next().unwrap();
    let kept = at.join("runs").join(id).join("record.json.gz");
    let shown = run(["report", "--format", "json", kept.to_str().unwrap()]);
    assert_eq!(shown.stdout, run(["report", "--format", "json", first.to_str().unwrap()]).stdout);
    let csv = visitor.api(&read, &format!("/api/v1/records/{id}/csv"));
    assert_eq!(csv, run(["report", "--format", "csv", first.to_str().unwrap()]).stdout);
    let before = visitor.api(&read, "/api/v1/records?q=nightly");
    assert!(before.contains("\"all\":1") && before.contains("4f2a91c"), "{before}");
    let all = visitor.api(&read, "/api/v1/records");
    end(program);
    // The database is an index of the directory, but for people.
    for ending in ["db", "db-wal", "db-shm"] {
        let _ = fs::remove_file(at.join("brunt").with_extension(ending));
    }
    let ended = run(["serve", "--reindex", "--dir", at.to_str().unwrap()]);
    assert!(ended.stdout.contains("2 runs are in the index"), "{}{}", ended.stdout, ended.stderr);
    let (program, visitor) = site(&at);
    let read = visitor.token("read");
    assert_eq!(visitor.api(&read, "/api/v1/records?q=nightly"), before);
    assert_eq!(visitor.api(&read, "/api/v1/records"), all);
    end(program);
    let verified = run(["serve", "--verify-audit", "--dir", at.to_str().unwrap()]);
    assert!(verified.stdout.contains("lines are unchanged"), "{}", verified.stderr);
}

#[test]
fn push_of_an_invalid_record_is_refused_without_residue() {
    let directory = scratch();
    let at = directory.path().join("site");
    let (program, visitor) = site(&at);
    let token = directory.path().join("token");
    fs::write(&token, visitor.token("push")).unwrap();
    let origin = format!("http://{}", visitor.at);
    let bad = directory.path().join("bad.json");
    for text in ["{}", "", "\u{1f}\u{8b}", "{\"schema\":\"brunt-record/2\"}", &"[".repeat(100_000)]
    {
        fs::write(&bad, text).unwrap();
        let ended = push(&bad, &origin, &token).run().expect(1);
        assert!(ended.output().contains("Not accepted. Failed to"), "{}", ended.stderr);
    }
    assert_eq!(fs::read_dir(at.join("runs")).unwrap().count(), 0);
    assert_eq!(fs::read_dir(at.join("incoming")).unwrap().count(), 0);
    end(program);
}

#[test]
fn serve_and_push_refuse_plain_http_beyond_localhost() {
    let directory = scratch();
    let at = directory.path().join("site");
    let ended = run(["serve", "--listen", "0.0.0.0:0", "--dir", at.to_str().unwrap()]);
    assert!(ended.code() == 2 && ended.output().contains("--tls-cert"), "{}", ended.stderr);
    assert!(!at.exists());
    let token = directory.path().join("token");
    fs::write(&token, "secret").unwrap();
    let ended = push(Path::new("x.json"), "http://192.0.2.1", &token).run().expect(2);
    assert!(ended.output().contains("use https"), "{ended}");
    let (program, _) = site(&at);
    let ended = run(["serve", "--listen", "127.0.0.1:0", "--dir", at.to_str().unwrap()]);
    assert!(
        ended.code() == 1 && ended.output().contains("another brunt serve"),
        "{}",
        ended.stderr
    );
    end(program);
}

#[test]
fn website_run_reaches_only_its_target() {
    let directory = scratch();
    let (_api, target) = api();
    let (program, visitor) = site(&directory.path().join("site"));
    let address = target.trim_start_matches("http://").trim_end_matches('/');
    let list = |name: &str, allow: &str| {
        let fields = format!(
            "name={name}&allow={allow}&settings=BASE=http://{address}&users=10&seconds=60&days=1"
        );
        let (head, body) = visitor.send("/targets", "/targets", &fields);
        assert!(head.starts_with("HTTP/1.1 303"), "{head}\n{body}");
    };
    list("api", address);
    list("elsewhere", "127.0.0.1:1");
    let (head, _) = visitor.send("/plans", "/plans", "name=visit&template=0");
    assert!(head.contains("location: /plans/1"), "{head}");
    let ended = |target: &str, say: &str| {
        let fields = format!("target={target}&duration=1s");
        let (head, body) = visitor.send("/plans/1", "/plans/1/run", &fields);
        assert!(head.starts_with("HTTP/1.1 303"), "{head}\n{body}");
        let page = between(&head, "location: ", "\r\n").to_owned();
        let mut shown = String::new();
        let done = until(Duration::from_secs(60), || {
            shown = visitor.ask("GET", &page, "", "").1;
            shown.contains(say) || visitor.ask("GET", "/runs", "", "").1.contains(say)
        });
        assert!(done, "no {say}: {shown}");
        page
    };
    let page = ended("1", "data-label=\"goodput /s\"");
    let (head, _) = visitor.ask("GET", &page, "", "");
    assert!(head.contains(&page.replace("/live/", "location: /runs/")), "{head}");
    let page = ended("2", "an administrator can list it");
    assert!(visitor.ask("GET", &page, "", "").1.contains("There is no record of this run"));
    // What is on no list may not be reached, whatever is asked for.
    let (head, _) = visitor.send("/plans/1", "/plans/1/run", "target=3&duration=1s");
    assert!(head.starts_with("HTTP/1.1 4"), "{head}");
    end(program);
}
