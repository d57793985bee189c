//! `brunt http`: one URL or many, with the flags that wrk, wrk2, oha, hey and ab have made usual.
//!
//! A command line becomes a plan ([`asked`]) and the plan a run, as `brunt run` makes it. Beside the summary of every
//! run there is a short block such as those tools print ([`figures`]).

mod asked;
mod figures;
mod rate;
mod targets;

use std::path::Path;
use std::sync::Arc;

use brunt_drivers::http::Network;
use brunt_engine::Node;
use brunt_import::is_secret_header;
use brunt_report::{Style, distribution, summary};
use clap::ValueEnum as _;

use crate::cli::Refusal;
use crate::cli::exit::Exit;
use crate::cli::http::HttpArgs;
use crate::cli::surroundings::Machine;
use crate::console;
use crate::flows::{self, Done, Job};
use crate::plan::compile::{World, compile};
use crate::plan::model::Resending;
use crate::signals::Signals;
use asked::Asked;

/// Carries out what was asked for.
pub(crate) fn run(args: &HttpArgs, signals: &Signals) -> Result<Exit, Refusal> {
    let Asked { plan, notes } =
        Asked::of(args, &|path| std::fs::read(path)).map_err(|error| usage(&error))?;
    if args.to_plan {
        let text = toml::to_string_pretty(&plan).map_err(|error| usage(&error))?;
        return console::print(&text);
    }
    if !args.output.quiet {
        for note in &notes {
            console::note(note);
        }
    }
    let seed = args.output.seed.unwrap_or_else(console::seed);
    let world = World { surroundings: &Machine, base: Path::new("") };
    let compiled = compile(&plan, Node { rank: 0, world: 1 }, seed, &world).map_err(|fault| {
        usage(&format!("convert the command line into a plan: {fault} (--to-plan shows the plan)"))
    })?;
    let network = Network::new(compiled.http).map_err(|error| failed(&error))?;
    let mut settings = compiled.settings;
    settings.interval = args.output.interval.unwrap_or(settings.interval);
    let target = args.url.clone().or_else(|| plan.http.as_ref().and_then(|http| http.base.clone()));
    let job = Job {
        command: command(args),
        flow: compiled.flow,
        network: Arc::new(network),
        settings,
        objectives: compiled.objectives,
        output: args.output.files(),
        target: target.map(|url| shown_url(&url)).unwrap_or_default(),
        progress: args.output.progress(),
    };
    let done = flows::run(job, signals)?;
    print(args, &done)?;
    Ok(done.exit)
}

fn print(args: &HttpArgs, done: &Done) -> Result<(), Refusal> {
    let style = Style { colour: console::colours(), verdict_always: false };
    let summary = summary(&done.record, style).map_err(|error| failed(&error))?;
    let figures = figures::text(&done.record).map_err(|error| failed(&error))?;
    console::print(&format!("{summary}\n{figures}"))?;
    if args.latency {
        let text = distribution(&done.record).map_err(|error| failed(&error))?;
        console::print(&format!("\nResponse time percentiles (HdrHistogram)\n{text}"))?;
    }
    if let Some(path) = args.output.record.as_ref().filter(|_| !args.output.quiet) {
        console::say(&format!("record: {}", path.display()));
    }
    Ok(())
}

fn usage(error: &dyn std::fmt::Display) -> Refusal {
    Refusal { text: format!("failed to {error}\n"), exit: Exit::Usage }
}

fn failed(error: &dyn std::fmt::Display) -> Refusal {
    Refusal { text: format!("failed to {error}\n"), exit: Exit::Failed }
}

/// A URL without the user and the password that may stand in it.
fn shown_url(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let authority = rest.split(['/', '?']).next().unwrap_or(rest);
    match authority.rsplit_once('@') {
        Some((_, host)) => format!("{scheme}://***@{host}{}", &rest[authority.len()..]),
        None => url.to_owned(),
    }
}

/// The command line as the record shows it: what may be a secret is left out.
fn command(args: &HttpArgs) -> Vec<String> {
    const HIDDEN: &str = "***";
    let mut words = vec!["http".to_owned()];
    let mut push = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            words.extend([name.to_owned(), value]);
        }
    };
    let time = |time: std::time::Duration| crate::plan::values::time_words(time);
    let path = |path: &std::path::PathBuf| path.display().to_string();
    let hidden = |given: bool| given.then(|| HIDDEN.to_owned());
    let (load, request, connection) = (&args.load, &args.request, &args.connection);
    push("-c", Some(load.connections.to_string()));
    push("-n", load.requests.map(|count| count.to_string()));
    push("-z", load.duration.map(time));
    push("-q", load.rate.clone());
    push("-t", load.threads_or_timeout.clone());
    push("--threads", load.threads.map(|count| count.to_string()));
    push("--timeout", load.timeout.map(time));
    push("--warm-up", load.warm_up.map(time));
    push("-m", request.method.clone());
    for header in &request.headers {
        let name = header.split(':').next().unwrap_or_default();
        let shown = if is_secret_header(name.trim()) {
            format!("{name}: {HIDDEN}")
        } else {
            header.clone()
        };
        push("-H", Some(shown));
    }
    let lasts =
        request.duration_or_body.clone().filter(|text| crate::cli::output::duration(text).is_ok());
    push("-d", lasts.or_else(|| hidden(request.duration_or_body.is_some())));
    push("--body", hidden(request.body.is_some()));
    push("-D", request.body_file.as_ref().map(path));
    push("-T", request.content_type.clone());
    push("-A", request.accept.clone());
    push("-a", hidden(request.basic_auth.is_some()));
    push("--host", request.host.clone());
    push("--curl", hidden(args.curl.is_some()));
    push("--urls-from-file", args.urls_from_file.as_ref().map(path));
    push("-p", connection.streams.map(|count| count.to_string()));
    let resend =
        connection.resend.to_possible_value().filter(|_| connection.resend != Resending::default());
    push("--resend", resend.map(|word| word.get_name().to_owned()));
    push("--unix-socket", connection.unix_socket.as_ref().map(path));
    push("--proxy", connection.proxy.as_deref().map(shown_url));
    for (name, given) in [
        ("--rand-order", args.rand_order),
        ("--http2", connection.http2),
        ("--disable-keepalive", connection.disable_keepalive),
        ("--compressed", connection.compressed),
        ("--insecure", connection.insecure),
    ] {
        words.extend(given.then(|| name.to_owned()));
    }
    words.extend(args.url.as_deref().map(shown_url));
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::http::RequestArgs;

    #[test]
    fn the_record_shows_no_secret() {
        let args = HttpArgs {
            url: Some("http://jo:pass1@h/x?a=1".to_owned()),
            request: RequestArgs {
                headers: vec!["Authorization: Bearer pass2".to_owned(), "X: shown".to_owned()],
                basic_auth: Some("jo:pass3".to_owned()),
                duration_or_body: Some("pass4".to_owned()),
                body: Some("pass5".to_owned()),
                ..RequestArgs::default()
            },
            curl: Some("curl -u a:pass6 h".to_owned()),
            ..HttpArgs::default()
        };
        let shown = command(&args).join(" ");
        assert!(!shown.contains("pass"), "{shown}");
        assert!(shown.contains("X: shown") && shown.contains("http://***@h/x?a=1"), "{shown}");
        let timed =
            RequestArgs { duration_or_body: Some("30s".to_owned()), ..RequestArgs::default() };
        let timed = HttpArgs { request: timed, ..HttpArgs::default() };
        assert!(command(&timed).join(" ").contains("-d 30s"));
    }
}
