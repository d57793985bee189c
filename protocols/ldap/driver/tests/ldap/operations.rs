//! What each operation sends, and how its answer is counted.

use crate::server::{Reaction, Server, answer, entry, yes};
use crate::{arguments, outcomes, plan, run, setup, simple};
use brunt_exchange::{Class, Outcome};
use brunt_ldap_driver::{
    Change, ModifySetup, OperationControls, Plan, PlanError, SearchSetup, Task,
};
use brunt_ldap_wire::message::Request;
use brunt_ldap_wire::{control, reply};
use std::sync::Mutex;

pub(crate) fn modify(dn: &str, values: &[(&str, &str)]) -> ModifySetup {
    ModifySetup {
        dn: dn.into(),
        values: values
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect(),
        change: Change::Replace,
        value_count: 1,
        controls: OperationControls::default(),
    }
}

/// The requests that the server received from these exchanges, in order.
async fn seen(task: Task, specs: &[&str], raw: bool, count: u64) -> Vec<String> {
    let server = Server::willing().await;
    let mut setup = setup(server.address, task);
    (setup.arguments, setup.raw) = (arguments(specs), raw);
    let ran = run(&plan(setup), count).await;
    assert!(ran.iter().all(|ran| ran.outcome == Outcome::Ok(0)), "{ran:?}");
    server.log.texts().into_iter().filter(|text| !text.starts_with("unbind")).collect()
}

#[tokio::test]
async fn values_are_escaped_in_dns_and_safe_in_filters() {
    let search = Task::Search(SearchSetup::new("ou={},dc=example", "(&(cn={1})(sn=*{1}))"));
    let tricky = "Smith, John (Jr)";
    assert_eq!(
        seen(search.clone(), &[tricky], false, 1).await,
        [
            r"search ou=Smith\, John (Jr),dc=example (&(cn=Smith, John \28Jr\29)(sn=*Smith, John \28Jr\29))"
        ]
    );
    assert_eq!(seen(search, &["a"], true, 1).await, ["search ou=a,dc=example (&(cn=a)(sn=*a))"]);
}

#[tokio::test]
async fn filter_may_be_given_by_an_argument() {
    let search = Task::Search(SearchSetup::new("dc=example", "(&{}(objectClass=person))"));
    assert_eq!(
        seen(search, &["(uid=a)"], false, 2).await,
        ["search dc=example (&(uid=a)(objectClass=person))"; 2]
    );
    let broken = Task::Search(SearchSetup::new("dc=example", "(uid={})"));
    let server = Server::willing().await;
    let mut setup = setup(server.address, broken);
    (setup.arguments, setup.raw) = (arguments(&["a)(b"]), true);
    assert!(matches!(Plan::compile(setup).unwrap_err(), PlanError::FirstRequest(_)));
}

#[tokio::test]
async fn generator_row_feeds_every_template_of_an_exchange() {
    let task = Task::Modify(modify(
        "uid=user.{1},dc=x",
        &[("description", "{2} of {1}"), ("title", "{}")],
    ));
    assert_eq!(
        seen(task, &["inc(5,9)", "inc(100,200)"], false, 2).await,
        [
            "modify uid=user.5,dc=x description:100 of 5 title:5",
            "modify uid=user.6,dc=x description:101 of 6 title:6"
        ]
    );
}

#[tokio::test]
async fn value_count_makes_distinct_values_and_refuses_a_constant() {
    let mut several = modify("uid=user.{1},dc=x", &[("description", "v{2}")]);
    several.value_count = 3;
    let seen = seen(Task::Modify(several.clone()), &["inc(0,9)", "inc(0,1000)"], false, 3).await;
    assert_eq!(seen[2], "modify uid=user.2,dc=x description:v6 description:v7 description:v8");
    several.values[0].1 = "same".into();
    let setup = setup(
        "127.0.0.1:1".parse().unwrap(),
        Task::Modify(ModifySetup { dn: "cn=a".into(), ..several }),
    );
    let error = Plan::compile(setup).unwrap_err().to_string();
    assert!(
        error.starts_with("give description 3 values: the template \"same\" has no placeholder"),
        "{error}"
    );
}

#[tokio::test]
async fn value_count_zero_clears_and_increment_sends_its_amount() {
    let mut nothing = modify("cn=a", &[("description", "x")]);
    nothing.value_count = 0;
    assert_eq!(seen(Task::Modify(nothing), &[], false, 1).await, ["modify cn=a"]);
    let server = Server::start(|incoming| {
        let Request::Modify { changes, .. } = &incoming.message.request else {
            return vec![Reaction::Send(yes(incoming.message))];
        };
        assert_eq!(changes[0].op, brunt_ldap_wire::request::ModifyOp::Increment);
        assert_eq!(changes[0].attribute.values, [b"5"]);
        vec![Reaction::Send(yes(incoming.message))]
    })
    .await;
    let mut increment = modify("cn=a", &[("uidNumber", "5")]);
    increment.change = Change::Increment;
    let ran = run(&plan(setup(server.address, Task::Modify(increment))), 1).await;
    assert_eq!(outcomes(&ran), [Outcome::Ok(0)]);
}

#[tokio::test]
async fn search_and_bind_uses_the_found_dn() {
    let task = || Task::SearchThenBind {
        search: SearchSetup::new("dc=example", "(uid=user.{})"),
        identity: simple("{2}", "password"),
        invalid_percent: 0,
        apart: false,
    };
    let server = Server::willing().await;
    let mut with_one = setup(server.address, task());
    with_one.arguments = arguments(&["inc(0,9)"]);
    let ran = run(&plan(with_one), 2).await;
    assert_eq!(outcomes(&ran), [Outcome::Ok(0); 2]);
    assert_eq!(ran[1].parts, ["search", "bind"]);
    assert_eq!(
        server.log.texts()[..4],
        [
            "search dc=example (uid=user.0)",
            "bind uid=found,dc=example password",
            "search dc=example (uid=user.1)",
            "bind uid=found,dc=example password"
        ]
    );
}

#[tokio::test]
async fn search_and_bind_may_use_separate_connections() {
    let task = Task::SearchThenBind {
        search: SearchSetup::new("dc=example", "(uid=a)"),
        identity: simple("{1}", "password"),
        invalid_percent: 0,
        apart: true,
    };
    let server = Server::willing().await;
    let mut setup = setup(server.address, task);
    setup.login = simple("cn=searcher", "secret");
    let plan = plan(setup);
    assert_eq!((plan.connections(), plan.first_failure()), (2, None));
    let ran = run(&plan, 2).await;
    assert_eq!(outcomes(&ran), [Outcome::Ok(0); 2]);
    assert_eq!(server.log.connections(), 2);
    let texts = server.log.texts();
    assert_eq!(texts[..2], ["bind cn=searcher secret", "bind cn=searcher secret"]);
    let found = "bind uid=found,dc=example password";
    assert_eq!(
        texts[2..6],
        ["search dc=example (uid=a)", found, "search dc=example (uid=a)", found]
    );
}

#[tokio::test]
async fn search_and_bind_without_one_entry_is_94_or_95() {
    let server = Server::start(|incoming| {
        let one = || entry(incoming.message, "uid=a", &[]);
        vec![Reaction::Send(match incoming.nth {
            0 => answer(incoming.message, 0, ""),
            1 => [one(), one(), answer(incoming.message, 0, "")].concat(),
            2 => [one(), answer(incoming.message, 4, "size limit")].concat(),
            _ => answer(incoming.message, 32, "no such base"),
        })]
    })
    .await;
    let task = Task::SearchThenBind {
        search: SearchSetup::new("dc=example", "(uid=a)"),
        identity: simple("{}", "password"),
        invalid_percent: 0,
        apart: false,
    };
    let plan = plan(setup(server.address, task));
    let ran = run(&plan, 4).await;
    let failed = |code| Outcome::Failed(Class::Result, code);
    assert_eq!(outcomes(&ran), [failed(94), failed(95), failed(95), failed(32)]);
    assert_eq!(plan.first_failure(), Some(failed(94)));
    assert_eq!(ran[3].text, "result 32 (noSuchObject): no such base [(uid=a) in dc=example]");
    assert_eq!((server.log.count("search"), server.log.count("bind")), (4, 0));
}

#[tokio::test]
async fn mvcc_lost_race_is_assertion_failed() {
    // The entry's version is 7; the assertion must contain the value that was read.
    let server = Server::start(|incoming| {
        let message = incoming.message;
        let Request::Search(search) = &message.request else {
            let assertion = message.control(control::ASSERTION).unwrap();
            assert!(assertion.critical);
            let value = assertion.value.unwrap();
            assert!(value.ends_with(b"entryCSN\x04\x017"), "{value:?}");
            let code = if incoming.nth == 1 { 0 } else { 122 };
            return vec![Reaction::Send(answer(message, code, ""))];
        };
        assert_eq!(search.attributes, [b"entryCSN"]);
        vec![Reaction::Send(
            [entry(message, "cn=a", &[("entryCSN", &["7"])]), answer(message, 0, "")].concat(),
        )]
    })
    .await;
    let task =
        Task::ReadModify { modify: modify("cn=a", &[("title", "x")]), version: "entryCSN".into() };
    let ran = run(&plan(setup(server.address, task)), 2).await;
    assert_eq!(outcomes(&ran), [Outcome::Ok(0), Outcome::Failed(Class::Result, 122)]);
    assert_eq!(ran[1].parts, ["read", "modify"]);
    assert_eq!(ran[1].text, "result 122 (assertionFailed) [cn=a]");
}

#[tokio::test]
async fn search_and_modify_are_separate_exchanges() {
    let server = Server::start(|incoming| {
        let message = incoming.message;
        let found = match &message.request {
            Request::Search(_) => {
                [entry(message, "uid=a", &[]), entry(message, "uid=b", &[])].concat()
            }
            _ => Vec::new(),
        };
        vec![Reaction::Send([found, answer(message, 0, "")].concat())]
    })
    .await;
    let task = Task::SearchAndModify {
        search: SearchSetup::new("dc=example", "(uid=*)"),
        modify: modify("", &[("title", "x")]),
    };
    let plan = plan(setup(server.address, task));
    assert_eq!(plan.operations(), ["search", "modify"]);
    let ran = run(&plan, 5).await;
    assert_eq!(outcomes(&ran), [Outcome::Ok(0); 5]);
    assert_eq!(ran.iter().map(|ran| ran.operation).collect::<Vec<_>>(), [0, 1, 1, 0, 1]);
    assert_eq!(server.log.texts()[1..3], ["modify uid=a title:x", "modify uid=b title:x"]);
}

#[tokio::test]
async fn paged_search_is_one_exchange() {
    let server = Server::start(|incoming| {
        let message = incoming.message;
        let requested = message.control(control::PAGED_RESULTS).unwrap().value.unwrap();
        let requested = control::value::Page::decode(requested).unwrap();
        assert_eq!(requested.size, 10);
        let next: &[u8] = match requested.cookie {
            b"" => b"second",
            b"second" => b"third",
            _ => b"",
        };
        let value = control::value::Page { size: 0, cookie: next }.encode();
        let oid = control::PAGED_RESULTS.as_bytes();
        let mut bytes = entry(message, "uid=a", &[]);
        let page = control::RawControl { oid, critical: false, value: Some(&value) };
        let tag = crate::server::answer_tag(&message.request).unwrap();
        reply::result(&mut bytes, message.message_id, tag, &reply::Answer::code(0), &[page]);
        vec![Reaction::Send(bytes)]
    })
    .await;
    let search = SearchSetup { page_size: Some(10), ..SearchSetup::new("dc=example", "(uid=*)") };
    let ran = run(&plan(setup(server.address, Task::Search(search))), 2).await;
    assert_eq!(
        ran.iter().map(|ran| (ran.outcome, ran.items)).collect::<Vec<_>>(),
        [(Outcome::Ok(0), 3); 2]
    );
    assert_eq!(server.log.count("search"), 6);
}

#[tokio::test]
async fn controls_accompany_every_operation() {
    type Seen = (String, bool, Option<Vec<u8>>);
    static SEEN: Mutex<Vec<Seen>> = Mutex::new(Vec::new());
    let server = Server::start(|incoming| {
        for control in &incoming.message.controls {
            let oid = String::from_utf8_lossy(control.oid).into_owned();
            SEEN.lock().unwrap().push((oid, control.critical, control.value.map(<[u8]>::to_vec)));
        }
        vec![Reaction::Send(yes(incoming.message))]
    })
    .await;
    let mut change = modify("cn=a", &[("title", "x")]);
    change.controls = OperationControls {
        proxy_as: Some("dn:uid=user.{},dc=x".into()),
        assertion: Some("(title={})".into()),
        permissive_modify: true,
        manage_dsa_it: true,
        ..OperationControls::default()
    };
    let mut setup = setup(server.address, Task::Modify(change));
    setup.arguments = arguments(&["inc(3,9)"]);
    assert_eq!(outcomes(&run(&plan(setup), 1).await), [Outcome::Ok(0)]);
    let seen = SEEN.lock().unwrap();
    assert_eq!(
        seen[0],
        (control::PROXIED_AUTHORIZATION.into(), true, Some(b"dn:uid=user.3,dc=x".to_vec()))
    );
    assert_eq!((seen[1].0.as_str(), seen[1].1), (control::ASSERTION, true));
    assert!(seen[1].2.as_ref().unwrap().ends_with(b"title\x04\x013"));
    assert_eq!(seen[2].0, control::PERMISSIVE_MODIFY);
    assert_eq!(seen[3].0, control::MANAGE_DSA_IT);
}

#[tokio::test]
async fn referral_is_a_failure_with_its_code() {
    let server =
        Server::start(|incoming| vec![Reaction::Send(answer(incoming.message, 10, ""))]).await;
    let ran =
        run(&plan(setup(server.address, Task::Modify(modify("cn=a", &[("title", "x")])))), 1).await;
    assert_eq!(outcomes(&ran), [Outcome::Failed(Class::Result, 10)]);
}
