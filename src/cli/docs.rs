//! The pages in `docs/` that are about clap's commands, and the examples on every page: written and held to be true by
//! the tests, so it is compiled for nothing else.
//!
//! A page has what the declaration in [`args`](super::args) says of each option, and what only a person can say of the
//! command from [`words`]. A command without words is a failed test, so that none is forgotten.

use std::fmt::Write as _;

use clap::builder::StyledStr;
use clap::{Arg, Command, CommandFactory as _};

use super::args::Brunt;

/// What a page says besides the options: a description, and examples with what they show.
type Words = (&'static str, &'static [(&'static str, &'static str)]);

/// The page of every command that clap knows, with its name.
fn pages() -> Vec<(String, String)> {
    let mut open: Vec<(Vec<String>, Command)> = vec![(Vec::new(), Brunt::command())];
    let mut pages = Vec::new();
    while let Some((path, command)) = open.pop() {
        if command.has_subcommands() {
            let shown = command.get_subcommands().filter(|sub| !sub.is_hide_set());
            open.extend(shown.map(|sub| {
                ([path.clone(), vec![sub.get_name().to_owned()]].concat(), sub.clone())
            }));
        } else {
            pages.push((path.join("-"), page(&path.join(" "), command)));
        }
    }
    pages
}

fn page(name: &str, command: Command) -> String {
    let mut command = command.bin_name(format!("brunt {name}")).disable_help_flag(true);
    let (description, examples) = words(name);
    let about = command.get_about().map(StyledStr::to_string).unwrap_or_default();
    let usage = command.render_usage().to_string().replace("Usage: ", "");
    let mut out = format!("# brunt {name}\n\n{about}.\n\n");
    out.push_str("<!-- Written from the declaration of the command by the tests: BRUNT_BLESS=1 cargo test -->\n\n");
    let _ = write!(out, "    {usage}\n\n{description}\n\n## Options\n");
    let shown = |arg: &&Arg| arg.get_id() != "version" && !arg.is_hide_set();
    for arg in command.get_arguments().filter(shown) {
        out.push_str(&option(arg));
    }
    out.push_str("\n## Examples\n");
    for (what, example) in examples {
        let _ = write!(out, "\n{what}\n\n```sh\n{example}\n```\n");
    }
    out
}

fn option(arg: &Arg) -> String {
    let value = arg.get_value_names().and_then(|names| names.first()).map(ToString::to_string);
    let value = value.unwrap_or_else(|| arg.get_id().to_string().to_uppercase());
    let long = arg.get_long().map(|long| format!("--{long}"));
    let shorts = arg.get_short_and_visible_aliases().unwrap_or_default();
    let shorts = shorts.into_iter().map(|short| format!("-{short}"));
    let names: Vec<String> = shorts.chain(long).collect();
    let spelled = match names.join(", ") {
        none if none.is_empty() => value,
        names if arg.get_action().takes_values() => format!("{names} {value}"),
        names => names,
    };
    let help = arg.get_help().map(StyledStr::to_string).unwrap_or_default();
    let mut out = format!("\n`{spelled}`\n\n> {}.\n>\n", help.trim_end_matches('.'));
    let possible = arg.get_possible_values();
    for value in &possible {
        let meaning = value.get_help().map(|help| format!(": {help}")).unwrap_or_default();
        let _ = writeln!(out, "> - `{}`{meaning}", value.get_name());
    }
    if !possible.is_empty() {
        out.push_str(">\n");
    }
    let defaults = if arg.get_action().takes_values() { arg.get_default_values() } else { &[] };
    let defaults: Vec<_> = defaults.iter().map(|v| v.to_string_lossy()).collect();
    if !defaults.is_empty() {
        let _ = writeln!(out, "> Default: `{}`\n>", defaults.join(" "));
    }
    out
}

/// How `brunt http` stands to the tools whose flags it has.
const HTTP: &str = include_str!("../tools/flow/http/page.txt").trim_ascii_end();

const HTTP_EXAMPLES: &[(&str, &str)] = &[
    (
        "As much as the server does, over 50 connections for 10 s:",
        "brunt http https://id.example.com/ping",
    ),
    ("As wrk would be asked:", "brunt http -t2 -c100 -d30s http://127.0.0.1:8080/"),
    (
        "2,000 requests a second for a minute, each due on time:",
        "brunt http -q 2000 -c 100 -z 1m https://id.example.com/ping",
    ),
    (
        "10,000 requests with a body, and an objective for whoever runs it in CI:",
        "brunt http -n 10k -m POST -T application/json -d '{\"a\":1}' --slo 'p99<20ms' http://127.0.0.1:8080/echo",
    ),
    (
        "HTTP/2, ten requests at a time on each of five connections:",
        "brunt http --http2 -c 5 -p 10 -z 30s https://id.example.com/",
    ),
    (
        "A request copied from a browser:",
        "brunt http --curl 'curl https://id.example.com/ -H accept:text/html' -q 100",
    ),
    ("A file of URLs, at random:", "brunt http --urls-from-file urls.txt --rand-order -z 30s"),
];

const IMPORT_CURL: &str = "Makes a [plan](plan.md) of a command line of cURL, as documentation shows them and browsers \
    copy them. [What is imported](import.md) says what each option becomes, and what becomes of secrets.";

const IMPORT_CURL_EXAMPLES: &[(&str, &str)] = &[
    (
        "From the command line:",
        "brunt import curl 'curl -u jo https://id.example.com/me' -o me.toml",
    ),
    ("From a file:", "brunt import curl token.curl -o token.toml"),
];

const IMPORT_HAR: &str = "Makes a [plan](plan.md) of a recording, such as the developer tools of a browser save. \
    [What is imported](import.md) says what is left out of it, and what becomes of secrets.";

const IMPORT_HAR_EXAMPLES: &[(&str, &str)] = &[
    (
        "Everything that went to one host:",
        "brunt import har visit.har --host id.example.com -o visit.toml",
    ),
    (
        "What was answered with JSON, without pauses:",
        "brunt import har visit.har --type application/json --no-pauses",
    ),
];

const IMPORT_OPENAPI: &str = "Makes a [plan](plan.md) of an OpenAPI document, a step for each operation. \
    [What is imported](import.md) says where values come from.";

const IMPORT_OPENAPI_EXAMPLES: &[(&str, &str)] = &[(
    "An API that runs elsewhere than it says:",
    "brunt import openapi users.yaml --server http://127.0.0.1:8080 -o users.toml",
)];

/// What the directory in memory is, and is not.
const TARGET: &str = "\
    Starts a directory in memory: there is something to try the tools on at once, something to calibrate \
    against, and something that misbehaves on demand. It answers bind, search, add, modify, delete, rename, \
    compare and the extended operations the tools use. **It is a convenience and not a directory server**: \
    no schema, no access control beyond \"whoever writes must have bound\", nothing on disk, and every \
    attribute compares as text without regard to case.\n\n\
    The entries are `uid=user.0` and so on under `ou=people`, and `uid=admin`, all below `--suffix`. Standard \
    output gets a line with the URL of each address, for scripts that ask for port 0. When it ends it says on \
    standard error what it was asked and how it answered, by its own count.\n\n\
    [Scripts](scripts.md) describes the file that `--script` reads.";

/// What the DHCP server in memory is, and is not.
const DHCP_TARGET: &str = "\
    Starts a DHCP server in memory: something to try a load on at once, something to calibrate against, and something \
    that misbehaves on demand. For DHCPv4 it answers DISCOVER, REQUEST in all its uses (selecting, renewing, \
    rebinding, INIT-REBOOT), RELEASE, DECLINE and INFORM, with rapid commit (RFC 4039), directly and by way of relays, \
    whose option 82 it returns. For DHCPv6 it answers every message a client sends, for addresses and for delegated \
    prefixes, with rapid commit and through any number of relays. **It is a convenience and not a DHCP server for a \
    network**: every link is served from the same pools, nobody looks whether an address is in use, and no lease \
    survives it.\n\n\
    It listens where it is told to and nowhere else. Listening at every address of an interface, and so to the \
    broadcasts of whoever is on that network, takes `--lab` and `--interface`; without them it is refused, with exit \
    code 8. A request without a relay that cannot be answered by unicast is then answered by broadcast.\n\n\
    Standard output gets a line with each address, such as `dhcp4://127.0.0.1:10067`, for scripts that ask for port 0. \
    When it ends it says on standard error what it was asked and how it answered, by its own count; what the system \
    dropped because the server was too slow is among it.\n\n\
    [Scripts](dhcp-scripts.md) describes the file that `--script` reads.";

const DHCP_TARGET_EXAMPLES: &[(&str, &str)] = &[
    (
        "DHCPv4 on a port that needs no privilege, for clients that send from such a port as well:",
        "brunt target dhcp --listen 127.0.0.1:10067 --reply-to-source",
    ),
    (
        "Both protocols, with few addresses and short leases:",
        "brunt target dhcp --listen 127.0.0.1:10067 --listen [::1]:10547 --pool 10.1.0.0/24 --pool6 \
                     2001:db8:1::1-2001:db8:1::64 --lifetime 10",
    ),
    (
        "For clients without a relay, in a network namespace or on a network that is yours:",
        "brunt target dhcp --lab --interface veth1 --listen 0.0.0.0:67 --listen [::]:547",
    ),
    (
        "A server with a bad day, and who got what in spite of it:",
        "brunt target dhcp --script bad-day.toml --leases-out leases.csv",
    ),
];

/// What the identity API in memory is, and is not.
const REST_TARGET: &str = "\
    Starts an identity API in memory: something to try a load on at once, something to calibrate against, and \
    something that misbehaves on demand. It speaks HTTP/1.1 and HTTP/2, the latter over TLS or with prior knowledge. \
    **It is a convenience and not an identity server**: there is one realm, no schema, no policy beyond \"users see \
    and change themselves, administrators everything\", and nothing outlives it.\n\n\
    | path | what is there |\n\
    |---|---|\n\
    | `/openam/json/authenticate` | POST with `X-OpenAM-Username` and `X-OpenAM-Password`, or by callbacks: a \
    `tokenId` |\n\
    | `/openam/json/sessions` | POST with `_action=validate`, `getSessionInfo`, `isActive` or `logout`; the token in \
    the path, the query, the field or cookie `iPlanetDirectoryPro`, or the body |\n\
    | `/openam/json/users` | create, read, update, patch, delete, query, for the token of an administrator |\n\
    | `/api/users`, `/users` | the same as OpenDJ has it, for `X-OpenIDM-Username` and `X-OpenIDM-Password` or Basic \
    |\n\
    | `/openidm/managed/user`, `/openidm/info/ping` | the same as OpenIDM has it |\n\
    | `/oauth2/access_token`, `introspect`, `userinfo`, `token/revoke` | grants by password, client credentials and \
    refresh token |\n\
    | `/agent/...` | an agent: 200 for a valid token of either kind, else 403 |\n\
    | `/sleep?ms=10`, `?ms=10..20` | an answer after exactly that time |\n\
    | `/status/503`, `/bytes/1000`, `/bytes/1000?chunked=true`, `/redirect/3`, `/gzip`, `/deflate`, `/xml` | such an \
    answer |\n\
    | `/echo`, `/headers`, `/cookies`, `/cookies/set?name=value` | what arrived |\n\
    | `/stats` | how often each method and path was answered with which status |\n\n\
    OpenAM's paths may have `realms/root` in them, and a query is by `_queryFilter` with `eq`, `sw`, `co`, `pr`, \
    `and`, `or` and `!`. The users are `user.0` and so on, the administrators `amadmin`, `openidm-admin` and `admin`. \
    Standard output gets a line with the URL of each address, for scripts that ask for port 0. When it ends it says on \
    standard error what it was asked and how it answered, by its own count.\n\n\
    [Scripts](rest-scripts.md) describes the file that `--script` reads.";

const REST_TARGET_EXAMPLES: &[(&str, &str)] = &[
    ("2000 users on port 8080:", "brunt target rest --users 2000"),
    (
        "HTTPS as well, with a certificate that clients can be told to trust:",
        "brunt target rest --listen-tls 127.0.0.1:8443 --ca-out ca.pem",
    ),
    (
        "What arrives, to hold against what was sent:",
        "brunt target rest --listen 127.0.0.1:0 --log requests.jsonl",
    ),
    ("An API with a bad day:", "brunt target rest --script bad-day.toml"),
];

/// What a plan is good for.
const RUN: &str = "\
    A plan is a TOML file that says what virtual users do, how many there are or how often they come, and what must \
    come of it: requests over HTTP with values that differ, what is checked of answers and what is kept of them, \
    pauses, \
    operations of LDAP, all in one iteration if need be. [Plans](plan.md) explains it from the first to the last, \
    [the keys](plan-keys.md) lists every key.\n\n\
    A wrong plan is an error with its line, before a byte is sent (exit code 2). When the run is over its summary is \
    printed; with an objective that was missed the exit code is 99, with one that is undecided 4.";

const RUN_EXAMPLES: &[(&str, &str)] = &[
    ("What a plan comes to, without sending anything:", "brunt run login.toml --check"),
    ("Carries it out and keeps the record:", "brunt run login.toml --record run.json"),
    (
        "With other values than the file has:",
        "brunt run login.toml --set run.users=50 --set http.base=https://id.example.com --duration 1m",
    ),
    ("As the second of three machines that share the run:", "brunt run login.toml --node 1/3"),
];

/// What is done with the jobs of LoadGen.
const LOADGEN: &str = "\
    Reads a job file and the workload and task files it names, as they were written for LoadGen, performs the job, and \
    prints LoadGen's report: the same columns, lines and formulas. What LoadGen did wrong in a way that figures depend \
    on is repaired, and each repair that made a difference is named at the end of the report; with `--compat` it is \
    done as LoadGen does it.\n\n\
    Workloads are looked for in `workloads/` and tasks in `tasks/`, below the current directory, else below the one \
    above that of the job file, else below that of the job file. Everything is read before anything is sent, and what \
    is wrong is said with its file, line and remedy. A link of the name `loadgen` to the program stands for \
    `brunt loadgen`.\n\n\
    [Jobs of LoadGen](loadgen-jobs.md) describes the files and the repairs.";

const LOADGEN_EXAMPLES: &[(&str, &str)] = &[
    (
        "A job against the identity API in memory:",
        "brunt loadgen --config examples/loadgen/jobs/sessions.json",
    ),
    (
        "What the job would do, without doing it:",
        "brunt loadgen --config examples/loadgen/jobs/sessions.json --check",
    ),
    (
        "The figures that LoadGen itself would have printed:",
        "brunt loadgen --config examples/loadgen/jobs/sessions.json --compat",
    ),
    (
        "The same as a plan of our own:",
        "brunt loadgen --config examples/loadgen/jobs/sessions.json --to-plan sessions.toml",
    ),
];

/// What is shown to whoever comes for the first time.
const QUICKSTART: &str = "\
    Starts a directory in memory on a free port of the loopback interface, runs `authrate` and `searchrate` as fast as \
    they go and `modrate` at 500 a second, prints the command line of each as one would type it, their tables and \
    their summaries, and writes a record of each. With `dhcp` it does so with a DHCP server and `perfdhcp`: as fast as \
    it goes, then at 1000 leases a second with renewals and releases, and the same for DHCPv6, with prefixes.";

const QUICKSTART_EXAMPLES: &[(&str, &str)] = &[
    ("LDAP, with the defaults:", "brunt quickstart"),
    ("DHCP:", "brunt quickstart dhcp"),
    (
        "Shorter, with the records in a directory of their own:",
        "brunt quickstart --duration 2 --output /tmp",
    ),
];

/// What is measured of stores of leases.
const LEASES: &str = include_str!("../tools/leases/page.txt").trim_ascii_end();

const LEASES_EXAMPLES: &[(&str, &str)] = &[
    ("SQLite and memfile in a temporary directory, synchronous and asynchronous:", "brunt leases"),
    (
        "The tables of the DHCP Performance Guide, beside what it published in 2012, and its chart:",
        "brunt leases --guide --html guide.html",
    ),
    (
        "Five runs of three stores on the disk that matters, so that differences can be told from noise:",
        "brunt leases sqlite memfile redb --directory /var/lib --runs 5 --record leases.json",
    ),
    (
        "Kea's tables of today in PostgreSQL, ten operations a transaction, searches by client identifier:",
        "brunt leases postgres://kea@db.example.com/ --schema kea --group 10 --search-by client-id",
    ),
    (
        "What a DHCP server does all day, with a million leases, from eight connections:",
        "brunt leases mysql://kea@db.example.com/ --schema kea --preload 1m --workers 8 -d 1m \\\n\
         \x20 --mix allocate=40,renew=45,release=10,expire=5",
    ),
    (
        "500 new leases a second, each due on time, and an objective for whoever runs it in CI:",
        "brunt leases sqlite --durability sync --phases create --rate 500 -d 30s --slo 'create.p99<20ms'",
    ),
];

/// How the ceiling of a machine is found.
const CALIBRATE: &str = "\
    Runs each operation of LDAP against a directory, and each exchange of DHCP against a DHCP server, both in the same \
    process, with one worker, and works out what that worker would manage with a core to itself: the rate it reached, \
    divided by the share of its core that it used. Later runs on the same machine (same processor, same number of \
    cores) are held against this ceiling times their number of workers; a run that reaches more than 80 % of it \
    says so. Run it when nothing else runs. The figures are kept in \
    `$XDG_STATE_HOME/brunt/ceiling.json`, or `~/.local/state/brunt/ceiling.json`.";

const CALIBRATE_EXAMPLES: &[(&str, &str)] = &[
    ("Measures and keeps the figures:", "brunt calibrate"),
    (
        "Measures for longer, with more connections:",
        "brunt calibrate --duration 10 --connections 100",
    ),
];

const NAMES_LOOKUP: &str = include_str!("../tools/names/lookup/page.txt").trim_ascii_end();

const NAMES_LOOKUP_EXAMPLES: &[(&str, &str)] = &[
    (
        "What this machine's users and groups cost to look up, at 1,000 a second for ten seconds:",
        "brunt names lookup --by uid,gid,user,group,groups",
    ),
    (
        "A directory of 3,000 users behind sssd, popular ones more often, one in ten unknown to anybody:",
        "brunt names lookup --keys 10000-12999 --pattern u%d --by uid=3,user --distribution zipf:1.1 --negative 0.1",
    ),
    (
        "As fast as 8 threads can, and then past the C library:",
        "brunt names lookup --threads 8 --unlimited --duration 5s\n\
         brunt names lookup --threads 8 --unlimited --duration 5s --through nslcd",
    ),
    (
        "The searches that the same lookups come to, on the directory itself:",
        "brunt names lookup --through ldap --url ldap://127.0.0.1 --base dc=example,dc=com --keys 10000-12999",
    ),
    (
        "A rate that rises until the daemon gives in, kept for later:",
        "brunt names lookup --stages 'ramp 100..20000 over 2m' --record names.json",
    ),
];

const NAMES_MATRIX: &str = include_str!("../tools/names/matrix/page.txt").trim_ascii_end();

const NAMES_MATRIX_EXAMPLES: &[(&str, &str)] = &[
    ("The article's four back ends with 1,000 and 3,000 users:", "brunt names matrix"),
    (
        "Its whole table, kept as a page and to be compared later:",
        "brunt names matrix --users 1000,3000,6000,9000,11000 --html names.html --record names.json",
    ),
    (
        "sssd beside nscd, looked up through the C library alone:",
        "brunt names matrix --backend sssd,ldap+index+nscd --road nss --passes 5",
    ),
];

const NAMES_SWEEP: &str = include_str!("../tools/names/matrix/sweep.txt").trim_ascii_end();

const NAMES_SWEEP_EXAMPLES: &[(&str, &str)] = &[
    (
        "What primes and other sizes are worth:",
        "brunt names sweep --suggested-size 211,1009,2003,2004,4001,4002,32011 --users 1000",
    ),
    (
        "How long an answer has to be remembered at 500 lookups a second:",
        "brunt names sweep --ttl 1s,5s,20s,60s --rate 500 --duration 60s --html ttl.html",
    ),
];

const MERGE: &str = "Several machines can share a run: each is started with the same command, the same `--seed` and \
    a `--node` of its own. This command makes one record of theirs, and prints its summary. The files are records \
    (`--record`) or [event files](events.md), in any order. Counts and histograms are added bucket for bucket, so the \
    percentiles are those of all exchanges and not means of the nodes' own; rates are added. How each machine fared \
    is kept node by node, the verdict is that of the worst node and says which one that is, and objectives are held \
    against the whole. [Records of several nodes](record.md#records-of-several-nodes) describes what the record \
    holds.\n\nNodes belong together if they were asked for the same load: the same version of brunt, command, seed \
    and target. Other records are refused, with exit code 2. A node whose record is missing makes the result \
    partial. Otherwise the exit code is that of a run: 99 if an objective was missed, 5 if the run is partial, 0 if \
    neither.";

const MERGE_EXAMPLES: &[(&str, &str)] = &[
    (
        "Two machines share a run:",
        "perfdhcp -4 -r 500 -p 60 --seed 7 --node 0/2 --record n0.json 192.0.2.1\n\
         perfdhcp -4 -r 500 -p 60 --seed 7 --node 1/2 --record n1.json 192.0.2.1",
    ),
    ("Makes one record of both and prints it:", "brunt merge n0.json n1.json --record all.json"),
    ("Prints the percentiles of the whole run:", "brunt report all.json --format hgrm > all.hgrm"),
];

fn words(name: &str) -> Words {
    match name {
        "report" => (
            "A record is the file that a run writes with `--record`. It holds the histograms themselves, so what is \
             printed from it is what the run printed. [The record](record.md) says what each figure means. The first \
             line is the verdict: whether the figures can be trusted. What `brunt leases` and `brunt names matrix` \
             write is a comparison of many runs, which is printed as tables and charts, or as a page. Of an \
             [event file](events.md) the record is printed that its run made; if the run was killed, a partial record \
             of everything the file holds.",
            &[
                ("Prints a record as the run did:", "brunt report run.json"),
                (
                    "Its intervals, for a spreadsheet:",
                    "brunt report run.json --format csv > run.csv",
                ),
                (
                    "Its percentiles, for the plotters of HdrHistogram:",
                    "brunt report run.json --format hgrm > run.hgrm",
                ),
                (
                    "A comparison as a page for browsers:",
                    "brunt report stores.json --format html > stores.html",
                ),
                (
                    "The record of a run that was killed, from its events:",
                    "brunt report run.ndjson --format json > run.json",
                ),
            ],
        ),
        "merge" => (MERGE, MERGE_EXAMPLES),
        "run" => (RUN, RUN_EXAMPLES),
        "target ldap" => (
            TARGET,
            &[
                ("2000 users on port 1389:", "brunt target ldap --users 2000"),
                (
                    "LDAPS as well, with a certificate that clients can be told to trust:",
                    "brunt target ldap --listen-tls 127.0.0.1:1636 --ca-out ca.pem",
                ),
                ("A directory with a bad day:", "brunt target ldap --script stall.toml"),
            ],
        ),
        "target dhcp" => (DHCP_TARGET, DHCP_TARGET_EXAMPLES),
        "target rest" => (REST_TARGET, REST_TARGET_EXAMPLES),
        "http" => (HTTP, HTTP_EXAMPLES),
        "import curl" => (IMPORT_CURL, IMPORT_CURL_EXAMPLES),
        "import har" => (IMPORT_HAR, IMPORT_HAR_EXAMPLES),
        "import openapi" => (IMPORT_OPENAPI, IMPORT_OPENAPI_EXAMPLES),
        "loadgen" => (LOADGEN, LOADGEN_EXAMPLES),
        "leases" => (LEASES, LEASES_EXAMPLES),
        "names lookup" => (NAMES_LOOKUP, NAMES_LOOKUP_EXAMPLES),
        "names matrix" => (NAMES_MATRIX, NAMES_MATRIX_EXAMPLES),
        "names sweep" => (NAMES_SWEEP, NAMES_SWEEP_EXAMPLES),
        "calibrate" => (CALIBRATE, CALIBRATE_EXAMPLES),
        "quickstart" => (QUICKSTART, QUICKSTART_EXAMPLES),
        "completions" => (
            "The script knows every command, and every option of each.",
            &[(
                "For bash:",
                "brunt completions bash > ~/.local/share/bash-completion/completions/brunt",
            )],
        ),
        "man" => (
            "The page is in the format of man(7).",
            &[("Reads a page:", "brunt man authrate | man -l -")],
        ),
        other => panic!("say in this list what `brunt {other}` is for"),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::io;
    use std::path::Path;

    use brunt_drivers::secret::Secret;
    use brunt_engine::ThinkTime;
    use brunt_engine::schedule::Schedule;
    use brunt_record::{AWAY_MIN, Slo, verdict};
    use brunt_targets::ldap::Script;

    use super::*;
    use crate::cli::dhcp;
    use crate::cli::exit::Exit;
    use crate::cli::surroundings::Surroundings;
    use crate::cli::tool::Tool;
    use crate::cli::ubench::Ubench;
    use crate::tools::flow::plan::reader::Text as Plan;

    const ROOT: &str = env!("CARGO_MANIFEST_DIR");

    /// Where every file that an example names is there, and the password is in `PW`.
    struct Anywhere;

    impl Surroundings for Anywhere {
        fn variable(&self, name: &str) -> Option<String> {
            (name == "PW").then(|| "password".to_owned())
        }
        fn read(&self, _: &Path) -> io::Result<Vec<u8>> {
            Ok(b"password\n".to_vec())
        }
        fn interactive(&self) -> bool {
            false
        }
        fn ask(&self, _: &str) -> io::Result<Secret> {
            Err(io::ErrorKind::Unsupported.into())
        }
    }

    /// The text of every page of the documentation, by name.
    fn texts() -> BTreeMap<String, String> {
        let docs = std::fs::read_dir(Path::new(ROOT).join("docs")).unwrap();
        let docs = docs
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|it| it == "md"));
        let read =
            |path: &Path| (path.display().to_string(), std::fs::read_to_string(path).unwrap());
        let own = ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md"]
            .map(|name| Path::new(ROOT).join(name));
        own.iter()
            .filter(|path| path.exists())
            .map(|path| read(path))
            .chain(docs.map(|path| read(&path)))
            .collect()
    }

    /// The blocks of a page that are in this language.
    fn blocks(page: &str, language: &str) -> Vec<String> {
        let fence = format!("```{language}");
        let mut blocks = Vec::new();
        let mut open: Option<String> = None;
        for line in page.lines() {
            match &mut open {
                Some(block) if line == "```" => {
                    blocks.push(std::mem::take(block));
                    open = None;
                }
                Some(block) => {
                    block.push_str(line);
                    block.push('\n');
                }
                None if line == fence => open = Some(String::new()),
                None => {}
            }
        }
        assert!(open.is_none(), "a block of {language} is not closed");
        blocks
    }

    /// The commands in a block: in `sh` every line, in `console` those after a prompt.
    fn commands(block: &str, prompt: &str) -> Vec<Vec<String>> {
        let joined = block.replace("\\\n", " ");
        joined.lines().filter_map(|line| line.strip_prefix(prompt)).map(shell).collect()
    }

    /// Splits as a shell does, for lines that quote but do not escape, up to what is the shell's own.
    fn shell(line: &str) -> Vec<String> {
        let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
        for letter in line.chars() {
            match (quote, letter) {
                (Some(open), _) if open == letter => quote = None,
                (None, '\'' | '"') => {
                    quote = Some(letter);
                    word.get_or_insert_default();
                }
                (None, '#') if word.is_none() => break,
                (None, '|' | '>' | '&' | ';') => break,
                (None, ' ') => words.extend(word.take()),
                _ => word.get_or_insert_default().push(letter),
            }
        }
        words.extend(word.filter(|word| word != "2"));
        words
    }

    /// Reads a command as the program would, if it is one of ours: whether it is, or why it is wrong.
    fn check(words: &[String]) -> Result<bool, String> {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let argv: Vec<&str> = match words[..] {
            ["cargo", "run", "--release", "--", ref rest @ ..] => [&["brunt"], rest].concat(),
            ["brunt", ..] => words,
            [name, ..]
                if name == dhcp::NAME
                    || Tool::named(name).is_some()
                    || Ubench::named(name).is_some() =>
            {
                words
            }
            _ => return Ok(false),
        };
        let argv: Vec<String> = argv.into_iter().map(str::to_owned).collect();
        crate::cli::read(&argv, &Anywhere).map_err(|refusal| refusal.text).map(|_| true)
    }

    #[test]
    fn the_documentation_is_what_the_declarations_say() {
        for (name, text) in pages() {
            let path = Path::new(ROOT).join(format!("docs/{name}.md"));
            if std::env::var_os("BRUNT_BLESS").is_some() {
                std::fs::write(&path, &text).unwrap();
            }
            let kept = std::fs::read_to_string(&path).unwrap_or_default();
            assert!(
                kept == text,
                "docs/{name}.md is not what the command declares: run with BRUNT_BLESS=1"
            );
        }
    }

    #[test]
    fn every_example_command_is_understood() {
        let mut found = 0;
        for (page, text) in texts() {
            let shells = blocks(&text, "sh").into_iter().map(|block| (block, ""));
            let consoles = blocks(&text, "console").into_iter().map(|block| (block, "$ "));
            for (block, prompt) in shells.chain(consoles) {
                for words in commands(&block, prompt) {
                    match check(&words) {
                        Ok(ours) => found += usize::from(ours),
                        Err(why) => panic!("{page}: {words:?}: {why}"),
                    }
                }
            }
        }
        assert!(found > 20, "only {found} examples were found");
    }

    #[test]
    fn a_wrong_example_is_noticed() {
        let page = "```console\n$ brunt report run.json --format none\nbrunt is not called here\n```\n\
                    ```sh\nauthrate -D cn=x -w y \\\n  --nosuch\nPW=x ls | authrate --nosuch\n```\n";
        let of = |language: &str, prompt: &str| {
            blocks(page, language)
                .iter()
                .flat_map(|block| commands(block, prompt))
                .collect::<Vec<_>>()
        };
        let (console, sh) = (of("console", "$ "), of("sh", ""));
        assert_eq!((console.len(), sh.len()), (1, 2));
        assert!(check(&console[0]).unwrap_err().contains("none"));
        assert!(check(&sh[0]).unwrap_err().contains("--nosuch"));
        assert_eq!(check(&sh[1]), Ok(false));
    }

    /// Every line of every block in a language is read by what reads it in the program.
    fn each_line(language: &str, reads: impl Fn(&str) -> Option<String>) {
        let mut found = 0;
        for (page, text) in texts() {
            for block in blocks(&text, language) {
                for line in block.lines().filter(|line| !line.is_empty()) {
                    found += 1;
                    assert_eq!(reads(line), None, "{page}: {line}");
                }
            }
        }
        assert!(found > 1, "only {found} lines of {language} were found");
    }

    #[test]
    fn every_example_of_a_notation_is_understood() {
        each_line("stages", |line| Schedule::parse(line).err().map(|error| error.to_string()));
        each_line("think", |line| ThinkTime::parse(line).err().map(|error| error.to_string()));
        each_line("slo", |line| line.parse::<Slo>().err().map(|error| error.to_string()));
    }

    /// Figures that people wrote down are those of the program.
    #[test]
    fn thresholds_and_exit_codes_are_told_as_they_are() {
        let page = |name: &str| std::fs::read_to_string(Path::new(ROOT).join(name)).unwrap();
        let percent = |share: f64| format!("{:.0} %", share * 100.0);
        let tenth = |share: f64| format!("{:.1} %", share * 100.0);
        let record = page("docs/record.md");
        for told in [
            format!("More than {} of what was due was lost", tenth(verdict::LOSS_SHARE)),
            format!("above {} of the ceiling", percent(verdict::CEILING_SHARE)),
        ] {
            assert!(record.contains(&told), "docs/record.md does not say: {told}");
        }
        let statistics = page("docs/statistics.md");
        for told in [
            format!("differ by more than {} of it", percent(verdict::OWN_SHARE)),
            format!("less than {} us", verdict::FLOOR_MIN.as_micros()),
            format!("at least {:.0}\nexchanges lie beyond", verdict::JUDGED_BEYOND),
            format!("throttled brunt for more than {} of", percent(verdict::THROTTLED_SHARE)),
            format!("used more than {} of its core", percent(verdict::CPU_SHARE)),
            format!("more than {} of the cores' time", percent(verdict::STEAL_SHARE)),
            format!("for a core for more than {} of", percent(verdict::WAITED_SHARE)),
            format!(
                "more than {} of all that exchanges waited",
                percent(verdict::WAITED_OF_OWN_SHARE)
            ),
            format!("less than {} of what was offered", percent(verdict::MADE_SHARE)),
            format!("stood still for more than\n{} of it", percent(verdict::STALLED_SHARE)),
            format!("at least {} second", AWAY_MIN.as_secs()),
        ] {
            assert!(statistics.contains(&told), "docs/statistics.md does not say: {told}");
        }
        let drift = format!("further apart than {} of the mean", percent(verdict::DRIFT_SHARE));
        assert!(
            page("docs/statistics.md").contains(&drift),
            "docs/statistics.md does not say: {drift}"
        );
        let readme = page("README.md");
        for exit in [
            Exit::Ok,
            Exit::Failed,
            Exit::Usage,
            Exit::SomeFailed,
            Exit::Undecided,
            Exit::Partial,
            Exit::Unsafe,
            Exit::Input,
            Exit::LdapUsage,
            Exit::Missed,
        ] {
            assert!(
                readme.contains(&format!("\n| {} | ", exit.code())),
                "README.md lacks exit code {exit:?}"
            );
        }
    }

    #[test]
    fn every_example_of_a_script_is_understood() {
        let mut found = [0; 3];
        for (page, text) in texts() {
            for script in blocks(&text, "toml") {
                if page.ends_with("/docs/plan.md") || script.contains("[[scenario]]") {
                    let plan = Plan { name: "plan.md", text: &script, overrides: &[] };
                    let read = crate::tools::flow::plan::reader::read(&plan, &|_| None);
                    assert!(read.is_ok(), "{page}: {read:?}: {script}");
                    continue;
                }
                let (kind, read) = if page.contains("/docs/dhcp") {
                    (1, brunt_targets::dhcp::Script::parse(&script).map(drop))
                } else if page.contains("/docs/rest-scripts") {
                    (2, brunt_targets::rest::Script::parse(&script).map(drop))
                } else {
                    (0, Script::parse(&script).map(drop))
                };
                assert!(read.is_ok(), "{page}: {read:?}: {script}");
                found[kind] += 1;
            }
        }
        assert!(found.iter().all(|found| *found > 1), "only {found:?} scripts were found");
    }
}
