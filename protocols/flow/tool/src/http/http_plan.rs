//! [`HttpPlan`]: the plan that is made from a command line of `brunt http`.
//!
//! Every command line becomes a plan, so that there is only one way of making connections and requests to test, and
//! anything tried on a command line can be saved as a file.

use std::collections::BTreeSet;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use brunt_engine::schedule::Schedule;
use brunt_feed::file;
use brunt_flow_import::notation::{literal, literal_path};
use brunt_flow_import::{CurlError, Resolve, Secrets, percent_decoded};
use brunt_flow_plan::model::{
    Basic, Hidden, Http, HttpVersion, Iterations, Order, Plan, Run, Scenario, Step, Tls,
};
use brunt_flow_plan::values::{Scalar, Several, Time};
use brunt_net::resolve::Lookup;
use brunt_run::options::arrivals::{self, TargetRate};
use brunt_run::options::load_options::LoadOptions;
use brunt_run::options::output::duration;
use brunt_run::options::resend::Resending;

use super::targets::{self, Target, TargetsError};
use crate::import::settled::{self, SettleError, Settled, encoded};
use crate::options::http::{
    ConnectionArgs, HttpArgs, LoadArgs, RequestArgs, SpokenVersion, TlsResume,
};

/// How long to run if nothing else is given.
const USUAL: Duration = Duration::from_secs(10);
/// With more URLs than this, all are counted as one operation: a table of each would fill screens.
const MOST_NAMED: usize = 20;
/// More redirects than this in one request are no number that anybody follows: it is that of curl.
const MOST_REDIRECTS: u8 = 50;

/// The result of reading a command line.
#[derive(Debug)]
pub(super) struct HttpPlan {
    /// The plan.
    pub plan: Plan,
    /// Decisions made where the command line could be read in two ways.
    pub notes: Vec<String>,
}

/// Why a command line makes no plan. It reads after "failed to".
#[derive(Debug, thiserror::Error)]
pub(super) enum HttpPlanError {
    #[error("trust redirects with everything: none is followed; add --redirect 3")]
    NoRedirects,
    #[error(
        "understand '-t {0}': write a number of threads from 1 to 1024, or a timeout such as 2s"
    )]
    Threads(String),
    #[error(
        "end stages after a number of requests: leave out -n, and give each stage a time or set -z"
    )]
    CountedStages,
    #[error("use --rate: it is out of range")]
    Rate,
    #[error("understand '-s {seconds}': for ab's time-out write --timeout {seconds}s")]
    Seconds { seconds: u32 },
    #[error(
        "run a Lua script of wrk: scripts are not supported. Write a plan ('brunt help plan') for requests that \
         change, sequences and checks, and run it with brunt run; leave bombardier's -s out"
    )]
    Script,
    #[error(
        "follow '-r {text}' redirects: for a rate, as in bombardier, write -q {text}; for at most so many redirects \
         write --redirect {text}; leave ab's -r out, because no failure ends a run"
    )]
    Redirects { text: String },
    #[error(transparent)]
    Curl(#[from] CurlError),
    #[error(
        "send a body that is not text from a command line: name its file with --data-binary @FILE"
    )]
    Bytes,
    #[error(transparent)]
    Settle(SettleError),
    #[error("read {}: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("read {}: it is not UTF-8", .0.display())]
    Encoding(PathBuf),
    #[error("read {}: {source}", path.display())]
    Targets { path: PathBuf, source: TargetsError },
    #[error(
        "understand the URL '{0}': it must begin with http:// or https:// and contain no space"
    )]
    Url(String),
    #[error(
        "send -A as Accept header: it has no type such as application/json; for ab's -A USER:PASSWORD write -a \
         USER:PASSWORD"
    )]
    Accept,
    #[error("understand -H '{0}': write it as 'NAME: VALUE'")]
    Header(String),
    #[error("send several concurrent requests on an HTTP/1.1 connection: add --http2")]
    Streams,
    #[error("understand '{text}': write it as {form}")]
    Resolve { text: String, form: &'static str },
    #[error("find {host}: {source}")]
    Lookup { host: String, source: io::Error },
    #[error("find an address of {family} for {host}")]
    NoAddress { host: String, family: &'static str },
}

impl From<SettleError> for HttpPlanError {
    fn from(error: SettleError) -> Self {
        match error {
            SettleError::Bytes(_) => Self::Bytes,
            error @ SettleError::Address { .. } => Self::Settle(error),
        }
    }
}

impl HttpPlan {
    /// Makes a plan. `read` reads files.
    pub(super) fn new(
        args: &HttpArgs,
        read: &dyn Fn(&Path) -> std::io::Result<Vec<u8>>,
    ) -> Result<Self, HttpPlanError> {
        script(args)?;
        let args = &body_in_file(args);
        let mut notes = Vec::new();
        let mut load = Load::new(&args.load)?;
        let redirects = redirects(args, &mut notes)?;
        notes.extend(threads_of_wrk(args));
        let body = body(&args.request, &mut load, &mut notes);
        let mut plan = match &args.curl {
            Some(line) => of_curl(line, read, &mut notes)?,
            None => of_urls(args, body.as_deref(), read)?,
        };
        let mut http = plan.http.take().unwrap_or_default();
        connection(&args.connection, &mut http)?;
        http.redirects = redirects.or(http.redirects);
        if http.base.is_none() {
            http.base = base(&plan);
        }
        family(&args.connection, &plan, &mut http)?;
        if args.connection.location_trusted {
            if http.redirects.unwrap_or(0) == 0 {
                return Err(HttpPlanError::NoRedirects);
            }
            let steps = plan.scenario.iter().flat_map(|scenario| &scenario.steps);
            settled::trust_redirects(&mut http, settled::header_names(steps));
        }
        let shared = http.streams.unwrap_or(1);
        plan.http = Some(http);
        plan.run = load.run(&args.load, shared)?;
        if args.rand_order {
            plan.run.order = Some(Order::Weights);
        }
        let objectives = args.output.run.objectives.iter();
        plan.objectives.extend(objectives.map(|slo| slo.text().to_owned()));
        Ok(Self { plan, notes })
    }
}

/// The duration, the number of requests and the threads, once letters with two meanings have been resolved.
#[derive(Debug, Default)]
struct Load {
    duration: Option<Duration>,
    threads: Option<u32>,
    timeout: Option<Duration>,
}

impl Load {
    fn new(args: &LoadArgs) -> Result<Self, HttpPlanError> {
        let given = &args.options;
        let mut load =
            Self { duration: given.duration, threads: given.workers, timeout: given.timeout };
        let Some(text) = &args.threads_or_timeout else { return Ok(load) };
        match (text.parse::<u32>(), duration(text)) {
            (Ok(threads @ 1..=1024), _) => load.threads = load.threads.or(Some(threads)),
            (Err(_), Ok(time)) => load.timeout = load.timeout.or(Some(time)),
            _ => return Err(HttpPlanError::Threads(text.clone())),
        }
        Ok(load)
    }

    fn run(&self, args: &LoadArgs, streams: u32) -> Result<Run, HttpPlanError> {
        let mut users = args.connections.saturating_mul(streams);
        let given = &args.options;
        let mut run = Run {
            timeout: self.timeout.map(Time),
            warm_up: given.warm_up.map(Time),
            duration: self.duration.map(Time),
            drain: given.drain.map(Time),
            think: given.think.clone(),
            backlog: given.backlog,
            pin: given.no_pin.then_some(false),
            ..Run::default()
        };
        let ends = match (given.arrivals(), given.count) {
            (arrivals::Rate::Unlimited, Some(count)) => {
                users = users.min(u32::try_from(count).unwrap_or(u32::MAX));
                run.iterations = Some(Iterations::Shared(count));
                true
            }
            (arrivals::Rate::Unlimited, None) => false,
            (arrivals::Rate::Constant { .. }, count) => {
                self.constant(given, count, &mut run)?;
                false
            }
            (_, Some(_)) => return Err(HttpPlanError::CountedStages),
            (arrivals::Rate::Stages(text), None) => staged(text, &mut run),
            (arrivals::Rate::File { path, .. }, None) => {
                run.rate = given.rate.as_ref().map(per_second);
                run.rate_file = Some(path);
                true
            }
        };
        if run.duration.is_none() && !ends {
            run.duration = Some(Time(USUAL));
        }
        run.users = Some(users);
        run.workers = self.threads.map(|threads| threads.min(users));
        Ok(run)
    }

    /// A rate, which a number of requests makes a duration.
    fn constant(
        &self,
        given: &LoadOptions,
        count: Option<u64>,
        run: &mut Run,
    ) -> Result<(), HttpPlanError> {
        run.rate = given.rate.as_ref().map(per_second);
        run.arrival = given.arrival;
        let Some(count) = count else { return Ok(()) };
        let rate = given.rate.as_ref().and_then(TargetRate::exact);
        let lasting = rate.ok_or(HttpPlanError::Rate)?.time_of(count);
        run.duration = Some(Time(self.duration.map_or(lasting, |time| time.min(lasting))));
        Ok(())
    }
}

/// Stages, or the times in a file. Returns whether they end by themselves.
fn staged(text: String, run: &mut Run) -> bool {
    if let Some(path) = text.trim().strip_prefix("trace ") {
        run.trace = Some(path.trim().to_owned());
        return true;
    }
    let ends = Schedule::parse(&text).is_ok_and(|schedule| schedule.lasting().is_some());
    run.stages = Some(text);
    ends
}

/// A rate in the notation of plans.
fn per_second(rate: &TargetRate) -> String {
    let text = rate.text();
    if text.contains('/') { text.to_owned() } else { format!("{text}/s") }
}

/// Refuses what no option here does, although the letter exists.
fn script(args: &HttpArgs) -> Result<(), HttpPlanError> {
    let Some(script) = &args.script else { return Ok(()) };
    let named = script.to_string_lossy();
    if let Ok(seconds) = named.parse::<u32>() {
        return Err(HttpPlanError::Seconds { seconds });
    }
    Err(HttpPlanError::Script)
}

/// The same with the file that `-d @FILE` names as that of the body, as in curl.
fn body_in_file(args: &HttpArgs) -> HttpArgs {
    let mut args = args.clone();
    let request = &mut args.request;
    let named = request.duration_or_body.as_deref().and_then(|text| text.strip_prefix('@'));
    if let Some(path) = named.filter(|path| !path.is_empty()) {
        request.body_file = Some(request.body_file.take().unwrap_or_else(|| path.into()));
        request.duration_or_body = None;
    }
    args
}

/// How many redirects are followed, if any is. `-r` has the meaning of oha's only where it cannot be bombardier's rate.
fn redirects(args: &HttpArgs, notes: &mut Vec<String>) -> Result<Option<u8>, HttpPlanError> {
    let Some(text) = &args.connection.redirect_or_rate else {
        return Ok(Some(args.connection.redirect).filter(|most| *most > 0));
    };
    let lasting = args.request.duration_or_body.as_deref().is_some_and(|it| duration(it).is_ok());
    let most = text.parse().ok().filter(|most| *most <= MOST_REDIRECTS && !lasting);
    let most = most.ok_or_else(|| HttpPlanError::Redirects { text: text.clone() })?;
    if args.load.options.duration.is_none() && args.load.options.rate.is_none() {
        notes.push(format!(
            "-r {text} is read as a number of redirects; for a rate write -q {text}"
        ));
    }
    Ok(Some(most).filter(|most| *most > 0))
}

/// A note on `-t` with a plain number, which is no number of threads in hey and ab. A line of wrk has a duration too.
fn threads_of_wrk(args: &HttpArgs) -> Option<String> {
    let text = args.load.threads_or_timeout.as_deref()?;
    let lasting = args.request.duration_or_body.as_deref().is_some_and(|it| duration(it).is_ok());
    (text.parse::<u32>().is_ok() && !lasting).then(|| {
        format!(
            "-t {text} is read as a number of threads; for hey's time-out write -t {text}s, for ab's time limit \
             -z {text}s"
        )
    })
}

/// The body that was given; `-d` may be a duration instead.
fn body(args: &RequestArgs, load: &mut Load, notes: &mut Vec<String>) -> Option<String> {
    let Some(text) = &args.duration_or_body else { return args.body.clone() };
    let Ok(time) = duration(text) else { return args.body.clone().or_else(|| Some(text.clone())) };
    let sends =
        args.method.as_ref().is_some_and(|method| !matches!(method.as_str(), "GET" | "HEAD"));
    if sends && args.body.is_none() && args.body_file.is_none() {
        notes.push(format!(
            "-d {text} is read as a duration; for a body with that text write --body {text}"
        ));
    }
    load.duration = load.duration.or(Some(time));
    args.body.clone()
}

fn of_curl(
    line: &str,
    read: &dyn Fn(&Path) -> std::io::Result<Vec<u8>>,
    notes: &mut Vec<String>,
) -> Result<Plan, HttpPlanError> {
    let imported = brunt_flow_import::curl(line, Secrets::Kept, &read)?;
    let settled = Settled::new(&imported, None)?;
    notes.extend(settled.notes.iter().cloned());
    Ok(settled.whole())
}

fn of_urls(
    args: &HttpArgs,
    body: Option<&str>,
    read: &dyn Fn(&Path) -> std::io::Result<Vec<u8>>,
) -> Result<Plan, HttpPlanError> {
    let targets = match (&args.urls_from_file, &args.url) {
        (Some(path), _) => {
            let path = || path.clone();
            let bytes =
                read(&path()).map_err(|source| HttpPlanError::Read { path: path(), source })?;
            let text = String::from_utf8(file::unmarked(bytes))
                .map_err(|_| HttpPlanError::Encoding(path()))?;
            targets::parse(&text)
                .map_err(|source| HttpPlanError::Targets { path: path(), source })?
        }
        (None, url) => {
            vec![Target { url: whole(url.as_deref().unwrap_or_default())?, ..Target::default() }]
        }
    };
    let named = targets.len() <= MOST_NAMED;
    let mut plan = Plan::default();
    for target in &targets {
        let mut step = step(&args.request, target, body)?;
        if !named {
            step.name = Some("request".to_owned());
        }
        plan.scenario.push(Scenario { steps: vec![step], ..Scenario::default() });
    }
    Ok(plan)
}

/// The URL that was typed, with a scheme.
fn whole(text: &str) -> Result<String, HttpPlanError> {
    let url = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
    if targets::is_url(&url) && url.len() > "http://".len() {
        return Ok(url);
    }
    Err(HttpPlanError::Url(text.to_owned()))
}

fn step(args: &RequestArgs, target: &Target, body: Option<&str>) -> Result<Step, HttpPlanError> {
    let url = target.url.split('#').next().unwrap_or(&target.url);
    let (login, url) = login(url);
    let body = target.body.as_deref().or(body);
    let has_body = body.is_some() || args.body_file.is_some() || target.body_file.is_some();
    let usual = if has_body { "POST" } else { "GET" };
    let method = target.method.as_deref().or(args.method.as_deref()).unwrap_or(usual);
    let mut step = Step::default().request(&method.to_ascii_uppercase(), encoded(&literal(&url)));
    let mut field = |name: &str, value: &str| {
        let value = Scalar::Text(literal(value));
        match step.headers.0.iter_mut().find(|(known, _)| known.eq_ignore_ascii_case(name)) {
            Some((_, values)) => values.0.push(value),
            None => step.headers.0.push((name.to_owned(), Several::from(value))),
        }
    };
    if let Some(host) = &args.host {
        field("Host", host);
    }
    if let Some(accept) = &args.accept {
        if accept.contains(':') && !accept.contains('/') {
            return Err(HttpPlanError::Accept);
        }
        field("Accept", accept);
    }
    for header in &args.headers {
        let (name, value) =
            header.split_once(':').ok_or_else(|| HttpPlanError::Header(header.clone()))?;
        field(name.trim(), value.trim());
    }
    for (name, value) in &target.headers {
        field(name, value);
    }
    step.content_type = args.content_type.as_deref().map(literal);
    match (&target.body_file, &args.body_file, body) {
        (Some(path), _, _) => step.body_file = Some(literal_path(path)),
        (None, Some(path), _) if target.body.is_none() => step.body_file = Some(literal_path(path)),
        (None, _, Some(body)) => step.text = Some(literal(body)),
        (None, _, None) => {}
    }
    step.basic = args.basic_auth.as_deref().map(basic).or(login);
    Ok(step)
}

/// `USER:PASSWORD`, or `USER:env:NAME`.
fn basic(text: &str) -> Basic {
    let (user, password) = text.split_once(':').unwrap_or((text, ""));
    let password = match password.strip_prefix("env:") {
        Some(name) => Hidden::Env(name.to_owned()),
        None => Hidden::Text(literal(password)),
    };
    Basic { user: literal(user), password }
}

/// The user and password in a URL, which are percent-encoded there, and the URL without them.
fn login(url: &str) -> (Option<Basic>, String) {
    let plain = || (None, url.to_owned());
    let Some((scheme, rest)) = url.split_once("://") else { return plain() };
    let authority = rest.split(['/', '?']).next().unwrap_or(rest);
    let Some((user, host)) = authority.rsplit_once('@') else { return plain() };
    let (user, password) = user.split_once(':').unwrap_or((user, ""));
    let decoded = |text: &str| literal(&percent_decoded(text));
    let password = match password.strip_prefix("env:") {
        Some(name) => Hidden::Env(name.to_owned()),
        None => Hidden::Text(decoded(password)),
    };
    let login = Basic { user: decoded(user), password };
    (Some(login), format!("{scheme}://{host}{}", &rest[authority.len()..]))
}

fn connection(args: &ConnectionArgs, http: &mut Http) -> Result<(), HttpPlanError> {
    let version = match (args.http2, args.http_version) {
        (true, _) | (_, Some(SpokenVersion::Http2)) => Some(HttpVersion::Http2),
        (_, Some(SpokenVersion::Http1)) => Some(HttpVersion::Http1),
        (_, Some(SpokenVersion::Auto)) => Some(HttpVersion::Auto),
        (false, None) => None,
    };
    http.version = version.or(http.version);
    if let Some(streams) = args.streams {
        if matches!(http.version, None | Some(HttpVersion::Http1)) && streams > 1 {
            return Err(HttpPlanError::Streams);
        }
        http.streams = (streams > 1).then_some(streams);
    }
    if args.disable_keepalive {
        http.requests_per_connection = Some(1);
    }
    http.resend = (args.resend != Resending::default()).then_some(args.resend);
    if args.compressed || args.disable_compression {
        http.compression = Some(args.compressed);
    }
    for (texts, read, form) in [
        (
            &args.resolve,
            Resolve::to_address as fn(&str) -> Option<Resolve>,
            "--resolve HOST:PORT:ADDRESS",
        ),
        (&args.connect_to, Resolve::to_host, "--connect-to HOST:PORT:TO-HOST:TO-PORT"),
    ] {
        for text in texts {
            let wrong = || HttpPlanError::Resolve { text: text.clone(), form };
            let resolve = read(text).ok_or_else(wrong)?;
            let to = settled::address(&resolve.to_host, resolve.to_port)?;
            http.resolve.0.push((format!("{}:{}", resolve.host, resolve.port), to.to_string()));
        }
    }
    http.unix = args.unix_socket.clone().or_else(|| http.unix.take());
    if let Some(url) = &args.proxy {
        let url = if url.contains("://") { url.clone() } else { format!("http://{url}") };
        let (login, url) = login(&url);
        (http.proxy, http.proxy_login) = (Some(url), login);
    }
    if !args.source_ip.is_empty() {
        let all: Vec<String> = args.source_ip.iter().map(ToString::to_string).collect();
        http.source_ips = Some(all.join(","));
    }
    http.connect_timeout = args.connect_timeout.map(Time).or(http.connect_timeout);
    let mut tls = http.tls.take().map_or_else(Tls::default, |tls| *tls);
    tls.insecure = if args.insecure { Some(true) } else { tls.insecure };
    tls.ca = args.cacert.clone().or(tls.ca).filter(|_| tls.insecure != Some(true));
    tls.cert = args.cert.clone().or(tls.cert);
    tls.key = args.key.clone().or(tls.key);
    tls.resume = (args.tls_resume == TlsResume::Never).then_some(false).or(tls.resume);
    http.tls = (tls != Tls::default()).then(|| Box::new(tls));
    Ok(())
}

/// The URLs of a plan.
fn urls(plan: &Plan) -> impl Iterator<Item = &str> {
    let steps = plan.scenario.iter().flat_map(|scenario| &scenario.steps);
    steps.flat_map(|step| step.requests()).filter_map(|(_, url)| url)
}

/// The origin of a URL.
fn origin(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    let start = url.len() - rest.len();
    let end = rest.find(['/', '?']).map_or(url.len(), |at| start + at);
    url.get(..end)
}

/// The origin that all URLs share, which determines how HTTP/2 is used.
fn base(plan: &Plan) -> Option<String> {
    let mut origins = urls(plan).map(origin);
    let first = origins.next()??;
    origins.all(|other| other == Some(first)).then(|| first.to_owned())
}

/// Resolves each host, if only addresses of one family are wanted.
fn family(args: &ConnectionArgs, plan: &Plan, http: &mut Http) -> Result<(), HttpPlanError> {
    if !args.ipv4 && !args.ipv6 {
        return Ok(());
    }
    let fits = |address: &SocketAddr| address.is_ipv4() == args.ipv4;
    let base = http.base.clone();
    let origins: BTreeSet<&str> =
        base.iter().map(String::as_str).chain(urls(plan)).filter_map(origin).collect();
    for origin in origins {
        let (scheme, authority) = origin.split_once("://").unwrap_or(("http", origin));
        let usual = if scheme.eq_ignore_ascii_case("https") { 443 } else { 80 };
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => (host, port.parse().unwrap_or(usual)),
            _ => (authority, usual),
        };
        let found_host = host.trim_matches(['[', ']']);
        let name = format!("{found_host}:{port}");
        if http.resolve.value(&name).is_some() {
            continue;
        }
        let found = Lookup::begin(found_host, port, None).wait();
        let host = || found_host.to_owned();
        let found = found.map_err(|source| HttpPlanError::Lookup { host: host(), source })?;
        let family = if args.ipv4 { "IPv4" } else { "IPv6" };
        let address = found
            .into_iter()
            .find(fits)
            .ok_or_else(|| HttpPlanError::NoAddress { host: host(), family })?;
        http.resolve.0.push((name, address.to_string()));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
