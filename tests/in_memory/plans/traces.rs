//! A plan that is inspected step by step: `--once` prints every exchange, and `--trace` writes those that failed.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::Value;

use super::secrets::everywhere;
use brunt_test_program::scratch;

use crate::directory::Directory;
use crate::machine::run;
use crate::planned::{InMemory as _, Plan};
use crate::rest_target::RestTarget;

/// What people get wrong: the password, the place of a value, and the status that they expect.
fn mistaken(base: &str) -> String {
    format!(
        "[run]\nusers = 4\niterations = {{ each = 5 }}\n[http]\nbase = \"{base}/openam/json\"\n\
         [variables]\npassword = \"not the password\"\n\
         [[scenario]]\nname = \"login\"\n\
         [[scenario.steps]]\nname = \"authenticate\"\npost = \"/authenticate\"\n\
         headers = {{ X-OpenAM-Username = \"user.1\", X-OpenAM-Password = \"${{password}}\" }}\n\
         extract = {{ token = {{ json = \"/tokenId\", missing = \"fail\" }} }}\n\
         [[scenario.steps]]\nname = \"read\"\nget = \"/users/user.1\"\n\
         headers = {{ iPlanetDirectoryPro = \"${{token}}\" }}\n\
         [[scenario]]\nname = \"place\"\n\
         [[scenario.steps]]\nname = \"sign in\"\npost = \"/authenticate\"\n\
         headers = {{ X-OpenAM-Username = \"user.1\", X-OpenAM-Password = \"password\" }}\n\
         checks = [{{ json = \"/realm\", equals = \"/\" }}, {{ json = \"/realm\", equals = \"/other\" }}]\n\
         [[scenario.steps]]\npause = \"20s\"\n\
         [[scenario]]\nname = \"token\"\n\
         [[scenario.steps]]\nname = \"ask\"\npost = \"/authenticate\"\n\
         headers = {{ X-OpenAM-Username = \"user.1\", X-OpenAM-Password = \"password\" }}\n\
         extract = {{ token = {{ json = \"$.data.tokenId\", missing = \"fail\" }} }}\n"
    )
}

#[test]
fn once_runs_each_scenario_and_shows_failures() {
    let target = RestTarget::start();
    let ended = Plan::from_text(&mistaken(&target.base)).run(&["--once"]);
    // None of the steps passed.
    assert_eq!(ended.code(), 1, "{ended}");
    for part in [
        "\nlogin\n=====\n",
        "-- authenticate: FAILED (401 Unauthorized) after",
        "   > X-OpenAM-Password: ***\n",
        "   < {\"code\":401,\"message\":\"Authentication Failed\",\"reason\":\"Unauthorized\"}\n",
        "   not kept: token, from the JSON value at '/tokenId'\n",
        "-- read: skipped: an earlier step failed\n",
        "   ok      the JSON value at '/realm' should be '/'\n",
        "   FAILED  the JSON value at '/realm' should be '/other' but it is '/'\n",
        "   MISSING token: the answer does not contain the JSON value at '$.data.tokenId'\n",
        "4 steps: 3 failed, 1 skipped\n",
        "FAILED  login / authenticate: 401 Unauthorized: ",
        "FAILED  place / sign in: the JSON value at '/realm' should be '/other' but it is '/'\n",
    ] {
        assert!(ended.stdout.contains(part), "{part} is not there: {ended}");
    }
    assert!(!ended.stdout.contains("not the password"), "{ended}");
    let seen = target.stop();
    let requested: Vec<u64> = seen.iter().map(|seen| seen.status).collect();
    assert_eq!(requested, [401, 200, 200], "each scenario once, by one user: {seen:?}");
}

#[test]
fn once_exit_code_is_zero_only_if_all_steps_pass() {
    let target = RestTarget::start();
    let step = |path: &str| format!("[[scenario]]\n[[scenario.steps]]\nget = \"{path}\"\n");
    let head = format!("[run]\nusers = 9\nduration = \"1h\"\n[http]\nbase = \"{}\"\n", target.base);
    let right = Plan::from_text(&format!("{head}{}", step("/headers"))).run(&["--once"]);
    right.expect(0);
    let both = format!("{head}{}{}", step("/headers"), step("/not/there"));
    let ended = Plan::from_text(&both).run(&["--once"]).expect(3);
    assert!(ended.stdout.contains("FAILED  scenario 2 / get /not/there: 404 Not Found"), "{ended}");
    assert_eq!(target.stop().len(), 3);
}

#[test]
fn once_shows_redirects_followed_or_not() {
    let target = RestTarget::start();
    let plan = |redirects: u8| {
        Plan::from_text(&format!(
            "[run]\nusers = 1\niterations = {{ each = 1 }}\n[http]\nbase = \"{}\"\nredirects = {redirects}\n\
             [[scenario]]\n[[scenario.steps]]\nname = \"go\"\nget = \"/redirect/2\"\nstatus = 200\n",
            target.base
        ))
    };
    let stays = plan(0).run(&["--once"]).expect(1);
    assert!(stays.stdout.contains("   < Location: "), "{stays}");
    assert!(stays.stdout.ends_with("go: the code should be 200 but it is 302\n"), "{stays}");
    let directory = scratch();
    let file = directory.path().join("a.har").to_string_lossy().into_owned();
    let follows = plan(5).run(&["--once"]).expect(0);
    assert_eq!(follows.stdout.matches("   < 302 Found\n   > GET http://").count(), 2, "{follows}");
    // Each redirect is a request of its own to who reads the recording.
    let missed = plan(1).run(&["--once", "--trace", &file]).expect(1);
    assert!(missed.stdout.contains("redirect"), "{missed}");
    assert_eq!(target.stop().len(), 1 + 3 + 2);
}

#[test]
fn trace_writes_the_first_failures_as_ndjson() {
    let target = RestTarget::start();
    let plan = Plan::from_text(&mistaken(&target.base));
    let directory = scratch();
    let file = directory.path().join("failed.ndjson");
    let ended = plan.run(&["--trace", &file.to_string_lossy(), "--trace-max", "7"]);
    let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{error}: {ended}"));
    let lines: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("JSON on each line")).collect();
    assert_eq!(lines.len(), 7, "{text}");
    // Of each that failed, the check that failed, the answer and the request are there.
    for line in &lines {
        assert!(line["answer"]["code"].as_u64() >= Some(200), "{line}");
        assert!(line["why"].as_str().is_some_and(|why| !why.is_empty()), "{line}");
        assert_eq!(line["request"]["method"], "POST");
    }
    assert!(!text.contains("not the password"), "{text}");
    let mode = fs::metadata(&file).expect("it is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    // Fewer fail than there would be room for: each is there.
    let ended = plan.run(&["--trace", &file.to_string_lossy()]);
    let failed = ended.record().conservation.counts.failed;
    let text = fs::read_to_string(&file).expect("it is there");
    assert_eq!((failed, text.lines().count()), (20, 20), "{ended}");
}

#[test]
fn trace_har_can_be_imported() {
    let target = RestTarget::start();
    let plan = Plan::from_text(&mistaken(&target.base));
    let directory = scratch();
    let file = directory.path().join("failed.har").to_string_lossy().into_owned();
    plan.run(&["--trace", &file, "--trace-max", "3"]);
    let imported = run(&["import", "har", &file]).expect(0);
    let urls = imported.stdout.matches(" post = \"/openam/json/authenticate\"").count();
    assert_eq!(urls, 3, "{imported}");
    let base = format!("base = \"{}", target.base);
    assert!(imported.stdout.contains(&base), "{imported}");
}

#[test]
fn once_and_trace_show_no_secrets() {
    let target = RestTarget::start();
    let plan = Plan::from_text(&everywhere(&target.base));
    plan.beside("users.csv", "name,password,size\njo,hidden-cell,hidden-size\n");
    let directory = scratch();
    let at = |name: &str| directory.path().join(name).to_string_lossy().into_owned();
    let once = plan.run(&["--once", "--trace", &at("once.har")]);
    let traced = plan.run(&["--trace", &at("failed.ndjson")]);
    assert!(once.stdout.contains("client_secret=***&username=jo&password=***"), "{once}");
    let files = ["once.har", "failed.ndjson"]
        .map(|name| fs::read_to_string(at(name)).expect("it is there"));
    for text in [&once.stdout, &traced.stdout].into_iter().chain(&files) {
        assert!(!text.contains("hidden-"), "{text}");
        assert!(!text.contains("Bearer opensesame"), "{text}");
    }
    // What was really sent had them.
    assert!(target.stop().iter().any(|seen| seen.body.contains("hidden-form")));
}

#[test]
fn once_and_trace_refuse_unsupported_combinations() {
    let plan = Plan::from_text(
        "[run]\niterations = { each = 1 }\n[ldap]\nserver = \"ldap://127.0.0.1:1\"\n[[scenario]]\n\
         [[scenario.steps]]\nldap = { delete = { dn = \"dc=example\" } }\n",
    );
    let har = plan.run(&["--trace", "/tmp/no.har"]).expect(2);
    assert!(har.output().contains("no step is a request over HTTP"), "{har}");
    let lost = plan.run(&["--trace", "/no/such/directory/a.ndjson"]).expect(1);
    assert!(lost.output().contains("--trace /no/such/directory/a.ndjson"), "{lost}");
    for line in [["--once", "--check"], ["--once", "--slo=errors<1%"], ["--once", "--live"]] {
        plan.run(&line).expect(2);
    }
}

#[test]
fn once_traces_a_url_and_ldap_searches() {
    let target = RestTarget::start();
    let url = format!("{}/headers", target.base);
    let ended = run(&["http", "--once", &url]).expect(0);
    assert!(ended.stdout.contains("passed (200 OK) after"), "{ended}");
    assert_eq!(target.stop().len(), 1);
    Directory::start(5);
    let ended = Plan::from_text(
        "[run]\nduration = \"1h\"\n[ldap]\nserver = \"ldap://10.0.0.2:389\"\n[[scenario]]\nafter-failure = \"go-on\"\n\
         [[scenario.steps]]\nname = \"wrong\"\nldap = { bind = { \
         dn = \"uid=user.1,ou=people,dc=example,dc=com\", password = \"hidden\" } }\n\
         [[scenario.steps]]\nname = \"find\"\nldap = { search = { base = \"dc=example,dc=com\", \
         filter = \"(uid=user.1)\", attributes = [\"sn\"] } }\n\
         checks = [{ attribute = \"sn\", equals = \"Nobody\" }]\n\
         [[scenario.steps]]\nname = \"compare\"\nldap = { compare = { \
         dn = \"uid=user.1,ou=people,dc=example,dc=com\", attribute = \"uid\", value = \"user.1\" } }\n"
    )
    .run(&["--once"])
    .expect(3);
    for part in [
        "-- wrong: FAILED (invalidCredentials) after",
        "   > LDAP bind as uid=user.1,ou=people,dc=example,dc=com\n   > password: ***\n",
        "   > LDAP search dc=example,dc=com (subtree)\n   > filter: (uid=user.1)\n   > attributes: sn\n",
        "   < dn: uid=user.1,ou=people,dc=example,dc=com\n",
        "should be 'Nobody' but it is '",
        "-- compare: passed (compareTrue) after",
        "3 steps: 1 passed, 2 failed\n",
    ] {
        assert!(ended.stdout.contains(part), "{part} is not there: {ended}");
    }
    assert!(!ended.stdout.contains("hidden"), "{ended}");
}

#[test]
fn curl_line_is_absent_for_passed_and_non_http_steps() {
    let target = RestTarget::start();
    let right = Plan::from_text(&format!(
        "[run]\nusers = 1\niterations = {{ each = 1 }}\n[http]\nbase = \"{}\"\n\
         [[scenario]]\n[[scenario.steps]]\nget = \"/headers\"\n",
        target.base
    ));
    let ended = right.run(&["--once"]).expect(0);
    assert!(!ended.stdout.contains("curl"), "{ended}");
    target.stop();
}
