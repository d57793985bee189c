//! The table of causes. A new cause is a row here.
//!
//! The expected verdict is what a careful user would accept who knows the cause: a target in trouble must not be
//! mistaken for a generator in trouble or the reverse, and where figures depend on the generator they must not make an
//! objective missed. Rates leave room for a slow machine.

use crate::cause::{
    Action, CLUSTER, Cause, Class, Condition, DHCP, Expected, HTTP, LDAP, LDAP_ENDLESS, LEASES,
    Objective, Server, Tool,
};
use std::time::Duration;

const MET: &[&str] = &["met"];
const MISSED: &[&str] = &["missed"];
const UNDECIDED: &[&str] = &["undecided"];
const NOT_MISSED: &[&str] = &["met", "undecided"];

/// A quiet target, and nothing else to say than that.
const IDLE: Cause = Cause {
    name: "",
    kind: "none, open load",
    class: Class::Nothing,
    server: Server::Ldap(""),
    tool: LDAP,
    options: "",
    seconds: 8,
    objectives: &[("p99<1s", MET), ("errors<1%", MET)],
    conditions: &[],
    acts: &[],
    expected: Expected { statuses: &["valid"], outcomes: &["passed"], reason: "", exits: &[0] },
};

/// A target that is slow or makes errors. The run is sound, and an objective is missed.
const POOR: Cause = Cause {
    kind: "lost requests",
    class: Class::Target,
    seconds: 4,
    objectives: &[("p99<250ms", MISSED)],
    expected: Expected { exits: &[99], outcomes: &["missed"], ..IDLE.expected },
    ..IDLE
};

/// A load that the target, or the sessions, cannot carry: the queue grows to the end.
const TOO_MUCH: Cause =
    of_kind("a target that cannot carry the load", comes_to(&["overloaded"], POOR));

const SLOW: Cause = Cause {
    kind: "a slow target",
    objectives: &[("p99<250ms", MISSED), ("errors<1%", MET), ("achieved>=95%", MET)],
    ..POOR
};

/// A target that stood still for three seconds and then answered everything.
const AWAY: Cause = Cause {
    kind: "a target that stands still",
    seconds: 6,
    objectives: &[("p99<250ms", MISSED), ("errors<1%", MET)],
    expected: Expected {
        statuses: &["partial"],
        outcomes: &["unavailable"],
        reason: r"^the target stopped responding: away \d",
        exits: &[99],
    },
    ..POOR
};

/// The same where what was asked meanwhile is lost or given up.
const AWAY_AND_LOST: Cause =
    Cause { objectives: &[("p99<250ms", MISSED), ("errors<1%", MISSED)], ..AWAY };

/// A target that is away to the end: the run is no whole one.
const GONE: Cause = Cause {
    kind: "a target that is down",
    seconds: 4,
    ..named(r"^the target stopped responding: no answer from \d.* to the end", AWAY_AND_LOST)
};

/// A generator that was kept from its work. Its own waits must not count against the target.
const LIMITED: Cause = Cause {
    kind: "no ports, no descriptors, or no `/proc`",
    class: Class::Generator,
    seconds: 4,
    objectives: &[("p99<250ms", NOT_MISSED)],
    expected: Expected {
        statuses: &["generator-limited"],
        outcomes: &["not-reliable"],
        reason: "",
        exits: &[0, 4],
    },
    ..IDLE
};

/// A generator that stood still for three seconds. The objective is far below that, and far above what a target takes
/// for all exchanges that became due meanwhile and are sent at once, even if it has to wait for its core.
const STOOD_STILL: Cause = Cause {
    kind: "brunt is stopped",
    seconds: 6,
    objectives: &[("p99<1s", UNDECIDED), ("errors<1%", NOT_MISSED)],
    expected: Expected { reason: r"brunt was paused for \d", exits: &[4], ..LIMITED.expected },
    ..LIMITED
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

/// A store within brunt, as fast as it goes.
const fn store(name: &'static str, store: &'static str) -> Cause {
    let idle = idle(name, Server::None, LEASES, store);
    Cause { seconds: 2, objectives: &[], ..closed(comes_to(&["measured"], idle)) }
}

const fn of_kind(kind: &'static str, like: Cause) -> Cause {
    Cause { kind, ..like }
}

/// The same with a closed load.
const fn closed(like: Cause) -> Cause {
    of_kind("none, closed load", like)
}

/// The same with a target that is killed, and started again.
const fn restarted(like: Cause) -> Cause {
    while_running(RESTARTED, of_kind("a target that restarts", like))
}

/// The same with other processes on brunt's core.
const fn crowded(conditions: &'static [Condition], like: Cause) -> Cause {
    under(conditions, of_kind("other processes", named(NO_CORE, like)))
}

/// The same with a quota.
const fn with_quota(conditions: &'static [Condition], like: Cause) -> Cause {
    under(conditions, of_kind("a quota", named("the CPU quota of its control group", like)))
}

/// The same with the words that name it, which brunt has to find.
const fn named(reason: &'static str, like: Cause) -> Cause {
    Cause { expected: Expected { reason, ..like.expected }, ..like }
}

/// The same where the run is not whole because of it.
const fn named_partial(reason: &'static str, like: Cause) -> Cause {
    let statuses = &["partial"];
    Cause { expected: Expected { statuses, reason, ..like.expected }, ..like }
}

const fn ends_with(exits: &'static [i32], like: Cause) -> Cause {
    Cause { expected: Expected { exits, ..like.expected }, ..like }
}

/// The same with what comes of the run.
const fn comes_to(outcomes: &'static [&'static str], like: Cause) -> Cause {
    Cause { expected: Expected { outcomes, ..like.expected }, ..like }
}

/// The same where nothing is ever answered well.
const fn in_vain(like: Cause) -> Cause {
    comes_to(&["nothing-worked"], like)
}

/// The same if it shows at all.
const fn sometimes(like: Cause) -> Cause {
    let statuses = &["valid", "generator-limited"];
    let outcomes = &["passed", "undecided", "not-reliable"];
    Cause { expected: Expected { statuses, outcomes, ..like.expected }, ..like }
}

const fn against(server: Server, like: Cause) -> Cause {
    Cause { server, ..like }
}

const fn with(objectives: &'static [Objective], like: Cause) -> Cause {
    Cause { objectives, ..like }
}

const fn lasting(seconds: u64, like: Cause) -> Cause {
    Cause { seconds, ..like }
}

/// The same without a length but that of its options or of what is done.
const fn endless(like: Cause) -> Cause {
    Cause { tool: LDAP_ENDLESS, ..like }
}

const fn while_running(acts: &'static [(u64, Action)], like: Cause) -> Cause {
    Cause { acts, ..like }
}

const fn under(conditions: &'static [Condition], like: Cause) -> Cause {
    Cause { conditions, ..like }
}

const STOPPED: &[(u64, Action)] = &[(2000, Action::StopTarget), (5000, Action::ContinueTarget)];
/// The load ends soon after the fourth second, the target comes back later.
const STOPPED_AT_THE_END: &[(u64, Action)] =
    &[(2500, Action::StopTarget), (6000, Action::ContinueTarget)];
const STOPPED_FOR_EVER: &[(u64, Action)] = &[(2500, Action::StopTarget)];
const KILLED: &[(u64, Action)] = &[(2500, Action::KillTarget)];
const RESTARTED: &[(u64, Action)] = &[(2000, Action::KillTarget), (4000, Action::StartTarget)];
const BRUNT_STOPPED: &[(u64, Action)] = &[(2000, Action::StopBrunt), (5000, Action::ContinueBrunt)];
const INTERRUPTED: &[(u64, Action)] = &[(2500, Action::InterruptBrunt)];
/// Long after both agents have begun, also on a busy machine.
const AGENT_KILLED: &[(u64, Action)] = &[(8000, Action::KillAgent)];
const SAME_CORE: &[Condition] = &[Condition::BruntOnCore, Condition::TargetOnCore];
const HOGGED: &[Condition] = &[Condition::BruntOnCore, Condition::Hogs(2)];

const NO_CORE: &str = "brunt was runnable but not scheduled";

/// Answers on a connection wait for one another, so ten connections sustain 200 requests a second.
const SERIAL: &str = "[[rule]]\naction = { delay = \"50ms\" }\n";
const DELAY: &str = "[[rule]]\naction = { delay = \"300ms\" }\n";
const DELAY_10MS: &str = "[[rule]]\naction = { delay = \"10ms\" }\n";
/// One worker for all connections sustains 100 requests a second.
const ONE_WORKER: Server = Server::OneWorker(Duration::from_millis(10));
/// Works on a request, and ends the connection of every twentieth without an answer.
const RESETS: &str =
    "[[rule]]\naction = { delay = \"100ms\" }\n[[rule]]\nevery = 20\naction = \"reset\"\n";
/// A proxy whose server is gone: it takes requests and closes.
const PROXY: &str = "[[rule]]\naction = \"drop\"\n";
const DELAY_11S: &str = "[[rule]]\non = [\"search\"]\naction = { delay = \"11s\" }\n";
const LOSSY: &str = "[[rule]]\non = [\"discover\"]\nevery = 10\naction = \"ignore\"\n";
const MUTE: &str = "[[rule]]\non = [\"search\"]\naction = \"drop\"\n";
const BUSY: &str = "[[rule]]\naction = { status = 503 }\n";
/// What its socket holds of two seconds is answered late, the rest is lost.
const DEAF: &str = "[[stall]]\nat = \"3s\"\nlasts = \"2s\"\n";

/// The causes.
pub const CAUSES: &[Cause] = &[
    // Fewer than ten searches decide no p99.
    ldap("idle-ldap-1", "-c 10 -M 1", Cause { objectives: &[("max<1s", MET)], ..IDLE }),
    ldap("idle-ldap-10", "-c 10 -M 10", IDLE),
    ldap("idle-ldap-50", "-c 10 -M 50", IDLE),
    ldap("idle-ldap-200", "-c 10 -M 200", IDLE),
    ldap("idle-ldap-1000", "-c 10 -M 1000", IDLE),
    ldap("idle-ldap-5000", "-c 10 -M 5000", IDLE),
    dhcp("idle-dhcp-10", "", "-r 10", IDLE),
    dhcp("idle-dhcp-50", "", "-r 50", IDLE),
    dhcp("idle-dhcp-1000", "", "-r 1000", IDLE),
    rest("idle-http-50", "", "-c 10 -q 50", IDLE),
    rest("idle-http-1000", "", "-c 10 -q 1000", IDLE),
    // A server may close an idle connection; that is not a failure, and not an error of either side.
    idle("closes-idle-connections", Server::Nginx("keepalive_timeout 1s;"), HTTP, "-c 10 -q 4"),
    store("store-in-process-memfile", "memfile"),
    store("store-in-process-sqlite", "sqlite"),
    // As long as an exchange may take by its own time-out, whatever the drain of a run with a schedule.
    with(
        &[("errors<1%", MET)],
        against(
            Server::Ldap(DELAY_11S),
            closed(endless(ldap(
                "count-of-long-exchanges",
                "-c 2 -m 2 --operationTimeout 20000",
                IDLE,
            ))),
        ),
    ),
    while_running(
        INTERRUPTED,
        endless(ends_with(&[130], ldap("endless-until-interrupted", "-c 10 -M 50", IDLE))),
    ),
    while_running(STOPPED, ldap("target-stopped-ldap", "-c 10 -M 200", AWAY)),
    while_running(STOPPED, lasting(8, ldap("target-stopped-ldap-2", "-c 10 -M 2", AWAY))),
    while_running(STOPPED, dhcp("target-stopped-dhcp", "", "-r 50", AWAY_AND_LOST)),
    while_running(STOPPED, rest("target-stopped-http", "", "-c 10 -q 200", AWAY)),
    while_running(
        STOPPED_AT_THE_END,
        lasting(4, ldap("target-stopped-at-the-end", "-c 10 -M 200", AWAY)),
    ),
    while_running(STOPPED_FOR_EVER, ldap("target-stopped-for-ever", "-c 10 -M 200", GONE)),
    while_running(
        STOPPED_FOR_EVER,
        with(
            &[],
            ends_with(
                &[5],
                ldap("target-stopped-for-ever-without-objectives", "-c 10 -M 200", GONE),
            ),
        ),
    ),
    while_running(
        STOPPED_FOR_EVER,
        with(
            &[],
            ends_with(
                &[5],
                rest("target-stopped-for-ever-http", "", "-c 10 -q 200 --timeout 2s", GONE),
            ),
        ),
    ),
    while_running(KILLED, ldap("target-killed-ldap", "-c 10 -M 200", GONE)),
    while_running(KILLED, dhcp("target-killed-dhcp", "", "-r 50", GONE)),
    while_running(KILLED, rest("target-killed-http", "", "-c 10 -q 200 --timeout 2s", GONE)),
    restarted(ldap("target-restarted-ldap", "-c 10 -M 200", AWAY_AND_LOST)),
    restarted(rest("target-restarted-http", "", "-c 10 -q 200", AWAY_AND_LOST)),
    restarted(with(
        &[],
        ends_with(&[5], rest("target-restarted-without-objectives", "", "-c 10 -q 200", AWAY)),
    )),
    against(
        Server::Silent,
        in_vain(named("no answer at all, from", ldap("target-never-answers", "-c 10 -M 50", GONE))),
    ),
    // Too short a silence for an absence, and all there is.
    against(
        Server::Silent,
        in_vain(named(
            "^none of 5 [a-z]+ was answered",
            endless(ldap("not-one-answer", "-c 10 -M 50 -m 5 --operationTimeout 300", GONE)),
        )),
    ),
    against(
        Server::Nobody,
        with(
            &[("p99<50ms", MISSED), ("ok.p99<50ms", MISSED), ("errors<1%", MISSED)],
            lasting(
                2,
                in_vain(named(
                    "no answer at all",
                    rest("connection-refused", "", "-c 10 -q 50", GONE),
                )),
            ),
        ),
    ),
    with(
        &[("p99<50ms", MISSED), ("ok.p99<50ms", MISSED), ("errors<1%", MISSED)],
        in_vain(of_kind("refused requests", rest("all-answers-503", BUSY, "-c 10 -q 200", POOR))),
    ),
    with(
        &[("errors<20%", MET), ("errors<5%", MISSED)],
        dhcp("packets-dropped-dhcp", LOSSY, "-r 50", POOR),
    ),
    of_kind("a short queue", dhcp("queue-overflow-dhcp", DEAF, "-r 1000", AWAY_AND_LOST)),
    rest("queue-overflow-http", SERIAL, "-c 10 -q 400", TOO_MUCH),
    // Each answer takes as long as it always does; there are too few sessions for the rate.
    rest("sessions-short", DELAY, "-c 10 -q 100", TOO_MUCH),
    // All requests are sent at once, and wait at the target.
    against(ONE_WORKER, rest("queue-at-the-target", "", "-c 300 -q 200", TOO_MUCH)),
    with(
        &[("errors<1%", MISSED)],
        named_partial(
            "lost their connection to the target",
            rest("requests-reset", RESETS, "-c 20 -q 100", POOR),
        ),
    ),
    with(
        &[("errors<1%", MISSED)],
        in_vain(named_partial(
            "lost their connection to the target|no answer",
            rest("proxy-without-servers", PROXY, "-c 10", POOR),
        )),
    ),
    while_running(
        KILLED,
        with(
            &[("errors<1%", MISSED)],
            rest("dead-in-the-second-half", DELAY_10MS, "-c 10 --timeout 2s", GONE),
        ),
    ),
    against(Server::Ldap(DELAY), ldap("target-slow-ldap", "-c 100 -M 200", SLOW)),
    dhcp("target-slow-dhcp", DELAY, "-r 20", SLOW),
    rest("target-slow-http", DELAY, "-c 100 -q 200", SLOW),
    // A count without a time-out of its own is waited for as long as any run.
    with(
        &[("errors<1%", MISSED)],
        against(
            Server::Ldap(MUTE),
            in_vain(named(
                "still in flight|no answer",
                endless(ldap("count-of-endless-exchanges", "-c 2 -m 2 --operationTimeout 0", GONE)),
            )),
        ),
    ),
    while_running(BRUNT_STOPPED, ldap("brunt-stopped-ldap", "-c 10 -M 200", STOOD_STILL)),
    while_running(
        BRUNT_STOPPED,
        lasting(8, ldap("brunt-stopped-ldap-2", "-c 10 -M 2", STOOD_STILL)),
    ),
    while_running(BRUNT_STOPPED, dhcp("brunt-stopped-dhcp", "", "-r 50", STOOD_STILL)),
    while_running(BRUNT_STOPPED, rest("brunt-stopped-http", "", "-c 10 -q 200", STOOD_STILL)),
    // The kernel may wake brunt at once all the same. If it does not, that is no fault of the target.
    crowded(HOGGED, sometimes(ldap("core-hogged-ldap", "-c 10 -M 1000", LIMITED))),
    crowded(HOGGED, sometimes(dhcp("core-hogged-dhcp", "", "-r 200", LIMITED))),
    with_quota(&[Condition::Quota(20)], ldap("quota-of-20-percent", "-c 10", LIMITED)),
    with_quota(&[Condition::Quota(10)], ldap("quota-of-10-percent", "-c 10", LIMITED)),
    // Barely enough for the load, so that only its response times show the quota.
    with_quota(
        &[Condition::Quota(2)],
        lasting(8, rest("quota-of-2-percent", DELAY_10MS, "-c 10 -q 100", LIMITED)),
    ),
    under(
        &[Condition::NoProc],
        sometimes(named("/proc cannot be read", ldap("without-proc", "-c 10 -M 200", LIMITED))),
    ),
    while_running(
        AGENT_KILLED,
        with(
            &[],
            lasting(
                12,
                against(
                    Server::Rest(DELAY_10MS),
                    Cause {
                        name: "agent-lost",
                        kind: "a lost agent",
                        tool: CLUSTER,
                        expected: Expected {
                            statuses: &["partial"],
                            outcomes: &["incomplete"],
                            reason: r"lost at \d",
                            exits: &[5],
                        },
                        ..LIMITED
                    },
                ),
            ),
        ),
    ),
    crowded(SAME_CORE, ldap("target-on-the-same-core", "-c 10", LIMITED)),
    under(
        &[Condition::Descriptors(100)],
        named("ulimit -n", endless(ldap("descriptors-short", "-c 300 -M 200 -d 3", LIMITED))),
    ),
    under(
        &[Condition::Ports(12)],
        named("no free local port", rest("ports-short", "", "-c 50 --disable-keepalive", LIMITED)),
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};

    #[test]
    fn causes_are_consistent() {
        let names: BTreeSet<_> = CAUSES.iter().map(|cause| cause.name).collect();
        assert_eq!(names.len(), CAUSES.len());
        let mut classes = BTreeMap::new();
        for cause in CAUSES {
            let Cause { name, acts, expected, .. } = cause;
            let class = classes.entry(cause.kind).or_insert(cause.class);
            assert_eq!(*class, cause.class, "{name}");
            assert!(!name.is_empty() && !expected.statuses.is_empty(), "{name}");
            assert!(regex::Regex::new(expected.reason).is_ok(), "{name}");
            assert!(acts.is_sorted_by_key(|(at, _)| *at), "{name}");
            assert!(cause.objectives.iter().all(|(_, outcomes)| !outcomes.is_empty()), "{name}");
            let sound = expected.statuses == ["valid"] && !expected.exits.contains(&99);
            assert_eq!(cause.class == Class::Nothing, sound, "{name}");
            let missed = cause.objectives.iter().any(|(_, outcomes)| *outcomes == MISSED);
            assert_eq!(missed, expected.exits == [99], "{name}");
        }
    }
}
