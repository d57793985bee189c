//! Schedules on their pages: presets and cron lines, the proposal for what is neither, pausing and changing.

use serde_json::{Value, json};

use super::*;
use crate::store::Schedule;

fn furnished() -> (Server, Client) {
    let server = Server::start();
    let ada = server.session(server.user("ada", Role::Admin));
    let fields = "name=lab&allow=127.0.0.1:80&settings=&users=1&seconds=9&days=1";
    assert_eq!(server.send(&ada, "/targets", fields).status, 303);
    server.app.store.add_plan("nightly", "", ("ada", NOW)).unwrap().unwrap();
    (server, ada)
}

fn times(server: &Server) -> Vec<String> {
    server.app.store.schedules().unwrap().into_iter().map(|one| one.times).collect()
}

#[test]
fn schedule_preset_is_stored_as_cron_and_shown_in_words() {
    let (server, ada) = furnished();
    for (fields, line, reply) in [
        ("when=night&at=02:30", "30 2 * * *", "Every night at 02:30"),
        ("when=days&at=09:05", "5 9 * * 1-5", "Working days at 09:05"),
        ("when=week&at=22:00&day=0", "0 22 * * 0", "Every Sunday at 22:00"),
        ("when=hour&minute=15", "15 * * * *", "Every hour, 15 minutes past"),
        ("when=own&times=*/15+8-9+*+*+mon-fri", "*/15 8-9 * * mon-fri", "*/15 8-9 * * mon-fri"),
        // A program that knows only of lines.
        ("times=0+3+*+*+6", "0 3 * * 6", "Every Saturday at 03:00"),
    ] {
        let fields = format!("target=1&zone=Europe/Berlin&{fields}");
        let added = server.send(&ada, "/tests/p1/schedule", &fields);
        assert_eq!((added.status, added.header("location")), (303, Some("/tests/p1/schedule")));
        assert_eq!(times(&server).last().map(String::as_str), Some(line));
        let page = server.see(&ada, "/tests/p1/schedule").body;
        assert!(page.contains(reply) && page.contains("Europe/Berlin, at lab"), "{reply}: {page}");
    }
    // Each of the next times has its own element, which a browser shows in its time zone.
    let page = server.see(&ada, "/schedules/1").body;
    let next = page.split("Next: ").nth(1).and_then(|rest| rest.split("</p>").next()).unwrap();
    assert_eq!(next.matches("<time datetime=").count(), 3, "{next}");
}

#[test]
fn schedule_input_that_is_invalid_gets_a_usable_proposal() {
    let (server, ada) = furnished();
    let fields = "target=1&when=own&times=every+day+at+2&zone=UTC";
    let refused = server.send(&ada, "/tests/p1/schedule", fields);
    assert_eq!((refused.status, times(&server).len()), (422, 0));
    let button = "<button name=\"use\" value=\"0 2 * * *\">Use it</button>";
    assert!(refused.body.contains(button), "{}", refused.body);
    assert!(refused.body.contains("value=\"own\" checked"), "{}", refused.body);
    // A proposal for something else than what stands in the field now is not taken.
    let other = format!("{fields}&use=0+7+*+*+*");
    assert_eq!(server.send(&ada, "/tests/p1/schedule", &other).status, 422);
    let used = format!("{fields}&use=0+2+*+*+*");
    assert_eq!(server.send(&ada, "/tests/p1/schedule", &used).status, 303);
    assert_eq!(times(&server), ["0 2 * * *"]);
}

#[test]
fn schedule_changes_are_audited() {
    let (server, ada) = furnished();
    let store = &server.app.store;
    let made = Schedule {
        plan: 1,
        target: 1,
        times: "0 9 * * 1".to_owned(),
        zone: "Europe/Berlin".to_owned(),
        by: "gone".to_owned(),
        ..Schedule::default()
    };
    let id = store.add_schedule(&made).unwrap();
    store.add_occasion(id, NOW - 60, None, "the site was not running").unwrap();
    let page = server.see(&ada, "/schedules/1").body;
    assert!(page.contains("value=\"week\" checked") && page.contains("value=\"09:00\""), "{page}");
    assert!(page.contains("the site was not running"), "{page}");
    assert_eq!(server.send(&ada, "/schedules/pause", "id=1&paused=1&back=itself").status, 303);
    let fields = "target=1&when=days&at=07:15&zone=UTC&quiet=08:00-18:00";
    let changed = server.send(&ada, "/schedules/1", fields);
    assert_eq!(changed.header("location"), Some("/tests/p1/schedule"), "{}", changed.body);
    let now = store.schedule(id).unwrap().unwrap();
    assert_eq!((now.times.as_str(), now.paused, now.by.as_str()), ("15 7 * * 1-5", true, "ada"));
    assert_eq!(store.occasions(id, 9).unwrap().len(), 1, "what came before stays");
    assert_eq!(server.send(&ada, "/schedules/pause", "id=1&back=itself").status, 303);
    assert!(!store.schedule(id).unwrap().unwrap().paused);
    let acts: Vec<String> = store.audit(3).unwrap().into_iter().map(|line| line.act).collect();
    assert_eq!(acts, ["resume schedule", "change schedule", "pause schedule"]);
    // A viewer reads it, and has no buttons.
    let vic = server.session(server.user("vic", Role::Viewer));
    let page = server.see(&vic, "/schedules/1");
    assert!(page.status == 200 && !page.body.contains("Run now"), "{}", page.body);
}

#[test]
fn schedules_are_managed_by_the_api() {
    let (server, ada) = furnished();
    let path = "/api/v1/schedules";
    let rae = server.token(server.user("rae", Role::Runner), Scope::All);
    let send = |client: &Client, method: &str, path: &str, body: &Value| {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let reply = server.request(client, method, path, "", &body);
        (reply.status, serde_json::from_str::<Value>(&reply.body).unwrap_or_default())
    };
    let whole = json!({ "plan": "Nightly", "target": "lab", "times": "30 2 * * 1-5", "quiet": "02:00-03:00",
        "zone": "Europe/Berlin", "waits": true });
    let (status, made) = send(&rae, "POST", path, &whole);
    assert_eq!(
        (status, &made["id"], &made["target_name"]),
        (201, &json!(1), &json!("lab")),
        "{made}"
    );
    // At the end of the quiet hours, in UTC.
    assert_eq!(made["next"], "2027-01-18T02:00:00Z", "{made}");
    let one = format!("{path}/1");
    assert_eq!(send(&rae, "GET", &one, &Value::Null).1, made);
    let with = |name: &str, value: Value| {
        let mut body = whole.clone();
        body[name] = value;
        body
    };
    server.app.store.add_plan("other", "", ("ada", NOW)).unwrap();
    let production = "name=prod&allow=127.0.0.1:80&settings=&users=1&seconds=9&days=1&production=1";
    assert_eq!(server.send(&ada, "/targets", production).status, 303);
    for (body, status, name) in [
        (with("plan", json!("none")), 404, "$.plan"),
        (with("target", json!("none")), 404, "$.target"),
        (with("hook", json!("none")), 404, "$.hook"),
        (with("target", json!("prod")), 422, "$.target"),
        (with("times", json!("every night")), 422, "$.times"),
        (with("times", json!("0 0 31 2 *")), 422, "$.times"),
        (with("zone", json!("Mars")), 422, "$.zone"),
        (with("quiet", json!("never")), 422, "$.quiet"),
        (with("paused", json!(true)), 422, "$.paused"),
        (with("agents", json!(0)), 422, "$.agents"),
    ] {
        for (method, path) in [("POST", path), ("PUT", one.as_str())] {
            let (reply, answer) = send(&rae, method, path, &body);
            assert_eq!((reply, &answer["errors"][0]["name"]), (status, &json!(name)), "{answer}");
        }
    }
    let (status, answer) = send(&rae, "PUT", &one, &with("plan", json!("other")));
    assert_eq!((status, &answer["errors"][0]["name"]), (422, &json!("$.plan")), "{answer}");
    let (_, paused) = send(&rae, "POST", &format!("{one}/pause"), &Value::Null);
    assert_eq!((&paused["paused"], &paused["next"]), (&json!(true), &Value::Null));
    let (status, now) = send(&rae, "PUT", &one, &with("times", json!("0 4 * * *")));
    assert_eq!((status, &now["times"], &now["paused"]), (200, &json!("0 4 * * *"), &json!(true)));
    assert_eq!(send(&rae, "POST", &format!("{one}/resume"), &Value::Null).1["paused"], false);
    let others = [Scope::Read, Scope::Push].map(|scope| server.token(1, scope));
    let vic = server.token(server.user("vic", Role::Viewer), Scope::All);
    for client in others.iter().chain([&vic]) {
        for (method, path) in
            [("POST", path.to_owned()), ("DELETE", one.clone()), ("POST", format!("{one}/run"))]
        {
            assert_eq!(send(client, method, &path, &whole).0, 403, "{method} {path}");
        }
    }
    assert_eq!([204, 404].map(|_| send(&rae, "DELETE", &one, &Value::Null).0), [204, 404]);
    assert_eq!(send(&rae, "POST", &format!("{one}/pause"), &Value::Null).0, 404);
    let lines = server.app.store.audit(6).unwrap();
    let acts: Vec<&str> =
        lines.iter().map(|line| line.act.as_str()).filter(|act| act.contains("schedule")).collect();
    let wanted =
        ["remove", "resume", "change", "pause", "add"].map(|act| format!("{act} schedule"));
    assert_eq!(acts, wanted);
    assert_eq!(lines[0].who, "rae (token ci)");
}
