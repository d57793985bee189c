//! Passwords: how they are chosen, guessed and locked.

use super::{Client, NOW, Reply, Server};
use crate::auth::{Role, Tried};

#[test]
fn password_is_set_once_and_guessing_is_limited() {
    let server = Server::start();
    let id = server.app.store.add_user("ada", Role::Admin, NOW).unwrap().unwrap();
    let link = server.app.invite(id).unwrap();
    let link = link.strip_prefix("/welcome#").unwrap();
    let choose = |link: &str, one: &str, other: &str| {
        server.send(
            &Client::Nobody,
            "/welcome",
            &format!("link={link}&password={one}&again={other}"),
        )
    };
    assert_eq!(choose("x", "correct-horse-battery", "correct-horse-battery").status, 403);
    assert_eq!(choose(link, "correct-horse-battery", "correct-horse").status, 422);
    assert_eq!(choose(link, "short", "short").status, 422);
    let chosen = choose(link, "correct-horse-battery", "correct-horse-battery");
    let cookie = chosen.header("set-cookie").unwrap();
    assert!(
        chosen.status == 303 && cookie.ends_with("; Path=/; HttpOnly; SameSite=Lax"),
        "{cookie}"
    );
    assert_eq!(choose(link, "correct-horse-battery", "correct-horse-battery").status, 403);
    let sign_in = |name: &str, password: &str| {
        server.send(
            &Client::Nobody,
            "/sign-in",
            &format!("name={name}&password={password}&next=//evil.example"),
        )
    };
    let right = sign_in("Ada", "correct-horse-battery");
    assert_eq!((right.status, right.header("location")), (303, Some("/")));
    let wrong: Vec<Reply> = (0..5).map(|_| sign_in("ada", "wrong")).collect();
    let nobody = Server::start();
    let unknown = nobody.send(&Client::Nobody, "/sign-in", "name=ada&password=wrong");
    // An unknown name gets the same answer.
    assert!(wrong.iter().all(|reply| reply.status == 403) && unknown.status == 403);
    assert!(unknown.body.contains("The name or the password is wrong."));
    let limited = sign_in("ada", "correct-horse-battery");
    assert_eq!((limited.status, limited.header("retry-after")), (429, Some("30")));
    let lines = server.app.store.audit(100).unwrap();
    assert_eq!(lines.iter().filter(|line| line.act == "fail to sign in").count(), 5);
    // A password that is typed into the field of the name is not kept.
    assert_eq!(sign_in("hunter2-secret", "").status, 403);
    let newest = server.app.store.audit(1).unwrap().remove(0);
    assert_eq!(newest.what, "with an unknown name, from 127.0.0.1");
    assert!(server.app.store.verify_audit(&server.app.audit_key).unwrap().is_ok());
}

#[test]
fn account_lock_applies_to_unused_accounts_and_can_be_lifted() {
    let server = Server::start();
    let ada = server.user("ada", Role::Admin);
    let sign_in = || {
        let form = "name=ada&password=correct+horse+battery";
        server.send(&Client::Nobody, "/sign-in", form).status
    };
    let from_everywhere = || {
        for last in 1..=50 {
            server.app.limiter.failed(&Tried::all("ada", [192, 0, 2, last].into()), NOW);
        }
    };
    from_everywhere();
    assert_eq!(sign_in(), 429, "ada never signed in from here");
    let session = server.session(ada);
    let people = server.see(&session, "/people").body;
    assert!(people.contains("ada, from any address") && people.contains("Lift"), "{people}");
    let lifted = server.send(&session, "/people/unlock", "name=ada");
    assert_eq!((lifted.status, sign_in()), (303, 303));
    from_everywhere();
    assert_eq!(sign_in(), 303, "she signed in from here before");
    let acts: Vec<String> =
        server.app.store.audit(100).unwrap().into_iter().map(|line| line.act).collect();
    assert!(acts.iter().any(|act| act == "lift lock"), "{acts:?}");
}

#[test]
fn sign_in_returns_to_a_page() {
    let server = Server::start();
    for (path, next) in [
        ("/runs/0a/about", "%2Fruns%2F0a"),
        ("/plans/1/run", "%2Fplans%2F1"),
        ("/plans/1", "%2Fplans%2F1"),
        ("/targets/end", "%2Ftargets"),
    ] {
        let reply = server.send(&Client::Nobody, path, "");
        let location = format!("/sign-in?next={next}");
        assert_eq!(
            (reply.status, reply.header("location")),
            (303, Some(location.as_str())),
            "{path}"
        );
    }
}
