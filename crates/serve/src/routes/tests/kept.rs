//! What an administrator keeps an eye on.

use super::*;

#[test]
fn a_full_disk_is_said_and_nothing_that_was_typed_is_lost() {
    let server = Server::start();
    let id = server.run("a run");
    let ada = server.session(server.user("ada", Role::Admin));
    assert_eq!(server.send(&ada, "/plans", "name=nightly&template=0").status, 303);
    // SQLite says the same of a disk that is full.
    let full = |pages: u32| {
        let set = |file: &rusqlite::Transaction<'_>| {
            Ok(file.pragma_update(None, "max_page_count", pages)?)
        };
        server.app.store.write(set).unwrap();
    };
    full(1);
    let text = "typed-".repeat(10_000);
    let said = server.send(&ada, "/plans/1", &format!("after=1&text={text}"));
    assert_eq!(said.status, 507, "{}", said.body);
    assert!(said.body.contains("The disk of this site is full"), "{}", said.body);
    assert!(said.body.contains(&format!("\n{text}</textarea>")) && said.body.contains("places"));
    assert_eq!(server.app.store.plan(1).unwrap().unwrap().revision, 1);
    // The directory of a run and its entry in the lists still say the same.
    let note = "x".repeat(15_000);
    let said = server.send(&ada, &format!("/runs/{id}/about"), &format!("name=other&note={note}"));
    assert_eq!(said.status, 507, "{}", said.body);
    let run = id.parse().unwrap();
    let of_index = server.app.store.run(&id).unwrap().unwrap();
    assert_eq!(server.app.history.entry(&run).unwrap().unwrap(), of_index);
    assert_eq!(of_index.about.name, "a run");
    // Pages are still read, and there is room again afterwards.
    assert_eq!(server.see(&ada, "/plans/1").status, 200);
    full(1 << 30);
    assert_eq!(server.send(&ada, "/plans/1", &format!("after=1&text={text}")).status, 303);
}

#[test]
fn a_webhook_reaches_nothing_that_no_run_may_reach() {
    let server = Server::start();
    let ada = server.session(server.user("ada", Role::Admin));
    for (host, port) in
        [("169.254.169.254", 80), ("[fe80::1]", 80), ("224.0.0.1", 80), ("0.0.0.0", 80)]
    {
        let network = format!("name=t&allow={host}:{port}&users=1&seconds=9&days=1");
        assert_eq!(server.send(&ada, "/targets", &network).status, 422, "{host}");
        let said = server.send(&ada, "/hooks", &format!("name=ci&url=http://{host}:{port}/x"));
        assert_eq!(said.status, 422, "{host}");
        let fault = said.body.split("id=\"url-fault\">").nth(1).unwrap_or_default();
        assert!(fault.contains("nothing of this site is sent to"), "{host}: {}", said.body);
    }
    assert_eq!(server.app.store.hooks().unwrap(), []);
}
