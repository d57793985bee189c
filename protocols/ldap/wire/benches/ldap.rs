//! The cost of an exchange in this crate: encoding a request, patching one, scanning an answer.
//!
//! Run it with `cargo bench -p brunt-ldap-wire`. An exchange over loopback costs about two microseconds of kernel time,
//! so the times measured here should stay well under a tenth of one.

#![expect(clippy::unwrap_used, reason = "a bench that fails should stop")]

use std::hint::black_box;

use brunt_ldap_wire::ber::Text;
use brunt_ldap_wire::filter::Filter;
use brunt_ldap_wire::message::Message;
use brunt_ldap_wire::reply::{self, Answer};
use brunt_ldap_wire::request::{self, Scope, Search};
use brunt_ldap_wire::{Skeleton, Template, op, response};
use divan::Bencher;

fn main() {
    divan::main();
}

const VALUES: [&str; 2] = ["1042", "2042"];

fn search() -> Skeleton {
    let mut user = Text::from("user.");
    user.push_slot(0);
    let mut search =
        Search::new("dc=example,dc=com".into(), Scope::Subtree, Filter::equality("uid", user));
    search.attributes = vec!["cn".into(), "mail".into()];
    search.skeleton(&[])
}

fn entry() -> Vec<u8> {
    let mut out = Vec::new();
    let names =
        ["objectClass", "uid", "cn", "sn", "givenName", "mail", "telephoneNumber", "description"];
    let attributes = names.map(|name| (name, ["a value of some length", "another"]));
    reply::entry(&mut out, 7, b"uid=user.1042,ou=people,dc=example,dc=com", attributes, &[]);
    out
}

#[divan::bench]
fn search_encoded(bencher: Bencher<'_, '_>) {
    let (skeleton, mut out) = (search(), Vec::new());
    bencher.bench_local(|| {
        out.clear();
        skeleton.encode(black_box(77), black_box(&VALUES), &mut out);
        out.len()
    });
}

#[divan::bench]
fn search_patched(bencher: Bencher<'_, '_>) {
    let mut template = Template::new(search());
    bencher.bench_local(|| template.encode(black_box(77), black_box(&VALUES)).len());
}

#[divan::bench]
fn bind_patched(bencher: Bencher<'_, '_>) {
    let mut name = Text::from("uid=user.");
    name.push_slot(0);
    name.push_bytes(b",ou=people,dc=example,dc=com");
    let mut template = Template::new(request::bind_simple(&name, &"password".into(), &[]));
    bencher.bench_local(|| template.encode(black_box(77), black_box(&VALUES)).len());
}

#[divan::bench]
fn add_on_the_fly(bencher: Bencher<'_, '_>) {
    let mut out = Vec::new();
    let fields =
        [("objectClass", "inetOrgPerson"), ("uid", "user.1042"), ("cn", "User"), ("sn", "User")];
    bencher.bench_local(|| {
        out.clear();
        let attributes = black_box(&fields).iter().map(|(name, value)| (name, [value]));
        request::encode_add(
            &mut out,
            77,
            b"uid=user.1042,ou=people,dc=example,dc=com",
            attributes,
            &[],
        );
        out.len()
    });
}

#[divan::bench]
fn result_framed_and_scanned(bencher: Bencher<'_, '_>) {
    let mut bytes = Vec::new();
    reply::result(&mut bytes, 77, op::SEARCH_DONE, &Answer::default(), &[]);
    bencher.bench_local(|| {
        let bytes = black_box(&bytes[..]);
        let length = response::frame(bytes).unwrap().unwrap();
        let scan = response::scan(&bytes[..length]).unwrap();
        (scan.message_id, scan.code)
    });
}

#[divan::bench]
fn entry_framed_and_scanned(bencher: Bencher<'_, '_>) {
    let bytes = entry();
    bencher.bench_local(|| {
        let bytes = black_box(&bytes[..]);
        let length = response::frame(bytes).unwrap().unwrap();
        let scan = response::scan(&bytes[..length]).unwrap();
        (scan.message_id, scan.op)
    });
}

#[divan::bench]
fn entry_dn_and_last_attribute(bencher: Bencher<'_, '_>) {
    let bytes = entry();
    bencher.bench_local(|| {
        let entry = response::scan(black_box(&bytes)).unwrap().entry().unwrap();
        (entry.dn().len(), entry.value(b"description").unwrap().map(<[u8]>::len))
    });
}

#[divan::bench]
fn search_decoded_by_a_server(bencher: Bencher<'_, '_>) {
    let mut bytes = Vec::new();
    search().encode(77, &VALUES, &mut bytes);
    bencher.bench_local(|| Message::decode(black_box(&bytes)).unwrap().message_id);
}

#[divan::bench]
fn filter_parsed(bencher: Bencher<'_, '_>) {
    bencher
        .bench_local(|| Filter::parse(black_box("(&(objectClass=person)(uid=user.1042))")).is_ok());
}
