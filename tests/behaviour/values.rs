//! The values that generators draw, according to the server's log: which counters are shared, where ranges end, what is
//! escaped.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::time::Duration;

use brunt_testbed::{ADMIN_DN, BASE_DN, PASSWORD, Slapd, until, user_dn};

use brunt_test_program::{measure, scratch, slapd};

/// The filters of the searches that slapd saw, in its order, once there are that many.
pub(crate) fn searched(slapd: &Slapd, count: usize) -> Vec<String> {
    let mut filters = Vec::new();
    until(Duration::from_secs(90), || {
        let log = fs::read(slapd.log()).expect("slapd's log is readable");
        let text = String::from_utf8_lossy(&log);
        let lines = text
            .lines()
            .filter(|line| line.contains(" SRCH base=") && !line.contains("cn=Monitor"));
        filters = lines
            .filter_map(|line| Some(line.split_once(" filter=\"")?.1.strip_suffix('"')?.to_owned()))
            .collect();
        filters.len() >= count
    });
    filters
}

/// The values of `uid` that searches asked for.
fn uids(slapd: &Slapd, count: usize) -> Vec<String> {
    let uid = |filter: &String| {
        let value = filter.strip_prefix("(uid=")?.strip_suffix(')')?;
        Some(value.to_owned())
    };
    searched(slapd, count)
        .iter()
        .map(|filter| uid(filter).unwrap_or_else(|| filter.clone()))
        .collect()
}

/// Searches so many times for what a generator draws, and gives what was asked for.
fn drawn(count: usize, line: &[&str]) -> Option<Vec<String>> {
    let slapd = slapd(5)?;
    let number = count.to_string();
    let more = ["-m", &number, "-F", "-b", BASE_DN, "-s", "base", "(uid={})"];
    measure("searchrate", slapd.port(), &[line, &more].concat()).expect(0);
    let values = uids(&slapd, count);
    assert_eq!(values.len(), count);
    Some(values)
}

/// How often each value was drawn.
fn tally(values: &[String]) -> BTreeMap<&str, usize> {
    let mut tally = BTreeMap::new();
    for value in values {
        *tally.entry(value.as_str()).or_default() += 1;
    }
    tally
}

fn numbers(values: &[String]) -> BTreeSet<u64> {
    values.iter().map(|value| value.parse().expect("a number")).collect()
}

#[test]
fn inc_counts_across_connections_or_per_connection() {
    // Sixty draws of twenty values: each of them three times, whichever worker drew it.
    let line = ["-c", "3", "-t", "2", "-g", "inc(1,20)"];
    let Some(values) = drawn(60, &line) else { return };
    let expected: Vec<String> = (1..=20).map(|n: u32| n.to_string()).collect();
    let counts = tally(&values);
    assert_eq!(counts.len(), 20);
    assert!(expected.iter().all(|value| counts[value.as_str()] == 3), "{counts:?}");

    // Six workers that each begin with 1. The server determines how many turns each has, but no worker's second value
    // comes before its first, and no value is drawn more often than the one before it.
    let values = drawn(60, &[&line[..], &["--inc-scope", "worker"]].concat()).unwrap();
    let counts = tally(&values);
    assert_eq!(counts["1"], 6, "{counts:?}");
    let falling: Vec<usize> =
        expected.iter().map(|n| counts.get(n.as_str()).copied().unwrap_or(0)).collect();
    assert!(falling.windows(2).all(|pair| pair[0] >= pair[1]), "{falling:?}");

    // With one worker there is no difference, and the order is that of the numbers.
    let values = drawn(45, &["-g", "inc(1,20)"]).unwrap();
    let order: Vec<String> = (0..45).map(|n| (n % 20 + 1).to_string()).collect();
    assert_eq!(values, order);
}

#[test]
fn rand_excludes_its_maximum_by_default() {
    let Some(values) = drawn(400, &["-g", "rand(10,15)"]) else { return };
    assert_eq!(numbers(&values), (10..15).collect());
    let values = drawn(400, &["-g", "rand(10,15)", "--rand-inclusive"]).unwrap();
    assert_eq!(numbers(&values), (10..=15).collect());
    // Evenly: 400 draws of six values are 67 of each, give or take seven standard deviations.
    assert!(
        tally(&values).values().all(|count| (15..=120).contains(count)),
        "{:?}",
        tally(&values)
    );
}

#[test]
fn xrand_uses_every_number_before_repeating() {
    // Three times round, whichever connection draws.
    let Some(values) = drawn(120, &["-c", "4", "-g", "xrand(0,40)"]) else { return };
    assert_eq!(numbers(&values), (0..40).collect());
    assert!(tally(&values).values().all(|count| *count == 3), "{:?}", tally(&values));
    let values = drawn(41, &["--seed", "1", "-g", "xrand(0,40)", "--rand-inclusive"]).unwrap();
    assert_eq!(numbers(&values), (0..=40).collect());
    let ascending: Vec<String> = numbers(&values).iter().map(u64::to_string).collect();
    assert_ne!(values, ascending);
}

#[test]
fn file_generators_read_lines_in_order_or_at_random() {
    let directory = scratch();
    let path = directory.path().join("lines.txt");
    fs::write(&path, "alpha\nbeta\r\ngamma").unwrap();
    let (inc, rand) = (format!("inc({})", path.display()), format!("rand({})", path.display()));
    let Some(values) = drawn(7, &["-g", &inc]) else { return };
    assert_eq!(values, ["alpha", "beta", "gamma", "alpha", "beta", "gamma", "alpha"]);
    let values = drawn(100, &["-g", &rand]).unwrap();
    assert_eq!(tally(&values).keys().copied().collect::<Vec<_>>(), ["alpha", "beta", "gamma"]);
}

#[test]
fn randstr_and_static_values_are_drawn_as_declared() {
    let Some(values) = drawn(200, &["-g", "randstr(24,[a-c]xy)"]) else { return };
    assert!(
        values
            .iter()
            .all(|value| value.len() == 24 && value.bytes().all(|b| b"abcxy".contains(&b)))
    );
    assert_eq!(tally(&values).len(), 200);
    let values = drawn(3, &["-g", "same"]).unwrap();
    assert_eq!(values, ["same"; 3]);
}

/// One draw serves the whole operation, whatever names it.
#[test]
fn generator_draws_once_per_operation_for_all_templates() {
    let Some(slapd) = slapd(20) else { return };
    let line = [
        "-D",
        ADMIN_DN,
        "-w",
        PASSWORD,
        "-F",
        "-c",
        "3",
        "-m",
        "20",
        "-g",
        "inc(0,19)",
        "-g",
        "randstr(5)",
    ];
    let target = user_dn(0).replace("user.0", "user.{1}");
    let changes = ["-b", &target, "description:{1} and {2}", "telephoneNumber:{1}", "title:{2}"];
    measure("modrate", slapd.port(), &[&line[..], &changes].concat()).expect(0);
    for user in 0..20 {
        let value = |attribute| slapd.value(&user_dn(user), attribute).unwrap();
        assert_eq!(value("telephoneNumber"), user.to_string());
        assert_eq!(value("description"), format!("{user} and {}", value("title")));
    }
}

#[test]
fn generator_values_are_escaped_unless_raw() {
    let directory = scratch();
    let path = directory.path().join("odd.txt");
    fs::write(&path, "a*b\n(c)\nd\\e\n").unwrap();
    let inc = format!("inc({})", path.display());
    // slapd's log has its own escapes for the characters that a filter needs escaped.
    let Some(values) = drawn(3, &["-g", &inc]) else { return };
    assert_eq!(values, ["a\\2Ab", "\\28c\\29", "d\\5Ce"]);
    // As they are, the asterisk asks for a substring; the others leave no filter, which is noticed before the run or
    // refused by it.
    fs::write(&path, "a*b\n").unwrap();
    let values = drawn(2, &["-g", &inc, "--raw"]).unwrap();
    assert_eq!(values, ["a*b"; 2]);

    // In a DN as well: a comma in a value is no separator.
    let slapd = slapd(20).unwrap();
    fs::write(&path, "1,ou=x\n").unwrap();
    let line = [
        "-m",
        "1",
        "-F",
        "-g",
        &inc,
        "-s",
        "base",
        "-b",
        "uid=user.{1},dc=example,dc=com",
        "(cn=*)",
    ];
    let ended = measure("searchrate", slapd.port(), &line);
    let log = fs::read_to_string(slapd.log()).unwrap();
    assert!(log.contains(r#"SRCH base="uid=user.1\2Cou\3Dx,dc=example,dc=com""#), "{ended}\n{log}");
}

#[test]
fn value_patterns_draw_like_generators() {
    let Some(slapd) = slapd(5) else { return };
    let line =
        ["--value-patterns", "-m", "6", "-F", "-b", BASE_DN, "-s", "base", "(uid=user.[3:5])"];
    let ended = measure("searchrate", slapd.port(), &line);
    assert_eq!(ended.code(), 0, "{ended}");
    assert_eq!(uids(&slapd, 6), ["user.3", "user.4", "user.5", "user.3", "user.4", "user.5"]);
}
