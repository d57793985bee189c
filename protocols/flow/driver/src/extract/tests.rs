//! Places in answers, and what is kept of them.

use super::*;
use crate::Reply;
use brunt_http_driver::Response;
use proptest::prelude::*;

const STORE: &str = r#"{"store":{"book":[
    {"category":"reference","author":"Nigel Rees","title":"Sayings of the Century","price":8.95},
    {"category":"fiction","author":"Evelyn Waugh","title":"Sword of Honour","price":12.99},
    {"category":"fiction","author":"Herman Melville","title":"Moby Dick","isbn":"0-553-21311-3","price":8.99},
    {"category":"fiction","author":"J. R. R. Tolkien","title":"The Lord of the Rings",
     "isbn":"0-395-19395-8","price":22.99}],
    "bicycle":{"color":"red","price":399}}}"#;

fn found(from: &Location, response: &Response) -> Option<String> {
    let parsed = Parsed::new(Reply::Http(response));
    let found = from.find(&parsed).ok()?;
    found.map(|found| String::from_utf8(found.text().into_owned()).unwrap())
}

fn count(from: &Location, parsed: &Parsed<'_>) -> u64 {
    from.count(parsed).unwrap().least
}

#[test]
fn jsonpath_examples_of_rfc_9535_are_found() {
    let response = Response::sample(200, &[], STORE.as_bytes());
    let parsed = Parsed::new(Reply::Http(&response));
    // The first value and the number of values, of table 2 in section 1.5.
    let cases = [
        ("$.store.book[*].author", "Nigel Rees", 4),
        ("$..author", "Nigel Rees", 4),
        ("$.store.book..price", "8.95", 4),
        ("$..book[2].author", "Herman Melville", 1),
        ("$..book[-1].title", "The Lord of the Rings", 1),
        ("$..book[0,1].title", "Sayings of the Century", 2),
        ("$..book[?@.isbn].title", "Moby Dick", 2),
        ("$..book[?@.price<10].title", "Sayings of the Century", 2),
        ("$..book[?match(@.author, 'J.*')].price", "22.99", 1),
    ];
    for (path, first, all) in cases {
        let from = Location::path(path).unwrap();
        let text = from.find(&parsed).unwrap().map(|found| found.text().into_owned());
        assert_eq!(
            (text.as_deref(), count(&from, &parsed)),
            (Some(first.as_bytes()), all),
            "{path}"
        );
    }
    let nothing = Location::path("$..book[2].publisher").unwrap();
    assert_eq!((found(&nothing, &response), count(&nothing, &parsed)), (None, 0));
}

#[test]
fn values_are_extracted_from_every_location() {
    let fields = [
        ("Location", "https://rp/cb?code=a.b&state=5"),
        ("Set-Cookie", "sid=xyz; Secure"),
        ("X-Count", "1"),
        ("x-count", "2"),
    ];
    let body = r#"{"tokenId":"AQIC5*","n":{"list":[1,{"x":2}]},"none":null}"#;
    let response = Response::sample(302, &fields, body.as_bytes());
    let pattern = |text, group| Location::pattern(text, group).unwrap();
    let field = |name: &str| Location::Field(name.to_owned());
    let cases = [
        (field("x-COUNT"), Some("1")),
        (Location::Cookie("sid".to_owned()), Some("xyz")),
        (Location::Code, Some("302")),
        (Location::Body, Some(body)),
        (Location::pointer("/n/list").unwrap(), Some(r#"[1,{"x":2}]"#)),
        (Location::path("$.n.list[1]").unwrap(), Some(r#"{"x":2}"#)),
        (Location::Member("tokenId".to_owned()), Some("AQIC5*")),
        (pattern(r#""tokenId":"([^"]+)""#, 1), Some("AQIC5*")),
        (pattern("AQ(I)C", 0), Some("AQIC")),
        (pattern("(x)|(y)", 2), None),
        (field("location").narrowed("[?&]code=([^&]*)", 1).unwrap(), Some("a.b")),
        (Location::pointer("/tokenId").unwrap().narrowed(r"\d", 0).unwrap(), Some("5")),
        (Location::Cookie("other".to_owned()), None),
        (Location::pointer("/x").unwrap(), None),
    ];
    for (from, expected) in cases {
        assert_eq!(found(&from, &response).as_deref(), expected, "{from}");
    }
    let parsed = Parsed::new(Reply::Http(&response));
    let counts = [field("X-Count"), Location::pointer("/n/list").unwrap(), pattern("[0-9]", 0)];
    assert_eq!(counts.map(|from| count(&from, &parsed)), [2, 2, 3]);
}

#[test]
fn missing_value_is_cleared_kept_replaced_or_fails() {
    let response = Response::sample(200, &[], br#"{"a":"new","long":"0123456789ab","null":null}"#);
    let parsed = Parsed::new(Reply::Http(&response));
    let keep = |pointer, missing| {
        let from = Location::pointer(pointer).unwrap();
        let mut values = Values::new(1);
        values.set(Hole(0), b"old");
        let fine =
            Extract { from, into: Hole(0), missing, expires: None }.keep(&parsed, &mut values);
        let fine = fine.unwrap();
        let value = values.value(Hole(0)).map(|value| String::from_utf8_lossy(value).into_owned());
        (fine, value, values.is_hidden(Hole(0)))
    };
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(keep("/a", Missing::Fail), (true, some("new"), false));
    assert_eq!(keep("/long", Missing::Unset), (true, some("0123456789ab"), true));
    assert_eq!(keep("/b", Missing::Unset), (true, None, false));
    assert_eq!(keep("/null", Missing::Unset), (true, None, false));
    assert_eq!(keep("/b", Missing::Keep), (true, some("old"), false));
    assert_eq!(keep("/b", Missing::Value(b"x".to_vec())), (true, some("x"), false));
    assert_eq!(keep("/b", Missing::Fail), (false, None, false));
}

#[test]
fn locations_request_only_what_they_need() {
    let wants = |from: Location| (from.wants().fields, from.wants().body);
    assert_eq!(wants(Location::Code), (false, false));
    assert_eq!(wants(Location::Cookie("a".to_owned())), (true, false));
    assert_eq!(wants(Location::path("$.a").unwrap()), (false, true));
    assert_eq!(wants(Location::Field("a".to_owned()).narrowed("b", 0).unwrap()), (true, false));
}

#[test]
fn invalid_locations_are_refused() {
    let output = |error: Result<Location, LocationError>| error.unwrap_err().to_string();
    assert_eq!(
        output(Location::pointer("a")),
        "read the JSON pointer 'a': a JSON pointer begins with a slash: write /a"
    );
    assert!(output(Location::path("$.a[")).starts_with("read the JSONPath '$.a[': "));
    assert!(output(Location::path("a")).starts_with("read the JSONPath 'a': "));
    let open = output(Location::pattern("(a", 0));
    assert_eq!(open, "read the regular expression '(a': error: unclosed group");
    assert!(output(Location::pattern("(a)", 2)).contains("1 groups, so there is no group 2"));
}

#[test]
fn xml_values_are_found_by_xpath() {
    let body = b"<r xmlns='urn:r'><e m='1'>x</e><e m='2'>y</e></r>";
    let response = Response::sample(200, &[], body);
    let from = |path| Location::xpath(path).unwrap();
    assert_eq!(found(&from("//e[@m='2']"), &response).as_deref(), Some("y"));
    assert_eq!(found(&from("//f"), &response), None);
    assert_eq!(count(&from("//e"), &Parsed::new(Reply::Http(&response))), 2);
    let other = Response::sample(200, &[], b"{}");
    assert_eq!(found(&from("//e"), &other), None);
    let output = Location::xpath("//e[").unwrap_err().to_string();
    assert_eq!(output, "read the XPath '//e[': the end stands where a value should");
}

#[test]
fn hostile_bodies_yield_nothing() {
    let froms = [
        Location::path("$..a").unwrap(),
        Location::pointer("/a/b").unwrap(),
        Location::Member("a".to_owned()),
        Location::xpath("//a").unwrap(),
    ];
    let bomb = b"<!DOCTYPE a [<!ENTITY b 'xxxx'><!ENTITY c '&b;&b;'>]><a>&c;</a>";
    let deep = ["[".repeat(1 << 20), "]".repeat(1 << 20)].concat();
    for body in [deep.as_bytes(), bomb, b"<a>", b"{\"a\xff\":1}", b"", b"\0\0\0", b"{\"a\":"] {
        let response = Response::sample(200, &[], body);
        for from in &froms {
            assert_eq!(found(from, &response), None, "{from}");
        }
    }
}

proptest! {
    #[test]
    fn arbitrary_locations_and_bodies_are_handled(
        place in r#"[$@./\[\]()?*|&'"=:,ab0-9~^+{}\\d -]{0,24}"#,
        body in r#"[\[\]{}<>/"'=:,!&;ab0-9 .\\-]{0,60}"#,
    ) {
        let response = Response::sample(200, &[("Set-Cookie", &place)], body.as_bytes());
        let parsed = Parsed::new(Reply::Http(&response));
        let read = [
            Location::pointer(&place),
            Location::path(&place),
            Location::xpath(&place),
            Location::pattern(&place, 0),
        ];
        let named = [Location::Member(place.clone()), Location::Cookie(place)];
        for from in named.into_iter().chain(read.into_iter().flatten()) {
            let mut values = Values::new(1);
            let extract = Extract { from, into: Hole(0), missing: Missing::Fail, expires: None };
            let found = extract.keep(&parsed, &mut values) == Ok(true);
            prop_assert_eq!(found, values.value(Hole(0)).is_some());
            prop_assert!(!found || count(&extract.from, &parsed) > 0);
        }
    }
}

#[test]
fn lifetime_of_any_size_is_limited() {
    for (text, expected) in [
        ("300", Some(300.0)),
        ("5", Some(5.0)),
        ("0", Some(0.0)),
        ("-7", Some(0.0)),
        ("1000000000000000000", Some(LIFETIME_MAX.as_secs_f64())),
        ("1e400", Some(LIFETIME_MAX.as_secs_f64())),
        ("\"300\"", Some(300.0)),
        ("\"inf\"", Some(LIFETIME_MAX.as_secs_f64())),
        ("\"NaN\"", None),
        ("\"soon\"", None),
        ("null", None),
    ] {
        let body = format!("{{\"expires_in\":{text}}}");
        let response = Response::sample(200, &[], body.as_bytes());
        let parsed = Parsed::new(Reply::Http(&response));
        let of = Location::pointer("/expires_in").unwrap();
        let lifetime = Expiry { of, early: Duration::from_secs(10) }.lifetime(&parsed);
        assert_eq!(lifetime.map(|time| time.as_secs_f64()), expected, "{text}");
    }
}
