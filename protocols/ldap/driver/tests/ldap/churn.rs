//! Adding and deleting: the server must end with exactly the entries it had before.

use crate::server::{Reaction, Server, answer};
use crate::{clock, one, outcomes, plan, run, settle, setup};
use brunt_exchange::{Class, Outcome};
pub(crate) use brunt_ldap_driver::DeleteMode;
use brunt_ldap_driver::{
    AddSetup, Entry, EntrySource, OperationControls, Task, Threshold, open, purge,
};
use brunt_ldap_wire::message::Request;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

#[derive(Debug)]
struct Users;

impl EntrySource for Users {
    fn has(&self, number: u64) -> bool {
        number < 1000
    }

    fn dn(&self, number: u64, out: &mut Vec<u8>) {
        out.extend_from_slice(format!("uid=user.{number},dc=example").as_bytes());
    }

    fn fill(&self, number: u64, entry: &mut Entry) {
        let mut dn = Vec::new();
        self.dn(number, &mut dn);
        entry.set_dn(&dn);
        entry.push(b"objectClass", b"top");
        entry.push(b"objectClass", b"account");
        entry.push(b"uid", format!("user.{number}").as_bytes());
    }
}

pub(crate) fn adding(delete: DeleteMode, size: u64) -> Task {
    Task::AddAndDelete(AddSetup {
        entries: Arc::new(Users),
        delete,
        threshold: Threshold::Size(size),
        controls: OperationControls::default(),
        exchanges_max: None,
        share: (0, 1),
    })
}

type Directory = Arc<Mutex<BTreeSet<String>>>;

/// A directory that stores only names. It adds the entry named by `silent` but does not answer that
/// request.
async fn directory(silent: &'static str) -> (Server, Directory) {
    let directory = Directory::default();
    let kept = Arc::clone(&directory);
    let server = Server::start(move |incoming| {
        let mut directory = kept.lock().unwrap();
        let message = incoming.message;
        let code =
            match &message.request {
                Request::Add { dn, attributes } => {
                    assert_eq!(attributes.len(), 2);
                    assert_eq!(attributes[0].values, [&b"top"[..], b"account"]);
                    if directory.insert(String::from_utf8_lossy(dn).into_owned()) { 0 } else { 68 }
                }
                Request::Delete { dn } => {
                    if directory.remove(String::from_utf8_lossy(dn).as_ref()) { 0 } else { 32 }
                }
                _ => 0,
            };
        if matches!(&message.request, Request::Add { dn, .. } if *dn == silent.as_bytes()) {
            return Vec::new();
        }
        vec![Reaction::Send(answer(message, code, ""))]
    })
    .await;
    (server, directory)
}

#[tokio::test]
async fn added_entries_are_deleted_during_or_after_the_run() {
    for mode in [DeleteMode::Fifo, DeleteMode::Random] {
        let (server, directory) = directory("").await;
        let plan = plan(setup(server.address, adding(mode, 10)));
        assert_eq!(plan.operations(), ["add", "delete"]);
        let ran = run(&plan, 51).await;
        assert_eq!(outcomes(&ran), [Outcome::Ok(0); 51]);
        let deletes = ran.iter().filter(|ran| ran.operation == 1).count();
        assert_eq!((deletes, server.log.count("delete"), server.log.count("add")), (20, 20, 31));
        assert_eq!(directory.lock().unwrap().len(), 11);
        let steps = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&steps);
        let purged =
            purge(&plan, 3, &clock(), move |state| seen.lock().unwrap().push(state.deleted)).await;
        assert_eq!((purged.total, purged.deleted, purged.failed), (11, 11, 0));
        assert_eq!(*steps.lock().unwrap(), (1..=11).collect::<Vec<_>>());
        assert!(directory.lock().unwrap().is_empty());
    }
}

#[tokio::test]
async fn existing_entries_are_kept() {
    let (server, directory) = directory("").await;
    directory.lock().unwrap().insert("uid=user.3,dc=example".into());
    let plan = plan(setup(server.address, adding(DeleteMode::Off, 1)));
    let ran = run(&plan, 6).await;
    assert_eq!(ran[3].outcome, Outcome::Failed(Class::Result, 68));
    assert_eq!(ran[3].text, "result 68 (entryAlreadyExists) [uid=user.3,dc=example]");
    let purged = purge(&plan, 1, &clock(), |_| {}).await;
    assert_eq!((purged.total, purged.deleted), (5, 5));
    assert_eq!(directory.lock().unwrap().iter().collect::<Vec<_>>(), ["uid=user.3,dc=example"]);
}

#[tokio::test]
async fn unanswered_add_is_purged() {
    let (server, directory) = directory("uid=user.1,dc=example").await;
    let plan = plan(setup(server.address, adding(DeleteMode::Off, 1)));
    let mut session = open(&plan, 0..1).remove(0);
    let mut ran = Vec::new();
    for number in 0..3 {
        ran.push(one(&mut session, number, Duration::from_millis(200)).await);
    }
    assert_eq!(outcomes(&ran), [Outcome::Ok(0), Outcome::TimedOut, Outcome::Ok(0)]);
    settle().await;
    assert_eq!(directory.lock().unwrap().len(), 3);
    let purged = purge(&plan, 2, &clock(), |_| {}).await;
    assert_eq!((purged.total, purged.deleted, purged.missing), (3, 3, 0));
    assert!(directory.lock().unwrap().is_empty());
}

#[tokio::test]
async fn purge_continues_after_a_refusal_and_reports_it() {
    let server = Server::start(|incoming| {
        let refused = matches!(&incoming.message.request, Request::Delete { dn } if dn.starts_with(b"uid=user.1,"));
        vec![Reaction::Send(answer(incoming.message, if refused { 50 } else { 0 }, ""))]
    })
    .await;
    let plan = plan(setup(server.address, adding(DeleteMode::Off, 1)));
    run(&plan, 3).await;
    let purged = purge(&plan, 1, &clock(), |_| {}).await;
    assert_eq!((purged.total, purged.deleted, purged.failed), (3, 2, 1));
    assert_eq!(purged.first_failure.as_deref(), Some("result 50 (insufficientAccessRights)"));
}

#[tokio::test]
async fn numbers_beyond_the_last_entry_are_failed_adds() {
    let (server, _) = directory("").await;
    let mut task = adding(DeleteMode::Off, 1);
    if let Task::AddAndDelete(adding) = &mut task {
        adding.share = (998, 2);
    }
    let ran = run(&plan(setup(server.address, task)), 2).await;
    assert_eq!(outcomes(&ran), [Outcome::Ok(0), Outcome::Failed(Class::Check, 0)]);
    assert!(ran[1].text.contains("makes no entry 1000"), "{}", ran[1].text);
    assert_eq!(server.log.count("add"), 1);
}
