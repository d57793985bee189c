//! The pages in `docs/` about the commands that clap parses, and the examples on every page: the tests write the pages
//! and check the notations in them, so this is compiled for tests only. Commands are checked in
//! [`quoted`](super::quoted).
//!
//! A page has a description from [`description`], what the declaration in [`args`](super::args) says of each option,
//! and the examples of the help. A command without a description fails a test, so that none is forgotten.

use std::fmt::Write as _;

use clap::builder::StyledStr;
use clap::{Arg, Command, CommandFactory as _};

use super::args::Brunt;
use super::examples;

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
    let about = command.get_about().map(StyledStr::to_string).unwrap_or_default();
    let usage = command.render_usage().to_string().replace("Usage: ", "");
    let mut out = format!("# brunt {name}\n\n{about}.\n\n");
    out.push_str("<!-- Written from the declaration of the command by the tests: BRUNT_BLESS=1 cargo test -->\n\n");
    let _ = write!(out, "    {usage}\n\n{}\n\n## Options\n", description(name));
    let shown = |arg: &&Arg| arg.get_id() != "version" && !arg.is_hide_set();
    let mut headings: Vec<Option<&str>> = vec![None];
    headings.extend(command.get_arguments().map(Arg::get_help_heading));
    for (index, heading) in headings.iter().enumerate() {
        if headings[..index].contains(heading) {
            continue;
        }
        if let Some(title) = heading {
            let _ = write!(out, "\n### {title}\n");
        }
        let under = command.get_arguments().filter(shown);
        for arg in under.filter(|arg| arg.get_help_heading() == *heading) {
            out.push_str(&option(arg));
        }
    }
    out.push_str("\n## Examples\n");
    for (what, example) in examples::of(name) {
        let what = what.replace('\n', " ");
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
        names if arg.is_require_equals_set() => format!("{names}[={value}]"),
        names if arg.get_action().takes_values() => format!("{names} {value}"),
        names => names,
    };
    let help = arg.get_help().map(StyledStr::to_string).unwrap_or_default();
    let mut out = format!("\n`{spelled}`\n\n> {}.\n>\n", help.trim_end_matches('.'));
    let whole = arg.get_long_help().map(StyledStr::to_string).unwrap_or_default();
    for more in whole.split("\n\n").skip(1) {
        let _ = writeln!(out, "> {}\n>", more.replace('\n', " "));
    }
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

/// How `brunt http` compares with the tools whose flags it has.
const HTTP: &str = include_str!("../tools/flow/http/page.txt").trim_ascii_end();

const IMPORT_CURL: &str = "Converts a curl command line into a [plan](plan.md): one that documentation shows, or that \
    a browser copies. [What is imported](import.md) describes what each option becomes, and how secrets are treated.";

const IMPORT_HAR: &str = "Converts a HAR recording into a [plan](plan.md). The developer tools of browsers save such \
    recordings. [What is imported](import.md) describes what is left out, and how secrets are treated.";

const IMPORT_OPENAPI: &str = "Converts an OpenAPI document into a [plan](plan.md) with one step per operation. \
    [What is imported](import.md) describes where the values come from.";

/// What the directory in memory is, and is not.
const TARGET: &str = "\
    Starts an LDAP directory in memory, for a first test, for calibration, and for fault injection. It answers bind, \
    search, add, modify, delete, rename, compare and the extended operations that the tools use. **It is for tests and \
    is not a directory server**: it has no schema, its only access control is that writing needs a bind, it keeps \
    nothing on disk, and it compares every attribute as text without regard to case.\n\n\
    The entries are `uid=user.0` and so on under `ou=people`, and `uid=admin`, all below `--suffix`. The server prints \
    one line with the URL of each address on standard output, for scripts that ask for port 0. When it stops, it \
    prints its own count of requests and answers on standard error.\n\n\
    [Scripts](scripts.md) describes the file that `--script` reads.";

/// What the DHCP server in memory is, and is not.
const DHCP_TARGET: &str = "\
    Starts a DHCP server in memory, for a first test, for calibration, and for fault injection. For DHCPv4 it answers \
    DISCOVER, REQUEST in all its uses (selecting, renewing, rebinding, INIT-REBOOT), RELEASE, DECLINE and INFORM, with \
    rapid commit (RFC 4039), directly and through relays, whose option 82 it returns. For DHCPv6 it answers every \
    message that a client sends, for addresses and for delegated prefixes, with rapid commit and through any number of \
    relays. **It is for tests and is not a DHCP server for a network**: it serves every link from the same pools, does \
    not check whether an address is in use, and loses all leases when it stops.\n\n\
    It listens only where `--listen` says. To listen on every address of an interface, and so to the broadcasts on \
    that network, it needs `--lab` and `--interface`; without them it refuses, with exit code 8. With them it answers \
    by broadcast if a request came without a relay and cannot be answered by unicast.\n\n\
    The server prints one line with each address, such as `dhcp4://127.0.0.1:10067`, on standard output, for scripts \
    that ask for port 0. When it stops, it prints its own count of requests and answers on standard error, including \
    the packets that the system dropped because the server was too slow.\n\n\
    [Scripts](dhcp-scripts.md) describes the file that `--script` reads.";

/// What the identity API in memory is, and is not.
const REST_TARGET: &str = "\
    Starts an identity API in memory, for a first test, for calibration, and for fault injection. It speaks HTTP/1.1, \
    and HTTP/2 over TLS or with prior knowledge. **It is for tests and is not an identity server**: it has one realm, \
    no schema, and one policy (users see and change themselves, administrators everything), and it loses all data when \
    it stops.\n\n\
    | path | function |\n\
    |---|---|\n\
    | `/openam/json/authenticate` | POST with the headers `X-OpenAM-Username` and `X-OpenAM-Password`, or with \
    callbacks; returns a `tokenId` |\n\
    | `/openam/json/sessions` | POST with `_action=validate`, `getSessionInfo`, `isActive` or `logout`; the token is \
    in the path, the query, the header or cookie `iPlanetDirectoryPro`, or the body |\n\
    | `/openam/json/users` | create, read, update, patch, delete and query users, with an administrator's token |\n\
    | `/api/users`, `/users` | the same as in OpenDJ, with the headers `X-OpenIDM-Username` and `X-OpenIDM-Password` \
    or Basic authentication |\n\
    | `/openidm/managed/user`, `/openidm/info/ping` | the same as in OpenIDM |\n\
    | `/oauth2/access_token`, `introspect`, `userinfo`, `token/revoke` | OAuth 2.0 with the grants password, client \
    credentials and refresh token |\n\
    | `/agent/...` | a policy agent: 200 for a valid token of either kind, else 403 |\n\
    | `/sleep?ms=10`, `?ms=10..20` | an answer after exactly that time |\n\
    | `/status/503`, `/bytes/1000`, `/bytes/1000?chunked=true`, `/redirect/3`, `/gzip`, `/deflate`, `/xml` | an answer \
    of that kind |\n\
    | `/echo`, `/headers`, `/cookies`, `/cookies/set?name=value` | what the request contained |\n\
    | `/stats` | the number of answers by method, path and status |\n\n\
    The paths of OpenAM may contain `realms/root`. A query uses `_queryFilter` with `eq`, `sw`, `co`, `pr`, `and`, \
    `or` and `!`. The users are `user.0` and so on, the administrators `amadmin`, `openidm-admin` and `admin`. The \
    server prints one line with the URL of each address on standard output, for scripts that ask for port 0. When it \
    stops, it prints its own count of requests and answers on standard error.\n\n\
    [Scripts](rest-scripts.md) describes the file that `--script` reads.";

/// What a plan is good for.
const RUN: &str = "\
    A plan is a TOML file. It says what virtual users do, how many there are or how often they arrive, and which \
    objectives the run must meet. Users send HTTP requests with generated values, check the responses, extract values \
    from them, pause, and perform LDAP operations and DHCP exchanges, all in one iteration if needed. \
    [Plans](plan.md) is the guide, [the keys](plan-keys.md) is the reference.\n\n\
    An error in a plan is reported with its line before anything is sent (exit code 2). At the end the run prints its \
    summary. The exit code is 99 if an objective was missed, 4 if one is undecided.\n\n\
    `--once` does each scenario once and prints every request and answer, and `--trace` keeps the first exchanges of a \
    run that failed: [debugging a plan](plan.md#debugging-a-plan).";

/// What is done with the jobs of LoadGen.
const LOADGEN: &str = "\
    Reads a LoadGen job file and the workload and task files that it names, runs the job, and prints LoadGen's report \
    with the same columns, lines and formulas. Faults of LoadGen that affect its figures are corrected, and the end of \
    the report names each correction that made a difference. `--compat` reproduces the faults instead.\n\n\
    Workloads are looked for in `workloads/` and tasks in `tasks/`: first below the current directory, then below the \
    parent of the job file's directory, then below the job file's directory itself. All files are read before anything \
    is sent, and errors name the file, the line and the remedy. A link to the program with the name `loadgen` stands \
    for `brunt loadgen`.\n\n\
    [Jobs of LoadGen](loadgen-jobs.md) describes the files and the corrections.";

/// What quickstart shows.
const QUICKSTART: &str = "\
    Starts an LDAP directory in memory on a free port of the loopback interface. Then it runs `authrate` and \
    `searchrate` as fast as possible and `modrate` at 500 per second, says of each run what came of it and whether to \
    trust that, and writes a record of each. `dhcp` does the same with a DHCP server and `perfdhcp`: as fast as \
    possible, then at 1000 leases per second with renewals and releases, then DHCPv6 with prefixes. `rest` does it \
    with an identity API, `brunt http` and a plan, which it writes too. All of that fits on one screen; `--details` \
    shows the command line, the table and the whole summary of each run.";

/// What is measured of stores of leases.
const LEASES: &str = include_str!("../tools/leases/page.txt").trim_ascii_end();

/// How the ceiling of a machine is found.
const CALIBRATE: &str = "\
    Runs each LDAP operation against a directory and each DHCP exchange against a DHCP server, both in the same \
    process, with one worker. From this it computes what one worker could do with a core of its own: the rate it \
    reached, divided by the fraction of its core that it used. Later runs on the same machine (same processor, same \
    number of cores) are compared with this ceiling times their number of workers, and a run that reaches more than \
    80 % of it says so. Run it on an otherwise idle machine. The figures are kept in \
    `$XDG_STATE_HOME/brunt/ceiling.json`, or `~/.local/state/brunt/ceiling.json`.";

const NAMES_LOOKUP: &str = include_str!("../tools/names/lookup/page.txt").trim_ascii_end();

const NAMES_MATRIX: &str = include_str!("../tools/names/matrix/page.txt").trim_ascii_end();

const NAMES_SWEEP: &str = include_str!("../tools/names/matrix/sweep.txt").trim_ascii_end();

const REPORT: &str = "\
    A record is the file that a run writes with `--record`. It contains the histograms, so the report prints the \
    same figures as the run. [The record](record.md) explains each of them. The last line says whether the figures \
    can be trusted; doubts stand at the top as well. `brunt leases` and `brunt names matrix` write a comparison of \
    many runs, which is printed as tables and charts, and so is the search of [find-max](find-max.md). `--html` \
    writes each as a page, see [the page of a run](page.md). An [event file](events.md) is printed as the record \
    that its run made; if the run was killed, as a partial record of everything in the file.\n\nSeveral records, or \
    a directory of them, are runs of one load at different rates. They are printed as one curve of response against \
    rate: what was offered and achieved at each rate, percentiles, the verdict of each run. Runs of the same rate \
    are one point, whose percentiles are of all their exchanges. Runs that differ in more than their rate are \
    refused with exit code 2, as by [brunt compare](compare.md), unless `--anyway` is given. `--format json` prints \
    them as one document, which this command reads again. A run whose rate varied has a curve in its own report.";

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

const COMPARE: &str = include_str!("../commands/compare.txt").trim_ascii_end();

const AB: &str = include_str!("../commands/ab.txt").trim_ascii_end();

const TREND: &str = include_str!("../commands/trend.txt").trim_ascii_end();

const SERVE: &str = include_str!("../commands/serve.txt").trim_ascii_end();

const PUSH: &str = include_str!("../commands/push.txt").trim_ascii_end();

const MAKELDIF: &str = "Writes the entries that [addrate](addrate.md) adds with the same template file and seed, as \
    LDIF for the import of any directory: the branches first, then the entries below them, each behind its parent. \
    The options are those of OpenDJ's makeldif, and so is the language of template files. A value that LDIF cannot \
    hold as it is, such as one with letters outside ASCII, is written in base64.";

/// What is claimed, and what is not.
const FIND_MAX: &str = include_str!("../commands/find_max/page.txt").trim_ascii_end();

const CLUSTER_RUN: &str = "\
    Carries out one run with several agents, on one machine or many: they share its load, begin together, and there \
    is one \
    summary, one record, one verdict and one exit code. [Many machines as one run](cluster.md) says how to set it up \
    and \
    what happens when something breaks.\n\n\
    The record is made of the agents' own records, exactly as [merge](merge.md) makes it of their files, so its \
    counts and \
    its histograms are those that one machine would have measured. Its verdict is that of the worst agent, by name.";

const AGENT: &str = "\
    Waits for [cluster run](cluster-run.md) to give it a share of a run, and carries it out on this machine. It \
    connects to \
    the broker, so no port has to be open for it. [Many machines as one run](cluster.md) says how to set it up.";

const AGENTS: &str = "Lists the agents that wait for orders: their names, cores, versions and machines. Agents that \
    carry out a run are not listed.";

const CLUSTER_CHECK: &str = "\
    Prepares a command as an agent would, reaches nothing, and prints what the command needs of every agent \
    that is to \
    carry it out: the files it reads, which of them are secrets, the environment variables it refers to, and \
    its rate. \
    With `--policy` it says whether the owner of that [agent.toml](cluster-security.md#the-owner-of-an-agent) permits \
    it. A command that no agent carries out, whatever its owner permits, is refused by the name of the option.\n\n\
    Files are read from the current directory by relative names, as on an agent from the `data` directory of \
    its policy. Variables that the command refers to have \
    to be set, to any value. The exit code is 8 if the command cannot be ordered or is not permitted.";

const CLUSTER_MANIFEST: &str = "\
    Prints what a launcher needs to start the agents of a run and the coordinator that orders it, with the \
    [keys](cluster-keys.md) of a cluster. The same options give the same text, so it can be kept beside a plan. \
    The comments \
    at its head say what has to be there before.\n\n\
    No launcher starts an agent a second time: a run that lost an agent says so, and another in its place would \
    send again \
    what was sent.\n\n\
    | launcher | what it does | checked by the tests with |\n\
    |---|---|---|\n\
    | k8s | an indexed Job with one pod a node and whole cores, nats-server with a Service, a Job of the \
    coordinator | the \
    types of the Kubernetes API, field by field |\n\
    | slurm | `sbatch`: the coordinator on the first node, an agent on every other one | bash and shellcheck |\n\
    | nomad | a batch job, without restart and reschedule | the structure of its blocks alone |\n\
    | ssh | a script: an agent on each host, which ends with its connection | bash and shellcheck, and run with \
    a stand-in \
    for ssh |";

const CLUSTER_KEYS: &str = "\
    Makes everything that a [cluster](cluster-security.md) needs to be safe off one machine: an authority of its own, \
    certificates for mutual TLS, a login for the coordinator and for each agent, the key that signs orders, the \
    configuration of nats-server with what each party may say and hear, and a sample of the file in which an agent's \
    owner says what may be ordered.\n\n\
    | directory | for | contains |\n\
    |---|---|---|\n\
    | `nats/` | the machine of the broker | `nats.conf`, `server.pem`, `server.key`, `ca.pem` |\n\
    | `coordinator/` | whoever orders runs | `login.seed`, `login.toml`, `client.pem`, `client.key`, `ca.pem`, and \
    `order.seed`, which signs orders; `order.pub` is its public key |\n\
    | `agents/NAME/` | one agent | `login.seed`, `login.toml`, `client.pem`, `client.key`, `ca.pem`, and \
    `agent.toml`, \
    its owner's policy |\n\
    | `ca.key` | nobody else | signs certificates; it is needed only to add agents |\n\n\
    Give each machine its directory and no other. Every file can be read by its owner alone, and a key that \
    others can \
    read is refused.\n\n\
    Called again, the command keeps what is there, adds agents that are missing, and writes `nats.conf` from \
    the agents \
    that have a directory. To lock an agent out, remove its directory, call the command again, and have nats-server \
    read its configuration again.";

const SIZING: &str = "Reads what [find-max](find-max.md) wrote with `--record`, and computes how many servers a \
    peak takes: \
    `N = max(ceil(D s / (R (1 - h))), ceil(D s / R) + spare)`. R is the rate that was confirmed, s the number \
    of servers \
    that answered the search, D the peak with its growth, h the headroom. The first term holds while all \
    servers are up, \
    the second while `--spare` of them are lost. The same from the rate that failed shows how much hangs on the \
    difference between the two.\n\nThe page shows each number with its input, the curve with the knee and the \
    band of the \
    limit, how sure all of it is, and what was not tested. Only a confirmed rate is sized from: a search \
    without a claim \
    is refused, and a floor gives the number of servers that is certainly enough. Other machines and other numbers of \
    cores are not computed, because rates are seldom proportional to them. Where find-max saw the target's processor \
    (`--server-cpu`), the page says what an operation costs, with a 90 % interval.\n\n`--usl` fits the \
    Universal Scalability Law to the steps, `X(N) = lambda N / (1 + sigma (N - 1) + kappa N (N - 1))`. N is the \
    number of exchanges in the system, by Little's law: the achieved rate times the mean response time. It describes \
    what was measured and enters no number of servers. Do not believe it where the page says so: fewer than six \
    valid steps, response times further than 15 % from it, a coefficient below 0, concurrencies within a factor of \
    four, a peak beyond what was measured or one that kappa leaves open. It cannot know limits that steps did not \
    come near, nor pauses and queues that are full.";

/// The description of a command.
fn description(name: &str) -> &'static str {
    match name {
        "report" => REPORT,
        "makeldif" => MAKELDIF,
        "merge" => MERGE,
        "cluster run" => CLUSTER_RUN,
        "agent" => AGENT,
        "agents" => AGENTS,
        "cluster check" => CLUSTER_CHECK,
        "cluster manifest" => CLUSTER_MANIFEST,
        "cluster keys" => CLUSTER_KEYS,
        "sizing" => SIZING,
        "find-max" => FIND_MAX,
        "compare" => COMPARE,
        "ab" => AB,
        "trend" => TREND,
        "serve" => SERVE,
        "push" => PUSH,
        "run" => RUN,
        "target ldap" => TARGET,
        "target dhcp" => DHCP_TARGET,
        "target rest" => REST_TARGET,
        "http" => HTTP,
        "import curl" => IMPORT_CURL,
        "import har" => IMPORT_HAR,
        "import openapi" => IMPORT_OPENAPI,
        "loadgen" => LOADGEN,
        "leases" => LEASES,
        "names lookup" => NAMES_LOOKUP,
        "names matrix" => NAMES_MATRIX,
        "names sweep" => NAMES_SWEEP,
        "calibrate" => CALIBRATE,
        "quickstart" => QUICKSTART,
        "completions" => {
            "The script completes every command and every option. A link to brunt that is called like one of the tools \
             it replaces has a script of its own."
        }
        "man" => "The page is in the format of man(7).",
        other => panic!("add a description of `brunt {other}` to this list"),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use brunt_engine::ThinkTime;
    use brunt_engine::schedule::Schedule;
    use brunt_record::{AWAY_MIN, Slo, verdict};
    use brunt_targets::ldap::Script;

    use super::*;
    use crate::cli::exit::Exit;
    use crate::cli::quoted::{ROOT, blocks, texts};
    use crate::tools::flow::plan::reader::Text as Plan;

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
        // Sentences may be broken anywhere.
        let flowing = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let statistics = flowing(page("docs/statistics.md"));
        for told in [
            format!("differ by more than {} of it", percent(verdict::OWN_SHARE)),
            format!("less than {} us", verdict::FLOOR_MIN.as_micros()),
            format!("at least {:.0} exchanges lie beyond", verdict::JUDGED_BEYOND),
            format!("throttled brunt for more than {} of", percent(verdict::THROTTLED_SHARE)),
            format!("used more than {} of its core", percent(verdict::CPU_SHARE)),
            format!("more than {} of the cores' time", percent(verdict::STEAL_SHARE)),
            format!("for a core for more than {} of", percent(verdict::WAITED_SHARE)),
            format!(
                "more than {} of all that exchanges waited",
                percent(verdict::WAITED_OF_OWN_SHARE)
            ),
            format!("only if it moved by more than {} ms", verdict::SLICE.as_millis()),
            format!("less than {} of what was offered", percent(verdict::MADE_SHARE)),
            format!("stood still for more than {} of it", percent(verdict::STALLED_SHARE)),
            format!("at least {} second", AWAY_MIN.as_secs()),
        ] {
            assert!(statistics.contains(&told), "docs/statistics.md does not say: {told}");
        }
        let drift = format!("further apart than {} of the mean", percent(verdict::DRIFT_SHARE));
        assert!(statistics.contains(&drift), "docs/statistics.md does not say: {drift}");
        let codes = page("docs/exit-codes.md");
        for exit in [
            Exit::Ok,
            Exit::Failed,
            Exit::Usage,
            Exit::SomeFailed,
            Exit::Undecided,
            Exit::Partial,
            Exit::Regression,
            Exit::Unsafe,
            Exit::Input,
            Exit::LdapUsage,
            Exit::Missed,
        ] {
            assert!(
                codes.contains(&format!("\n| {} | ", exit.code())),
                "docs/exit-codes.md lacks exit code {exit:?}"
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
                if page.ends_with("/docs/targets.md") {
                    // Read by the test beside its reader.
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
