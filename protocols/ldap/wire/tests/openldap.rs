//! This crate's requests are identical to those of OpenLDAP's tools, and it reads what slapd
//! answered.

#![expect(clippy::unwrap_used, reason = "a test that fails should stop")]

use brunt_ldap_wire::ber::Text;
use brunt_ldap_wire::control::{self, Control, value};
use brunt_ldap_wire::filter::Filter;
use brunt_ldap_wire::message::{Message, Request};
use brunt_ldap_wire::request::{self, Attribute, Change, ModifyOp, Scope, Search};
use brunt_ldap_wire::{Skeleton, code, op, response};

const ADMIN: &str = "cn=admin,dc=example,dc=com";
const USER: &str = "uid=user.1,dc=example,dc=com";

/// A conversation: what the client and the server sent.
struct Capture {
    sent: Vec<Vec<u8>>,
    received: Vec<Vec<u8>>,
}

fn capture(text: &str) -> Capture {
    let side = |mark: &str| {
        let lines = text.lines().filter_map(|line| line.strip_prefix(mark));
        let messages = lines.map(|line| {
            let digits = line.trim().as_bytes();
            digits
                .chunks(2)
                .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
        });
        messages.map(Iterator::collect).collect()
    };
    Capture { sent: side(">"), received: side("<") }
}

fn encoded(skeleton: &Skeleton, id: i32, values: &[&str]) -> Vec<u8> {
    assert_eq!(skeleton.slots(), values.len());
    let mut out = Vec::new();
    skeleton.encode(id, values, &mut out);
    out
}

fn admin_bind() -> Skeleton {
    request::bind_simple(&ADMIN.into(), &Text::slot(0), &[])
}

#[test]
fn bind_and_search_equal_openldap() {
    let capture = capture(include_str!("../testdata/openldap/search.hex"));
    let bind = request::bind_simple(&Text::slot(0), &Text::slot(1), &[Control::password_policy()]);
    assert_eq!(encoded(&bind, 1, &[USER, "password"]), capture.sent[0]);

    let answer = response::scan(&capture.received[0]).unwrap();
    assert_eq!(
        (answer.message_id, answer.op, answer.code),
        (1, op::BIND_RESPONSE, Some(code::SUCCESS))
    );
    let policy = answer.controls().unwrap().find(control::PASSWORD_POLICY).unwrap().unwrap();
    assert_eq!(
        value::PasswordPolicy::decode(policy.value.unwrap()),
        Ok(value::PasswordPolicy { warning: None, error: None })
    );

    let filter = "(|(&(uid=user.1)(!(cn=a*b*c))(cn:caseExactMatch:=User One)(sn~=One)(objectClass=*))\
                  (mail>=a)(mail<=z)(objectClass=referral))";
    let filter = Filter::parse(filter).unwrap();
    let mut search = Search::new("dc=example,dc=com".into(), Scope::Subtree, filter);
    search.attributes = vec!["cn".into(), "mail".into()];
    let page = Control::paged_results(10, &Text::new(), false);
    assert_eq!(
        encoded(&search.skeleton(&[Control::password_policy(), page]), 2, &[]),
        capture.sent[1]
    );

    let [_, entry, reference, done] = &capture.received[..] else { panic!("four answers") };
    let entry = response::scan(entry).unwrap().entry().unwrap();
    assert_eq!(entry.dn(), USER.as_bytes());
    let mail: Vec<_> = entry.attribute(b"MAIL").unwrap().unwrap().map(Result::unwrap).collect();
    assert_eq!(mail, [&b"user.1@example.com"[..], b"one@example.com"]);
    assert_eq!(entry.value(b"cn"), Ok(Some(&b"User One"[..])));
    assert_eq!(entry.value(b"sn"), Ok(None));

    let mut addresses = response::scan(reference).unwrap().reference().unwrap();
    let address = b"ldap://ldap.example.net/ou=elsewhere,dc=example,dc=com??sub";
    assert_eq!(addresses.next(), Some(Ok(&address[..])));
    assert_eq!(addresses.next(), None);

    let done = response::scan(done).unwrap();
    assert_eq!((done.message_id, done.op, done.code), (2, op::SEARCH_DONE, Some(0)));
    let page = done.controls().unwrap().find(control::PAGED_RESULTS).unwrap().unwrap();
    assert_eq!(value::Page::decode(page.value.unwrap()), Ok(value::Page { size: 0, cookie: b"" }));

    let mut unbind = Vec::new();
    request::encode_unbind(&mut unbind, 3);
    assert_eq!(unbind, capture.sent[2]);
    assert_eq!(encoded(&request::unbind(), 3, &[]), unbind);
}

#[test]
fn bind_with_a_wrong_password_equals_openldap() {
    let capture = capture(include_str!("../testdata/openldap/wrong.hex"));
    let bind = request::bind_simple(&USER.into(), &Text::slot(0), &[Control::password_policy()]);
    assert_eq!(encoded(&bind, 1, &["wrong"]), capture.sent[0]);
    let scan = response::scan(&capture.received[0]).unwrap();
    assert_eq!(scan.code.map(code::name), Some("invalidCredentials"));
}

#[test]
fn modify_with_assertion_and_read_controls_equals_openldap() {
    let capture = capture(include_str!("../testdata/openldap/modify.hex"));
    assert_eq!(encoded(&admin_bind(), 1, &["secret"]), capture.sent[0]);

    let description = [Text::from("description")];
    let changes = [
        Change {
            op: ModifyOp::Replace,
            attribute: "description".into(),
            values: vec![Text::slot(0)],
        },
        Change {
            op: ModifyOp::Add,
            attribute: "telephoneNumber".into(),
            values: vec![Text::slot(1)],
        },
    ];
    let assertion = Filter::equality("description", Text::slot(2));
    let modify = |controls: &[Control]| {
        let skeleton = request::modify(&USER.into(), &changes, controls);
        encoded(&skeleton, 2, &["after", "+1 555 0100", "before"])
    };
    let assertion = Control::assertion(&assertion, true);
    let (pre, post) =
        (Control::pre_read(&description, false), Control::post_read(&description, false));
    let sent = Message::decode(&capture.sent[1]).unwrap();
    assert_eq!(sent.controls.len(), 3);
    // The tool determines the order of the controls; the server accepts any order.
    let mut ours = Vec::new();
    for oid in sent.controls.iter().map(|control| control.oid) {
        let known =
            [&assertion, &pre, &post].into_iter().find(|control| control.oid.as_bytes() == oid);
        ours.push(known.unwrap().clone());
    }
    assert_eq!(modify(&ours), capture.sent[1]);

    let answer = response::scan(&capture.received[1]).unwrap();
    for (oid, expected) in [(control::PRE_READ, &b"before"[..]), (control::POST_READ, b"after")] {
        let control = answer.controls().unwrap().find(oid).unwrap().unwrap();
        let entry = value::read_entry(control.value.unwrap()).unwrap();
        assert_eq!(entry.dn(), USER.as_bytes());
        assert_eq!(entry.value(b"description"), Ok(Some(expected)));
    }
}

#[test]
fn add_equals_openldap() {
    let capture = capture(include_str!("../testdata/openldap/add.hex"));
    let dn = "uid=user.2,dc=example,dc=com";
    let fields =
        [("objectClass", "inetOrgPerson"), ("uid", "user.2"), ("cn", "User Two"), ("sn", "Two")];
    let attributes: Vec<_> = fields
        .map(|(name, value)| Attribute { name: name.into(), values: vec![value.into()] })
        .into();
    assert_eq!(encoded(&request::add(&dn.into(), &attributes, &[]), 2, &[]), capture.sent[1]);

    let mut direct = Vec::new();
    let fields = fields.map(|(name, value)| (name, [value]));
    request::encode_add(&mut direct, 2, dn.as_bytes(), fields, &[]);
    assert_eq!(direct, capture.sent[1]);
    assert_eq!(response::scan(&capture.received[1]).unwrap().op, op::ADD_RESPONSE);
}

#[test]
fn rename_compare_and_delete_equal_openldap() {
    let user = "uid=user.3,dc=example,dc=com";
    let sent = |text| capture(text).sent.swap_remove(1);
    let rename = request::modify_dn(
        &"uid=user.2,dc=example,dc=com".into(),
        &"uid=user.3".into(),
        true,
        None,
        &[],
    );
    assert_eq!(encoded(&rename, 2, &[]), sent(include_str!("../testdata/openldap/rename.hex")));

    let compare = request::compare(&user.into(), &"sn".into(), &"Two".into(), &[]);
    let conversation = capture(include_str!("../testdata/openldap/compare.hex"));
    assert_eq!(encoded(&compare, 2, &[]), conversation.sent[1]);
    assert_eq!(response::scan(&conversation.received[1]).unwrap().code, Some(code::COMPARE_TRUE));

    let expected = sent(include_str!("../testdata/openldap/delete.hex"));
    let controls = [Control::manage_dsa_it(false)];
    assert_eq!(encoded(&request::delete(&Text::slot(0), &controls), 2, &[user]), expected);
    let controls = control::node(&controls).unwrap().to_bytes().unwrap();
    let mut direct = Vec::new();
    request::encode_delete(&mut direct, 2, user.as_bytes(), &controls);
    assert_eq!(direct, expected);
}

#[test]
fn whoami_with_proxied_authorization_equals_openldap() {
    let capture = capture(include_str!("../testdata/openldap/whoami.hex"));
    let mut identity = Text::from("dn:uid=");
    identity.push_slot(0);
    identity.push_bytes(b",dc=example,dc=com");
    let ours =
        encoded(&request::who_am_i(&[Control::proxied_authorization(&identity)]), 2, &["user.1"]);
    assert_eq!(ours, capture.sent[1]);
    assert!(
        matches!(Message::decode(&ours).unwrap().request, Request::Extended { value: None, .. }),
        "the request has no value"
    );
    let result = response::scan(&capture.received[1]).unwrap().result().unwrap();
    assert_eq!(result.value, Some(&b"dn:uid=user.1,dc=example,dc=com"[..]));
    assert_eq!(result.name, None);
}
