//! The options of `brunt http`, declared for clap. Their doc comments are their help; there is no logic here.
//!
//! The names are those that are familiar from wrk, wrk2, oha, hey and ab. If they give one letter two meanings, both
//! are accepted if the value distinguishes them (`-d`, `-t`); otherwise one is chosen, and the page of the command says
//! which.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use brunt_run::options::about::About;
use brunt_run::options::output::{OutputArgs, duration};
use brunt_run::options::resend::Resending;
use brunt_run::options::spelled::{Spelled, ToolSpelling};
use brunt_run::options::spelling::{Own, Spelling};
use clap::{Args, ValueEnum};

use super::trace::TraceArgs;

/// Options of `brunt http`.
#[derive(Args, Clone, Debug, Default, PartialEq)]
pub struct HttpArgs {
    /// URL to send requests to, such as `https://id.example.com/ping`
    #[arg(required_unless_present_any = ["urls_from_file", "curl"])]
    pub url: Option<String>,
    /// Take the request from a curl command line, in quotes
    ///
    /// Browsers copy requests in this form: `--curl 'curl https://id.example.com/ -H accept:text/html'`.
    #[arg(long, value_name = "COMMAND", conflicts_with_all = ["url", "urls_from_file"])]
    pub curl: Option<String>,
    /// Read URLs from a file, one per line
    ///
    /// A line is a URL, a method and a URL (`POST https://...`), or a vegeta target with headers and @body, or in JSON.
    #[arg(long, value_name = "FILE", conflicts_with = "url")]
    pub urls_from_file: Option<PathBuf>,
    /// Pick the URLs of the file at random instead of in order
    #[arg(long, requires = "urls_from_file", conflicts_with_all = ["url", "curl"])]
    pub rand_order: bool,
    /// When, how many and how long.
    #[command(flatten)]
    pub load: LoadArgs,
    /// What is sent.
    #[command(flatten)]
    pub request: RequestArgs,
    /// How it gets there.
    #[command(flatten)]
    pub connection: ConnectionArgs,
    /// Print all percentiles as well, as wrk2 does
    #[arg(short = 'L', long)]
    pub latency: bool,
    /// Send nothing; print an equivalent plan for brunt run
    #[arg(long, conflicts_with_all = ["once", "trace"])]
    pub to_plan: bool,
    /// Lua script of wrk. It is refused: plans take its place
    #[arg(short, long, value_name = "FILE", hide = true)]
    pub script: Option<PathBuf>,
    /// Where results go.
    #[command(flatten)]
    pub output: OutputArgs,
    /// Which exchanges are shown in full.
    #[command(flatten)]
    pub trace: TraceArgs,
}

/// When, how many and how long.
#[derive(Args, Clone, Debug, Default, PartialEq)]
#[command(next_help_heading = "Load")]
pub struct LoadArgs {
    /// Concurrent connections, one request in flight on each
    #[arg(short, long, value_name = "NUMBER", default_value_t = 50, value_parser = up_to(1_000_000))]
    pub connections: u32,
    /// What every load takes.
    #[command(flatten)]
    pub options: Spelled<Requests>,
    /// A plain number sets the threads, as in wrk; a time with a unit, such as 2s, sets the timeout, as in oha
    #[arg(short = 't', value_name = "NUMBER|TIME")]
    pub threads_or_timeout: Option<String>,
}

/// The names of `brunt http` for the options that loads have in common: those of wrk2, oha and hey.
#[derive(Debug)]
pub struct Requests;

impl ToolSpelling for Requests {
    const SPELLING: &'static Spelling = &Spelling {
        noun: "request",
        nouns: "requests",
        session: "connection",
        is_open: false,
        own: &[
            Own::new("rate", "rate").shorts(&['q', 'R']).help(
                "Requests per second (open loop), such as 1000 or 90/m\n\n\
                 Requests become due at this rate whether or not earlier ones were answered: 1000, 10k, 200/s or 90/m. \
                 The time a request waits for a connection is part of its response time. Without a rate the load is a \
                 closed loop: each connection sends its next request as soon as it has the previous answer.",
            ),
            Own::new("duration", "duration").shorts(&['z']).help(
                "How long to run, such as 30s or 2m\n\nWithout this and without -n, a run lasts 10 s.",
            ),
            Own::new("count", "requests").shorts(&['n']).help(
                "Stop after this many requests, such as 5000 or 100k\n\n\
                 k and m multiply by a thousand and a million.",
            ),
            Own::new("timeout", "timeout")
                .help("How long to wait for an answer, such as 5s. Default: 30s"),
            Own::new("workers", "threads").also(&["workers"]),
        ],
        lacks: &[],
    };
}

/// What is sent.
#[derive(Args, Clone, Debug, Default, PartialEq)]
#[command(next_help_heading = "Request")]
pub struct RequestArgs {
    /// HTTP method. Default: GET, or POST with a body
    #[arg(short, long)]
    pub method: Option<String>,
    /// Request header, such as 'X-Tenant: a'; may be repeated
    #[arg(short = 'H', long = "header", value_name = "NAME: VALUE")]
    pub headers: Vec<String>,
    /// Request body, as in oha; or a duration, as in wrk
    ///
    /// A value that reads as a time, such as 30s or 10, sets how long to run, as in wrk. Anything else is the request
    /// body, as in oha and hey; @FILE is the body in a file, as in curl. --body and --duration have only one meaning.
    #[arg(short = 'd', value_name = "DURATION|BODY")]
    pub duration_or_body: Option<String>,
    /// Request body, such as '{"a":1}', even if it reads as a time
    #[arg(long, value_name = "BODY", conflicts_with = "body_file")]
    pub body: Option<String>,
    /// Read the request body from this file
    #[arg(short = 'D', long, value_name = "FILE")]
    pub body_file: Option<PathBuf>,
    /// Content-Type of the body, such as application/json
    #[arg(short = 'T', long, value_name = "TYPE")]
    pub content_type: Option<String>,
    /// Accept header, such as application/json
    #[arg(short = 'A', long, value_name = "TYPES")]
    pub accept: Option<String>,
    /// User and password for Basic authentication
    ///
    /// USER:env:NAME reads the password from the environment variable NAME, which keeps it out of the process list.
    #[arg(short = 'a', long, value_name = "USER:PASSWORD", value_parser = credentials)]
    pub basic_auth: Option<String>,
    /// Value of the Host header, in place of the host of the URL
    #[arg(long, value_name = "NAME")]
    pub host: Option<String>,
}

/// How requests get there.
#[derive(Args, Clone, Debug, Default, PartialEq)]
#[command(next_help_heading = "Connection")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag that was given or not")]
pub struct ConnectionArgs {
    /// Use HTTP/2: over https by ALPN, over http without TLS
    ///
    /// Over http, HTTP/2 is spoken from the first byte (prior knowledge).
    #[arg(long, conflicts_with = "http_version")]
    pub http2: bool,
    /// HTTP version to use
    #[arg(long, value_enum, value_name = "VERSION")]
    pub http_version: Option<SpokenVersion>,
    /// Concurrent requests on each HTTP/2 connection
    ///
    /// The total concurrency is --connections times this number.
    #[arg(short = 'p', long, value_name = "NUMBER", value_parser = streams)]
    pub streams: Option<u32>,
    /// Open a new connection for each request
    ///
    /// Connecting and the TLS handshake are then part of the response and service time of each request.
    #[arg(long)]
    pub disable_keepalive: bool,
    /// Which requests to send again, once, if a reused connection closes before any answer arrives
    #[arg(long, value_enum, value_name = "WHICH", default_value_t)]
    pub resend: Resending,
    /// Request compressed responses. Bytes are counted as received, compressed
    #[arg(long, overrides_with = "disable_compression")]
    pub compressed: bool,
    /// Request uncompressed responses. This is the default; the option cancels an earlier --compressed
    #[arg(long, overrides_with = "compressed")]
    pub disable_compression: bool,
    /// Maximum number of redirects to follow per request. With 0, the redirect itself is the answer
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub redirect: u8,
    /// The same, as in oha. A line of bombardier, where -r is the rate, is refused
    ///
    /// A number above 50 is refused, and -r beside -d with a duration: write -q for a rate, --redirect for redirects.
    #[arg(short = 'r', value_name = "NUMBER", conflicts_with = "redirect", value_parser = redirects)]
    pub redirect_or_rate: Option<String>,
    /// Send all headers and the body to whatever origin a redirect leads to
    ///
    /// Without this option another origin (scheme, host and port) gets only Accept, Accept-Encoding, Accept-Language
    /// and User-Agent, and a request with a body that would have to be sent there fails.
    #[arg(long)]
    pub location_trusted: bool,
    /// Connect to another host and port than the URL names, such as a.example.com:443:127.0.0.1:8443
    #[arg(long, value_name = "HOST:PORT:TO-HOST:TO-PORT")]
    pub connect_to: Vec<String>,
    /// Use this address for a host instead of resolving its name, such as a.example.com:443:127.0.0.1
    #[arg(long, value_name = "HOST:PORT:ADDRESS")]
    pub resolve: Vec<String>,
    /// Connect to this Unix socket, whatever the host of the URL
    #[arg(long, value_name = "PATH")]
    pub unix_socket: Option<PathBuf>,
    /// Proxy to use, such as `http://user:password@proxy.example.com:3128`
    #[arg(short = 'x', long, value_name = "URL")]
    pub proxy: Option<String>,
    /// Connect over IPv4 only
    #[arg(short = '4', long, conflicts_with = "ipv6")]
    pub ipv4: bool,
    /// Connect over IPv6 only
    #[arg(short = '6', long)]
    pub ipv6: bool,
    /// Local addresses to connect from, in turn; may be repeated
    #[arg(long, value_name = "ADDRESS")]
    pub source_ip: Vec<IpAddr>,
    /// How long opening a connection may take, such as 2s
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub connect_timeout: Option<Duration>,
    /// Do not verify the server's certificate; for test servers only
    #[arg(long, help_heading = "TLS")]
    pub insecure: bool,
    /// CA certificates (PEM) to trust, in place of the system's
    #[arg(long, value_name = "FILE", help_heading = "TLS")]
    pub cacert: Option<PathBuf>,
    /// Client certificate (PEM) for mutual TLS
    #[arg(long, value_name = "FILE", help_heading = "TLS")]
    pub cert: Option<PathBuf>,
    /// Private key (PEM) for --cert
    #[arg(long, value_name = "FILE", requires = "cert", help_heading = "TLS")]
    pub key: Option<PathBuf>,
    /// Whether new connections resume earlier TLS sessions if the server allows it
    #[arg(long, value_enum, value_name = "WHEN", default_value = "always", help_heading = "TLS")]
    pub tls_resume: TlsResume,
}

/// When new connections resume earlier TLS sessions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum TlsResume {
    /// Whenever the server allows it, as browsers do
    #[default]
    Always,
    /// Never: each handshake is a full one
    Never,
}

/// A version of HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SpokenVersion {
    /// HTTP/1.1
    #[value(name = "1.1")]
    Http1,
    /// HTTP/2
    #[value(name = "2")]
    Http2,
    /// HTTP/2 over https if the server agrees, else HTTP/1.1
    Auto,
}

/// Parses a number from 1 to this one.
fn up_to(most: i64) -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=most)
}

/// Why a word is not a value of its option, and what to write instead.
#[derive(Debug, thiserror::Error)]
enum ValueError {
    #[error(
        "write a number from 1 to 100000; for ab's -p FILE write -m POST -D FILE; leave bombardier's -p out"
    )]
    Streams,
    #[error("write USER:PASSWORD; for bombardier's -a write --disable-keepalive")]
    Credentials,
    #[error("write a number; leave ab's -r out, because no failure ends a run")]
    Redirects,
}

/// The number after `-p`, which ab and bombardier have for something else.
fn streams(text: &str) -> Result<u32, ValueError> {
    let number = text.parse().ok().filter(|number| (1..=100_000).contains(number));
    number.ok_or(ValueError::Streams)
}

/// What follows `-a`, which has no value in bombardier.
fn credentials(text: &str) -> Result<String, ValueError> {
    if is_url(text) {
        return Err(ValueError::Credentials);
    }
    Ok(text.to_owned())
}

/// What follows `-r`, which has no value in ab.
fn redirects(text: &str) -> Result<String, ValueError> {
    if is_url(text) {
        return Err(ValueError::Redirects);
    }
    Ok(text.to_owned())
}

fn is_url(text: &str) -> bool {
    text.starts_with("http://") || text.starts_with("https://")
}

/// The help and the page of `brunt http` beside its options.
pub const ABOUT: About = About {
    description: include_str!("../http/page.txt").trim_ascii_end(),
    examples: &[
        (
            "Closed loop: as many requests as the server answers, over 50 connections:",
            "brunt http https://id.example.com/ping",
        ),
        (
            "Open loop: 2,000 requests per second for a minute:",
            "brunt http -q 2000 -c 100 -z 1m https://id.example.com/ping",
        ),
        ("The command line of wrk:", "brunt http -t2 -c100 -d30s http://127.0.0.1:8080/"),
        (
            "10,000 POST requests with a body, and an objective for a CI job:",
            "brunt http -n 10k -m POST -T application/json -d '{\"a\":1}' \\\n\
             \x20 --slo 'p99<20ms' http://127.0.0.1:8080/echo",
        ),
        (
            "HTTP/2 with ten concurrent requests on each of five connections:",
            "brunt http --http2 -c 5 -p 10 -z 30s https://id.example.com/",
        ),
        (
            "A request copied from a browser, 100 times per second:",
            "brunt http -q 100 --curl 'curl https://id.example.com/ -H accept:text/html'",
        ),
        (
            "The URLs of a file, in random order:",
            "brunt http --urls-from-file urls.txt --rand-order -z 30s",
        ),
    ],
    short: &[
        ("connections", "Concurrent connections [default: 50]"),
        ("count", "Stop after this many requests, such as 100k"),
        ("duration", "How long to run, such as 30s [default: 10s]"),
        ("rate", "Requests per second (open loop), such as 10k"),
        ("method", "HTTP method [default: GET, or POST with a body]"),
        ("headers", "Request header, such as 'X-Tenant: a'"),
        ("duration_or_body", "Request body; or a duration, as in wrk"),
        ("http2", "Use HTTP/2"),
        ("objectives", ""),
        ("record", "Write the record of the run as JSON"),
    ],
};

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        http: HttpArgs,
    }

    fn args(line: &str) -> Result<HttpArgs, clap::Error> {
        let words = std::iter::once("http").chain(line.split(' '));
        Line::try_parse_from(words).map(|line| line.http)
    }

    #[test]
    fn command_lines_of_other_tools_are_accepted() {
        for line in [
            "-t12 -c400 -d30s http://h/",
            "-t2 -c100 -d30s -R2000 --latency http://h/",
            "-n 100000 -c 50 --no-such",
            "-z 10s -q 500 -c 10 -m POST -d {} -T application/json -H A:b http://h/",
            "-n 10k -c 100 --http2 -p 10 --insecure --disable-keepalive https://h/",
            "--curl curl",
            "--urls-from-file f --rand-order",
        ] {
            assert_eq!(args(line).is_ok(), !line.contains("no-such"), "{line}");
        }
        let wrk = args("-t12 -c400 -d30s http://h/").unwrap();
        assert_eq!(wrk.request.duration_or_body.as_deref(), Some("30s"));
        assert_eq!(args("-n 10k http://h/").unwrap().load.options.count, Some(10_000));
    }

    #[test]
    fn letters_of_other_tools_are_refused_with_the_spelling() {
        for (line, message) in [
            ("-p post.txt -T text/plain http://h/", "for ab's -p FILE write -m POST -D FILE"),
            ("-p r http://h/", "leave bombardier's -p out"),
            ("-n 4 -a http://h/", "for bombardier's -a write --disable-keepalive"),
            ("-n 4 -r https://h/", "leave ab's -r out"),
        ] {
            let error = args(line).unwrap_err().to_string();
            assert!(error.contains(message), "{line}: {error}");
        }
        assert!(args("-a jo:http://h/ h").is_ok());
    }

    #[test]
    fn conflicting_options_are_refused() {
        for line in [
            "-c 0 h",
            "-n 0 h",
            "-4 -6 h",
            "--rand-order h",
            "--key k h",
            "--http2 --http-version 2 h",
            "-z soon h",
            "--think 1s -q 5 h",
            "--stages 5/s -q 5 h",
            "--backlog 5 h",
        ] {
            assert!(args(line).is_err(), "{line}");
        }
        assert!(args("-c 5").is_err() && args("--curl x h").is_err());
    }
}
