//! The table of causes. A new cause is a row here.
//!
//! What is expected is what a careful person would accept who knows the cause: a target in trouble must not be taken
//! for a generator in trouble or the reverse, and where figures are the generator's own they must not make an objective
//! missed. Rates leave room for a slow machine.

use crate::cause::{
    Act, Cause, Class, Condition, DHCP, Expected, HTTP, LDAP, LEASES, Server, Tool,
};

/// A quiet target, and nothing else to say than that.
const IDLE: Cause = Cause {
    name: "",
    class: Class::Nothing,
    server: Server::Ldap(""),
    tool: LDAP,
    options: "",
    seconds: 8,
    objective: "p99<50ms",
    conditions: &[],
    acts: &[],
    expected: Expected { statuses: &["valid"], reason: "", objectives: &["met"], exits: &[0] },
};

/// A target that is slow or makes errors. The run is sound, and its objective is missed.
const POOR: Cause = Cause {
    class: Class::Target,
    expected: Expected { objectives: &["missed"], exits: &[99], ..IDLE.expected },
    ..IDLE
};

/// A target that stood still or was away for a part of the run.
const AWAY: Cause = Cause {
    expected: Expected {
        statuses: &["valid", "partial"],
        reason: "target|answer|reach",
        objectives: &["missed"],
        exits: &[5, 99],
    },
    ..POOR
};

/// A target that is away to the end: the run is no whole one.
const GONE: Cause = Cause {
    expected: Expected { statuses: &["partial"], exits: &[1, 5, 99], ..AWAY.expected },
    ..AWAY
};

/// A generator that was kept from its work. Its own waits must not count against the target.
const LIMITED: Cause = Cause {
    class: Class::Generator,
    expected: Expected {
        statuses: &["generator-limited"],
        reason: "",
        objectives: &["met", "undecided"],
        exits: &[4],
    },
    ..IDLE
};

const fn idle(name: &'static str, server: Server, tool: Tool, options: &'static str) -> Cause {
    Cause { name, server, tool, options, ..IDLE }
}

const fn ldap(name: &'static str, options: &'static str, like: Cause) -> Cause {
    Cause { name, options, ..like }
}

const fn dhcp(
    name: &'static str,
    script: &'static str,
    options: &'static str,
    like: Cause,
) -> Cause {
    Cause { name, server: Server::Dhcp(script), tool: DHCP, options, ..like }
}

const fn rest(
    name: &'static str,
    script: &'static str,
    options: &'static str,
    like: Cause,
) -> Cause {
    Cause { name, server: Server::Rest(script), tool: HTTP, options, ..like }
}

/// The same with the words that name it, which brunt has to find.
const fn named(reason: &'static str, like: Cause) -> Cause {
    Cause { expected: Expected { reason, ..like.expected }, ..like }
}

const fn while_running(acts: &'static [(u64, Act)], like: Cause) -> Cause {
    Cause { acts, ..like }
}

const fn under(conditions: &'static [Condition], like: Cause) -> Cause {
    Cause { conditions, ..like }
}

const STOPPED: &[(u64, Act)] = &[(2500, Act::StopTarget), (5500, Act::ContinueTarget)];
/// The load ends at the sixth second, the target comes back soon after.
const STOPPED_AT_THE_END: &[(u64, Act)] = &[(4500, Act::StopTarget), (7500, Act::ContinueTarget)];
const STOPPED_FOR_EVER: &[(u64, Act)] = &[(3000, Act::StopTarget)];
const KILLED: &[(u64, Act)] = &[(3000, Act::KillTarget)];
const RESTARTED: &[(u64, Act)] = &[(3000, Act::KillTarget), (4500, Act::StartTarget)];
const BRUNT_STOPPED: &[(u64, Act)] = &[(2500, Act::StopBrunt), (5500, Act::ContinueBrunt)];
const SAME_CORE: &[Condition] = &[Condition::BruntOnCore, Condition::TargetOnCore];
const HOGGED: &[Condition] = &[Condition::BruntOnCore, Condition::Hogs(2)];

const STOOD_STILL: &str = "stood still|stopped|paused|stall";
const NO_CORE: &str = "core|processor|CPU";

/// Answers wait for one another on a connection, so ten of them bear 200 requests a second.
const SERIAL: &str = "[[rule]]\naction = { delay = \"50ms\" }\n";
const SLOW: &str = "[[rule]]\naction = { delay = \"300ms\" }\n";
const LOSSY: &str =
    "seed = 7\n[[rule]]\non = [\"discover\"]\nprobability = 0.1\naction = \"ignore\"\n";
/// What its socket holds of two seconds is answered late, the rest is lost.
const DEAF: &str = "[[stall]]\nat = \"3s\"\nlasts = \"2s\"\n";

pub(crate) const CAUSES: &[Cause] = &[
    ldap("idle-ldap-1", "-M 1", IDLE),
    ldap("idle-ldap-10", "-M 10", IDLE),
    ldap("idle-ldap-50", "-M 50", IDLE),
    ldap("idle-ldap-200", "-M 200", IDLE),
    ldap("idle-ldap-1000", "-M 1000", IDLE),
    ldap("idle-ldap-5000", "-M 5000", IDLE),
    dhcp("idle-dhcp-10", "", "-r 10", IDLE),
    dhcp("idle-dhcp-50", "", "-r 50", IDLE),
    dhcp("idle-dhcp-1000", "", "-r 1000", IDLE),
    rest("idle-http-50", "", "-c 10 -q 50", IDLE),
    rest("idle-http-1000", "", "-c 10 -q 1000", IDLE),
    // A server may close what is idle; that is no failure, and no fault of anybody.
    idle("closes-idle-connections", Server::Nginx("keepalive_timeout 1s;"), HTTP, "-c 10 -q 4"),
    Cause {
        seconds: 2,
        objective: "",
        expected: Expected { objectives: &[], ..IDLE.expected },
        ..idle("store-in-process-memfile", Server::None, LEASES, "memfile")
    },
    Cause {
        seconds: 2,
        objective: "",
        expected: Expected { objectives: &[], ..IDLE.expected },
        ..idle("store-in-process-sqlite", Server::None, LEASES, "sqlite")
    },
    while_running(STOPPED, ldap("target-stopped-ldap", "-M 200", AWAY)),
    while_running(STOPPED, ldap("target-stopped-ldap-1", "-M 1", AWAY)),
    while_running(STOPPED, dhcp("target-stopped-dhcp", "", "-r 50", AWAY)),
    while_running(STOPPED, rest("target-stopped-http", "", "-c 10 -q 200", AWAY)),
    while_running(
        STOPPED_AT_THE_END,
        Cause { seconds: 6, ..ldap("target-stopped-at-the-end", "-M 200", AWAY) },
    ),
    while_running(STOPPED_FOR_EVER, ldap("target-stopped-for-ever", "-M 200", GONE)),
    while_running(KILLED, ldap("target-killed-ldap", "-M 200", GONE)),
    while_running(KILLED, dhcp("target-killed-dhcp", "", "-r 50", GONE)),
    while_running(KILLED, rest("target-killed-http", "", "-c 10 -q 200", GONE)),
    while_running(RESTARTED, ldap("target-restarted-ldap", "-M 200", AWAY)),
    while_running(RESTARTED, rest("target-restarted-http", "", "-c 10 -q 200", AWAY)),
    Cause { server: Server::Silent, ..ldap("target-never-answers", "-M 50", GONE) },
    Cause {
        objective: "errors<1%",
        expected: Expected { exits: &[3, 99], ..POOR.expected },
        ..dhcp("packets-dropped-dhcp", LOSSY, "-r 50", POOR)
    },
    Cause {
        objective: "errors<1%",
        expected: Expected { statuses: &["valid", "partial"], exits: &[3, 5, 99], ..AWAY.expected },
        ..dhcp("queue-overflow-dhcp", DEAF, "-r 1000", AWAY)
    },
    rest("queue-overflow-http", SERIAL, "-c 10 -q 400", POOR),
    Cause { server: Server::Ldap(SLOW), ..ldap("target-slow-ldap", "-M 20", POOR) },
    dhcp("target-slow-dhcp", SLOW, "-r 20", POOR),
    rest("target-slow-http", SLOW, "-c 10 -q 20", POOR),
    while_running(BRUNT_STOPPED, named(STOOD_STILL, ldap("brunt-stopped-ldap", "-M 200", LIMITED))),
    while_running(BRUNT_STOPPED, named(STOOD_STILL, ldap("brunt-stopped-ldap-1", "-M 1", LIMITED))),
    while_running(
        BRUNT_STOPPED,
        named(STOOD_STILL, dhcp("brunt-stopped-dhcp", "", "-r 50", LIMITED)),
    ),
    while_running(
        BRUNT_STOPPED,
        named(STOOD_STILL, rest("brunt-stopped-http", "", "-c 10 -q 200", LIMITED)),
    ),
    // Tighter than what waiting for a core costs, so that the wait decides it.
    Cause {
        objective: "p99<1ms",
        ..under(HOGGED, named(NO_CORE, ldap("core-hogged-ldap", "-M 1000", LIMITED)))
    },
    Cause {
        objective: "p99<1ms",
        ..under(HOGGED, named(NO_CORE, dhcp("core-hogged-dhcp", "", "-r 200", LIMITED)))
    },
    under(
        &[Condition::Quota(20)],
        named("quota|throttl", ldap("quota-of-20-percent", "", LIMITED)),
    ),
    under(SAME_CORE, named(NO_CORE, ldap("target-on-the-same-core", "", LIMITED))),
    Cause {
        expected: Expected {
            statuses: &["generator-limited", "refused"],
            reason: "descriptor|open files|ulimit",
            objectives: LIMITED.expected.objectives,
            exits: &[1, 2, 4],
        },
        ..under(&[Condition::Descriptors(40)], rest("descriptors-short", "", "-c 100", LIMITED))
    },
    under(
        &[Condition::Ports(12)],
        named("port", rest("ports-short", "", "-c 50 --disable-keepalive", LIMITED)),
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_row_is_sound() {
        let names: BTreeSet<_> = CAUSES.iter().map(|cause| cause.name).collect();
        assert_eq!(names.len(), CAUSES.len());
        for cause in CAUSES {
            let Cause { name, acts, expected, .. } = cause;
            assert!(!name.is_empty() && !expected.statuses.is_empty(), "{name}");
            assert!(regex::Regex::new(expected.reason).is_ok(), "{name}");
            assert!(acts.is_sorted_by_key(|(at, _)| *at), "{name}");
            assert_eq!(cause.objective.is_empty(), expected.objectives.is_empty(), "{name}");
            assert_eq!(
                cause.class == Class::Nothing,
                expected.statuses == ["valid"] && expected.exits == [0],
                "{name}"
            );
        }
    }
}
