//! Checks of answers.

use super::*;
use crate::Reply;
use brunt_feed::{Escape, Hole};
use brunt_http_driver::Response;
use serde_json::json;

const BODY: &str = r#"{"user":"jo","age":41,"mail":["a","b"],"gone":null}"#;

fn text(text: &str) -> Text {
    Text::parse(text, Escape::None, |name| (name == "user").then_some(Hole(0))).unwrap()
}

fn judged(check: &Check) -> Result<(), String> {
    let fields = [("Content-Type", "application/json"), ("X-Id", "jo-7")];
    let response = Response::sample(201, &fields, BODY.as_bytes());
    let parsed = Parsed::new(Reply::Http(&response));
    let mut values = Values::new(1);
    values.set(Hole(0), b"jo");
    if check.holds(&parsed, &values) == Ok(true) {
        Ok(())
    } else {
        Err(check.words(&parsed, &values))
    }
}

fn value(of: Location, must: Condition) -> Check {
    Check::Value { of, must }
}

fn at(pointer: &str, must: Condition) -> Check {
    value(Location::pointer(pointer).unwrap(), must)
}

fn field(name: &str, must: Condition) -> Check {
    value(Location::Field(name.to_owned()), must)
}

#[test]
fn checks_pass_and_their_negations_fail() {
    let list = |least, most| Check::Count { of: Location::path("$.mail[*]").unwrap(), least, most };
    let checks = [
        Check::Code(vec![(404, 404), (200, 299)]),
        Check::Size { least: 51, most: 51 },
        field("content-type", Condition::Contain(text("json"))),
        field("X-Id", Condition::Match(Pattern::parse("^jo-[0-9]$", 0).unwrap())),
        field("X-Id", Condition::Exist),
        at("/user", Condition::Equal(text("${user}"))),
        at("/age", Condition::Equal(text("41"))),
        at("/age", Condition::Json(json!(41.0))),
        at("/age", Condition::Between(40.0, 41.0)),
        at("/mail", Condition::Json(json!(["a", "b"]))),
        at("/gone", Condition::Json(json!(null))),
        at("/gone", Condition::Exist),
        at("", Condition::Json(json!({"gone": null, "mail": ["a", "b"], "age": 41, "user": "jo"}))),
        value(Location::Body, Condition::Contain(text("\"${user}\""))),
        value(Location::Body, Condition::Contain(text(""))),
        list(2, 2),
        list(0, u64::MAX),
    ];
    for check in checks {
        assert_eq!(judged(&check), Ok(()), "{check:?}");
        let opposite = Check::Not(Box::new(check));
        let words = judged(&opposite).unwrap_err();
        assert!(words.contains("should not "), "{words}");
        assert_eq!(judged(&Check::Not(Box::new(opposite))), Ok(()));
    }
}

#[test]
fn failure_states_expected_and_actual_value() {
    let cases = [
        (
            Check::Code(vec![(200, 200), (204, 206)]),
            "the code should be 200, 204 to 206 but it is 201",
        ),
        (
            Check::Size { least: 100, most: u64::MAX },
            "the length of the body should be at least 100 but it is 51",
        ),
        (
            field("X-Id", Condition::Equal(text("${user}"))),
            "the field 'X-Id' should be 'jo' but it is 'jo-7'",
        ),
        (
            field("X-No", Condition::Exist),
            "the field 'X-No' should exist but the answer does not contain it",
        ),
        (
            at("/age", Condition::Json(json!("41"))),
            "the JSON value at '/age' should be \"41\" but it is '41'",
        ),
        (
            at("/age", Condition::Between(50.0, 60.5)),
            "the JSON value at '/age' should be between 50 and 60.5 but it is '41'",
        ),
        (
            at("/user", Condition::Contain(text("x"))),
            "the JSON value at '/user' should contain 'x' but it is 'jo'",
        ),
        (
            Check::Count { of: Location::path("$.mail[*]").unwrap(), least: 0, most: 1 },
            "the count of the JSON value at '$.mail[*]' should be at most 1 but there are 2",
        ),
    ];
    for (check, words) in cases {
        assert_eq!(judged(&check).unwrap_err(), words);
    }
}

/// The results of a check and of its negation.
fn both(check: Check, response: &Response) -> [Result<bool, Unexamined>; 2] {
    let values = Values::new(1);
    let holds = |check: &Check| check.holds(&Parsed::new(Reply::Http(response)), &values);
    let straight = holds(&check);
    [straight, holds(&Check::Not(Box::new(check)))]
}

#[test]
fn unexamined_body_fails_a_check_and_its_negation() {
    let nested = (0..8_000).fold(String::new(), |text, at| text + &format!("<a xmlns:n{at}='u'>"));
    let nested = nested + &"</a>".repeat(8_000);
    let chains = vec!["[".repeat(100) + &"]".repeat(100); 4_800].join(",");
    let chains = format!("[{chains}]");
    let xpath = |path| Location::xpath(path).unwrap();
    let path = |path| Location::path(path).unwrap();
    let one = || Condition::Json(json!(1));
    for (body, of, must, why) in [
        ("<!DOCTYPE a><a/>", xpath("//b"), Condition::Exist, Unexamined::Doctype),
        (&nested, xpath("//b"), Condition::Exist, Unexamined::Work),
        (&chains, path("$..*..*..*"), Condition::Exist, Unexamined::Work),
        ("{\"a\":1e999}", path("$.b"), Condition::Exist, Unexamined::Number),
        ("{\"a\":1e999}", Location::pointer("/a").unwrap(), one(), Unexamined::Number),
        ("<p>", path("$.b"), Condition::Exist, Unexamined::NotJson { line: 1, column: 1 }),
        ("{}", xpath("//b"), Condition::Exist, Unexamined::NotXml { line: 1, column: 1 }),
    ] {
        let response = Response::sample(200, &[], body.as_bytes());
        let check = value(of.clone(), must);
        assert_eq!(both(check, &response), [Err(why), Err(why)], "{of}");
        let count = Check::Count { of: of.clone(), least: 0, most: 0 };
        assert_eq!(both(count, &response), [Err(why), Err(why)], "{of}");
    }
    // Everything is known about an empty body.
    let empty = Response::sample(204, &[], b"");
    for of in [xpath("//b"), path("$.b"), Location::pointer("/b").unwrap()] {
        assert_eq!(both(value(of, Condition::Exist), &empty), [Ok(false), Ok(true)]);
    }
}

#[test]
fn truncated_body_decides_only_what_it_can() {
    let mut response = Response::sample(200, &[], b"one two thr");
    response.cut_off();
    let unknown = [Err(Unexamined::Truncated); 2];
    let (yes, no) = ([Ok(true), Ok(false)], [Ok(false), Ok(true)]);
    let pattern = |text: &str| Condition::Match(Pattern::parse(text, 0).unwrap());
    for (must, expected) in [
        (Condition::Exist, yes),
        (Condition::Contain(text("two")), yes),
        (Condition::Contain(text("three")), unknown),
        (pattern("t[a-z]o"), yes),
        (pattern("thr"), unknown),
        (pattern("four"), unknown),
        (Condition::Equal(text("one two three")), unknown),
        (Condition::Equal(text("one")), no),
        (Condition::Json(json!(1)), unknown),
    ] {
        let shown = format!("{must:?}");
        assert_eq!(both(value(Location::Body, must), &response), expected, "{shown}");
    }
    let count = |least, most| {
        let of = Location::pattern("o", 0).unwrap();
        both(Check::Count { of, least, most }, &response)
    };
    assert_eq!((count(1, u64::MAX), count(0, 1)), (yes, no));
    assert_eq!((count(2, 2), count(0, 0), count(3, u64::MAX)), (unknown, no, unknown));
    assert_eq!(both(at("/a", Condition::Exist), &response), unknown);
    let check = Check::Not(Box::new(value(Location::Body, Condition::Contain(text("x")))));
    let words = check.words_unexamined(Unexamined::Truncated, &Values::new(1));
    assert_eq!(
        words,
        "the body should not contain 'x', but only the beginning of the body was kept (`body-kept`)"
    );
}

#[test]
fn secrets_and_long_values_are_hidden() {
    let body = format!("hunter2 {}", "ü".repeat(500));
    let response = Response::sample(200, &[], body.as_bytes());
    let parsed = Parsed::new(Reply::Http(&response));
    let mut values = Values::new(1);
    values.set(Hole(0), b"hunter2");
    values.hide(Hole(0), true);
    let words = value(Location::Body, Condition::Equal(text("${user}"))).words(&parsed, &values);
    assert!(words.starts_with("the body should be '***' but it is '*** ü"), "{words}");
    assert!(words.ends_with("...', 1008 bytes") && words.len() < 350, "{words}");
}

#[test]
fn code_check_needs_neither_fields_nor_body() {
    let code = Check::Code(vec![(200, 200)]);
    assert!(code.is_of_the_code() && !code.wants().fields && !code.wants().body);
    assert!(Check::Not(Box::new(code)).is_of_the_code());
    let field = field("X", Condition::Equal(text("${user}")));
    assert!(!field.is_of_the_code() && field.wants().fields);
    assert_eq!(Check::Not(Box::new(field)).texts().count(), 1);
}
