//! Options that other load testers have and `brunt http` or `brunt run` has not, with the spelling to use.
//!
//! One table for each of the two commands. A word may mean different things to different tools: then its tip names the
//! tools. Clap's advice to pass such an option as a value behind `--` is never shown.

#[cfg(feature = "plans")]
use brunt_flow_tool::options::one_hyphen;

/// A tip, and the words that it is for.
type Tip = (&'static [&'static str], &'static str);

/// The words of wrk, wrk2, oha, hey, ab, vegeta, bombardier and k6 that `brunt http` does not take.
const HTTP: &[Tip] = &[
    (
        &["--latency-correction", "--u_latency", "--batch_latency"],
        "leave it out: with a rate, response times are always corrected, and service times are shown beside them",
    ),
    (
        &["-U"],
        "leave out wrk2's -U, because service times are always shown; for hey's write -H 'User-Agent: NAME'",
    ),
    (&["--user-agent"], "write -H 'User-Agent: NAME'"),
    (
        &["-k"],
        "leave out ab's -k, because connections are kept alive by default; for curl's -k write --insecure",
    ),
    (
        &["--no-tui"],
        "write --no-live to see only a line of progress, --quiet for nothing but trouble",
    ),
    (
        &["--fps", "--no-color", "--disable-color", "--time-unit", "--debug"],
        "leave it out: nothing depends on it",
    ),
    (
        &["-j", "--json", "--output-format", "-o", "--output", "-e", "--out", "--summary-export"],
        "write --record FILE for JSON",
    ),
    (&["-g"], "write --hgrm FILE for the distribution of response times"),
    (&["--format"], "write --record FILE for JSON; the format of --urls-from-file is recognised"),
    (
        &["-w", "--wait-ongoing-requests-after-deadline"],
        "leave out oha's -w, because the run always waits for requests in flight; for ab's write --html FILE",
    ),
    (
        &["--rand-regex-url", "--max-repeat"],
        "write a plan with a variable of random characters, and run it with brunt run",
    ),
    (&["--dump-urls"], "write --to-plan, and then brunt run PLAN --check to see requests"),
    (
        &["-Z"],
        "for oha's lines of bodies write a plan with a feeder; leave ab's -Z out, as TLS 1.2 and 1.3 are both offered",
    ),
    (&["-F", "--form"], "write --curl 'curl -F NAME=VALUE URL'"),
    (
        &["--burst-delay", "--burst-rate", "--burst-requests", "--stage", "-S"],
        "write --stages 'STAGES': see 'brunt help schedules'; leave ab's -S out",
    ),
    (&["-C"], "write -H 'Cookie: NAME=VALUE'"),
    (&["-X"], "write -m METHOD for a method, and --proxy for a proxy"),
    (&["-i", "--head"], "write -m HEAD; for k6's iterations write -n NUMBER"),
    (
        &["-b"],
        "for bombardier's body write --body BODY, for curl's cookies -H 'Cookie: NAME=VALUE'; leave ab's -b out",
    ),
    (
        &["-u"],
        "for ab's write -m PUT -D FILE, for curl's -a USER:PASSWORD, for k6's -c NUMBER; leave oha's out",
    ),
    (&["-I"], "for curl's -I write -m HEAD; leave ab's -I out"),
    (
        &["-B"],
        "leave wrk2's -B out, because response times are always corrected; for ab's write --source-ip ADDRESS",
    ),
    (&["-P"], "write --proxy http://USER:PASSWORD@HOST:PORT"),
    (
        &["--proxy-header"],
        "write --proxy http://USER:PASSWORD@HOST:PORT for a login; no other header goes to a proxy",
    ),
    (
        &["--proxy-http-version", "--proxy-http2"],
        "leave it out: proxies are spoken to over HTTP/1.1",
    ),
    (
        &["--aws-session", "--aws-sigv4"],
        "it is not supported: sign with another program, and write -H 'Authorization: VALUE'",
    ),
    (&["--vsock-addr"], "it is not supported: write --unix-socket PATH, or a URL over TCP"),
    (&["--stats-success-breakdown"], "leave it out: statuses are shown beside response times"),
    (&["--http3", "--db-url"], "it is not supported: see brunt http --help for all options"),
    (&["--no-pre-lookup"], "leave it out: each name is looked up once"),
    (
        &["-v", "-V", "--version"],
        "write brunt --version for the version, and --once to see requests and answers",
    ),
    (&["-l", "--latencies"], "leave ab's -l out; for bombardier's write --latency"),
    (&["-y"], "leave it out: the report is no table in HTML; write --html FILE for a page"),
    (&["-E"], "write --cert FILE --key FILE"),
    (
        &["-f"],
        "for bombardier's file write --body-file FILE; leave ab's -f out, as TLS 1.2 and 1.3 are both offered",
    ),
    (
        &["--stream", "--fasthttp", "--print", "--no-print", "--no-summary"],
        "leave it out; --quiet prints no progress",
    ),
    (
        &["--disableKeepAlives", "--no-connection-reuse", "--no-vu-connection-reuse"],
        "write --disable-keepalive",
    ),
    (&["--insecure-skip-tls-verify"], "write --insecure"),
    (&["--vus"], "write -c NUMBER"),
    (&["--iterations"], "write -n NUMBER"),
    (&["--rps"], "write -q RATE"),
    (&["--max-redirects"], "write --redirect NUMBER"),
    (&["--http-debug"], "write --once to see requests and answers"),
    (&["--env"], "write the value into the command, or a plan that reads the environment"),
    (&["--no-thresholds"], "leave --slo out"),
];

/// The options of k6, and those of other tools for the amount of load, that `brunt run` does not take.
const RUN: &[Tip] = &[
    (&["--vus", "-u", "-c", "--connections"], "write --set run.users=NUMBER"),
    (&["--iterations", "-i", "-n", "--requests"], "write --set run.iterations.shared=NUMBER"),
    (&["-z", "-d"], "write --duration DURATION"),
    (&["-q", "-R", "--rate", "--rps"], "write --set run.rate=NUMBER/s"),
    (&["--stage", "-s"], "write --set run.stages='STAGES': see 'brunt help schedules'"),
    (&["-t", "--threads"], "write --set run.workers=NUMBER"),
    (&["--timeout"], "write --set run.timeout=DURATION"),
    (&["--warm-up"], "write --set run.warm-up=DURATION"),
    (
        &["--out", "-o", "--output", "--json", "-j", "--summary-export", "--db-url"],
        "write --record FILE for JSON",
    ),
    (
        &["--env", "-e"],
        "give the plan a variable that is { env = \"NAME\" }, and set it before brunt",
    ),
    (&["-H", "--header"], "write --set http.headers.NAME=VALUE"),
    (&["--user-agent"], "write --set http.headers.User-Agent=NAME"),
    (&["--insecure-skip-tls-verify", "--insecure"], "write --set http.tls.insecure=true"),
    (&["--max-redirects", "--redirect", "-r"], "write --set http.redirects=NUMBER"),
    (
        &["--no-connection-reuse", "--no-vu-connection-reuse", "--disable-keepalive"],
        "write --set http.requests-per-connection=1",
    ),
    (&["--http2"], "write --set http.version=2"),
    (&["--no-thresholds"], "take the objectives out of the plan"),
    (&["--http-debug", "-v", "--verbose"], "write --once to see requests and answers"),
    (
        &["--no-tui"],
        "write --no-live to see only a line of progress, --quiet for nothing but trouble",
    ),
    (
        &["--latency", "-L", "--summary-trend-stats", "--summary-mode"],
        "leave it out: the report has all percentiles",
    ),
    (
        &["--no-summary"],
        "write --quiet > /dev/null: only what needs attention is written, in one line",
    ),
    (&["--execution-segment"], "write --node NODE/NODES"),
    (&["--tag"], "write --set name=NAME"),
];

/// What to write instead of a word that `brunt COMMAND` does not take.
pub(super) fn instead(command: &str, word: &str) -> Option<String> {
    let word = word.split('=').next().unwrap_or(word);
    let tips = tips_of(command)?;
    let known = tips.iter().find(|(words, _)| words.contains(&word));
    let known = known.map(|(_, tip)| (*tip).to_owned());
    #[cfg(feature = "plans")]
    if known.is_none() && command == "http" {
        return one_hyphen::spelling(word.strip_prefix("--")?);
    }
    known
}

/// What to write instead of a mistyped word that another tool takes.
pub(super) fn similar(command: &str, word: &str) -> Option<String> {
    const ALIKE: f64 = 0.9;
    let word = word.split('=').next()?.strip_prefix("--")?;
    let likeness = |known: &str| {
        known.strip_prefix("--").map(|known| strsim::jaro_winkler(word, known)).unwrap_or_default()
    };
    let known =
        tips_of(command)?.iter().flat_map(|(words, tip)| words.iter().map(move |it| (it, tip)));
    let alike =
        known.map(|(known, tip)| (likeness(known), tip)).filter(|(alike, _)| *alike >= ALIKE);
    alike.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, tip)| (*tip).to_owned())
}

fn tips_of(command: &str) -> Option<&'static [Tip]> {
    match command {
        "http" => Some(HTTP),
        "run" => Some(RUN),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::declared;
    use clap::Command;

    /// All options of each tool, as it spells them.
    const TOOLS: &[(&str, &str)] = &[
        (
            "wrk",
            "-c --connections -d --duration -t --threads -s --script -H --header -L --latency --timeout -v \
             --version",
        ),
        ("wrk2", "-R --rate -U --u_latency -B --batch_latency"),
        (
            "oha",
            "-n -c -p -z -w --wait-ongoing-requests-after-deadline -q --burst-delay --burst-rate \
             --rand-regex-url --urls-from-file --max-repeat --dump-urls --latency-correction --no-tui -j \
             --json --output-format --fps -m --method -H --proxy-header --proxy-http-version --proxy-http2 \
             -t --connect-timeout -A -d -D -Z -F --form -T -a --aws-session --aws-sigv4 -x --http-version \
             --http2 --host --disable-compression -r --redirect --disable-keepalive --no-pre-lookup --ipv6 \
             --ipv4 --cacert --cert --key --insecure --connect-to --no-color --disable-color --unix-socket \
             --vsock-addr --stats-success-breakdown --db-url --debug -o --output -u --time-unit -h --help -V \
             --version",
        ),
        ("hey", "-n -c -q -z -o -m -H -t -A -d -D -T -a -x -U -h"),
        (
            "ab",
            "-A -b -B -c -C -d -e -E -f -g -h -H -i -I -k -l -m -n -p -P -q -r -s -S -t -T -u -v -V -w -x -X \
             -y -z -Z",
        ),
        (
            "bombardier",
            "--help --version -c --connections -t --timeout -l --latencies -m --method -b --body -f \
             --body-file -s --stream --cert --key -k --insecure -a --disableKeepAlives -H --header -n \
             --requests -d --duration -r --rate --fasthttp --http1 --http2 -p --print -q --no-print -o \
             --format",
        ),
        (
            "vegeta",
            "--cpus --profile --version --body --cert --chunked --connections --connect-to --dns-ttl \
             --duration --format --h2c --header --http2 --insecure --keepalive --key --laddr --lazy \
             --max-body --max-connections --max-workers --name --output --prometheus-addr --proxy-header \
             --rate --redirects --resolvers --root-certs --session-tickets --targets --timeout --unix-socket \
             --workers",
        ),
    ];

    /// Whether a command takes a word itself.
    fn takes(command: &Command, word: &str) -> bool {
        command.get_arguments().any(|arg| {
            let longs = arg.get_long().into_iter();
            let longs = longs.chain(arg.get_all_aliases().unwrap_or_default());
            let shorts = arg.get_short().into_iter();
            let shorts = shorts.chain(arg.get_all_short_aliases().unwrap_or_default());
            longs.map(|long| format!("--{long}")).any(|own| own == word)
                || shorts.map(|short| format!("-{short}")).any(|own| own == word)
        })
    }

    fn command(name: &str) -> Command {
        let mut program = declared::program();
        program.build();
        program.find_subcommand(name).unwrap().clone()
    }

    #[test]
    fn options_of_other_tools_are_accepted_or_explained() {
        let http = command("http");
        for (tool, words) in TOOLS {
            for word in words.split_whitespace() {
                let known = takes(&http, word) || instead("http", word).is_some();
                assert!(known, "{tool} {word}");
            }
        }
    }

    #[test]
    fn options_explained_as_foreign_are_not_ours() {
        for (name, tips) in [("http", HTTP), ("run", RUN)] {
            let command = command(name);
            for word in tips.iter().flat_map(|(words, _)| *words) {
                assert!(!takes(&command, word), "{name} {word}");
            }
        }
    }

    #[test]
    fn options_of_other_tools_are_recognized_when_mistyped() {
        assert_eq!(similar("http", "--vuss").as_deref(), Some("write -c NUMBER"));
        assert_eq!(similar("run", "--vuss=5").as_deref(), Some("write --set run.users=NUMBER"));
        assert_eq!(similar("http", "--banana"), None);
        assert_eq!(similar("serve", "--vuss"), None);
    }
}
