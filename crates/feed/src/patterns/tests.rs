//! Tests of value patterns, compared with the results of `UnboundID`'s SDK 7.0.3 for the same
//! patterns.

use super::*;
use crate::files::Files;
use crate::{Escape, Position, Row, Settings};
use std::collections::HashSet;
use std::io::Write;

fn values(pattern: &str, count: u64) -> Vec<String> {
    let mut arguments = Arguments::default();
    let template = translate(pattern, &mut arguments).unwrap();
    let (mut row, mut out) = (Row::new(), Vec::new());
    (0..count)
        .map(|number| {
            arguments.draw(&Position::alone(number), &mut row);
            out.clear();
            template.render(&row, Escape::None, &mut out);
            String::from_utf8(out.clone()).unwrap()
        })
        .collect()
}

fn set(pattern: &str) -> HashSet<String> {
    values(pattern, 1000).into_iter().collect()
}

#[test]
fn sequences_match_the_sdk() {
    for (pattern, expected) in [
        ("[1:3]", ["1", "2", "3", "1"]),
        ("[3:1]", ["3", "2", "1", "3"]),
        ("[5:5]", ["5", "5", "5", "5"]),
        ("[1:10x4]", ["1", "5", "9", "1"]),
        ("[10:1x4]", ["10", "6", "2", "10"]),
        ("[1:1000%0000]", ["0001", "0002", "0003", "0004"]),
        ("[1:1000%#,##0.00]", ["1.00", "2.00", "3.00", "4.00"]),
        ("[1:1000x100%0000]", ["0001", "0101", "0201", "0301"]),
        ("[-5:5]", ["-5", "-4", "-3", "-2"]),
        ("[-3:-5]", ["-3", "-4", "-5", "-3"]),
        ("[1000:2000%x0]", ["x1000", "x1001", "x1002", "x1003"]),
        ("[1:3]-[ref:1]", ["1-1", "2-2", "3-3", "1-1"]),
        ("a[[b]]c", ["a[b]c"; 4]),
        ("a[[1:3]]", ["a[1:3]"; 4]),
        ("{1} {} %d", ["{1} {} %d"; 4]),
        ("", [""; 4]),
    ] {
        assert_eq!(values(pattern, 4), expected, "{pattern}");
    }
}

#[test]
fn random_ranges_include_both_bounds() {
    let expected: HashSet<String> = ["1", "2", "3"].map(str::to_owned).into();
    assert_eq!(set("[1-3]"), expected);
    assert_eq!(set("[3-1]"), expected);
    assert_eq!(set("[-5--3]"), ["-5", "-4", "-3"].map(str::to_owned).into());
    assert_eq!(set("[1-3%00]"), ["01", "02", "03"].map(str::to_owned).into());
    assert_eq!(set("[5-5]"), ["5"].map(str::to_owned).into());
}

#[test]
fn components_are_independent_and_referable() {
    for value in values("x[1:3]y[5-9]z[ref:2]", 50) {
        let (_, tail) = value.split_once('y').unwrap();
        let (second, reference) = tail.split_once('z').unwrap();
        assert_eq!(second, reference);
    }
    let same = values("[1-1000000],[1-1000000]", 200)
        .iter()
        .filter(|value| value.split_once(',').is_some_and(|(left, right)| left == right))
        .count();
    assert!(same < 3);
}

#[test]
fn strings_files_and_timestamps_match_the_sdk() {
    assert!(
        values("[random:5]", 50).iter().all(|value| {
            value.len() == 5 && value.bytes().all(|byte| byte.is_ascii_lowercase())
        })
    );
    let chars: HashSet<char> =
        values("[random:2:5:abc]", 200).iter().flat_map(|value| value.chars()).collect();
    assert_eq!(chars, HashSet::from(['5', ':', 'a', 'b', 'c']));
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(b"l1\n\nl3\n").unwrap();
    let path = file.path().display();
    assert_eq!(values(&format!("[sequentialfile:{path}]"), 4), ["l1", "", "l3", "l1"]);
    assert_eq!(values(&format!("[streamfile:{path}]"), 2), ["l1", ""]);
    let lines: HashSet<String> = ["l1", "", "l3"].map(str::to_owned).into();
    assert_eq!(set(&format!("[file:{path}]")), lines);
    assert_eq!(set(&format!("[randomfile:{path}]")), lines);
    assert_eq!(set("[uuid]").len(), 1000);
    for value in values("[timestamp:min=20200101000000.000Z:max=20200101000001.000Z]", 50) {
        assert!(
            ("20200101000000.000Z"..="20200101000001.000Z").contains(&value.as_str()),
            "{value}"
        );
    }
    assert_eq!(
        values("[timestamp:min=20200101000000Z:max=20200101000000Z:format=HH:mm]", 1),
        ["00:00"]
    );
}

#[test]
fn patterns_are_numbered_after_the_arguments() {
    let mut arguments =
        Arguments::parse(&["static".to_owned()], &Settings::default(), &Files::default()).unwrap();
    let template = translate("a[1:3]b[4:6]", &mut arguments).unwrap();
    assert_eq!(template.slots().map(crate::Slot::argument).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(arguments.len(), 3);
}

#[test]
fn malformed_patterns_are_named() {
    for (pattern, at, words) in [
        ("[random:0:abc]", 1, "the length `0`"),
        ("[random:abc]", 1, "the length `abc`"),
        ("[random:5:]", 1, "the set of characters is empty"),
        ("é[timestamp:bogus]", 2, "is not a timestamp"),
        ("[timestamp:min=20200101000000Z]", 1, "is not a timestamp"),
        ("[timestamp:min=x:max=y]", 1, "`x` is not a generalized time"),
        ("[timestamp:min=20200102000000Z:max=20200101000000Z]", 1, "is later than"),
        ("[timestamp:format=xx]", 1, "is not known"),
        ("[ref:1]", 1, "names no component before it; there are 0"),
        ("[1:3]-[ref:0]", 7, "names no component"),
        ("[1:3]-[ref:2]", 7, "there are 1"),
        ("[[1:3]", 6, "closes nothing"),
        ("a]b", 2, "closes nothing"),
        ("a[b", 2, "is not closed"),
        ("[1:2", 1, "is not closed"),
        ("[]", 1, "is not a component"),
        ("[1:]", 1, "is not a component"),
        ("[a:b]", 1, "is not a component"),
        ("[UUID]", 1, "is not a component"),
        ("[1:3 ]", 1, "is not a component"),
        ("[é-3]", 1, "is not a component"),
        ("[1:10x0]", 1, "not a positive integer"),
        ("[1:10x-2]", 1, "not a positive integer"),
        ("[1-10x4]", 1, "a step to a random range"),
        ("[1:9%0000x2]", 1, "number format"),
        ("[file:]", 1, "no file is named"),
        ("[http://localhost/x]", 1, "save them to a file"),
    ] {
        let complaint = translate(pattern, &mut Arguments::default()).unwrap_err().to_string();
        assert!(
            complaint
                .starts_with(&format!("use the value pattern `{pattern}`: at character {at}, ")),
            "{complaint}"
        );
        assert!(complaint.contains(words), "{complaint}");
    }
    let missing =
        translate("[file:/nonexistent/x]", &mut Arguments::default()).unwrap_err().to_string();
    assert!(missing.contains("/nonexistent/x"), "{missing}");
}
