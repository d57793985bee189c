//! Command lines, and the plans that are made from them.

use super::*;
use brunt_run::options::arrivals::Arrival;
use clap::Parser;

#[derive(Debug, Parser)]
struct Line {
    #[command(flatten)]
    http: HttpArgs,
}

fn files(path: &Path) -> std::io::Result<Vec<u8>> {
    match path.to_str() {
        Some("two") => Ok(b"http://h/1\nPOST https://g/2\nX: y\n".to_vec()),
        Some("marked") => Ok("\u{feff}http://h/1\n".into()),
        Some("json") => {
            Ok(br#"{"method":"POST","url":"http://h/v1","body":"bXkgYm9keQ=="}"#.to_vec())
        }
        Some("many") => Ok("http://h/1\n".repeat(21).into_bytes()),
        _ => Err(std::io::ErrorKind::NotFound.into()),
    }
}

fn words(words: &[&str]) -> Result<HttpPlan, HttpPlanError> {
    let words = std::iter::once("http").chain(words.iter().copied());
    HttpPlan::new(&Line::try_parse_from(words).unwrap().http, &files)
}

fn requested(line: &str) -> HttpPlan {
    words(&line.split(' ').collect::<Vec<_>>()).unwrap()
}

fn first(requested: &HttpPlan) -> &Step {
    &requested.plan.scenario[0].steps[0]
}

fn seconds(requested: &HttpPlan) -> Option<f64> {
    requested.plan.run.duration.map(|time| time.0.as_secs_f64())
}

#[test]
fn connection_close_header_is_sent() {
    let curl = words(&["--curl", "curl -H 'Connection: close' http://h/"]).unwrap();
    for requested in [curl, words(&["-H", "connection: close", "http://h/"]).unwrap()] {
        let mut headers = first(&requested).headers.iter();
        let found = headers.find(|(name, _)| name.eq_ignore_ascii_case("connection"));
        assert_eq!(found.map(|(_, value)| value), Some(&Several::from(Scalar::from("close"))));
    }
}

#[test]
fn bombardier_rate_is_not_taken_for_redirects() {
    let most = |line: &str| requested(line).plan.http.unwrap().redirects;
    assert_eq!(most("-r 10 -z 5s http://h/"), Some(10));
    assert_eq!(most("--redirect 100 -d 5s http://h/"), Some(100));
    assert_eq!((most("-r 0 http://h/"), most("http://h/")), (None, None));
    assert!(requested("-r 10 -n 5 http://h/").notes[0].contains("for a rate write -q 10"));
    assert!(requested("-t 2 -n 5 http://h/").notes[0].contains("for ab's time limit -z 2s"));
    assert!(requested("-t2 -c2 -d1s http://h/").notes.is_empty());
    assert!(requested("-t 2s -n 5 http://h/").notes.is_empty());
    for line in ["-r 100 -n 5 http://h/", "-r 10 -d 10s http://h/"] {
        let refused = words(&line.split(' ').collect::<Vec<_>>()).unwrap_err().to_string();
        assert!(refused.contains("write -q ") && refused.contains("--redirect"), "{refused}");
    }
}

#[test]
fn ab_letters_are_refused_with_the_spelling() {
    for (line, tip) in [
        ("-A user:password http://h/", "write -a USER:PASSWORD"),
        ("-s 30 http://h/", "write --timeout 30s"),
    ] {
        let refused = words(&line.split(' ').collect::<Vec<_>>()).unwrap_err().to_string();
        assert!(refused.contains(tip), "{refused}");
    }
}

#[test]
fn load_follows_the_tool_of_the_command_line() {
    // wrk
    let wrk = requested("-t12 -c400 -d30s http://h/");
    assert_eq!(
        (wrk.plan.run.users, wrk.plan.run.workers, seconds(&wrk)),
        (Some(400), Some(12), Some(30.0))
    );
    assert!(wrk.plan.run.rate.is_none() && first(&wrk).text.is_none());
    // wrk2
    let wrk2 = requested("-t2 -c100 -d10 -R2k --latency http://h/");
    assert_eq!((wrk2.plan.run.rate.as_deref(), seconds(&wrk2)), (Some("2k/s"), Some(10.0)));
    // oha
    let oha = requested("-n 1000 -c 10 -m PUT -d {} -t 2s --http2 -p 5 https://h/");
    assert_eq!(
        (oha.plan.run.users, oha.plan.run.timeout),
        (Some(50), Some(Time(Duration::from_secs(2))))
    );
    assert_eq!(oha.plan.run.iterations, Some(Iterations::Shared(1000)));
    assert_eq!(
        (first(&oha).put.as_deref(), first(&oha).text.as_deref()),
        (Some("https://h/"), Some("{}"))
    );
    assert_eq!(oha.plan.http.as_ref().unwrap().streams, Some(5));
    // hey and ab
    assert_eq!(
        requested("-n 100 -c 200 http://h/").plan.run.users,
        Some(100),
        "no more users than requests"
    );
    // No options at all.
    let plain = requested("h:8080");
    assert_eq!((plain.plan.run.users, seconds(&plain)), (Some(50), Some(10.0)));
    assert_eq!(first(&plain).get.as_deref(), Some("http://h:8080"));
}

#[test]
fn load_options_reach_the_plan() {
    let run = |line: &str| requested(line).plan.run;
    let stages = run("--stages 5/s --backlog 7 --drain 2s --warm-up 1s --no-pin -z 3s http://h/");
    assert_eq!(
        (stages.stages.as_deref(), stages.backlog, stages.pin),
        (Some("5/s"), Some(7), Some(false))
    );
    assert_eq!(stages.drain, Some(Time(Duration::from_secs(2))));
    assert_eq!(stages.duration, Some(Time(Duration::from_secs(3))));
    let ends = words(&["--stages", "5/s for 3s", "http://h/"]).unwrap().plan.run;
    assert_eq!((ends.stages.as_deref(), ends.duration), (Some("5/s for 3s"), None));
    let trace = words(&["--stages", "trace times.txt", "http://h/"]).unwrap().plan.run;
    assert_eq!((trace.trace.as_deref(), trace.duration), (Some("times.txt"), None));
    let file = run("--rate-file rates -q 100 http://h/");
    assert_eq!((file.rate.as_deref(), file.rate_file), (Some("100/s"), Some("rates".into())));
    assert_eq!(run("--think 10ms http://h/").think.as_deref(), Some("10ms"));
    let refused = words(&["--stages", "5/s", "-n", "5", "http://h/"]).unwrap_err().to_string();
    assert!(refused.contains("leave out -n"), "{refused}");
}

#[test]
fn rate_and_number_give_a_duration() {
    assert_eq!(seconds(&requested("-q 100 -n 50 http://h/")), Some(0.5));
    assert_eq!(
        seconds(&requested("-q 100 -n 500 -z 2s http://h/")),
        Some(2.0),
        "whichever ends first"
    );
    assert_eq!(seconds(&requested("-q 100 http://h/")), Some(10.0));
    let poisson = requested("-q 100 --arrival poisson http://h/");
    assert_eq!(poisson.plan.run.arrival, Some(Arrival::Poisson));
}

#[test]
fn ambiguous_letter_is_decided_by_its_value() {
    let body = requested("-d a=1 http://h/");
    assert_eq!(
        (first(&body).post.as_deref(), first(&body).text.as_deref()),
        (Some("http://h/"), Some("a=1"))
    );
    let noted = requested("-m POST -d 10 http://h/");
    assert_eq!(seconds(&noted), Some(10.0));
    assert!(noted.notes[0].contains("--body 10"), "{:?}", noted.notes);
    let output = requested("-m POST -d 10 --body 10 http://h/");
    assert_eq!(
        (first(&output).text.as_deref(), seconds(&output), output.notes.len()),
        (Some("10"), Some(10.0), 0)
    );
    assert!(words(&["-t", "x", "http://h/"]).unwrap_err().to_string().contains("threads"));
    assert!(words(&["-s", "x.lua", "http://h/"]).unwrap_err().to_string().contains("brunt run"));
}

#[test]
fn headers_and_bodies_are_taken_literally() {
    let line = [
        "-H",
        "X: ${a}",
        "-H",
        "x:b",
        "-A",
        "text/*",
        "--host",
        "v",
        "-T",
        "a/b",
        "--body",
        "${",
        "http://h/é?${x}",
    ];
    let requested = words(&line).unwrap();
    let step = first(&requested);
    let fields: Vec<_> =
        step.headers.iter().map(|(name, values)| (name, values.0.clone())).collect();
    let text = |text: &str| Scalar::Text(text.to_owned());
    assert_eq!(fields[0], ("Host", vec![text("v")]));
    assert_eq!(fields[2], ("X", vec![text("$${a}"), text("b")]));
    assert_eq!(step.post.as_deref(), Some("http://h/%C3%A9?$${x}"));
    assert_eq!((step.content_type.as_deref(), step.text.as_deref()), (Some("a/b"), Some("$${")));
    assert!(
        words(&["-H", "nocolon", "http://h/"]).unwrap_err().to_string().contains("NAME: VALUE")
    );
}

#[test]
fn passwords_come_from_every_source() {
    let password = |line: &str| first(&requested(line)).basic.clone().unwrap().password;
    assert_eq!(password("-a jo:pw http://h/"), Hidden::Text("pw".to_owned()));
    assert_eq!(password("-a jo:env:PW http://h/"), Hidden::Env("PW".to_owned()));
    assert_eq!(password("http://jo:pw@h/"), Hidden::Text("pw".to_owned()));
    let proxied = requested("-x http://jo:pw@p:3128 http://h/").plan.http.unwrap();
    assert_eq!(
        (proxied.proxy.as_deref(), proxied.proxy_login.is_some()),
        (Some("http://p:3128"), true)
    );
}

#[test]
fn tls_resume_never_disables_resumption() {
    let resumes =
        |line: &str| requested(line).plan.http.unwrap_or_default().tls.and_then(|tls| tls.resume);
    assert_eq!(resumes("--tls-resume never https://h/"), Some(false));
    assert_eq!(resumes("--tls-resume always https://h/"), None);
    assert_eq!(resumes("https://h/"), None);
}

#[test]
fn url_logins_are_percent_decoded() {
    let target = first(&requested("http://jo%40x:p%3aw%25@h/")).basic.clone().unwrap();
    let proxied = requested("-x jo%40x:p%3aw%25@p:3128 http://h/").plan.http.unwrap();
    for login in [target, proxied.proxy_login.unwrap()] {
        let password = Hidden::Text("p:w%".to_owned());
        assert_eq!((login.user.as_str(), login.password), ("jo@x", password));
    }
    assert_eq!(proxied.proxy.as_deref(), Some("http://p:3128"));
}

#[test]
fn urls_from_file_become_scenarios() {
    let two = requested("--urls-from-file two --rand-order");
    assert_eq!((two.plan.scenario.len(), two.plan.run.order), (2, Some(Order::Weights)));
    assert_eq!(two.plan.scenario[1].steps[0].post.as_deref(), Some("https://g/2"));
    assert_eq!(two.plan.scenario[1].steps[0].headers.0.len(), 1);
    assert!(first(&two).name.is_none(), "each is counted by itself");
    assert_eq!(first(&requested("--urls-from-file many")).name.as_deref(), Some("request"));
    assert!(words(&["--urls-from-file", "none"]).unwrap_err().to_string().contains("none"));
}

#[test]
fn body_may_be_in_a_file() {
    let file = |line: &str| {
        let step = first(&requested(line)).clone();
        assert_eq!((step.text, step.post.is_some()), (None, true), "{line}");
        step.body_file.unwrap()
    };
    assert_eq!(file("-d @body.json http://h/"), Path::new("body.json"));
    assert_eq!(file("-D body.json http://h/"), Path::new("body.json"));
    let text = requested("--body @body.json http://h/");
    assert_eq!(first(&text).text.as_deref(), Some("@body.json"));
}

#[test]
fn urls_from_file_accept_a_byte_order_mark_and_json() {
    let marked = requested("--urls-from-file marked");
    assert_eq!(marked.plan.scenario[0].steps.len() + marked.plan.scenario.len(), 2);
    let json = requested("--urls-from-file json");
    assert_eq!(first(&json).text.as_deref(), Some("my body"));
}

#[test]
fn connection_options_reach_the_plan() {
    let line = "--resolve h:80:127.0.0.1 --connect-to g:80:[::1]:8080 --disable-keepalive --redirect 3 --insecure \
                --cacert ca.pem --compressed --unix-socket /s --connect-timeout 2s --source-ip 127.0.0.2 http://h/";
    let http = requested(&line.split_whitespace().collect::<Vec<_>>().join(" ")).plan.http.unwrap();
    assert_eq!(http.resolve.value("h:80").map(String::as_str), Some("127.0.0.1:80"));
    assert_eq!(http.resolve.value("g:80").map(String::as_str), Some("[::1]:8080"));
    assert_eq!(
        (http.requests_per_connection, http.redirects, http.compression),
        (Some(1), Some(3), Some(true))
    );
    let line = "--redirect 3 --location-trusted -a a:b -H X-A:b http://h/";
    let trusting = requested(line).plan.http.unwrap();
    assert_eq!(trusting.redirect_headers, ["X-A", "Authorization"]);
    assert_eq!(trusting.redirect_body, Some(true));
    let none =
        words(&["--redirect", "0", "--location-trusted", "http://h/"]).unwrap_err().to_string();
    assert!(none.contains("add --redirect 3"), "{none}");
    let tls = http.tls.unwrap();
    assert_eq!(
        (tls.insecure, tls.ca),
        (Some(true), None),
        "no authority is asked where all are trusted"
    );
    assert_eq!(http.source_ips.as_deref(), Some("127.0.0.2"));
    let four = requested("-4 http://localhost:81/").plan.http.unwrap();
    assert_eq!(four.resolve.value("localhost:81").map(String::as_str), Some("127.0.0.1:81"));
    assert!(words(&["-p", "2", "http://h/"]).unwrap_err().to_string().contains("--http2"));
    assert!(
        words(&["--resolve", "x", "http://h/"])
            .unwrap_err()
            .to_string()
            .contains("HOST:PORT:ADDRESS")
    );
    assert!(words(&["ftp://h/"]).unwrap_err().to_string().contains("http://"));
}

#[test]
fn curl_command_becomes_the_request() {
    let requested =
        words(&["--curl", "curl -kL -d a=1 -u jo:pw https://h/x", "-c", "7", "--http2"]).unwrap();
    let step = first(&requested);
    assert_eq!(step.basic.as_ref().unwrap().password, Hidden::Text("pw".to_owned()));
    assert_eq!((step.post.as_deref(), step.form.0.len()), (Some("/x"), 1));
    let http = requested.plan.http.as_ref().unwrap();
    assert_eq!((http.base.as_deref(), http.version), (Some("https://h"), Some(HttpVersion::Http2)));
    assert_eq!((requested.plan.run.users, requested.plan.run.iterations), (Some(7), None));
    assert!(words(&["--curl", "curl --nosuch h"]).unwrap_err().to_string().contains("--nosuch"));
}
