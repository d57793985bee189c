//! `brunt push`: uploads a record to a site of `brunt serve`.

use std::time::Duration;

use brunt_net::Network;
use brunt_net::keystore::Store;
use brunt_net::tls::Trust;
use brunt_record::Status;
use brunt_run::World;
use brunt_run::options::exit::Exit;
use brunt_run::options::refusal::Refusal;
use brunt_run::service::{Service, ServiceError, ServiceOptions};
use http::{Method, StatusCode, header};
use http_body_util::Full;
use hyper::body::Bytes;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;

use super::failed;
use crate::cli::push::PushArgs;

/// How long the upload may take, including the comparison with a baseline.
const WITHIN: Duration = Duration::from_secs(180);
/// The most bytes of an answer.
const ANSWER_MAX: usize = 1 << 20;
/// The most bytes of a file with a token.
const TOKEN_MAX: u64 = 4_096;
/// What helps if there is no token in the file.
const ADVICE: &str = "create one of the scope push on the page of your account, and save it there";

/// What a site answers about an uploaded record.
#[derive(Debug, Deserialize)]
struct Pushed {
    page: String,
    new: bool,
    /// The outcome of the run; a site of an older version does not send it.
    outcome: Option<String>,
    verdict: String,
    missed: Vec<String>,
    against: Option<Against>,
}

#[derive(Debug, Deserialize)]
struct Against {
    page: String,
    trusted: bool,
    /// Why it cannot be trusted; a site of an older version does not send it.
    reason: Option<String>,
    worse: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Problem {
    title: String,
    detail: String,
}

/// Uploads the record, and prints the result.
pub(crate) fn push(args: &PushArgs, world: &World) -> Result<Exit, Refusal> {
    if !args.site.is_secure() && !args.site.is_loopback() {
        return Err(Refusal::usage(format!(
            "failed to push to {}: the token would be sent unencrypted; use https",
            args.site
        )));
    }
    let token = token(args)?;
    let record = std::fs::read(&args.file)
        .map_err(|error| failed(format!("read {}: {error}", args.file.display())))?;
    let to = |why: String| failed(format!("push {} to {}: {why}", args.file.display(), args.site));
    let brought = brought(args, &token, record, &world.files);
    let (status, body) = brought.map_err(|error| to(error.to_string()))?;
    if !status.is_success() {
        let problem: Option<Problem> = serde_json::from_slice(&body).ok();
        let reported = problem.map(|problem| format!("{}. {}", problem.title, problem.detail));
        return Err(to(reported.unwrap_or_else(|| format!("the server answered {status}"))));
    }
    let pushed: Pushed = serde_json::from_slice(&body)
        .map_err(|error| to(format!("the answer is not one of brunt serve ({error})")))?;
    world.console.print(&summary_text(args, &pushed))?;
    if args.fail_on_regression && !is_compared(&pushed) && !args.require_comparison {
        world.console.note(
            "the run was not compared with a baseline, so --fail-on-regression found nothing; --require-comparison \
             makes this exit code 4",
        );
    }
    Ok(exit(args, &pushed))
}

fn token(args: &PushArgs) -> Result<String, Refusal> {
    use std::io::Read as _;
    let path = args.token_file.display();
    let mut text = String::new();
    let read = std::fs::File::open(&args.token_file)
        .and_then(|file| file.take(TOKEN_MAX).read_to_string(&mut text));
    let unread = |why: String| failed(format!("read the token in {path}: {why}; {ADVICE}"));
    read.map_err(|error| unread(error.to_string()))?;
    let token = text.trim();
    let plain = !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic());
    if !plain {
        return Err(unread("it has no token of brunt serve".to_owned()));
    }
    Ok(token.to_owned())
}

/// The result, in lines.
fn summary_text(args: &PushArgs, pushed: &Pushed) -> String {
    let known = if pushed.new { "" } else { " (already uploaded)" };
    let mut lines = vec![format!("{}{}{known}", args.site, pushed.page)];
    lines.extend(pushed.outcome.as_ref().map(|outcome| format!("outcome: {outcome}")));
    // As in the list of runs: a verdict without a doubt adds nothing to the outcome.
    if pushed.outcome.is_none() || pushed.verdict != Status::Valid.word() {
        lines.push(format!("verdict: {}", pushed.verdict));
    }
    lines.extend(pushed.missed.iter().map(|objective| format!("missed: {objective}")));
    match &pushed.against {
        None => lines.push("baseline: none for this load".to_owned()),
        Some(against) => {
            lines.push(format!("baseline: {}", found(against)));
            lines.push(format!("  {}{}", args.site, against.page));
        }
    }
    lines.join("\n") + "\n"
}

/// The comparison with a baseline, in words.
fn found(against: &Against) -> String {
    match (against.trusted, against.worse.as_slice()) {
        (false, _) => {
            let unknown = "a run is not valid, or the load is not the same";
            format!("not compared: {}", against.reason.as_deref().unwrap_or(unknown))
        }
        (true, []) => "no statistically significant change for the worse".to_owned(),
        (true, worse) => format!("worse: {}", worse.join(", ")),
    }
}

fn exit(args: &PushArgs, pushed: &Pushed) -> Exit {
    let is_worse =
        pushed.against.as_ref().is_some_and(|against| against.trusted && !against.worse.is_empty());
    match args.fail_on_regression {
        true if !pushed.missed.is_empty() => Exit::Missed,
        true if is_worse => Exit::Regression,
        _ if args.require_comparison && !is_compared(pushed) => Exit::Undecided,
        _ => Exit::Ok,
    }
}

/// Whether there is a baseline, and both runs are valid for a comparison.
fn is_compared(pushed: &Pushed) -> bool {
    pushed.against.as_ref().is_some_and(|against| against.trusted)
}

/// Uploads the record. Returns the answer of the site.
fn brought(
    args: &PushArgs,
    token: &str,
    record: Vec<u8>,
    files: &brunt_feed::Files,
) -> Result<(StatusCode, Bytes), ServiceError> {
    let trust = match &args.ca {
        Some(path) => Trust::Stores(vec![Store { path: path.clone(), password: None }]),
        None => Trust::System,
    };
    let advice = "; --ca names a PEM file to trust";
    let settings = ServiceOptions { trust, advice, within: WITHIN, answer_max: ANSWER_MAX };
    let service = Service::new(&args.site, settings, &Network::open(files))?;
    let request = service
        .request(Method::PUT, &format!("/api/v1/records?{}", query(args)))
        .header(header::AUTHORIZATION, format!("Bearer {token}"))
        .header(header::CONTENT_TYPE, "application/json");
    service.send(request.body(Full::from(record)))
}

/// What the user states about the record, as the query of the request.
fn query(args: &PushArgs) -> String {
    let named = [("name", &args.name), ("commit", &args.commit)];
    let named = named.into_iter().filter_map(|(key, value)| Some((key, value.as_deref()?)));
    let tags = args.tags.iter().map(|tag| ("tag", tag.as_str()));
    let encoded = |value: &str| utf8_percent_encode(value, NON_ALPHANUMERIC).to_string();
    let pairs: Vec<String> =
        named.chain(tags).map(|(key, value)| format!("{key}={}", encoded(value))).collect();
    pairs.join("&")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::site_url::site;

    fn pushed(missed: &[&str], against: Option<(bool, &[&str])>) -> Pushed {
        Pushed {
            page: "/runs/1".to_owned(),
            new: true,
            outcome: Some("measured".to_owned()),
            verdict: "valid".to_owned(),
            missed: missed.iter().map(ToString::to_string).collect(),
            against: against.map(|(trusted, worse)| Against {
                page: "/compare".to_owned(),
                trusted,
                reason: (!trusted).then(|| "the baseline b (/runs/0) is unstable".to_owned()),
                worse: worse.iter().map(ToString::to_string).collect(),
            }),
        }
    }

    fn args(fail_on_regression: bool) -> PushArgs {
        PushArgs {
            file: "run.json".into(),
            site: site("http://127.0.0.1:7878").unwrap(),
            token_file: "token".into(),
            name: None,
            tags: Vec::new(),
            commit: None,
            fail_on_regression,
            require_comparison: false,
            ca: None,
        }
    }

    #[test]
    fn push_prints_outcome_or_verdict() {
        let printed = |outcome: Option<&str>, verdict: &str| {
            let outcome = outcome.map(str::to_owned);
            let given = Pushed { outcome, verdict: verdict.to_owned(), ..pushed(&[], None) };
            let text = summary_text(&args(false), &given);
            let (page, rest) = text.split_once('\n').unwrap();
            assert_eq!(page, "http://127.0.0.1:7878/runs/1");
            rest.replace("baseline: none for this load\n", "")
        };
        assert_eq!(printed(Some("overloaded"), "valid"), "outcome: overloaded\n");
        let doubted = "outcome: not reliable\nverdict: generator-limited\n";
        assert_eq!(printed(Some("not reliable"), "generator-limited"), doubted);
        // A site of an older version.
        assert_eq!(printed(None, "valid"), "verdict: valid\n");
    }

    #[test]
    fn push_exit_code_follows_the_requested_checks() {
        for (given, code) in [
            (pushed(&[], None), 0),
            (pushed(&["p99<1ms"], None), 99),
            (pushed(&[], Some((true, &[]))), 0),
            (pushed(&[], Some((true, &["p99 +20.0 %"]))), 6),
            (pushed(&[], Some((false, &["p99 +20.0 %"]))), 0),
            (pushed(&["p99<1ms"], Some((true, &["p99 +20.0 %"]))), 99),
        ] {
            assert_eq!(exit(&args(true), &given).code(), code, "{given:?}");
            assert_eq!(exit(&args(false), &given).code(), 0, "{given:?}");
        }
        // An unknown result fails only where the options demand it.
        let strict = PushArgs { require_comparison: true, ..args(true) };
        for (given, code) in [
            (pushed(&[], None), 4),
            (pushed(&[], Some((false, &["p99 +20.0 %"]))), 4),
            (pushed(&[], Some((true, &[]))), 0),
            (pushed(&[], Some((true, &["p99 +20.0 %"]))), 6),
            (pushed(&["p99<1ms"], None), 99),
        ] {
            assert_eq!(exit(&strict, &given).code(), code, "{given:?}");
        }
        let text = summary_text(&strict, &pushed(&[], Some((false, &[]))));
        assert!(text.contains("baseline: not compared: the baseline b (/runs/0) is unstable\n"));
        let args = PushArgs {
            name: Some("a b/\u{e4}".to_owned()),
            tags: vec!["nightly".to_owned()],
            ..args(true)
        };
        assert_eq!(query(&args), "name=a%20b%2F%C3%A4&tag=nightly");
    }
}
