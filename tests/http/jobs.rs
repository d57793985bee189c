//! LoadGen's files against OpenDJ's gateway from REST to LDAP: the table's counts are those of the server's log.

use brunt_testbed::{OpenDj, PASSWORD, Served, Shared, require};

use crate::brunt::{Brunt, Run, command, planned};

/// The server of all tests, for one of them at a time, or nothing where this machine has none.
fn gateway() -> Option<Shared<OpenDj>> {
    require(&["opendj", "java", "openssl"]).then(OpenDj::shared)
}

const TASKS: [(&str, &str); 5] = [
    (
        "read",
        r#"{"name": "read a user", "request": "GET", "url-endpoint": "/api/users/", "url-payload": "user.$RANDOMVALUE",
            "header": {"X-OpenIDM-Username": "$ADMINUSERID", "X-OpenIDM-Password": "$ADMINUSERPASSWORD"}}"#,
    ),
    (
        "query",
        r#"{"request": "GET", "url-endpoint": "/api/users",
            "url-payload": "?_queryFilter=_id+eq+%22user.$RANDOMVALUE%22",
            "header": {"X-OpenIDM-Username": "$ADMINUSERID", "X-OpenIDM-Password": "$ADMINUSERPASSWORD"}}"#,
    ),
    (
        "create",
        r#"{"request": "POST", "url-endpoint": "/api/users", "url-payload": "?_action=create",
            "header": {"X-OpenIDM-Username": "$ADMINUSERID", "X-OpenIDM-Password": "$ADMINUSERPASSWORD",
                       "Content-Type": "application/json"},
            "data-payload": {"_id": "NEW.$THREADID.$INCREMENT", "_schema": "frapi:opendj:rest2ldap:user:1.0",
                             "displayName": ["New \"$THREADID\""], "name": {"familyName": "New"}}}"#,
    ),
    (
        "patch",
        r#"{"request": "PATCH", "url-endpoint": "/api/users/", "url-payload": "user.$RANDOMVALUE",
            "header": {"X-OpenIDM-Username": "$ADMINUSERID", "X-OpenIDM-Password": "$ADMINUSERPASSWORD",
                       "Content-Type": "application/json"},
            "data-payload": [{"operation": "replace", "field": "/description", "value": "by $THREADID"}]}"#,
    ),
    (
        "stranger",
        r#"{"request": "GET", "url-endpoint": "/api/users/", "url-payload": "nobody.$RANDOMVALUE",
            "header": {"X-OpenIDM-Username": "$ADMINUSERID", "X-OpenIDM-Password": "$ADMINUSERPASSWORD"}}"#,
    ),
];

const WORKLOADS: [(&str, &str); 3] = [
    ("look", r#"{"name": "look", "tasks": [{"read": 20000}, {"query": 20000}]}"#),
    ("change", r#"{"name": "change", "tasks": [{"create": 20000}, {"patch": 20000}]}"#),
    ("lost", r#"{"name": "lost", "tasks": [{"stranger": 20000}, {"read": 20000}]}"#),
];

/// The job, whose new users have this name.
fn job(opendj: &OpenDj, new: &str) -> Brunt {
    let job = format!(
        r#"{{"name": "users", "service-environment": "OpenDJ", "load-generator": "here",
             "service-location-port": "{}", "ADMINUSERID": "admin", "ADMINUSERPASSWORD": "{PASSWORD}",
             "threads": 3, "threadgroupsize": 1, "threadinterval": 50, "upperbounds": 1999,
             "workloads": [{{"look": 10}}, {{"change": 4}}, {{"lost": 3}}]}}"#,
        opendj.rest_url().trim_end_matches("/api"),
    );
    let brunt = command("loadgen");
    for (name, task) in TASKS {
        brunt.file(&format!("tasks/{name}.json"), &task.replace("NEW", new));
    }
    for (name, workload) in WORKLOADS {
        brunt.file(&format!("workloads/{name}.json"), workload);
    }
    let job = brunt.file("jobs/users.json", &job);
    brunt.arg("--config").arg(job)
}

/// Of a row of the table: how many there were, passed, exceeded their threshold and failed.
fn row(run: &Run, task: &str) -> [u64; 4] {
    let line = run.stdout.lines().find(|line| line.split_whitespace().next() == Some(task));
    let line = line.unwrap_or_else(|| panic!("the table has no row {task}\n{run}"));
    let cells: Vec<&str> = line.split_whitespace().collect();
    [1, 4, 6, 8].map(|at| {
        cells[at].parse().unwrap_or_else(|_| panic!("{} is no count\n{line}\n{run}", cells[at]))
    })
}

fn requested(served: &[Served], method: &str, part: &str, status: u16) -> u64 {
    let same =
        |one: &&Served| one.method == method && one.path.contains(part) && one.status == status;
    served.iter().filter(same).count() as u64
}

#[test]
fn report_agrees_with_the_log_of_opendj() {
    let Some(opendj) = gateway() else { return };
    let before = opendj.rest_served().len();
    let run = job(&opendj, "new").run().carried_out();
    let served = opendj.rest_served().split_off(before);
    // Three threads: 30 looks, 12 changes, 9 iterations whose second task is skipped.
    let expected = [
        ("read", [30, 30, 0, 0]),
        ("query", [30, 30, 0, 0]),
        ("create", [12, 12, 0, 0]),
        ("patch", [12, 12, 0, 0]),
        ("stranger", [9, 0, 0, 9]),
    ];
    for (task, counts) in expected {
        assert_eq!(row(&run, task), counts, "{task}\n{run}");
    }
    let counts = [
        requested(&served, "GET", "/api/users/user.", 200),
        requested(&served, "GET", "_queryFilter", 200),
        requested(&served, "POST", "_action=create", 201),
        requested(&served, "PATCH", "/api/users/user.", 200),
        requested(&served, "GET", "/api/users/nobody.", 404),
    ];
    assert_eq!(counts, [30, 30, 12, 12, 9], "{run}");
    assert_eq!(served.len(), 93, "{run}");
    assert!(served.iter().all(|one| one.user == "admin"), "{run}");
    assert_eq!(run.count("skipped"), 9, "{run}");
}

#[test]
fn compat_report_counts_skipped_tasks_as_failed() {
    let Some(opendj) = gateway() else { return };
    let before = opendj.rest_served().len();
    let run = job(&opendj, "old").arg("--compat").run();
    let served = opendj.rest_served().split_off(before);
    // The old mix drops remainders: each of three rounds is 3 looks, 1 change and 1 that is lost. And the old client
    // knows no PATCH and no array, so what remains of those is as the old report would have it.
    assert_eq!(requested(&served, "PATCH", "", 200), 0, "{run}");
    assert_eq!(requested(&served, "GET", "_queryFilter", 200), 27, "{run}");
    assert_eq!(requested(&served, "GET", "/api/users/nobody.", 404), 9, "{run}");
    assert_eq!(row(&run, "stranger"), [9, 0, 0, 9], "{run}");
    // The read of both workloads: 27 that were made and 9 that the failure before them took along.
    assert_eq!(row(&run, "read"), [36, 27, 0, 9], "{run}");
}

#[test]
fn to_plan_sends_the_same_requests_to_opendj() {
    let Some(opendj) = gateway() else { return };
    let before = opendj.rest_served().len();
    let plan = job(&opendj, "planned").arg("--to-plan").run().expect(0).stdout;
    assert_eq!(opendj.rest_served().len(), before, "{plan}");
    // The plan holds no secret; it says where to look for it.
    assert!(!plan.contains(&format!("\"{PASSWORD}\"")), "{plan}");
    let run = planned(&plan).env("ADMINUSERPASSWORD", PASSWORD).run().carried_out();
    let served = opendj.rest_served().split_off(before);
    assert_eq!(served.len(), 93, "{plan}\n{run}");
    assert_eq!(requested(&served, "POST", "_action=create", 201), 12, "{plan}\n{run}");
    assert_eq!(requested(&served, "PATCH", "/api/users/user.", 200), 12, "{plan}\n{run}");
    assert_eq!(run.count("skipped"), 9, "{plan}\n{run}");
}
