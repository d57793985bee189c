//! When warm, this program's own code allocates nothing for drawing variables, checking an answer and extracting values
//! from it, as long as no tree of the body is needed. The allocator itself counts.
//!
//! This test has its own binary, because the allocator belongs to the whole process.

#![expect(clippy::unwrap_used, reason = "a test stops where its premises fail")]

use brunt_feed::{Chars, Escape, Feeder, Hole, Moment, RowOrder, Table, Text, Values};
use brunt_flow_driver::{
    Check, Choice, Condition, DrawContext, Extract, Location, Missing, Parsed, Renewal, Reply,
    Source, Variable,
};
use brunt_http_driver::Response;
use brunt_testbed::{CountingAllocator, allocations};
use std::sync::Arc;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// How many allocations `what` makes after it has been called often enough to be warm.
fn allocated(mut what: impl FnMut(u64)) -> u64 {
    (0..500).for_each(&mut what);
    let before = allocations::by_thread();
    (500..1500).for_each(&mut what);
    allocations::by_thread() - before
}

fn text(text: &str) -> Text {
    Text::parse(text, Escape::Json, |_| Some(Hole(0))).unwrap()
}

#[test]
fn variables_allocate_nothing_when_warm() {
    let lines = (0..100).map(|line: u32| format!("user.{line:05}").into_bytes());
    let table = Arc::new(Table::list("user", lines));
    let cell = |order| Source::Cell {
        feeder: Arc::new(Feeder::new(1, Arc::clone(&table), order)),
        column: 0,
    };
    let sources = [
        Source::Random { least: i64::MIN, most: i64::MAX },
        Source::Text(text("<${a}> \"${a}\"")),
        Source::User,
        Source::Iteration,
        Source::Count { first: 1_000_000, step: -3 },
        Source::Chars(Chars::parse("[a-z]ü", 30).unwrap()),
        Source::Uuid,
        Source::Moment(Moment::parse("iso").unwrap()),
        Source::Choice(Choice::new([(1, text("one")), (2, text("two ${a}"))]).unwrap()),
        cell(RowOrder::Sequential),
        cell(RowOrder::Random),
        cell(RowOrder::Shuffled),
    ];
    let variables = sources.map(|source| Variable::new("", source, Renewal::Exchange));
    let mut values = Values::new(variables.len());
    let mut draw = |turn| {
        let place =
            DrawContext { iteration: turn, user: 3, users: 10, turn, ..DrawContext::default() };
        for (hole, variable) in (0..).map(Hole).zip(&variables) {
            variable.draw(hole, 7, (&place, &[]), &mut values).unwrap();
        }
    };
    draw(0);
    assert!(allocations::by_thread() > 0, "nothing is counted at all");
    // The longest random values may come late.
    (0..20_000).for_each(&mut draw);
    assert_eq!(allocated(draw), 0);
}

#[test]
fn extractions_and_checks_allocate_nothing_when_warm() {
    let fields = [("Location", "/cb?code=abc"), ("Set-Cookie", "sid=1234567890; Secure")];
    let body = br#"{"user":{"roles":["admin","user"]},"tokenId":"AQIC5wM2LY4Sfcx","n":1.5}"#;
    let response = Response::sample(200, &fields, body);
    let location = || Location::Field("location".to_owned());
    let from = [
        location(),
        Location::Cookie("sid".to_owned()),
        Location::Body,
        Location::pointer("/user/roles/1").unwrap(),
        Location::Member("tokenId".to_owned()),
        Location::pattern("\"tokenId\":\"([^\"]*)\"", 1).unwrap(),
        location().narrowed("code=(.*)", 1).unwrap(),
    ];
    let extracts =
        from.map(|from| Extract { from, into: Hole(0), missing: Missing::Fail, expires: None });
    let checks = [
        Check::Code(vec![(200, 299)]),
        Check::Size { least: 1, most: 1000 },
        Check::Value { of: location(), must: Condition::Contain(Text::literal("code=")) },
        Check::Value {
            of: Location::pointer("/user/roles/0").unwrap(),
            must: Condition::Equal(Text::literal("admin")),
        },
        Check::Value { of: Location::pointer("/n").unwrap(), must: Condition::Between(1.0, 2.0) },
    ];
    let mut values = Values::new(1);
    let looked = allocated(|_| {
        let parsed = Parsed::new(Reply::Http(&response));
        for check in &checks {
            assert_eq!(check.holds(&parsed, &values), Ok(true));
        }
        for extract in &extracts {
            assert_eq!(extract.keep(&parsed, &mut values), Ok(true), "{}", extract.from);
        }
    });
    // To skip arrays and objects, the JSON reader allocates a small buffer: once for each pass that skips one.
    assert_eq!(looked, 2 * 1000);
}
