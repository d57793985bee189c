//! Sessions: listed for their user, and ended by the user or by an administrator.

use super::*;

#[test]
fn sessions_are_listed_and_others_can_be_ended() {
    let server = Server::start();
    let (ada, bob) = (server.user("ada", Role::Viewer), server.user("bob", Role::Viewer));
    let (own, second, third) = (server.session(ada), server.session(ada), server.session(ada));
    let of_bob = server.session(bob);
    let page = server.see(&own, "/account").body;
    assert_eq!(page.matches("192.0.2.7</td>").count(), 3, "{page}");
    assert_eq!((page.matches("this one").count(), page.matches(">End</button>").count()), (1, 2));
    let named = |client: &Client| {
        use base64::Engine as _;
        let Client::Session(secret) = client else { unreachable!() };
        base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(secret.hash())
    };
    let end = |session: &str| {
        server.send(&own, "/account/sessions/end", &format!("session={session}")).status
    };
    assert_eq!((end(&named(&second)), end(&named(&second))), (303, 404));
    // The session of somebody else is not there, for her.
    assert_eq!((end(&named(&of_bob)), end("x")), (404, 404));
    assert_eq!(server.see(&second, "/account").status, 303);
    assert_eq!(server.see(&of_bob, "/account").status, 200);
    assert_eq!(server.send(&own, "/account/sessions/end-others", "").status, 303);
    let seen = [&own, &third, &of_bob].map(|client| server.see(client, "/account").status);
    assert_eq!(seen, [200, 303, 200]);
    let lines = server.app.store.audit(2).unwrap();
    assert_eq!(lines[1].what, "that began from 192.0.2.7");
    assert_eq!((lines[0].act.as_str(), lines[0].what.as_str()), ("end sessions", "1 of their own"));
}

#[test]
fn sessions_of_a_user_can_be_ended_by_an_administrator() {
    let server = Server::start();
    let (ada, bob) = (server.user("ada", Role::Admin), server.user("bob", Role::Viewer));
    let (ada, of_bob) = (server.session(ada), server.session(bob));
    server.session(bob);
    assert!(server.see(&ada, "/people").body.contains("aria-label=\"End 2 sessions of bob\""));
    assert_eq!(server.send(&ada, "/people/sessions/end", &format!("id={bob}")).status, 303);
    assert_eq!(server.see(&of_bob, "/").status, 303);
    assert_eq!(server.see(&ada, "/").status, 200);
    assert_eq!(server.app.store.audit(1).unwrap()[0].what, "2 of bob");
    assert_eq!(server.send(&ada, "/people/sessions/end", "id=99").status, 404);
}
