//! Every fault of a server is counted in one place and no other, and as often as it happened.

use brunt_dhcp_server::{Answer, Config, Family};
use brunt_test_program::Ended;

use super::server::{Server, ended};

/// Exchanges of a run, and how many of them meet the fault.
const ALL: u64 = 100;
const EVERY: u64 = 7;
const MET: u64 = ALL / EVERY;
/// The run of every case.
const RUN: &str = "-r 250 -n 100 -R 100";

/// One fault, and its expected result. `{1}` and `{2}` stand for the titles of the stages.
struct Case {
    family: Family,
    on: &'static str,
    action: &'static str,
    /// What is counted as often as the fault was met, beside what was sent and received.
    counted: &'static [&'static str],
    /// How exchanges that met it end; nothing if they end well.
    ends: Option<(&'static str, Option<u32>)>,
    /// Whether the message that met it counts as answered.
    answered: bool,
}

const fn case(
    family: Family,
    on: &'static str,
    action: &'static str,
    counted: &'static [&'static str],
    ends: Option<(&'static str, Option<u32>)>,
    answered: bool,
) -> Case {
    Case { family, on, action, counted, ends, answered }
}

/// Carries all of them out, each with a server of its own.
fn check(cases: &[Case]) {
    for case in cases {
        let Case { family, on, action, .. } = case;
        let script = format!("[[rule]]\non = ['{on}']\nevery = {EVERY}\naction = {action}");
        let server = Server::like(*family, &script, Config::default());
        conclude(case, &server, server.run(&format!("{RUN} -u")));
    }
}

fn conclude(case: &Case, server: &Server, run: Ended) {
    let Case { family, on, action, .. } = case;
    let run = run.expect(if case.ends.is_some() { 3 } else { 0 });
    let record = run.record();
    let stages = match family {
        Family::V4 => ["DISCOVER-OFFER", "REQUEST-ACK"],
        Family::V6 => ["SOLICIT-ADVERTISE", "REQUEST-REPLY"],
    };
    let name = action.split(['\'', '{', '=', ' ']).find(|word| !word.is_empty()).expect("a name");
    assert_eq!(server.stats().fault(name), MET, "{on} {action}\n{run}");

    // Where the first stage fails there is no second, so that one sees fewer.
    let fails = if case.ends.is_some() { MET } else { 0 };
    let met_first = *on == "discover";
    let seconds = if met_first { ALL - fails } else { ALL };
    let unanswered = if case.answered { 0 } else { MET };
    let [first, second] = if met_first { [unanswered, 0] } else { [0, unanswered] };
    let mut expected = vec![
        (format!("{} sent", stages[0]), ALL),
        (format!("{} received", stages[0]), ALL - first),
        (format!("{} sent", stages[1]), seconds),
        (format!("{} received", stages[1]), seconds - second),
    ];
    let named = |text: &str| text.replace("{1}", stages[0]).replace("{2}", stages[1]);
    expected.extend(case.counted.iter().map(|text| (named(text), MET)));
    expected.sort();
    let mut found = run.tallies();
    found.sort_unstable();
    let expected: Vec<_> = expected.iter().map(|(name, count)| (&**name, *count)).collect();
    assert_eq!(found, expected, "{on} {action}\n{run}");
    assert_eq!((record.counts.ok, record.counts.planned), (ALL - fails, ALL), "{run}");
    if let Some((class, code)) = case.ends {
        assert_eq!(ended(&record, class, code), MET, "{on} {action}\n{run}");
    }
    printed(&run, stages);
}

/// The text says what the record says.
fn printed(run: &Ended, stages: [&str; 2]) {
    for stage in stages {
        let of = |what: &str| run.tally(&format!("{stage} {what}"));
        for (line, expected) in [
            ("sent packets", of("sent")),
            ("received packets", of("received")),
            ("drops", of("drops")),
            ("orphans", of("late") + of("duplicates")),
            ("rejected leases", of("rejected leases")),
            ("non unique addresses", of("non unique addresses")),
        ] {
            assert_eq!(run.line(stage, line), expected, "{stage} {line}\n{run}");
        }
    }
    for name in ["tooshort", "malformed", "unexpected", "foreign", "locallimit"] {
        let line = format!("\n{name}: {}\n", run.tally(name));
        assert!(run.stdout.contains(&line), "{line}\n{run}");
    }
    let malformed = run.tally("malformed") + run.tally("tooshort");
    let line = format!("\nMalformed packets: {malformed}\n");
    assert!(run.stdout.contains(&line), "{line}\n{run}");
}

const TIMED_OUT: Option<(&str, Option<u32>)> = Some(("timed-out", None));
const CHECK: Option<(&str, Option<u32>)> = Some(("check", None));

#[test]
fn refusals_count_as_failures_and_not_as_drops() {
    check(&[
        case(Family::V4, "request", "'nak'", &["{2} naks"], Some(("result", Some(6))), false),
        case(Family::V4, "discover", "'no-lease'", &["{1} rejected leases"], CHECK, true),
        case(Family::V4, "request", "'no-lease'", &["{2} rejected leases"], CHECK, true),
        case(Family::V6, "discover", "'no-lease'", &["{1} rejected leases"], CHECK, true),
        case(Family::V6, "request", "'no-lease'", &["{2} rejected leases"], CHECK, true),
        case(
            Family::V6,
            "discover",
            "{ status = 2 }",
            &["{1} rejected leases"],
            Some(("result", Some(2))),
            true,
        ),
        case(
            Family::V6,
            "request",
            "{ status = 4 }",
            &["{2} rejected leases"],
            Some(("result", Some(4))),
            true,
        ),
    ]);
}

#[test]
fn malformed_answers_are_counted_and_match_no_request() {
    let drops = |on| if on == "discover" { "{1} drops" } else { "{2} drops" };
    let cases = [
        (Family::V4, "discover", "{ truncate = 100 }", "tooshort"),
        (Family::V4, "request", "{ truncate = 245 }", "malformed"),
        (Family::V4, "request", "{ garbage = 300 }", "malformed"),
        (Family::V4, "discover", "{ garbage = 5 }", "tooshort"),
        (Family::V6, "request", "{ truncate = 3 }", "tooshort"),
        (Family::V6, "discover", "{ truncate = 20 }", "malformed"),
    ];
    check(&cases.map(|(family, on, action, kind)| {
        let counted: &'static [&'static str] = Box::leak(Box::new([drops(on), kind]));
        case(family, on, action, counted, TIMED_OUT, false)
    }));
}

#[test]
fn answers_to_other_clients_count_as_foreign() {
    let of = |family| {
        [
            case(family, "discover", "'wrong-xid'", &["{1} drops", "foreign"], TIMED_OUT, false),
            case(family, "request", "'wrong-xid'", &["{2} drops", "foreign"], TIMED_OUT, false),
            case(family, "request", "'drop'", &["{2} drops"], TIMED_OUT, false),
            case(family, "discover", "'ignore'", &["{1} drops"], TIMED_OUT, false),
        ]
    };
    check(&Family::ALL.map(of).into_iter().flatten().collect::<Vec<_>>());
}

#[test]
fn duplicates_and_reordering_are_harmless() {
    let of = |family| {
        [
            case(family, "discover", "'duplicate'", &["{1} duplicates"], None, true),
            case(family, "request", "'duplicate'", &["{2} duplicates"], None, true),
            case(family, "discover", "'reorder'", &[], None, true),
        ]
    };
    check(&Family::ALL.map(of).into_iter().flatten().collect::<Vec<_>>());
}

/// An offer in the name of another server is taken in good faith, and the server that is asked is not that one.
#[test]
fn request_names_the_server_of_its_offer() {
    for server in [
        Server::v4("[[rule]]\non = ['discover']\nevery = 7\naction = 'wrong-server'"),
        Server::v6("[[rule]]\non = ['discover']\nevery = 7\naction = 'wrong-server'"),
    ] {
        let run = server.run(RUN).expect(3);
        let record = run.record();
        assert_eq!((record.counts.ok, record.counts.timed_out), (ALL - MET, MET), "{run}");
        assert_eq!((server.tally().not_ours, server.sent(Answer::Ack)), (MET, ALL - MET), "{run}");
    }
}

/// With `-1` every request names the first server that answered, whichever server made the offer.
#[test]
fn one_server_option_directs_all_requests_to_the_first_server() {
    let script = "[[rule]]\non = ['discover']\nfirst = 2\naction = 'wrong-server'";
    for server in [Server::v4(script), Server::v6(script)] {
        let run = server.run(&format!("{RUN} -1")).expect(0);
        assert_eq!(run.record().counts.ok, ALL, "{run}");
        assert_eq!((server.tally().not_ours, server.sent(Answer::Ack)), (0, ALL), "{run}");
    }
}

/// One address for all clients: every client after the first gets an address that another client has.
#[test]
fn unique_check_counts_addresses_given_twice() {
    let server = Server::v4("[[rule]]\non = ['request']\naction = { address = '10.0.9.9' }");
    let run = server.run("-r 250 -n 50 -R 50 -u").expect(0);
    assert_eq!(run.tally("REQUEST-ACK non unique addresses"), 49, "{run}");
    assert_eq!(run.line("REQUEST-ACK", "non unique addresses"), 49, "{run}");
    assert_eq!(run.line("DISCOVER-OFFER", "non unique addresses"), 0, "{run}");
    // Nobody looks without -u.
    let run = server.run("-r 250 -n 50 -R 50").expect(0);
    assert_eq!(run.line("REQUEST-ACK", "non unique addresses"), 0, "{run}");
}
