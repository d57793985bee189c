//! Annotations by the API and on their page: who may add and remove them, and where they are shown.

use super::*;
use crate::store::Window;

const PATH: &str = "/api/v1/annotations";

#[test]
fn annotation_by_the_api_appears_on_the_run() {
    let server = Server::start();
    let ada = server.user("ada", Role::Admin);
    let session = server.session(ada);
    let fields = "name=lab&allow=127.0.0.1:80&settings=&users=1&seconds=9&days=1";
    assert_eq!(server.send(&session, "/targets", fields).status, 303);
    let id = server.run("a run");
    let push = server.token(ada, Scope::Push);
    let began = samples::summary().started;
    let of =
        |label: &str, more: &str| format!("{{\"label\": \"{label}\", \"at\": \"{began}\"{more}}}");
    let made = server.request(&push, "POST", PATH, "", &of("deploy </script> 42", ""));
    assert_eq!((made.status, made.header("location")), (201, Some("/api/v1/annotations/1")));
    // What concerns another target is not shown at this run, which is of none that is listed.
    let made = server.request(&push, "POST", PATH, "", &of("other", ", \"target\": \"LAB\""));
    assert!(made.status == 201 && made.body.contains("\"target\":\"lab\""), "{}", made.body);
    for (body, wanted) in [
        (of("", ""), "$.label"),
        (of("x", ", \"target\": \"nowhere\""), "$.target"),
        ("{\"label\": \"x\", \"at\": \"soon\"}".to_owned(), "$.at"),
        ("{\"label\": \"x\", \"when\": \"now\"}".to_owned(), "$.when"),
    ] {
        let refused = server.request(&push, "POST", PATH, "", &body);
        assert!(refused.status == 422 && refused.body.contains(wanted), "{body}: {}", refused.body);
    }
    let page = server.see(&session, &format!("/runs/{id}")).body;
    assert!(page.contains("At that time: deploy &lt;/script&gt; 42, <time"), "{page}");
    assert!(page.contains("\"label\":\"deploy \\u003c/script> 42\",\"t\":0"), "{page}");
    assert!(!page.contains("other, <time"), "{page}");
    let read = server.token(ada, Scope::Read);
    let listed = server.see(&read, PATH).body;
    assert!(listed.contains("other") && listed.contains("deploy"), "{listed}");
    let vic = server.token(server.user("vic", Role::Viewer), Scope::All);
    let all = server.token(ada, Scope::All);
    for (client, status) in [(&read, 403), (&push, 403), (&vic, 403), (&all, 204), (&all, 404)] {
        let one = format!("{PATH}/1");
        assert_eq!(server.request(client, "DELETE", &one, "", "").status, status);
    }
    let acts: Vec<_> = server.app.store.audit(3).unwrap();
    let acts: Vec<_> = acts.iter().map(|line| (line.act.as_str(), line.what.as_str())).collect();
    let deploy = "deploy </script> 42";
    let wanted =
        [("remove annotation", deploy), ("annotate", "other of lab"), ("annotate", deploy)];
    assert_eq!(acts, wanted);
}

#[test]
fn annotations_are_added_and_removed_on_their_page() {
    let server = Server::start();
    let ada = server.session(server.user("ada", Role::Admin));
    let add = |fields: &str| server.send(&ada, "/annotations", fields);
    assert_eq!(add("label=deploy+42&at=2026-11-30+14:05&target=").status, 303);
    assert_eq!(add("label=now&at=&target=").status, 303);
    let page = server.see(&ada, "/annotations").body;
    assert!(
        page.contains("2026-11-30 14:05 UTC") && page.contains("2027-01-15 08:00 UTC"),
        "{page}"
    );
    assert_eq!(server.send(&ada, "/annotations/end", "id=1").status, 303);
    assert!(!server.see(&ada, "/annotations").body.contains("deploy 42</th>"));
    let vic = server.session(server.user("vic", Role::Viewer));
    let page = server.see(&vic, "/annotations").body;
    assert!(page.contains("now") && !page.contains("Add it"), "{page}");
}

#[test]
fn live_mark_has_the_time_its_form_was_opened() {
    let server = Server::start();
    let ada = server.session(server.user("ada", Role::Admin));
    let fields = "name=t&allow=127.0.0.1:80&settings=&users=1&seconds=9&days=1";
    assert_eq!(server.send(&ada, "/targets", fields).status, 303);
    server.app.store.add_plan("nightly", "", ("ada", NOW)).unwrap().unwrap();
    server.going();
    let live = format!("/live/{GOING}");
    let page = server.see(&ada, &live).body;
    assert!(page.contains("Mark this moment") && !page.contains("id=\"annotations\""), "{page}");
    assert!(page.contains("<a href=\"/tests/p1\">nightly</a> / run in progress"), "{page}");
    // No script says when the form was opened, somebody took long, or something else says it.
    for (label, ago, at) in [
        ("backup began", "30", NOW - 30),
        ("a day ago", "86400", NOW - 600),
        ("ahead", "-9", NOW),
        ("without a script", "0", NOW),
        ("nonsense", "soon", NOW),
    ] {
        let reply = server.send(
            &ada,
            &format!("{live}/mark"),
            &format!("label={}&ago={ago}", label.replace(' ', "+")),
        );
        assert_eq!((reply.status, reply.header("location")), (303, Some(&*live)), "{}", reply.body);
        let all = server.app.store.annotations(&Window { from: 0, to: i64::MAX, targets: None });
        let made = all.unwrap().into_iter().find(|one| one.label == label).unwrap();
        assert_eq!((made.at, made.target, made.by.as_str()), (at, Some(1), "ada"), "{label}");
    }
    // It is shown since the beginning of the run; what was before that is not.
    let page = server.see(&ada, &live).body;
    assert!(page.contains("{\"label\":\"backup began\",\"t\":70}"), "{page}");
    assert!(!page.contains("a day ago"), "{page}");
    let vic = server.session(server.user("vic", Role::Viewer));
    assert!(!server.see(&vic, &live).body.contains("Mark this moment"));
}
