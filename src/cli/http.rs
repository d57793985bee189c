//! The options of `brunt http`, declared for clap. Their doc comments are their help; there is no logic here.
//!
//! The names are those that wrk, wrk2, oha, hey and ab have made usual. Where they give one letter two meanings, both
//! are understood if the value tells them apart (`-d`, `-t`), else one is chosen and the page of the command says
//! which.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::output::{OutputArgs, duration};
use crate::cli::resend::Resending;

/// Options of `brunt http`.
#[derive(Args, Clone, Debug, Default, PartialEq)]
pub(crate) struct HttpArgs {
    /// The URL.
    #[arg(required_unless_present_any = ["urls_from_file", "curl"])]
    pub(crate) url: Option<String>,
    /// Take the request from a cURL command line, in quotes.
    #[arg(long, value_name = "COMMAND", conflicts_with_all = ["url", "urls_from_file"])]
    pub(crate) curl: Option<String>,
    /// Take URLs from a file: a line each, as a URL, as METHOD URL, or as targets of vegeta with fields and @body.
    #[arg(long, value_name = "FILE", conflicts_with = "url")]
    pub(crate) urls_from_file: Option<PathBuf>,
    /// Take the URLs of a file at random; without it, in turn.
    #[arg(long, requires = "urls_from_file", conflicts_with_all = ["url", "curl"])]
    pub(crate) rand_order: bool,
    /// When, how many and how long.
    #[command(flatten)]
    pub(crate) load: LoadArgs,
    /// What is sent.
    #[command(flatten)]
    pub(crate) request: RequestArgs,
    /// How it gets there.
    #[command(flatten)]
    pub(crate) connection: ConnectionArgs,
    /// Print the percentiles in full, as wrk2 does, after the report.
    #[arg(short = 'L', long)]
    pub(crate) latency: bool,
    /// Send nothing: print a plan for brunt run that does the same.
    #[arg(long)]
    pub(crate) to_plan: bool,
    /// A Lua script of wrk, which is refused.
    #[arg(short, long, value_name = "FILE", hide = true)]
    pub(crate) script: Option<PathBuf>,
    /// Where results go.
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    /// The command line as a record may show it: secrets starred.
    #[arg(skip)]
    pub(crate) typed: Vec<String>,
}

/// When, how many and how long.
#[derive(Args, Clone, Debug, Default, PartialEq)]
pub(crate) struct LoadArgs {
    /// Number of connections, each of which carries one request at a time.
    #[arg(short, long, value_name = "NUMBER", default_value_t = 50, value_parser = up_to(1_000_000))]
    pub(crate) connections: u32,
    /// End after so many requests in all; k and m multiply, as in 100k.
    #[arg(short = 'n', long, value_name = "NUMBER", value_parser = count)]
    pub(crate) requests: Option<u64>,
    /// How long to run, such as 30s or 2m; 10s if neither this nor a number of requests is given.
    #[arg(short = 'z', long, value_name = "DURATION", value_parser = duration)]
    pub(crate) duration: Option<Duration>,
    /// Send so many requests a second in all, whatever the answers, such as 1000, 10k, 200/s or 90/m.
    #[arg(short = 'q', long, visible_short_alias = 'R', value_name = "RATE")]
    pub(crate) rate: Option<String>,
    /// How the requests of a rate are spread.
    #[arg(long, value_enum, requires = "rate")]
    pub(crate) arrival: Option<Spread>,
    /// A number is that of threads, as in wrk; a time with a unit, such as 2s, is a timeout, as in oha.
    #[arg(short = 't', value_name = "NUMBER|TIME")]
    pub(crate) threads_or_timeout: Option<String>,
    /// Number of threads; without it, as many as make sense.
    #[arg(long, visible_alias = "workers", value_name = "NUMBER", value_parser = up_to(1024))]
    pub(crate) threads: Option<u32>,
    /// How long to wait for an answer; 30s without it.
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(crate) timeout: Option<Duration>,
    /// Run this long before figures count.
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(crate) warm_up: Option<Duration>,
}

/// What is sent.
#[derive(Args, Clone, Debug, Default, PartialEq)]
pub(crate) struct RequestArgs {
    /// The method; GET without it, or POST if there is a body.
    #[arg(short, long)]
    pub(crate) method: Option<String>,
    /// A field, such as 'X-Tenant: a'; may be repeated.
    #[arg(short = 'H', long = "header", value_name = "NAME: VALUE")]
    pub(crate) headers: Vec<String>,
    /// A time, such as 30s or 10, is how long to run, as in wrk; anything else is the body, as in oha and hey.
    #[arg(short = 'd', value_name = "DURATION|BODY")]
    pub(crate) duration_or_body: Option<String>,
    /// The body, whatever it looks like.
    #[arg(long, value_name = "BODY", conflicts_with = "body_file")]
    pub(crate) body: Option<String>,
    /// A file with the body.
    #[arg(short = 'D', long, value_name = "FILE")]
    pub(crate) body_file: Option<PathBuf>,
    /// The type of the body.
    #[arg(short = 'T', long, value_name = "TYPE")]
    pub(crate) content_type: Option<String>,
    /// The types of answers that are accepted.
    #[arg(short = 'A', long, value_name = "TYPES")]
    pub(crate) accept: Option<String>,
    /// A user and a password for Basic authentication; USER:env:NAME takes the password from the environment.
    #[arg(short = 'a', long, value_name = "USER:PASSWORD")]
    pub(crate) basic_auth: Option<String>,
    /// What the field Host says, in place of the host of the URL.
    #[arg(long, value_name = "NAME")]
    pub(crate) host: Option<String>,
}

/// How requests get there.
#[derive(Args, Clone, Debug, Default, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag that was given or not")]
pub(crate) struct ConnectionArgs {
    /// Speak HTTP/2: over https by ALPN, over http from the first byte.
    #[arg(long, conflicts_with = "http_version")]
    pub(crate) http2: bool,
    /// The version of HTTP.
    #[arg(long, value_enum, value_name = "VERSION")]
    pub(crate) http_version: Option<SpokenVersion>,
    /// Requests at a time on each connection of HTTP/2, so that there are connections times this in all.
    #[arg(short = 'p', long, value_name = "NUMBER", value_parser = up_to(100_000))]
    pub(crate) streams: Option<u32>,
    /// Open a connection for each request.
    #[arg(long)]
    pub(crate) disable_keepalive: bool,
    /// Send a request again, once, if its connection was used before and is closed before any answer comes.
    #[arg(long, value_enum, value_name = "WHICH", default_value_t)]
    pub(crate) resend: Resending,
    /// Ask for compressed answers, which are counted as they come.
    #[arg(long, overrides_with = "disable_compression")]
    pub(crate) compressed: bool,
    /// Ask for answers as they are, which is what happens without this; takes --compressed back.
    #[arg(long, overrides_with = "compressed")]
    pub(crate) disable_compression: bool,
    /// Follow so many redirects of a request; 0 follows none, and the redirect is the answer.
    #[arg(short = 'r', long, value_name = "NUMBER", default_value_t = 0)]
    pub(crate) redirect: u8,
    /// Connect to another place than the URL says.
    #[arg(long, value_name = "HOST:PORT:TO-HOST:TO-PORT")]
    pub(crate) connect_to: Vec<String>,
    /// Use this address for a host, in place of what a resolver says.
    #[arg(long, value_name = "HOST:PORT:ADDRESS")]
    pub(crate) resolve: Vec<String>,
    /// Connect to a Unix socket, whatever the host.
    #[arg(long, value_name = "PATH")]
    pub(crate) unix_socket: Option<PathBuf>,
    /// Go through a proxy, such as `http://user:password@proxy.example.com:3128`.
    #[arg(short = 'x', long, value_name = "URL")]
    pub(crate) proxy: Option<String>,
    /// Use IPv4 alone.
    #[arg(short = '4', long, conflicts_with = "ipv6")]
    pub(crate) ipv4: bool,
    /// Use IPv6 alone.
    #[arg(short = '6', long)]
    pub(crate) ipv6: bool,
    /// Send from these addresses in turn.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) source_ip: Vec<IpAddr>,
    /// How long connecting may take.
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(crate) connect_timeout: Option<Duration>,
    /// Trust any certificate.
    #[arg(long)]
    pub(crate) insecure: bool,
    /// A file of certificates to trust, in place of those of this machine.
    #[arg(long, value_name = "FILE")]
    pub(crate) cacert: Option<PathBuf>,
    /// A certificate to show.
    #[arg(long, value_name = "FILE")]
    pub(crate) cert: Option<PathBuf>,
    /// Its key.
    #[arg(long, value_name = "FILE", requires = "cert")]
    pub(crate) key: Option<PathBuf>,
}

/// How the requests of a rate are spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Spread {
    /// Evenly.
    Uniform,
    /// Independently of each other.
    Poisson,
}

/// A version of HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SpokenVersion {
    /// HTTP/1.1.
    #[value(name = "1.1")]
    Http1,
    /// HTTP/2.
    #[value(name = "2")]
    Http2,
    /// Over https HTTP/2 where the server agrees, else HTTP/1.1.
    Auto,
}

/// A number from 1 to this.
fn up_to(most: i64) -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=most)
}

/// A number that k and m may multiply.
pub(super) fn count(text: &str) -> Result<u64, String> {
    let (digits, factor) = match text.char_indices().last() {
        Some((at, 'k' | 'K')) => (&text[..at], 1_000),
        Some((at, 'm' | 'M')) => (&text[..at], 1_000_000),
        _ => (text, 1),
    };
    let read = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(factor));
    read.filter(|number| *number > 0)
        .ok_or_else(|| "write a number of at least 1, such as 5000 or 100k".to_owned())
}

/// What to type in place of a word that other tools know, if this is one.
pub(crate) fn instead(word: &str) -> Option<&'static str> {
    let word = word.split('=').next().unwrap_or(word);
    Some(match word {
        "--latency-correction" | "-U" | "--u_latency" => {
            "leave it out: with a rate, response times are always corrected, and service times stand beside them"
        }
        "-k" => {
            "ab keeps connections alive with it, which happens by itself here; for curl's -k write --insecure"
        }
        "--no-tui" => "progress is one line on a terminal; write --quiet for none",
        "-j" | "--json" | "--output-format" | "-o" | "--output" | "-e" => {
            "write --record FILE for JSON"
        }
        "-w" | "--wait-ongoing-requests-after-deadline" => {
            "leave it out: requests in flight are waited for when the time is over"
        }
        "--rand-regex-url" => {
            "write a plan with a variable of random characters, and run it with brunt run"
        }
        "-F" | "--form" => "write --curl 'curl -F NAME=VALUE URL'",
        "--burst-delay" | "--burst-rate" | "--burst-requests" => {
            "write a plan with stages of rates, and run it with brunt run"
        }
        "-C" => "write -H 'Cookie: NAME=VALUE'",
        "-X" => "write -m METHOD for a method, and --proxy for a proxy",
        "-i" | "--head" => "write -m HEAD",
        "-b" | "-u" | "-I" => "write it as --curl 'curl ...'",
        "-P" => "write --proxy http://USER:PASSWORD@HOST:PORT",
        "--http3" | "--no-pre-lookup" | "--db-url" => {
            "it is not there: see brunt http --help for what is"
        }
        _ => return None,
    })
}

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
    fn the_lines_of_other_tools_are_read() {
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
        assert_eq!(args("-n 10k http://h/").unwrap().load.requests, Some(10_000));
    }

    #[test]
    fn what_contradicts_itself_is_refused() {
        for line in [
            "-c 0 h",
            "-n 0 h",
            "-4 -6 h",
            "--rand-order h",
            "--key k h",
            "--http2 --http-version 2 h",
            "-z soon h",
        ] {
            assert!(args(line).is_err(), "{line}");
        }
        assert!(args("-c 5").is_err() && args("--curl x h").is_err());
    }

    #[test]
    fn no_word_of_another_tool_is_also_one_of_ours() {
        use clap::CommandFactory as _;
        let command = Line::command();
        for arg in command.get_arguments() {
            let long = arg.get_long().map(|long| format!("--{long}"));
            let short = arg.get_short_and_visible_aliases().unwrap_or_default();
            let shorts = short.into_iter().map(|short| format!("-{short}"));
            for word in long.into_iter().chain(shorts) {
                assert_eq!(instead(&word), None, "{word}");
            }
        }
    }
}
