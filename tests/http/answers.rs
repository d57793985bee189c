//! Requests and answers of every kind: statuses, methods, bodies, codings, and their effects.

use brunt_testbed::{Listener, Nginx, Served};

use crate::brunt::planned;
use crate::logged::{base, nginx, plan, step, the_same};

#[test]
fn statuses_are_counted_separately() {
    let Some(nginx) = nginx() else { return };
    let steps = Nginx::STATUSES.map(|status| step(&format!("get = \"/status/{status}\"")));
    let plan = plan(4, 25, &base(&nginx, Listener::Clear), &steps.concat());
    let run = planned(&plan).run().expect(0);
    let served = the_same(&nginx, &run);
    assert_eq!(served.len(), 4 * 25 * Nginx::STATUSES.len(), "{run}");
    assert_eq!(run.count("failed"), 100 * 9, "{run}");
    for status in Nginx::STATUSES {
        let class = if status < 400 { "ok" } else { "result" };
        let ends = run.ends_of(&format!("get /status/{status}"));
        assert_eq!(ends, [((class.into(), u32::from(status)), 100)].into(), "{run}");
    }
    // No answer cost a connection.
    assert_eq!(Served::connections(&served).into_values().collect::<Vec<_>>(), [300; 4], "{run}");
}

#[test]
fn methods_and_bodies_arrive_unchanged() {
    let Some(nginx) = nginx() else { return };
    let large: String =
        (0..Nginx::LARGE).map(|at| char::from(b'a' + (at * 7 % 23) as u8)).collect();
    let steps = [
        step("head = \"/large.bin\""),
        step("put = \"/kept/${user}-file\"\nbody-file = \"large.txt\"\nstatus = [201, 204]"),
        step(
            "put = \"/kept/${user}-text\"\ntext = \"user ${user}, \\\"quoted\\\"\"\nstatus = [201, 204]",
        ),
        step("put = \"/kept/${user}-json\"\njson = { user = \"${user}\", list = [1, 2.5, true] }"),
        step("put = \"/kept/${user}-form\"\nform = { a = \"x y&z\", user = \"${user}\" }"),
        step("delete = \"/kept/${user}-form\"\nstatus = 204"),
        step("options = \"/small.txt\"\nstatus = 405"),
        step("method = \"PATCH\"\nurl = \"/small.txt\"\ntext = \"x\"\nstatus = 405"),
        step("post = \"/small.txt\"\nquery = { q = \"a b&c\", r = [\"1\", \"2\"] }\nstatus = 405"),
        step("get = \"/large.bin\"\nchecks = [{ size = \"1048576\" }]"),
    ];
    let variables = "\n[variables]\nuser = { number = \"user\" }\n";
    let plan = plan(3, 2, &base(&nginx, Listener::Clear), &steps.concat()) + variables;
    let run = planned(&plan);
    run.file("large.txt", &large);
    let run = run.run().went_well();
    let served = the_same(&nginx, &run);
    for user in 0..3 {
        let kept = |what: &str| {
            let kept = nginx.kept(&format!("{user}-{what}"));
            kept.map(|bytes| String::from_utf8(bytes).expect("text was sent"))
        };
        assert!(kept("file").as_ref() == Some(&large), "the file of user {user}\n{run}");
        assert_eq!(kept("text"), Some(format!("user {user}, \"quoted\"")));
        let json = format!("{{\"user\":\"{user}\",\"list\":[1,2.5,true]}}");
        assert_eq!(kept("json").map(|json| json.replace(' ', "")), Some(json));
        assert_eq!(kept("form"), None);
    }
    let of = |method: &str| -> Vec<&Served> {
        served.iter().filter(|one| one.method == method).collect()
    };
    assert!(of("HEAD").iter().all(|one| one.body == 0 && one.status == 200), "{run}");
    let types: Vec<&str> = of("PUT")
        .iter()
        .map(|one| one.content_type.as_str())
        .filter(|one| one.contains('/'))
        .collect();
    for wanted in ["application/json", "application/x-www-form-urlencoded"] {
        assert_eq!(types.iter().filter(|one| one.starts_with(wanted)).count(), 6, "{types:?}");
    }
    assert!(
        of("POST").iter().all(|one| one.path == "/small.txt?q=a%20b%26c&r=1&r=2"),
        "{served:?}"
    );
    assert_eq!((of("PATCH").len(), of("OPTIONS").len(), of("DELETE").len()), (6, 6, 6));
    let bytes: u64 = of("GET").iter().map(|one| one.body).sum();
    assert_eq!(bytes, 6 * Nginx::LARGE as u64);
    assert_eq!(Served::connections(&served).len(), 3, "{run}");
}

#[test]
fn chunked_and_compressed_bodies_are_read_completely() {
    let Some(nginx) = nginx() else { return };
    // A size is that of what was sent; of what is packed it says nothing.
    let size = format!("{{ size = \"{}\" }}, ", Nginx::TEXT);
    for compression in [false, true] {
        let whole = |path: &str, size: &str| {
            let text = "{ body = true, matches = \"^(All the world [^\\n]*\\n)+All [^\\n]* one man pl$\" }";
            step(&format!("get = \"{path}\"\nchecks = [{size}{text}]"))
        };
        let http = format!("{}\ncompression = {compression}", base(&nginx, Listener::Clear));
        let packed = if compression { "" } else { &size };
        let steps = whole("/chunked.txt", &size) + &whole("/text.txt", packed);
        let plan = plan(2, 10, &http, &steps);
        let before = nginx.served().len();
        let run = planned(&plan).run().went_well();
        let served = nginx.served().split_off(before);
        assert_eq!(served.len(), 40, "{run}");
        let accepted = served.iter().filter(|one| one.accepted.contains("gzip")).count();
        let encoded = served.iter().filter(|one| one.encoding == "gzip").count();
        let expected = if compression { (40, 20) } else { (0, 0) };
        assert_eq!((accepted, encoded), expected, "{run}");
        assert_eq!(Served::connections(&served).len(), 2, "{run}");
    }
}

#[test]
fn checks_and_extracted_values_work_across_steps() {
    let Some(nginx) = nginx() else { return };
    let steps = [
        step(
            "name = \"json\"\nget = \"/user.json\"\n\
             checks = [{ json = \"/id\", equals = 5 }, { json = \"$.groups[*]\", count = \"2\" },\n\
             { header = \"Content-Type\", contains = \"json\" }, { body = true, matches = \"user\\\\.[0-9]\" }]\n\
             extract = { id = \"/id\", name = \"$.name\" }",
        ),
        step(
            "name = \"xml\"\nget = \"/user.xml\"\nchecks = [{ xpath = \"/user/@id\", equals = \"5\" }]\n\
             extract = { xml = { xpath = \"/user/name\" }, tag = { header = \"ETag\" } }",
        ),
        step(
            "name = \"used\"\nget = \"/status/200?name=${name}\"\n\
             headers = { X-Test = \"${id} ${name} ${xml}\" }",
        ),
        step("name = \"wrong\"\nget = \"/user.json\"\nchecks = [{ json = \"/id\", equals = 6 }]"),
        step(
            "name = \"absent\"\nget = \"/user.json\"\nchecks = [{ json = \"/none\", exists = true }]",
        ),
    ];
    let plan = plan(2, 10, &base(&nginx, Listener::Clear), &steps.concat());
    let run = planned(&plan).run().expect(0);
    let served = the_same(&nginx, &run);
    for (operation, class) in
        [("json", "ok"), ("xml", "ok"), ("used", "ok"), ("wrong", "check"), ("absent", "check")]
    {
        assert_eq!(run.ends_of(operation), [((class.into(), 200), 20)].into(), "{run}");
    }
    let used: Vec<_> = served.iter().filter(|one| one.path.contains("name=")).collect();
    assert_eq!(used.len(), 20);
    assert!(used.iter().all(|one| one.path == "/status/200?name=user.5"), "{used:?}");
    assert!(used.iter().all(|one| one.x_test == "5 user.5 user.5"), "{used:?}");
    // What was wrong is said where people look.
    let samples = run.json()["samples"].to_string();
    assert!(samples.contains("/id"), "{samples}\n{run}");
    // And what it was the answer to.
    let sent = samples.split("\"sent\":\"GET http://").skip(1);
    let sent: Vec<&str> = sent.filter_map(|rest| rest.split(['"', '\\']).next()).collect();
    assert!(!sent.is_empty() && sent.iter().all(|url| url.ends_with("/user.json")), "{samples}");
}
