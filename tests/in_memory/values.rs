//! The values that generators draw, as they are in the requests: which counters are shared, where ranges end, what is
//! escaped.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use brunt_test_program::{Ended, scratch};
use brunt_testbed::{BASE_DN, PASSWORD, user_dn};
use ldap3_proto::proto::{LdapFilter, LdapOp, LdapSearchRequest, LdapSubstringFilter};

use crate::directory::{Directory, measure};

/// The filters of searches with these options.
fn searched(line: &[&str], filter: &str) -> (Vec<LdapSearchRequest>, Ended) {
    let (machine, directory) = Directory::with(5);
    let options = ["-F", "-b", BASE_DN, "-s", "base"];
    let ended = measure(&machine, "searchrate", &[&options[..], line, &[filter]].concat());
    (directory.searched(), ended)
}

/// The values of `uid` that were searched for.
fn uids(searches: Vec<LdapSearchRequest>) -> Vec<String> {
    let uid = |search: LdapSearchRequest| match search.filter {
        LdapFilter::Equality(name, value) if name == "uid" => value,
        other => panic!("{other:?}"),
    };
    searches.into_iter().map(uid).collect()
}

/// Searches so many times for what a generator draws, and gives what was asked for.
fn drawn(count: usize, line: &[&str]) -> Vec<String> {
    let number = count.to_string();
    let (searches, ended) = searched(&[&["-m", &number], line].concat(), "(uid={})");
    assert_eq!(searches.len(), count, "{}", ended.expect(0));
    uids(searches)
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
    // Sixty draws of twenty values: each of them three times, whichever connection drew it.
    let line = ["-c", "3", "-t", "2", "-g", "inc(1,20)"];
    let values = drawn(60, &line);
    let expected: Vec<String> = (1..=20).map(|n: u32| n.to_string()).collect();
    let counts = tally(&values);
    assert_eq!(counts.len(), 20);
    assert!(expected.iter().all(|value| counts[value.as_str()] == 3), "{counts:?}");

    // Six that each begin with 1. How many turns each has depends on the server, but no second value comes before its
    // first, and no value is drawn more often than the one before it.
    let values = drawn(60, &[&line[..], &["--inc-scope", "worker"]].concat());
    let counts = tally(&values);
    assert_eq!(counts["1"], 6, "{counts:?}");
    let falling: Vec<usize> =
        expected.iter().map(|n| counts.get(n.as_str()).copied().unwrap_or(0)).collect();
    assert!(falling.is_sorted_by(|before, after| before >= after), "{falling:?}");

    // With one connection there is no difference, and the order is that of the numbers.
    let order: Vec<String> = (0..45).map(|n| (n % 20 + 1).to_string()).collect();
    assert_eq!(drawn(45, &["-g", "inc(1,20)"]), order);
}

#[test]
fn rand_excludes_its_maximum_by_default() {
    assert_eq!(numbers(&drawn(400, &["-g", "rand(10,15)"])), (10..15).collect());
    let values = drawn(400, &["-g", "rand(10,15)", "--rand-inclusive"]);
    assert_eq!(numbers(&values), (10..=15).collect());
    // Evenly: 400 draws of six values are 67 of each, give or take seven standard deviations.
    let counts = tally(&values);
    assert!(counts.values().all(|count| (15..=120).contains(count)), "{counts:?}");
}

#[test]
fn xrand_uses_every_number_before_repeating() {
    // Three times round, whichever connection draws.
    let values = drawn(120, &["-c", "4", "-g", "xrand(0,40)"]);
    assert_eq!(numbers(&values), (0..40).collect());
    assert!(tally(&values).values().all(|count| *count == 3), "{:?}", tally(&values));
    let values = drawn(41, &["--seed", "1", "-g", "xrand(0,40)", "--rand-inclusive"]);
    assert_eq!(numbers(&values), (0..=40).collect());
    let ascending: Vec<String> = numbers(&values).iter().map(u64::to_string).collect();
    assert_ne!(values, ascending);
}

/// A file of values, and the generators that read it in order and at random.
fn generators(file: &Path, text: &str) -> [String; 2] {
    fs::write(file, text).expect("a file can be written");
    ["inc", "rand"].map(|how| format!("{how}({})", file.display()))
}

#[test]
fn file_generators_read_lines_in_order_or_at_random() {
    let directory = scratch();
    let [inc, rand] = generators(&directory.path().join("lines.txt"), "alpha\nbeta\r\ngamma");
    let values = drawn(7, &["-g", &inc]);
    assert_eq!(values, ["alpha", "beta", "gamma", "alpha", "beta", "gamma", "alpha"]);
    let values = drawn(100, &["-g", &rand]);
    assert_eq!(tally(&values).keys().copied().collect::<Vec<_>>(), ["alpha", "beta", "gamma"]);
}

#[test]
fn randstr_and_static_values_are_drawn_as_declared() {
    let values = drawn(200, &["-g", "randstr(24,[a-c]xy)"]);
    let fits = |value: &String| value.len() == 24 && value.bytes().all(|it| b"abcxy".contains(&it));
    assert!(values.iter().all(fits), "{values:?}");
    assert_eq!(tally(&values).len(), 200);
    assert_eq!(drawn(3, &["-g", "same"]), ["same"; 3]);
}

/// One draw serves the whole operation, whatever names it.
#[test]
fn generator_draws_once_per_operation_for_all_templates() {
    let (machine, directory) = Directory::with(20);
    let admin = ["-D", "uid=admin,dc=example,dc=com", "-w", PASSWORD, "-F", "-c", "3", "-m", "20"];
    let target = user_dn(0).replace("user.0", "user.{1}");
    let draws = ["-g", "inc(0,19)", "-g", "randstr(5)", "-b", &target];
    let changes = ["description:{1} and {2}", "telephoneNumber:{1}", "title:{2}"];
    measure(&machine, "modrate", &[&admin[..], &draws, &changes].concat()).expect(0);
    let mut users = BTreeSet::new();
    for request in directory.requested() {
        let LdapOp::ModifyRequest(modify) = request else { continue };
        let values: Vec<String> = modify
            .changes
            .iter()
            .map(|it| String::from_utf8_lossy(&it.modification.vals[0]).into_owned())
            .collect();
        let [description, telephone, title] = &values[..] else { panic!("{values:?}") };
        assert_eq!(*description, format!("{telephone} and {title}"));
        assert_eq!(modify.dn, target.replace("{1}", telephone));
        users.insert(modify.dn);
    }
    assert_eq!(users.len(), 20);
}

#[test]
fn generator_values_are_escaped_unless_raw() {
    let directory = scratch();
    let file = directory.path().join("odd.txt");
    let [inc, _] = generators(&file, "a*b\n(c)\nd\\e\n");
    assert_eq!(drawn(3, &["-g", &inc]), ["a*b", "(c)", "d\\e"]);
    // As they are, the asterisk asks for a substring.
    generators(&file, "a*b\n");
    let (searches, ended) = searched(&["-m", "1", "-g", &inc, "--raw"], "(uid={})");
    let parts = LdapSubstringFilter {
        initial: Some("a".into()),
        any: Vec::new(),
        final_: Some("b".into()),
    };
    assert_eq!(searches[0].filter, LdapFilter::Substring("uid".to_owned(), parts), "{ended}");
    // In a DN as well: a comma in a value is no separator.
    generators(&file, "1,ou=x\n");
    let base = ["-m", "1", "-g", &inc, "-b", "uid=user.{1},dc=example,dc=com"];
    let (machine, directory) = Directory::with(5);
    let line = [&base[..], &["-F", "-s", "base", "(cn=*)"]].concat();
    let ended = measure(&machine, "searchrate", &line);
    assert_eq!(directory.searched()[0].base, r"uid=user.1\,ou=x,dc=example,dc=com", "{ended}");
}

#[test]
fn value_patterns_draw_like_generators() {
    let (searches, ended) = searched(&["--value-patterns", "-m", "6"], "(uid=user.[3:5])");
    let values = uids(searches);
    let once = ["user.3", "user.4", "user.5"];
    assert_eq!(values, [once, once].concat(), "{}", ended.expect(0));
}
