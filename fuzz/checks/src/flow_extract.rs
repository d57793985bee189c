//! Looks for a place in an answer: the first line is the place, the rest the body.

use brunt_feed::{Hole, Values};
use brunt_flow_driver::{Check, Condition, Extract, Location, Missing, Parsed, Reply};
use brunt_http_driver::Response;

/// Panics if the decoder treats this input otherwise.
pub fn check(input: &[u8]) {
    let at = input.iter().position(|byte| *byte == b'\n').unwrap_or(input.len());
    let (place, body) = (String::from_utf8_lossy(&input[..at]), &input[at..]);
    let response = Response::sample(200, &[("Set-Cookie", &place)], body);
    let parsed = Parsed::new(Reply::Http(&response));
    let known =
        [Location::Member(place.to_string()), Location::Cookie("a".to_owned()), Location::Body];
    let read = [
        Location::pointer(&place),
        Location::path(&place),
        Location::xpath(&place),
        Location::pattern(&place, 0),
    ];
    for from in known.into_iter().chain(read.into_iter().flatten()) {
        let mut values = Values::new(1);
        let (into, missing) = (Hole(0), Missing::Fail);
        let extract = Extract { from: from.clone(), into, missing, expires: None };
        let kept = extract.keep(&parsed, &mut values);
        let found = kept == Ok(true);
        assert_eq!(found, values.value(Hole(0)).is_some());
        let check = Check::Value { of: from.clone(), must: Condition::Exist };
        // JSON's null is there, and yet no value.
        assert!(check.holds(&parsed, &values) == Ok(true) || !found);
        assert!(!check.words(&parsed, &values).is_empty());
        // What could not be looked at passes neither way.
        let opposite = Check::Not(Box::new(check));
        assert!(kept.is_ok() || opposite.holds(&parsed, &values) != Ok(true));
        let all = Check::Count { of: from, least: 0, most: u64::MAX };
        assert!(all.holds(&parsed, &values) != Ok(false));
    }
}
