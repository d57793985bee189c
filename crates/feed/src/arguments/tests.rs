//! Tests of the arguments: what each call draws, and the error for each malformed one.

use super::*;
use proptest::prelude::*;
use std::collections::HashSet;
use std::io::Write;

fn parse(specs: &[&str], settings: Settings) -> Result<Arguments, ArgumentError> {
    let specs: Vec<String> = specs.iter().map(|&spec| spec.to_owned()).collect();
    Arguments::parse(&specs, &settings, &Files::default())
}

fn arguments(specs: &[&str]) -> Arguments {
    parse(specs, Settings::default()).unwrap()
}

fn column(
    arguments: &Arguments,
    index: usize,
    positions: impl Iterator<Item = Position>,
) -> Vec<String> {
    let mut row = Row::new();
    positions
        .map(|position| {
            arguments.draw(&position, &mut row);
            String::from_utf8(row.get(index).to_vec()).unwrap()
        })
        .collect()
}

fn numbers(arguments: &Arguments, index: usize, count: u64) -> Vec<i64> {
    column(arguments, index, (0..count).map(Position::alone))
        .iter()
        .map(|text| text.parse().unwrap())
        .collect()
}

fn file(text: &str) -> (tempfile::NamedTempFile, String) {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    let path = file.path().display().to_string();
    (file, path)
}

fn complaint(spec: &str) -> String {
    parse(&["static", spec], Settings::default()).unwrap_err().to_string()
}

#[test]
fn inc_counts_inclusively_and_wraps() {
    let both = arguments(&["inc(0,3)", "inc(-2,-1)"]);
    assert_eq!(numbers(&both, 0, 6), [0, 1, 2, 3, 0, 1]);
    assert_eq!(numbers(&both, 1, 3), [-2, -1, -2]);
    assert_eq!(both.kind(0), Kind::Integer);
}

#[test]
fn inc_by_worker_starts_each_worker_at_the_first() {
    let settings = Settings { inc_scope: Scope::Worker, ..Settings::default() };
    let (_file, path) = file("a\nb\nc\n");
    let both = parse(&["inc(5,9)", &format!("inc({path})")], settings).unwrap();
    for session in 0..3 {
        let turns =
            |turn| Position { number: turn * 3 + u64::from(session), session, turn, sessions: 3 };
        assert_eq!(column(&both, 0, (0..3).map(turns)), ["5", "6", "7"]);
        assert_eq!(column(&both, 1, (0..4).map(turns)), ["a", "b", "c", "a"]);
    }
}

#[test]
fn rand_excludes_max_unless_inclusive() {
    let excluded: HashSet<i64> = numbers(&arguments(&["rand(0,5)"]), 0, 1000).into_iter().collect();
    assert_eq!(excluded, HashSet::from([0, 1, 2, 3, 4]));
    let settings = Settings { rand_inclusive: true, ..Settings::default() };
    let inclusive: HashSet<i64> =
        numbers(&parse(&["rand(0,5)"], settings).unwrap(), 0, 1000).into_iter().collect();
    assert_eq!(inclusive, HashSet::from([0, 1, 2, 3, 4, 5]));
}

#[test]
fn rand_of_the_same_range_twice_is_two_streams() {
    let both = arguments(&["rand(0,1000000)", "rand(0,1000000)"]);
    let same = numbers(&both, 0, 1000)
        .iter()
        .zip(numbers(&both, 1, 1000))
        .filter(|&(left, right)| *left == right)
        .count();
    assert!(same < 5, "{same} of 1000 rows hold the same value twice");
}

#[test]
fn files_give_lines_in_order_or_at_random() {
    let (_file, path) = file("a\r\nb\nc");
    let both = arguments(&[&format!("inc({path})"), &format!("rand({path})")]);
    assert_eq!(column(&both, 0, (0..4).map(Position::alone)), ["a", "b", "c", "a"]);
    let drawn: HashSet<String> =
        column(&both, 1, (0..100).map(Position::alone)).into_iter().collect();
    assert_eq!(drawn, HashSet::from(["a".to_owned(), "b".to_owned(), "c".to_owned()]));
    assert_eq!(both.kind(0), Kind::Text);
    assert_eq!(both.lines.len(), 1, "the file is read once");
}

#[test]
fn randstr_draws_from_its_set() {
    let both = arguments(&["randstr(16)", "randstr(5,[0-1],)"]);
    for text in column(&both, 0, (0..50).map(Position::alone)) {
        assert_eq!(text.len(), 16);
        assert!(text.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{text}");
    }
    let drawn: HashSet<char> = column(&both, 1, (0..100).map(Position::alone))
        .iter()
        .flat_map(|text| text.chars())
        .collect();
    assert_eq!(drawn, HashSet::from(['0', '1', ',']));
}

#[test]
fn other_arguments_are_static() {
    let all = arguments(&["plain", "42", "", "ou(people)", "incident", "007"]);
    let mut row = Row::new();
    all.draw(&Position::alone(9), &mut row);
    assert_eq!(row.get(0), b"plain");
    assert_eq!((row.get(1), row.integer(1)), (b"42".as_slice(), Some(42)));
    assert_eq!((row.get(2), row.integer(2)), (b"".as_slice(), None));
    assert_eq!(row.get(3), b"ou(people)");
    assert_eq!(row.get(4), b"incident");
    assert_eq!((row.get(5), row.integer(5)), (b"007".as_slice(), Some(7)));
}

#[test]
fn malformed_arguments_are_named_with_a_remedy() {
    for (spec, words) in [
        ("rand(5,5)", "the minimum 5 is not below the maximum 5"),
        ("inc(9,1)", "the minimum 9 is not below the maximum 1"),
        ("rand(0,2,000)", "without commas between their digits"),
        ("inc(1,000)", "without commas between their digits"),
        ("rand(0,2000", "does not end with `)`"),
        ("rand(0,x)", "`x` is not an integer"),
        ("rand(0, 7)", "` 7` is not an integer"),
        ("rand()", "neither a file nor a range"),
        ("rand(12)", "one bound only; write `(0,12)`"),
        ("rand(0,99999999999999999999)", "not an integer of 64 bits"),
        ("xrand(names.txt)", "it takes two integers"),
        ("randstr(x)", "the length `x` is not an integer"),
        ("randstr(0)", "the length `0`"),
        ("randstr(1,000,000)", ""),
        ("randstr(4,[z-a])", "runs backwards"),
        ("randstr(4,[az])", "does not begin with a range"),
        ("randstr(4,)", "the set of characters is empty"),
        ("Rand(0,2000)", "`Rand` is not a generator"),
        ("random(0,2000)", "`random` is not a generator"),
        ("rnd(0,10)", "`rnd` is not a generator"),
        ("uuid()", "`uuid` is not a generator"),
    ] {
        if words.is_empty() {
            // Only the first comma separates, so this is one character drawn from `0` and `,`.
            assert!(parse(&[spec], Settings::default()).is_ok());
            continue;
        }
        let complaint = complaint(spec);
        assert!(complaint.starts_with(&format!("use argument 2 `{spec}`: ")), "{complaint}");
        assert!(complaint.contains(words), "{complaint}");
    }
}

#[test]
fn unusable_files_are_named() {
    let (_file, path) = file("");
    assert!(complaint(&format!("inc({path})")).contains("is empty; put one value on each line"));
    let missing = complaint("rand(/nonexistent/names.txt)");
    assert!(missing.contains("/nonexistent/names.txt of argument 2"), "{missing}");
}

proptest! {
    #[test]
    fn inc_across_workers_gives_each_value_once(sessions in 1u32..20, turns in 1u64..20, offset in -50i64..50) {
        let count = u64::from(sessions) * turns;
        let last = offset + count.cast_signed();
        let arguments = arguments(&[&format!("inc({offset},{last})")]);
        // The workers interleave in any order; only the numbers of the exchanges matter.
        let positions = (0..sessions).flat_map(|session| (0..turns).map(move |turn| Position {
            number: turn * u64::from(sessions) + u64::from(session), session, turn, sessions,
        }));
        let drawn: HashSet<i64> = column(&arguments, 0, positions).iter().map(|text| text.parse().unwrap()).collect();
        prop_assert_eq!(drawn, (offset..last).collect::<HashSet<_>>());
    }

    #[test]
    fn xrand_repeats_nothing_within_a_pass(seed: u64, count in 2i64..500, from in -100i64..100) {
        let settings = Settings { seed, ..Settings::default() };
        let arguments = parse(&[&format!("xrand({from},{})", from + count)], settings).unwrap();
        let drawn = numbers(&arguments, 0, 3 * count as u64);
        for pass in drawn.chunks(count as usize) {
            let mut values = pass.to_vec();
            values.sort_unstable();
            prop_assert_eq!(values, (from..from + count).collect::<Vec<_>>());
        }
    }

    #[test]
    fn drawing_depends_on_seed_and_position(seed: u64, number: u64, session: u32, turn: u64) {
        let settings = Settings { seed, ..Settings::default() };
        let specs = ["inc(0,9)", "rand(0,1000000)", "randstr(12)", "xrand(1,1000)", "static"];
        let position = Position { number, session, turn, sessions: session.saturating_add(1) };
        let (mut first, mut second) = (Row::new(), Row::new());
        let arguments = parse(&specs, settings).unwrap();
        arguments.draw(&Position::alone(1), &mut first);
        arguments.draw(&position, &mut first);
        parse(&specs, settings).unwrap().draw(&position, &mut second);
        for index in 0..specs.len() {
            prop_assert_eq!(first.get(index), second.get(index));
        }
    }
}
