//! Tests do not look at a clock: the rule, and what still breaks it.
//!
//! What sleeps, reads a clock or waits for less than a minute depends on how fast the machine is. Tests about time
//! itself are in `tests/measured` and in programs of that name of other packages, which run alone.

use std::sync::LazyLock;

use regex::Regex;

use crate::files;

/// What still looks at a clock, and how often. A file may only lose some.
const STILL: &[(&str, usize)] = &[
    ("protocols/dhcp/driver/src/hub/tests.rs", 5),
    ("protocols/dhcp/driver/src/v6/tests/lives.rs", 3),
    ("protocols/dhcp/driver/src/v6/tests/replies.rs", 1),
    ("protocols/dhcp/driver/src/v6/tests/templates.rs", 4),
    ("protocols/names/driver/src/ldap/tests.rs", 1),
    ("protocols/names/driver/src/session/tests.rs", 2),
    ("crates/net/src/hub/tests.rs", 1),
    ("protocols/dhcp/driver/src/link/tests.rs", 6),
    ("crates/net/src/udp/tests.rs", 10),
    ("protocols/dhcp/driver/tests/dhcp_sockets.rs", 2),
    ("protocols/flow/driver/tests/flow/leases.rs", 1),
    ("protocols/http/driver/src/proxy.rs", 1),
    ("protocols/http/driver/tests/http/answers.rs", 2),
    ("protocols/http/driver/tests/http/browsing.rs", 1),
    ("protocols/http/driver/tests/http/keeping.rs", 4),
    ("protocols/http/driver/tests/http/main.rs", 1),
    ("protocols/http/driver/tests/http/resending.rs", 1),
    ("protocols/http/driver/tests/http/server.rs", 1),
    ("protocols/http/driver/tests/http2/main.rs", 1),
    ("protocols/flow/driver/tests/http_allocations.rs", 3),
    ("protocols/ldap/driver/tests/ldap/idle.rs", 3),
    ("protocols/ldap/driver/tests/ldap/main.rs", 1),
    ("protocols/ldap/driver/tests/ldap/server.rs", 1),
    ("protocols/ldap/tool/src/preflight.rs", 1),
    ("protocols/ldap/driver/tests/ldap_allocations.rs", 2),
    ("protocols/leases/driver/tests/lease/hostile.rs", 1),
    ("protocols/leases/driver/tests/lease/recovery.rs", 1),
    ("protocols/leases/driver/tests/lease/sessions.rs", 2),
    ("protocols/leases/driver/tests/lease_allocations.rs", 1),
    ("crates/engine/src/gate.rs", 4),
    ("crates/engine/src/machine/delay.rs", 1),
    ("crates/engine/src/machine/watch.rs", 3),
    ("crates/engine/src/worker/blocking/tests.rs", 4),
    ("crates/exchange/src/clock.rs", 1),
    ("crates/embedded/src/timer.rs", 2),
    ("protocols/dhcp/server/tests/dhcp/hostile.rs", 1),
    ("protocols/dhcp/server/tests/dhcp/perfdhcp.rs", 1),
    ("protocols/dhcp/server/tests/dhcp/script.rs", 5),
    ("protocols/dhcp/server/tests/dhcp/speed.rs", 2),
    ("protocols/dhcp/server/tests/dhcp/v4.rs", 1),
    ("protocols/http/server/tests/rest/plain.rs", 2),
    ("protocols/http/server/tests/rest/script.rs", 2),
    ("protocols/ldap/server/tests/script.rs", 4),
    ("protocols/dhcp/wire/tests/dhcp6_capture.rs", 1),
    ("protocols/dhcp/wire/tests/dhcp6_differential.rs", 3),
    ("protocols/names/tool/src/sandbox/tools.rs", 1),
    ("crates/run/src/web/tests.rs", 1),
    ("tests/behaviour/cluster.rs", 1),
    ("tests/behaviour/cluster_attempt.rs", 2),
    ("tests/behaviour/cluster_troubles.rs", 1),
    ("tests/behaviour/live.rs", 2),
    ("tests/behaviour/perfdhcp/endings.rs", 1),
    ("tests/behaviour/restart.rs", 2),
    ("tests/behaviour/signals.rs", 1),
    ("tests/behaviour/start_at.rs", 1),
    ("tests/behaviour/website_agents.rs", 2),
    ("tests/behaviour/website_shared.rs", 1),
    ("tests/dhcp/ended.rs", 1),
    ("tests/dhcp/paused.rs", 1),
    ("tests/leases/idle.rs", 2),
    ("tests/leases/lost.rs", 5),
    ("tests/leases/runs.rs", 1),
    ("tests/names/matrix.rs", 1),
    ("tests/names/traps.rs", 2),
    ("tests/program/src/terminal.rs", 2),
    ("tests/testbed/tests/servers.rs", 3),
];

/// The part of a source that is test code: all of a test program, or what stands in the module of tests.
fn test_code<'a>(path: &str, text: &'a str) -> &'a str {
    let measured = path.contains("tests/measured/") || path.starts_with("tests/tidy/");
    // The testbed waits for servers and measures the noise of the machine.
    if measured || path.starts_with("tests/testbed/src/") {
        return "";
    }
    if path.starts_with("tests/") || path.contains("/tests/") || path.ends_with("/tests.rs") {
        return text;
    }
    text.find("\nmod tests {").map_or("", |begin| &text[begin..])
}

/// What sleeps, reads a clock, or waits for less than a minute.
static LOOKS: LazyLock<Regex> = LazyLock::new(|| {
    let looks = r"\bsleep\(|Instant::now|SystemTime::now|\.elapsed\(\)|Monotonic::new";
    let waits = r"\buntil\(\s*Duration::from_(millis\(|secs\(([0-9]|[1-5][0-9])\))";
    Regex::new(&format!("{looks}|{waits}")).expect("it is an expression")
});

/// How often a piece of test code does that.
fn looks(code: &str) -> usize {
    let code: String = code
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .flat_map(|line| [line, "\n"])
        .collect();
    LOOKS.find_iter(&code).count()
}

#[test]
fn clock_use_in_tests_is_only_where_listed() {
    let sources = files("rs");
    let found: Vec<(&str, usize)> = sources
        .iter()
        .map(|(path, text)| (path.as_str(), looks(test_code(path, text))))
        .filter(|(_, count)| *count > 0)
        .collect();
    let wrong: Vec<String> = found
        .iter()
        .filter(|row| !STILL.contains(row))
        .map(|(path, count)| format!("{path}: {count}"))
        .chain(
            STILL
                .iter()
                .filter(|(path, _)| !found.iter().any(|(it, _)| it == path))
                .map(|(path, _)| format!("{path}: none, so it leaves the list")),
        )
        .collect();
    assert!(
        wrong.is_empty(),
        "tests that look at a clock, other than tests/tidy/clock.rs says: wait for an event, compare counts, use \
         virtual time, or measure in tests/measured: {wrong:#?}"
    );
}

#[test]
fn clock_use_is_found() {
    for code in [
        "thread::sleep(PAUSE);",
        "let begun = Instant::now();",
        "SystemTime::now()",
        "assert!(begun.elapsed() < limit);",
        "let clock = Monotonic::new();",
        "until(Duration::from_millis(90_000), || come)",
        "until(\n    Duration::from_secs(59), || come)",
    ] {
        assert_eq!(looks(code), 1, "{code}");
    }
    for code in [
        "until(Duration::from_secs(60), || come)",
        "until(PATIENCE, || come)",
        "// thread::sleep(PAUSE)",
        "clock.now()",
        "asleep(1)",
    ] {
        assert_eq!(looks(code), 0, "{code}");
    }
}

#[test]
fn test_code_is_distinguished_from_other_code() {
    let text = "fn a() {}\n\n#[cfg(test)]\nmod tests {\n}\n";
    let tests = "\nmod tests {\n}\n";
    for (path, code) in [
        ("crates/engine/src/timer.rs", tests),
        ("crates/engine/src/timer/tests.rs", text),
        ("crates/engine/tests/pace.rs", text),
        ("crates/engine/tests/measured/main.rs", ""),
        ("tests/measured/pace.rs", ""),
        ("tests/ldap/main.rs", text),
        ("tests/testbed/src/wait.rs", ""),
    ] {
        assert_eq!(test_code(path, text), code, "{path}");
    }
}
