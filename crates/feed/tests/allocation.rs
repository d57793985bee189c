//! Nothing is allocated per exchange: a counting allocator checks draws, templates and entries.
//!
//! This test has its own binary, since an allocator is global, and is the only test in it, since
//! threads share the allocator.

use brunt_feed::makeldif::{Entry, MakeLdif, Sources};
use brunt_feed::{Arguments, Escape, Files, Position, Row, Settings, Template, patterns};
use brunt_testbed::{CountingAllocator, allocations};
use std::hint::black_box;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

fn shared<T: Send + Sync>(_: &T) {}

#[test]
fn draws_templates_and_entries_allocate_nothing_when_warm() {
    let specs = ["inc(0,1999)", "rand(0,2000)", "randstr(16)", "xrand(0,99999)", "static, (value)"];
    let mut arguments =
        Arguments::parse(&specs.map(str::to_owned), &Settings::default(), &Files::default())
            .unwrap();
    let pattern = "[1:10x3%0000][random:8][uuid][timestamp][timestamp:format=yyyyMMdd]";
    let pattern = patterns::translate(pattern, &mut arguments).unwrap();
    let template = arguments.template("uid=user.{},cn={5},%2$05d %2$x %3$20s,dc=com", 0).unwrap();
    let forest = MakeLdif::parse(ENTRIES, "t", &Sources::default()).unwrap();
    shared(&(&arguments, &template, &forest));

    let (mut row, mut out, mut entry) = (Row::new(), Vec::new(), Entry::new());
    let mut exchange = |number: u64| {
        arguments.draw(&Position::alone(number), &mut row);
        row.push(b"uid=user.1,ou=people,dc=example,dc=com");
        out.clear();
        for template in [&template, &pattern] as [&Template; 2] {
            template.render(&row, Escape::Dn, &mut out);
            template.render(&row, Escape::Filter, &mut out);
        }
        assert!(forest.entry(number, &mut entry));
        assert!(forest.dn(number, &mut out));
        black_box((&out, &entry));
    };
    (0..10_000).for_each(&mut exchange);
    let before = allocations::by_thread();
    (0..10_000).for_each(&mut exchange);
    assert_eq!(allocations::by_thread() - before, 0);
}

const ENTRIES: &str = "branch: dc=com
subordinateTemplate: unit:1000

template: unit
rdnAttr: ou
subordinateTemplate: person:20
ou: <random:alpha:3:9> <sequential>

template: person
rdnAttr: uid
objectClass: top
objectClass: inetOrgPerson
givenName: <first>
sn: <last>
cn: {givenName} {sn}
uid: user.<sequential>
l: <file:cities>
manager: <parentdn>
x: <dn:2> <rdn> <_dn> <guid> <list:a:b;3:c> <random:telephone> <random:month:3> <presence:70>
y: <ifpresent:x>{x:5}
";
