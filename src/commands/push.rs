//! `brunt push`: a record, brought to a site of `brunt serve`.

use std::time::Duration;

use brunt_drivers::net::keystore::Store;
use brunt_drivers::net::stream::Stream;
use brunt_drivers::net::tls::{self, Options, Trust};
use http::{Method, Request, StatusCode, header};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use serde::Deserialize;
use tokio::net::TcpStream;
use tokio::runtime::Builder;
use tokio::time::timeout;

use super::failed;
use crate::cli::Refusal;
use crate::cli::exit::Exit;
use crate::cli::serve::PushArgs;
use crate::console;

/// How long it may take, the comparison with a baseline included.
const WITHIN: Duration = Duration::from_secs(180);
/// The most bytes of an answer.
const ANSWER_MAX: usize = 1 << 20;
/// The most bytes of a file with a token.
const TOKEN_MAX: u64 = 4_096;

/// What a site says of a record that was brought.
#[derive(Debug, Deserialize)]
struct Pushed {
    page: String,
    new: bool,
    verdict: String,
    missed: Vec<String>,
    against: Option<Against>,
}

#[derive(Debug, Deserialize)]
struct Against {
    page: String,
    trusted: bool,
    worse: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Problem {
    title: String,
    detail: String,
}

/// Pushes the record, and says what came of it.
pub(crate) fn push(args: &PushArgs) -> Result<Exit, Refusal> {
    if !args.site.secure && !args.site.is_loopback() {
        return Err(Refusal::usage(format!(
            "failed to push to {}: the token would be sent unencrypted; use https",
            args.site
        )));
    }
    let token = token(args)?;
    let record = std::fs::read(&args.file)
        .map_err(|error| failed(format!("read {}: {error}", args.file.display())))?;
    let runtime = Builder::new_current_thread().enable_all().build().map_err(failed)?;
    let conversation = async { timeout(WITHIN, converse(args, &token, record)).await };
    let answered = runtime.block_on(conversation);
    let answered =
        answered.unwrap_or_else(|_| Err(format!("no answer within {} s", WITHIN.as_secs())));
    let to = |why: String| failed(format!("push {} to {}: {why}", args.file.display(), args.site));
    let (status, body) = answered.map_err(to)?;
    if !status.is_success() {
        let problem: Option<Problem> = serde_json::from_slice(&body).ok();
        let said = problem.map(|problem| format!("{}. {}", problem.title, problem.detail));
        return Err(to(said.unwrap_or_else(|| format!("it answered {status}"))));
    }
    let pushed: Pushed = serde_json::from_slice(&body)
        .map_err(|error| to(format!("its answer is none of brunt serve ({error})")))?;
    console::print(&told(args, &pushed))?;
    Ok(exit(args, &pushed))
}

fn token(args: &PushArgs) -> Result<String, Refusal> {
    use std::io::Read as _;
    let path = args.token_file.display();
    let mut text = String::new();
    let read = std::fs::File::open(&args.token_file)
        .and_then(|file| file.take(TOKEN_MAX).read_to_string(&mut text));
    read.map_err(|error| failed(format!("read the token in {path}: {error}")))?;
    let token = text.trim();
    let plain = !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic());
    if !plain {
        return Err(failed(format!("read the token in {path}: it holds no token of brunt serve")));
    }
    Ok(token.to_owned())
}

/// What came of it, in lines.
fn told(args: &PushArgs, pushed: &Pushed) -> String {
    let known = if pushed.new { "" } else { " (it was there already)" };
    let mut lines = vec![
        format!("{}{}{known}", args.site, pushed.page),
        format!("verdict: {}", pushed.verdict),
    ];
    lines.extend(pushed.missed.iter().map(|objective| format!("missed: {objective}")));
    match &pushed.against {
        None => lines.push("baseline: none of this load".to_owned()),
        Some(against) => {
            lines.push(format!("baseline: {}", found(against)));
            lines.push(format!("  {}{}", args.site, against.page));
        }
    }
    lines.join("\n") + "\n"
}

/// How it compares with a baseline.
fn found(against: &Against) -> String {
    match (against.trusted, against.worse.as_slice()) {
        (false, _) => {
            "cannot be told, for a run is not valid or was not asked for the same".to_owned()
        }
        (true, []) => "nothing is worse beyond chance".to_owned(),
        (true, worse) => format!("worse: {}", worse.join(", ")),
    }
}

fn exit(args: &PushArgs, pushed: &Pushed) -> Exit {
    let is_worse =
        pushed.against.as_ref().is_some_and(|against| against.trusted && !against.worse.is_empty());
    match args.fail_on_regression {
        true if !pushed.missed.is_empty() => Exit::Missed,
        true if is_worse => Exit::Regression,
        _ => Exit::Ok,
    }
}

async fn converse(
    args: &PushArgs,
    token: &str,
    record: Vec<u8>,
) -> Result<(StatusCode, Bytes), String> {
    let site = &args.site;
    let plain = TcpStream::connect((site.host.as_str(), site.port)).await;
    let stream = Stream::Plain(plain.map_err(|error| error.to_string())?);
    let stream = if site.secure { secured(args, stream).await? } else { stream };
    let told = |error: hyper::Error| error.to_string();
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(told)?;
    let request = request(args, token, record)?;
    let answered = async {
        let answer = sender.send_request(request).await.map_err(told)?;
        let (head, body) = answer.into_parts();
        let body = Limited::new(body, ANSWER_MAX).collect().await;
        let body = body.map_err(|error| error.to_string())?.to_bytes();
        drop(sender);
        Ok::<_, String>((head.status, body))
    };
    let (_, answered) = tokio::join!(connection, answered);
    answered
}

async fn secured(args: &PushArgs, plain: Stream) -> Result<Stream, String> {
    let trust = match &args.ca {
        Some(path) => Trust::Stores(vec![Store { path: path.clone(), password: None }]),
        None => Trust::System,
    };
    let client = tls::Client::new(&Options { trust, ..Options::default() });
    let client = client.map_err(|error| error.to_string())?;
    let name = client.name_for(&args.site.host).map_err(|error| error.to_string())?;
    let secured = plain.secure(&client, &name, None).await;
    secured.map_err(|failure| format!("{failure}; --ca names a PEM file to trust"))
}

fn request(args: &PushArgs, token: &str, record: Vec<u8>) -> Result<Request<Full<Bytes>>, String> {
    let named = [("name", &args.name), ("commit", &args.commit)];
    let named = named.into_iter().filter_map(|(key, value)| Some((key, value.as_deref()?)));
    let tags = args.tags.iter().map(|tag| ("tag", tag.as_str()));
    let query: Vec<String> =
        named.chain(tags).map(|(key, value)| format!("{key}={}", encoded(value))).collect();
    let request = Request::builder()
        .method(Method::PUT)
        .uri(format!("/api/v1/records?{}", query.join("&")))
        .header(header::HOST, &args.site.authority)
        .header(header::AUTHORIZATION, format!("Bearer {token}"))
        .header(header::CONTENT_TYPE, "application/json")
        .header(header::USER_AGENT, concat!("brunt/", env!("CARGO_PKG_VERSION")))
        .header(header::CONNECTION, "close");
    request.body(Full::from(record)).map_err(|error| error.to_string())
}

/// Text as it stands in a query.
fn encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let octet =
        |byte: u8| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    text.bytes().map(octet).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pushed(missed: &[&str], against: Option<(bool, &[&str])>) -> Pushed {
        Pushed {
            page: "/runs/1".to_owned(),
            new: true,
            verdict: "valid".to_owned(),
            missed: missed.iter().map(ToString::to_string).collect(),
            against: against.map(|(trusted, worse)| Against {
                page: "/compare".to_owned(),
                trusted,
                worse: worse.iter().map(ToString::to_string).collect(),
            }),
        }
    }

    #[test]
    fn a_pipeline_fails_only_if_it_is_asked_to_and_only_of_what_is_known() {
        let args = |fail_on_regression| PushArgs {
            file: "run.json".into(),
            site: "http://127.0.0.1:7878".parse().unwrap(),
            token_file: "token".into(),
            name: None,
            tags: Vec::new(),
            commit: None,
            fail_on_regression,
            ca: None,
        };
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
            assert!(
                told(&args(true), &given)
                    .contains("http://127.0.0.1:7878/runs/1\nverdict: valid\n")
            );
        }
        assert_eq!(encoded("a b/\u{e4}"), "a%20b%2F%C3%A4");
    }
}
