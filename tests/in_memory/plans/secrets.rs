//! Secrets of plans: what `--check` shows, what failures and files contain, and where redirects send them.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::pages::pages;
use crate::planned::{InMemory as _, Plan};
use crate::rest_target::RestTarget;

/// A password in every place that has one.
pub(super) fn everywhere(base: &str) -> String {
    format!(
        "[run]\nusers = 1\niterations = {{ each = 1 }}\n[http]\nbase = \"{base}\"\n\
         headers = {{ X-Api-Key = \"hidden-key\" }}\n\
         [variables]\nsecret = {{ env = \"PLAN_SECRET\" }}\nclient_secret = \"hidden-variable\"\n\
         realm = \"${{env:PLAN_SECRET}}-open\"\nshoe = {{ value = \"hidden-mark\", secret = true }}\n\
         [feeders]\nusers = {{ csv = \"users.csv\", secrets = [\"size\"] }}\n\
         [[scenario]]\n[[scenario.steps]]\nname = \"ask\"\npost = \"/x?access_token=hidden-url&realm=${{realm}}\"\n\
         [scenario.steps.form]\nclient_secret = \"hidden-form\"\n\
         username = \"${{users.name}}\"\npassword = \"${{users.password}}\"\n\
         [[scenario.steps]]\nname = \"tell\"\npost = \"/y\"\nheaders = {{ Cookie = \"sid=hidden-cookie\" }}\n\
         json = {{ user = \"${{users.name}}\", password = \"hidden-json\", \
         more = [{{ token = \"${{client_secret}}\" }}] }}\n\
         [[scenario.steps]]\nname = \"say\"\nput = \"/z\"\ntext = '{{\"newPassword\": \"hidden-text\", \
         \"a\": \"${{shoe}}\", \"b\": \"${{users.size}}\"}}'\n\
         bearer = \"${{secret}}\"\n"
    )
}

#[test]
fn check_hides_secrets_everywhere() {
    let target = RestTarget::start();
    let plan = Plan::from_text(&everywhere(&target.base));
    plan.beside("users.csv", "name,password,size\njo,hidden-cell,hidden-size\n");
    let ended = plan.run(&["--check"]).expect(0);
    assert!(!ended.stdout.contains("hidden-"), "{ended}");
    for part in [
        "client_secret=***&username=jo&password=***",
        "{\"user\":\"jo\",\"password\":\"***\",\"more\":[{\"token\":\"***\"}]}",
        "/x?access_token=***&realm=opensesame-open",
        "Cookie: sid=***",
        "{\"newPassword\": \"***\", \"a\": \"***\", \"b\": \"***\"}",
        "Authorization: Bearer ***",
        "X-Api-Key: ***",
        "realm = \"opensesame-open\"",
    ] {
        assert!(ended.stdout.contains(part), "{part} is not there: {ended}");
    }
    assert_eq!(target.stop().len(), 0);
}

#[test]
fn output_files_are_readable_by_the_owner_only() {
    let target = RestTarget::start();
    let plan = Plan::from_text(&format!(
        "[run]\nusers = 1\niterations = {{ each = 1 }}\n[http]\nbase = \"{}\"\n\
         [[scenario]]\n[[scenario.steps]]\nget = \"/openidm/info/ping\"\n",
        target.base
    ));
    let directory = brunt_test_program::scratch();
    let paths = ["hlog", "events", "hgrm"].map(|name| directory.path().join(name));
    // One that was there before, for all to read.
    fs::write(&paths[0], "older").unwrap();
    fs::set_permissions(&paths[0], fs::Permissions::from_mode(0o644)).unwrap();
    let [hlog, events, hgrm] = paths.each_ref().map(|path| path.to_str().unwrap());
    plan.run(&["--hlog", hlog, "--events", events, "--hgrm", hgrm]).expect(0);
    for path in paths {
        let mode = fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{}", path.display());
    }
}

#[test]
fn invalid_requests_are_found_before_sending() {
    let target = RestTarget::start();
    for (step, output) in [
        ("get = \"/a b\"", "contains the byte 0x20"),
        ("get = \"/${v|raw}\"", "its URL contains a space"),
        ("get = \"/\"\nheaders = { \"A b\" = \"c\" }", "\"A b\" is not a valid header name"),
        ("get = \"/\"\nheaders = { A = \"${lines}\" }", "the control character 0x0a"),
    ] {
        let plan = Plan::from_text(&format!(
            "[http]\nbase = \"{}\"\n[run]\niterations = {{ each = 1 }}\n\
             [variables]\nv = \"x y\"\nlines = \"b\\nC: d\"\n[[scenario]]\n[[scenario.steps]]\n{step}\n",
            target.base
        ));
        for line in [&["--check"][..], &[]] {
            let ended = plan.run(line).expect(2);
            assert!(ended.stderr.contains(output), "{step}: {ended}");
        }
    }
    assert_eq!(target.stop().len(), 0);
}

#[test]
fn url_is_sent_verbatim_without_its_fragment() {
    let target = RestTarget::start();
    let plan = Plan::from_text(&format!(
        "[http]\nbase = \"{}\"\n[run]\nusers = 1\niterations = {{ each = 1 }}\n\
         [[scenario]]\n[[scenario.steps]]\nget = '/openidm/info/ping?a={{b}}|^#part'\n",
        target.base
    ));
    let ended = plan.run(&[]).expect(0);
    assert!(ended.stderr.contains("'^', '{', '|', '}', which RFC 3986"), "{ended}");
    let requested: Vec<String> = target.stop().into_iter().map(|seen| seen.target).collect();
    assert_eq!(requested, ["/openidm/info/ping?a={b}|^"]);
}

#[test]
fn failure_message_of_a_server_is_shown_without_secrets() {
    let head = "401 No\r\nWWW-Authenticate: Bearer error=\"invalid_token\"";
    let body = "{\"message\":\"no \u{1b}[2J opensesame\",\"access_token\":\"abc\"}";
    let base = pages([("/ping", (head, body.to_owned()))]);
    let plan = Plan::from_text(&format!(
        "[run]\nusers = 1\niterations = {{ each = 2 }}\n[http]\nbase = \"{base}\"\n\
         [variables]\nsecret = {{ env = \"PLAN_SECRET\" }}\n\
         [[scenario]]\n[[scenario.steps]]\nget = \"/ping\"\nbearer = \"${{secret}}\"\n"
    ));
    let ended = plan.run(&[]).expect(1);
    let record = ended.record();
    let text = &record.samples[0].text;
    assert!(text.starts_with("WWW-Authenticate: Bearer error=\"invalid_token\"; {"), "{text}");
    assert!(
        text.contains("no \\u{1b}[2J ***") && text.contains("\"access_token\":\"***\""),
        "{text}"
    );
    assert!(ended.stdout.contains("invalid_token") && !ended.stdout.contains('\u{1b}'), "{ended}");
}
