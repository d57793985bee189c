//! What a run takes from outside is handed to it: no state in a `static`, no variable read from the process.
//!
//! Two runs in one process must not share anything that either of them can change. Constants that are computed once
//! (`LazyLock`) are not state.

use std::sync::LazyLock;

use regex::Regex;

use crate::files;

/// The state that is still in statics, how many of them a file has, and why. A file may only lose some.
const STATICS: &[(&str, usize, &str)] = &[
    ("crates/app/src/tools.rs", 1, "the tools of one more protocol are added to the program once"),
    ("crates/engine/src/run.rs", 1, "the noise of the machine's timers is measured once"),
    (
        "crates/net/src/tls/demand.rs",
        1,
        "rustls asks for a certificate on the thread that connects",
    ),
    ("crates/record/src/v2.rs", 1, "a buffer of each thread"),
    ("crates/run/src/console/full_screen.rs", 5, "a process has one terminal"),
    ("protocols/http/driver/src/origin.rs", 1, "numbers that only have to differ"),
    (
        "protocols/ldap/driver/src/sasl/gssapi.rs",
        1,
        "the library keeps credentials for the process",
    ),
    ("protocols/ldap/driver/src/sasl/gssapi/library.rs", 1, "a library is loaded once"),
    ("protocols/ldap/tool/src/entries.rs", 1, "a buffer of each thread"),
    ("protocols/leases/driver/src/panics.rs", 2, "a process has one hook for panics"),
];

/// The files that read variables of the process, and why.
const VARIABLES: &[(&str, usize, &str)] = &[
    ("crates/run/src/environment.rs", 1, "the environment is made of them"),
    (
        "protocols/names/tool/src/sandbox/tools.rs",
        2,
        "a cell is a process, whose programs PATH finds",
    ),
];

/// The files that write to the streams of the process, and why.
const STREAMS: &[(&str, usize, &str)] = &[
    ("crates/run/src/console/streams.rs", 6, "the console of a process has its streams"),
    ("protocols/dhcp/tool/src/perfdhcp.rs", 1, "a program that is started inherits a stream"),
    (
        "protocols/names/tool/src/sandbox/stage.rs",
        1,
        "a cell is a process that answers on its output",
    ),
];

/// The files that read the machine's time of day, and why.
const TIMES_OF_DAY: &[(&str, usize, &str)] = &[
    ("crates/app/src/commands/agent/carried.rs", 3, "machines compare their times of day"),
    ("crates/app/src/commands/agent/judge.rs", 1, "an order is signed until some day"),
    ("crates/app/src/commands/agent/mod.rs", 2, "machines compare their times of day"),
    ("crates/app/src/commands/cluster_check/mod.rs", 1, "an order is signed until some day"),
    ("crates/app/src/commands/cluster_keys.rs", 1, "a key has the day on which it was made"),
    (
        "crates/app/src/commands/cluster_run/coordination.rs",
        1,
        "machines compare their times of day",
    ),
    ("crates/app/src/commands/serve_agents.rs", 2, "machines compare their times of day"),
    ("crates/engine/src/run_clock.rs", 1, "the clock of a run is made of it"),
    ("crates/feed/src/timestamp.rs", 1, "a value is the time at which it is made"),
    ("crates/run/src/console.rs", 1, "what is no run reads it here"),
    ("crates/serve/src/queue/follower.rs", 2, "a website has the time of its machine"),
    ("crates/serve/src/queue/mod.rs", 1, "a website has the time of its machine"),
    ("crates/serve/src/site.rs", 1, "a website has the time of its machine"),
    ("protocols/http/driver/src/cookies.rs", 1, "a cookie ends at a time of day of its server"),
    ("protocols/http/server/src/realm.rs", 1, "a server has the time of its machine"),
];

/// The code of the program in a source: no tests, and no program that builds it.
fn program_code<'a>(path: &str, text: &'a str) -> &'a str {
    let product = path.starts_with("crates/") || path.starts_with("protocols/");
    let other = ["/tests/", "/tests.rs", "/benches/", "/build.rs", "/fuzz/"];
    // Documents are compared with what they are made from by tests in files of their own.
    let documented = ["/docs.rs", "/reference.rs", "/load_table.rs", "/simulated.rs"];
    if !product || other.iter().chain(&documented).any(|part| path.contains(part)) {
        return "";
    }
    text.find("\nmod tests {").map_or(text, |begin| &text[..begin])
}

/// A static that can change.
static STATE: LazyLock<Regex> = LazyLock::new(|| {
    let state =
        r"Mutex<|RwLock<|Atomic[A-Z][a-z0-9]*\b|OnceLock<|OnceCell<|RefCell<|\bCell<|\bOnce\b";
    expression(&format!(r"(?m)^\s*(pub(\([a-z]+\))? )?static (mut )?[A-Z_]+: [^=;]*({state})"))
});
/// What reads variables of the process.
static READ_VARIABLES: LazyLock<Regex> = LazyLock::new(|| expression(r"\benv::vars?(_os)?\("));
/// What reads the time of day of the machine.
static READ_TIMES: LazyLock<Regex> =
    LazyLock::new(|| expression(r"\b(console|Timestamp|SystemTime|Zoned)::now\(\)"));
/// What names the streams of the process.
static NAMED_STREAMS: LazyLock<Regex> =
    LazyLock::new(|| expression(r"\be?print(ln)?!\(|\bstd(out|err)\(\)"));

pub(crate) fn expression(text: &str) -> Regex {
    Regex::new(text).expect("it is an expression")
}

/// How many statics of a piece of code can change.
fn statics(code: &str) -> usize {
    STATE.find_iter(code).count()
}

fn variables(code: &str) -> usize {
    READ_VARIABLES.find_iter(code).count()
}

fn times_of_day(code: &str) -> usize {
    READ_TIMES.find_iter(code).count()
}

fn streams(code: &str) -> usize {
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.map(|line| NAMED_STREAMS.find_iter(line).count()).sum()
}

/// The files in which something is found more or less often than is known.
pub(crate) fn wrong(known: &[(&str, usize, &str)], count: fn(&str, &str) -> usize) -> Vec<String> {
    let sources = files("rs");
    let found = sources.iter().map(|(path, text)| (path, count(path, program_code(path, text))));
    let found: Vec<(&String, usize)> = found.filter(|(_, count)| *count > 0).collect();
    let is_known = |path: &str, count| known.iter().any(|row| (row.0, row.1) == (path, count));
    let unknown = found.iter().filter(|(path, count)| !is_known(path, *count));
    let unknown = unknown.map(|(path, count)| format!("{path}: {count}"));
    let gone = known.iter().filter(|row| !found.iter().any(|(path, _)| *path == row.0));
    unknown.chain(gone.map(|row| format!("{}: none, so it leaves the list", row.0))).collect()
}

#[test]
fn mutable_statics_are_only_where_listed() {
    let wrong = wrong(STATICS, |_, code| statics(code));
    assert!(
        wrong.is_empty(),
        "statics that can change, other than tests/tidy/statics.rs says: hand a value to what needs it, such as a \
         part of brunt_run::World: {wrong:#?}"
    );
}

#[test]
fn environment_variables_are_read_only_where_listed() {
    let wrong = wrong(VARIABLES, |_, code| variables(code));
    assert!(
        wrong.is_empty(),
        "variables of the process, other than tests/tidy/statics.rs says: read them from brunt_run::World: {wrong:#?}"
    );
}

#[test]
fn time_of_day_is_read_only_where_listed() {
    let wrong = wrong(TIMES_OF_DAY, |_, code| times_of_day(code));
    assert!(
        wrong.is_empty(),
        "readers of the machine's time of day, other than tests/tidy/statics.rs says: take it from the clock of \
         brunt_run::World: {wrong:#?}"
    );
}

#[test]
fn process_streams_are_used_only_where_listed() {
    let wrong = wrong(STREAMS, |_, code| streams(code));
    assert!(
        wrong.is_empty(),
        "streams of the process, other than tests/tidy/statics.rs says: write to brunt_run::Console: {wrong:#?}"
    );
}

#[test]
fn mutable_static_is_found() {
    for code in [
        "static KNOWN: Mutex<BTreeSet<u8>> = Mutex::new(BTreeSet::new());",
        "    pub(crate) static SHOWN: AtomicBool = AtomicBool::new(false);",
        "thread_local! {\n    static MADE: RefCell<u8> = const { RefCell::new(1) };\n}",
        "static ONCE: std::sync::Once = Once::new();",
    ] {
        assert_eq!(statics(code), 1, "{code}");
    }
    for code in
        ["static TEXT: &str = \"Mutex<\";", "static ROWS: LazyLock<Vec<u8>> = LazyLock::new(f);"]
    {
        assert_eq!(statics(code), 0, "{code}");
    }
    for code in ["std::env::var(name)", "env::var_os(\"PATH\")", "std::env::vars_os()"] {
        assert_eq!(variables(code), 1, "{code}");
    }
    assert_eq!(variables("env!(\"CARGO_MANIFEST_DIR\") and std::env::temp_dir()"), 0);
    assert_eq!(
        times_of_day("jiff::Timestamp::now() - console::now() + world.now() + clock::now(it)"),
        2
    );
    assert_eq!(streams("eprintln!(\"a\");\nio::stdout().lock()\n// println!(\"b\")"), 2);
    assert_eq!(streams("command.stdout(Stdio::null()).stderr(log)"), 0);
    assert_eq!(program_code("crates/run/src/a.rs", "code\nmod tests {\n}"), "code");
}
