//! Wildcards, as they arrive.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use brunt_test_program::Report;

use crate::planned::{Files, InMemory as _};
use crate::rest_target::RestTarget;

#[test]
fn wildcards_are_replaced_everywhere() {
    let target = RestTarget::start();
    let files = Files::new();
    files.write(
        "tasks/first.json",
        r#"{
          "request": "POST",
          "header": {
            "X-User": "user.$RANDOMVALUE", "X-Thread": "$THREADID", "X-Admin": "$ADMINUSERID:$ADMINUSERPASSWORD"
          },
          "url-endpoint": "/echo/$THREADID/", "url-payload": "$INCREMENT?r=$RANDOMVALUE&price=5$",
          "data-payload": {"$THREADID": [{"n": "$INCREMENT.$RANDOMVALUE"}], "who": "$ADMINUSERID", "$UNKNOWN": "$"}
        }"#,
    );
    files.task(
        "second",
        &json!({
            "request": "PUT", "header": {}, "url-endpoint": "/echo/", "url-payload": "$THREADID.$INCREMENT",
            "data-payload": "r=$RANDOMVALUE;i=$INCREMENT"
        }),
    );
    files.workload("both", &[("first", 5000), ("second", 5000)]);
    files.job(&target.base, 3, &[("both", 20)], &json!({"upperbounds": 4}));
    let ended = files.run(&["--seed", "5"]).expect(0);
    assert_eq!(Report::read(&ended.stdout).row("first").counts(), [60, 0, 0], "{ended}");
    let seen = target.stop();
    let (mut drawn, mut pairs) = (BTreeMap::new(), BTreeSet::new());
    for first in seen.iter().filter(|seen| seen.method == "POST") {
        let (path, query) = first.target.split_once('?').unwrap();
        let (thread, number) = path["/echo/".len()..].split_once('/').unwrap();
        let (random, rest) = query["r=".len()..].split_once('&').unwrap();
        assert_eq!(rest, "price=5$", "a dollar sign alone is one");
        assert_eq!(first.header("X-User"), Some(format!("user.{random}").as_str()));
        assert_eq!(first.header("X-Thread"), Some(thread));
        assert_eq!(first.header("X-Admin"), Some("amadmin:password"));
        let body = format!(
            "{{\"{thread}\":[{{\"n\":\"{number}.{random}\"}}],\"who\":\"amadmin\",\"$UNKNOWN\":\"$\"}}"
        );
        assert_eq!(first.body, body, "members keep their order");
        *drawn.entry(random.parse::<u64>().unwrap()).or_insert(0) += 1;
        pairs.insert((thread.to_owned(), number.parse::<u64>().unwrap()));
        // The second task of the iteration has the same values.
        let second = format!("/echo/{thread}.{number}");
        let second = seen.iter().find(|seen| seen.target == second).unwrap();
        assert_eq!(second.body, format!("r={random};i={number}"));
    }
    assert_eq!(
        drawn.keys().copied().collect::<Vec<_>>(),
        [0, 1, 2, 3, 4],
        "both ends are included"
    );
    let whole: BTreeSet<_> =
        (0..3).flat_map(|t| (0..20).map(move |n| (t.to_string(), n))).collect();
    assert_eq!(pairs, whole);
    for repair in ["$INCREMENT is the same", "wildcards were replaced everywhere"] {
        assert!(ended.stdout.contains(&format!("Repaired: {repair}")), "{repair}: {ended}");
    }
}

/// The same seed makes the same run.
#[test]
fn seed_repeats_the_values() {
    let run = |seed: &str| {
        let target = RestTarget::start();
        let files = Files::new();
        files.ask("look", "/echo/$RANDOMVALUE");
        files.workload("looking", &[("look", 5000)]);
        files.job(&target.base, 1, &[("looking", 12)], &json!({"upperbounds": 1_000_000}));
        files.run(&["--seed", seed]).expect(0);
        target.stop().into_iter().map(|seen| seen.target).collect::<Vec<_>>()
    };
    assert_eq!(run("7"), run("7"));
    assert_ne!(run("7"), run("8"));
}

#[test]
fn answers_supply_values_by_name_and_json_pointer() {
    let target = RestTarget::start();
    let files = Files::new();
    files.ask("nothing", "/echo/nothing");
    files.task(
        "login",
        &json!({
            "request": "POST", "header": {"X-OpenAM-Username": "user.3", "X-OpenAM-Password": "password"},
            "url-endpoint": "/openam/json/", "url-payload": "authenticate", "data-payload": "{}"
        }),
    );
    files.task(
        "use",
        &json!({
            "request": "POST", "header": {
                "X-IPlanetDirectoryPro-Copy": "tokenId", "X-Other": "tokenId", "X-Path": "$PATH"
            },
            "url-endpoint": "/echo/$TOKENID", "url-payload": "?token=$TOKENID",
            "data-payload": {"token": "$tokenId"},
            "WILDCARDS": [{"name": "$PATH", "type": "retained", "source": "/successUrl"}]
        }),
    );
    let workload =
        json!({"persist": ["tokenId"], "tasks": [{"nothing": 900}, {"login": 900}, {"use": 900}]});
    files.write("workloads/kept.json", &workload.to_string());
    files.job(&target.base, 1, &[("kept", 2)], &json!({}));
    let ended = files.run(&[]).expect(0);
    assert_eq!(Report::read(&ended.stdout).row("use").counts(), [2, 0, 0], "{ended}");
    let seen = target.stop();
    let used: Vec<_> = seen.iter().filter(|seen| seen.target.contains("?token=")).collect();
    let tokens: BTreeSet<&str> =
        used.iter().map(|seen| seen.target.rsplit('=').next().unwrap()).collect();
    assert_eq!(tokens.len(), 2, "each iteration has a token of its own");
    for seen in used {
        let token = seen.target.split_once("?token=").unwrap().1;
        assert!(token.contains('*') && token.len() > 20, "it stands as it came: {token}");
        assert_eq!(seen.target, format!("/echo/{token}?token={token}"));
        assert_eq!(seen.header("X-IPlanetDirectoryPro-Copy"), Some(token));
        assert_eq!(seen.header("X-Other"), Some("tokenId"), "a word is one only there");
        assert_eq!(seen.header("X-Path"), Some("/openam/console"));
        assert_eq!(seen.json()["token"], token);
    }
}

/// A name that is a prefix of another is not mistaken for it, and values are written so that JSON stays valid.
#[test]
fn files_and_services_supply_values() {
    let target = RestTarget::start();
    let files = Files::new();
    files.write("values/a.txt", "one\ntwo\n");
    files.write("values/ab.txt", "a \"quoted\" back\\slash\n");
    files.write("values/all.txt", "x y&z=1\n");
    files.task(
        "order",
        &json!({
            "request": "POST", "header": {"Content-Type": "application/json"},
            "url-endpoint": "/echo/", "url-payload": "$FILE-A/$DICE/$ORDER/$ID",
            "data-payload": {"ab": "$FILE-AB", "member": "$MEMBER", "a": "$FILE-A"}
        }),
    );
    files.task(
        "form",
        &json!({
            "request": "POST", "url-endpoint": "/echo/", "url-payload": "form", "data-payload": "v=$RANDOMFILE&w=1"
        }),
    );
    files.workload("ordering", &[("order", 5000), ("form", 5000)]);
    let wildcards = json!([
        {"name": "$FILE-A", "type": "file", "source": "values/a.txt"},
        {"name": "$FILE-AB", "type": "file", "source": "values/ab.txt"},
        {"name": "$DICE", "type": "generated", "lowerbounds": 1, "upperbounds": 6},
        {"name": "$ORDER", "type": "generated", "source": "increment"},
        {"name": "$ID", "type": "generated", "source": "uuid"},
        {
            "name": "$MEMBER", "type": "rest-endpoint", "attribute": "result", "member": "/_id",
            "source": format!("{}/api/users?_queryFilter=_id+eq+'user.7'", target.base),
            "header": {"X-OpenIDM-Username": "admin", "X-OpenIDM-Password": "password"}
        }
    ]);
    let more = json!({"WILDCARDS": wildcards, "randomfile": "values/all.txt"});
    files.job(&target.base, 1, &[("ordering", 40)], &more);
    let ended = files.run(&[]).expect(0);
    let seen = target.stop();
    let fetched = seen.iter().filter(|seen| seen.target.starts_with("/api/users")).count();
    assert_eq!(fetched, 1, "the list is fetched once");
    let (mut lines, mut dice, mut ids) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let orders =
        seen.iter().filter(|seen| seen.target.starts_with("/echo/") && seen.target != "/echo/form");
    for (number, order) in orders.enumerate() {
        let parts: Vec<&str> = order.target["/echo/".len()..].split('/').collect();
        assert_eq!(parts[2], number.to_string());
        let body = order.json();
        assert_eq!(body["a"], parts[0], "one line of a file is drawn for an iteration");
        assert_eq!(body["ab"], "a \"quoted\" back\\slash");
        assert_eq!(body["member"], "user.7");
        lines.insert(parts[0].to_owned());
        dice.insert(parts[1].parse::<u8>().unwrap());
        ids.insert(parts[3].to_owned());
    }
    assert_eq!(lines, ["one", "two"].map(str::to_owned).into());
    assert!(dice.iter().all(|value| (1..=6).contains(value)) && dice.len() > 3, "{dice:?}");
    assert_eq!((ids.len(), ids.first().map(String::len)), (40, Some(36)));
    let form = seen.iter().find(|seen| seen.target == "/echo/form").unwrap();
    assert_eq!(form.header("Content-Type"), Some("application/x-www-form-urlencoded"));
    assert_eq!(form.body, "v=x+y%26z%3D1&w=1", "{ended}");
}

#[test]
fn value_list_that_cannot_be_fetched_stops_the_job() {
    let target = RestTarget::start();
    let files = Files::new();
    files.ask("look", "/echo/$MEMBER");
    files.workload("looking", &[("look", 5000)]);
    for (path, word) in [
        ("/status/503", "the answer was 503"),
        ("/xml", "not JSON"),
        ("/echo", "there is no \"result\" in the answer"),
    ] {
        let wildcard = json!([{
            "name": "$MEMBER", "type": "rest-endpoint", "attribute": "result",
            "source": format!("{}{path}", target.base)
        }]);
        files.job(&target.base, 1, &[("looking", 2)], &json!({"WILDCARDS": wildcard}));
        let ended = files.run(&[]).expect(1);
        assert!(ended.stderr.contains(word) && ended.stderr.contains("$MEMBER"), "{ended}");
        assert!(!ended.stdout.contains("Job Started"), "{ended}");
    }
    assert!(target.stop().iter().all(|seen| !seen.target.contains("/echo/")));
}

/// A hundred iterations draw users from a file; each brings its own password, and every name arrives as one segment.
#[test]
fn file_columns_come_from_one_row_and_are_encoded() {
    let target = RestTarget::start();
    let files = Files::new();
    let users: Vec<(String, String)> =
        (0..9).map(|n| (format!("u/{n} & sons"), format!("pw;{n}"))).collect();
    let row = |(user, password): &(String, String)| format!("{user};\"{password}\"\n");
    let rows: Vec<String> = users.iter().map(row).collect();
    files.write("values/users.csv", &format!("user;password\n{}", rows.concat()));
    let column = |name: &str, column: &str| {
        let source = "values/users.csv";
        json!({"name": name, "type": "file", "source": source, "column": column, "separator": ";"})
    };
    let mut encoded = column("$USER", "user");
    encoded["encode"] = json!("url");
    files.task(
        "login",
        &json!({
            "request": "POST", "header": {"X-User": "$USER"}, "url-endpoint": "/echo/$USER",
            "url-payload": "?u=$USER&plain=$PASSWORD",
            "data-payload": {"user": "$USER", "password": "$PASSWORD"}
        }),
    );
    files.workload("logins", &[("login", 5000)]);
    let more = json!({"WILDCARDS": [encoded, column("$PASSWORD", "password")]});
    files.job(&target.base, 2, &[("logins", 50)], &more);
    let ended = files.run(&[]).expect(0);
    let seen = target.stop();
    assert_eq!(seen.len(), 100, "{ended}");
    let mut drawn = BTreeSet::new();
    for login in &seen {
        let body = login.json();
        let (user, password) = (body["user"].as_str().unwrap(), body["password"].as_str().unwrap());
        assert!(users.contains(&(user.to_owned(), password.to_owned())), "{user} {password}");
        let written = user.replace('/', "%2F").replace(' ', "%20").replace('&', "%26");
        assert_eq!(login.target, format!("/echo/{written}?u={written}&plain={password}"));
        assert_eq!(login.header("X-User"), Some(user));
        drawn.insert(user.to_owned());
    }
    assert!(drawn.len() > 5, "{drawn:?}");
}

#[test]
fn unknown_column_stops_the_run_before_it_begins() {
    let target = RestTarget::start();
    let files = Files::new();
    files.write("values/users.csv", "user,password\njo,x\n");
    files.ask("look", "/echo/$WHO");
    files.workload("looking", &[("look", 5000)]);
    let wildcard =
        json!([{"name": "$WHO", "type": "file", "source": "values/users.csv", "column": "usr"}]);
    files.job(&target.base, 1, &[("looking", 2)], &json!({"WILDCARDS": wildcard}));
    for line in [&[][..], &["--check"]] {
        let ended = files.run(line).expect(2);
        for word in ["convert the job into a plan", "the column 'usr'", "did you mean 'user'?"] {
            assert!(ended.stderr.contains(word), "{word}: {ended}");
        }
    }
    assert!(target.stop().is_empty());
}
