//! Wrong plans, each with its error message: the file, the line, the column, the wrong value, and the possible ones.

mod around;
mod journeys;
mod own_loads;
mod set;
mod signing;
mod uploads;

use std::io;
use std::path::Path;

use brunt_engine::Node;
use brunt_net::secret::Secret;
use brunt_run::options::surroundings::Surroundings;

use super::compile::{CompileEnvironment, compile};
use super::reader::{Text, read};

/// A machine with one file and one variable.
pub(crate) struct Sparse;

impl Surroundings for Sparse {
    fn variable(&self, name: &str) -> Option<String> {
        (name == "PW").then(|| "s3cret".to_owned())
    }

    fn files(&self) -> brunt_run::Files {
        brunt_run::Files::default()
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        if path.ends_with("there.txt") {
            Ok(b"there\n".to_vec())
        } else {
            Err(io::ErrorKind::NotFound.into())
        }
    }

    fn interactive(&self) -> bool {
        false
    }

    fn prompt(&self, _: &str) -> io::Result<Secret> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// The error message for a plan; none if it is right.
fn message(text: &str) -> Option<String> {
    let text = Text { name: "p.toml", text, unset: &[], overrides: &[] };
    let written = match read(&text, &|name| Sparse.variable(name)) {
        Ok(written) => written,
        Err(error) => return Some(error.to_string()),
    };
    let environment = CompileEnvironment { surroundings: &Sparse, base: Path::new("nowhere") };
    let compiled = compile(&written.plan, Node::default(), 1, &environment);
    compiled.err().map(|fault| written.error(fault).to_string())
}

/// A plan that is right except for its `[run]`, on the first lines.
fn run(keys: &str) -> String {
    format!(
        "[run]\n{keys}\n[http]\nbase = \"http://x\"\n[[scenario]]\nname = \"s\"\nsteps = [{{ get = \"/\" }}]\n"
    )
}

/// A plan that is right except for its `[find-max]`.
fn search(keys: &str) -> String {
    format!("{}[find-max]\n{keys}\n", run(""))
}

/// A plan that is right except for a step, which begins on line 4.
fn step(keys: &str) -> String {
    format!("http.base = \"http://x\"\n[[scenario]]\n[[scenario.steps]]\n{keys}\n")
}

/// A plan that is right except for the keys before its scenario.
fn top(keys: &str) -> String {
    format!("{keys}\n[[scenario]]\nsteps = [{{ get = \"http://x/\" }}]\n")
}

#[track_caller]
fn expect(text: &str, place: &str, parts: &[&str]) {
    let message = message(text).unwrap_or_else(|| panic!("nothing is said of\n{text}"));
    assert!(message.starts_with(place), "{place:?} is not where it is said: {message}");
    for part in parts {
        assert!(message.contains(part), "{part:?} is not in: {message}");
    }
}

#[test]
fn plan_errors() {
    expect("name = \"x", "p.toml:1:", &["this is not TOML"]);
    expect("name = \"a\"\nname = \"b\"\n", "p.toml:2:1", &["duplicate key", "once"]);
    expect("", "p.toml: ", &["no scenario", "[[scenario]]"]);
    expect(&top("nam = \"x\""), "p.toml:1:1: nam:", &["no key 'nam'", "did you mean 'name'?"]);
    expect(
        &top("[zzz]\na = 1"),
        "p.toml:1:2: zzz:",
        &["no key 'zzz'", "known: name, objectives, abort-on, run"],
    );
    expect(&top("run = 5"), "p.toml:1:7: run:", &["is integer 5", "a table"]);
    expect(&top("objectives = \"x\""), "p.toml:1:14: objectives:", &["an array such as"]);
    expect(
        &top("objectives = [\"p99\"]"),
        "p.toml:1:15: objectives[1]:",
        &["it has no comparison"],
    );
    expect(
        &top("objectives = [\"read.p99<5ms\"]"),
        "p.toml:1:15",
        &["no operation \"read\"", "get /"],
    );
}

#[test]
fn rate_file_errors() {
    expect(&run("rate-file = \"none.txt\""), "p.toml:2:13: run.rate-file:", &["none.txt"]);
    expect(
        &run("rate-file = \"none.txt\"\nstages = \"5/s\""),
        "p.toml:3:10: run.stages:",
        &["with 'rate-file'"],
    );
}

#[test]
fn dscp_errors() {
    expect(&run("dscp = \"gold\""), "p.toml:2:8: run.dscp:", &["'gold'", "af11 to af43"]);
}

#[test]
fn load_errors() {
    expect(&run("user = 5"), "p.toml:2:1: run.user:", &["did you mean 'users'?"]);
    expect(&run("users = 0"), "p.toml:2:9: run.users:", &["at least 1"]);
    expect(
        &run("users = -1"),
        "p.toml:2:9: run.users:",
        &["is integer -1", "a whole number of 0 or more"],
    );
    expect(&run("users = \"five\""), "p.toml:2:9: run.users:", &["is string \"five\""]);
    expect(
        &run("duration = 5"),
        "p.toml:2:12: run.duration:",
        &["is integer 5", "such as \"500ms\""],
    );
    expect(&run("duration = \"0s\""), "p.toml:2:12: run.duration:", &["would end at once"]);
    expect(&run("think = \"soon\""), "p.toml:2:9: run.think:", &["think time 'soon'", "uniform"]);
    expect(&run("back-off = \"soon\""), "p.toml:2:12: run.back-off:", &["think time 'soon'"]);
    expect(
        &run("rate = \"5/s\"\nback-off = \"1s\""),
        "p.toml:3:12: run.back-off:",
        &["closed load", "when they are due"],
    );
    expect(
        &run("rate = \"5/s\"\nthink = \"1s\""),
        "p.toml:3:9: run.think:",
        &["closed load", "pause"],
    );
    expect(&run("rate = \"5/s\"\nstages = \"5/s\""), "p.toml:3:10: run.stages:", &["with 'rate'"]);
    expect(&run("rate = \"fast\""), "p.toml:2:8: run.rate:", &["\"200/s\""]);
    expect(&run("rate = \"ramp 1..5 over 2s\""), "p.toml:2:8: run.rate:", &["'stages'"]);
    expect(&run("stages = \"5/s for soon\""), "p.toml:2:10: run.stages:", &["soon"]);
    expect(&run("trace = \"none.txt\""), "p.toml:2:9: run.trace:", &["none.txt"]);
    expect(&run("arrival = \"poisson\""), "p.toml:2:11: run.arrival:", &["needs a rate"]);
    expect(
        &run("rate = \"5/s\"\narrival = \"poison\""),
        "p.toml:3:11: run.arrival:",
        &["did you mean 'poisson'?"],
    );
    expect(&run("backlog = 5"), "p.toml:2:11: run.backlog:", &["needs a rate"]);
    expect(
        &run("iterations = 5"),
        "p.toml:2:14: run.iterations:",
        &["one of { each = .. }, { shared = .. }"],
    );
    expect(&run("iterations = { each = 0 }"), "p.toml:2:14: run.iterations:", &["are 0"]);
    expect(
        &run("rate = \"5/s\"\niterations = { each = 5 }"),
        "p.toml:3:14: run.iterations:",
        &["'duration'"],
    );
    expect(
        &run("ramp-up = \"1s\"\ngroups = { size = 1, every = \"1s\" }"),
        "p.toml:3:10: run.groups:",
        &["'ramp-up'"],
    );
    expect(
        &run("groups = { size = 1 }"),
        "p.toml:2:10: run.groups:",
        &["the key 'every' is missing"],
    );
    expect(&run("workers = 9"), "p.toml:2:11: run.workers:", &["is 9", "users, 1"]);
    expect(
        &run("rounds = [{ scenarios = { t = 5 } }]"),
        "p.toml:2:31: run.rounds[1].scenarios.t:",
        &["no scenario 't'", "s"],
    );
    expect(
        &run("rounds = [{ scenarios = { s = 0 } }]"),
        "p.toml:2:10: run.rounds:",
        &["no iteration"],
    );
}

#[test]
fn page_step_errors() {
    let after = |keys: &str| step(&format!("get = \"/\"\n[[scenario.steps]]\n{keys}"));
    expect(
        &step("submit = true"),
        "p.toml:4:10: scenario[1].steps[1].submit:",
        &["no step before it brings one"],
    );
    expect(&after("submit = false"), "p.toml:6:10", &["is boolean false", "true or a selector"]);
    expect(
        &after("submit = \"a:hover\""),
        "p.toml:6:10: scenario[1].steps[2].submit:",
        &["is not a selector: ':' is not known here", "#id"],
    );
    expect(
        &after("follow = \"a\"\nquery = { a = 1 }"),
        "p.toml:7:9: scenario[1].steps[2].query:",
        &["cannot be used with 'follow'"],
    );
    expect(
        &after("follow = \"a\"\nget = \"/\""),
        "p.toml:6:10: scenario[1].steps[2].follow:",
        &["cannot be used with 'get'"],
    );
    expect(
        &step("get = \"/\"\npress = \"login\""),
        "p.toml:5:9: scenario[1].steps[1].press:",
        &["belongs to 'submit'"],
    );
    expect(
        &step("get = \"/\"\nlands = \"me\""),
        "p.toml:5:9: scenario[1].steps[1].lands:",
        &["a path such as"],
    );
    expect(
        &step("get = \"/\"\nlands = \"/me?a=b\""),
        "p.toml:5:9: scenario[1].steps[1].lands:",
        &["has a query"],
    );
    expect(
        &top("http.origins = [\"http://h/x\"]"),
        "p.toml:1:17: http.origins[1]:",
        &["must be an origin", "it has a path"],
    );
    let nowhere = "variables.h = \"http://h\"\n[[scenario]]\nsteps = [{ get = \"${h}/\" }, { submit = true }]";
    expect(nowhere, "p.toml:3:", &["set http.origins"]);
}

#[test]
fn extract_errors() {
    let extract = |keys: &str| step(&format!("get = \"/\"\nextract.x = {{ {keys} }}"));
    expect(&extract("html = \"a >\""), "p.toml:5:22:", &["selector 'a >'", "after '>'"]);
    expect(&extract("url = false"), "p.toml:5:21:", &["is false"]);
    expect(&extract("json = \"/a\", parameter = \"b\""), "p.toml:5:40:", &["'header' or 'url'"]);
    expect(&extract("header = \"a\", pick = \"last\""), "p.toml:5:36:", &["several matches"]);
    expect(&extract("json = \"/a\", pick = \"lst\""), "p.toml:5:35:", &["\"random\""]);
    expect(
        &extract("json = \"/a\", pick = 0"),
        "p.toml:5:35:",
        &["is integer 0", "counted from 1"],
    );
    expect(
        &step("get = \"/${run.user|sha256}\""),
        "p.toml:4:7:",
        &["'sha256' makes bytes", "sha256|base64url"],
    );
}

#[test]
fn http_errors() {
    let http = |keys: &str| top(&format!("[http]\n{keys}"));
    expect(
        &http("version = \"3\""),
        "p.toml:2:11: http.version:",
        &["no choice '3'", "1.1, 2, auto"],
    );
    expect(&http("streams = 5"), "p.toml:2:11: http.streams:", &["needs HTTP/2"]);
    expect(&http("requests-per-connection = 0"), "p.toml:2:27", &["at least 1"]);
    expect(
        &http("headers = { Connection = \"close, upgrade\" }"),
        "p.toml:2:26: http.headers.Connection:",
        &["\"close\" or \"keep-alive\""],
    );
    expect(
        &http("version = \"2\"\nheaders = { connection = \"close\" }"),
        "p.toml:3:26: http.headers.connection:",
        &["HTTP/2 has no such header", "requests-per-connection"],
    );
    expect(&http("redirects = 300"), "p.toml:2:13: http.redirects:", &["from 0 to 255"]);
    expect(&http("redirect-body = true"), "p.toml:2:17:", &["belongs to 'redirects'"]);
    for (name, message) in [("A B", "not a valid header name"), ("host", "the first origin")] {
        let keys = format!("redirects = 1\nredirect-headers = [\"{name}\"]");
        expect(&http(&keys), "p.toml:3:21:", &[message]);
    }
    expect(
        &http("resolve = { x = \"127.0.0.1:80\" }"),
        "p.toml:2:17: http.resolve.x:",
        &["names no port"],
    );
    expect(&http("resolve = { \"x:80\" = \"y\" }"), "p.toml:2:22", &["not an address with a port"]);
    expect(&http("limits = { body = \"1TB\" }"), "p.toml:2:19: http.limits.body:", &["\"64KiB\""]);
    expect(
        &http("tls = { key = \"k.pem\" }"),
        "p.toml:2:15: http.tls.key:",
        &["belongs to 'cert'"],
    );
    expect(
        &http("tls = { insecure = true, ca = \"c\" }"),
        "p.toml:2:20: http.tls.insecure:",
        &["with 'ca'"],
    );
    expect(
        &http("tls = { lowest = \"1.3\", highest = \"1.2\" }"),
        "p.toml:2:18",
        &["higher than the highest"],
    );
    expect(
        &http("tls = { cert = \"c\", password = { env = \"NONE\" } }"),
        "p.toml:2:32",
        &["NONE, which is not set"],
    );
    expect(&http("no-proxy = \"x\""), "p.toml:2:12: http.no-proxy:", &["belongs to 'proxy'"]);
    expect(&http("proxy = \"ftp://x\""), "p.toml:2:9: http.proxy:", &["neither http nor https"]);
    expect(&http("source-ips = \"x\""), "p.toml:2:14: http.source-ips:", &["x"]);
    expect(&http("headers = { Content-Length = 5 }"), "p.toml:2:30", &["derived from"]);
}

#[test]
fn step_errors() {
    expect(
        &step("name = \"x\""),
        "p.toml:3:1: scenario[1].steps[1]:",
        &["what is done", "get, post"],
    );
    expect(
        &step("get = \"/\"\npost = \"/\""),
        "p.toml:5:8: scenario[1].steps[1].post:",
        &["with 'get'"],
    );
    expect(
        &step("gett = \"/\""),
        "p.toml:4:1: scenario[1].steps[1].gett:",
        &["did you mean 'get'?"],
    );
    expect(&step("get = \"users\""), "p.toml:4:7", &["begins with '/'"]);
    expect(&step("get = \"ftp://x/\""), "p.toml:4:7", &["http:// or https://"]);
    expect(&step("get = \"/a b\""), "p.toml:4:7", &["0x20", "%20"]);
    expect(
        &step("get = \"/${usr}\""),
        "p.toml:4:7",
        &["variable 'usr'", "neither declared nor extracted"],
    );
    expect(&step("get = \"/${run.usr}\""), "p.toml:4:7", &["did you mean 'run.user'?"]);
    expect(&step("get = \"/${run.user\""), "p.toml:4:7", &["has no '}' after '${run.user'"]);
    expect(&step("get = \"/${run.user|urll}\""), "p.toml:4:7", &["did you mean 'url'?"]);
    expect(&step("get = \"/\"\nstatus = \"ok\""), "p.toml:5:10", &["200..204"]);
    expect(&step("get = \"/\"\nthreshold = 20"), "p.toml:5:13", &["\"500ms\""]);
    expect(&step("get = \"/\"\ntimeout = \"0s\""), "p.toml:5:11", &["more than 0"]);
    expect(&step("get = \"/\"\nneeds = [\"x\"]"), "p.toml:5:10", &["variable 'x'"]);
    expect(&step("get = \"/\"\nmethod = \"GET\""), "p.toml:5:10", &["with 'get'", "'url'"]);
    expect(&step("method = \"PURGE\""), "p.toml:4:10", &["give it as 'url'"]);
    expect(&step("url = \"/\"\nmethod = \"A B\""), "p.toml:5:10", &["PROPFIND"]);
    expect(&step("post = \"/\"\njson = '{\"a\": }'"), "p.toml:5:8", &["is not JSON", "'text'"]);
    expect(&step("post = \"/\"\njson = {}\ntext = \"\""), "p.toml:6:8", &["with 'json'"]);
    expect(
        &step("post = \"/\"\nbody-file = \"gone.txt\""),
        "p.toml:5:13",
        &["gone.txt", "cannot be read"],
    );
    expect(&step("get = \"/\"\nheaders = { \"a b\" = \"c\" }"), "p.toml:5:21", &["valid header"]);
    expect(
        &step("get = \"/\"\nheaders = { a = \"b\\nc\" }"),
        "p.toml:5:17",
        &["control character"],
    );
    expect(
        &step("get = \"/\"\nbearer = \"x\"\nbasic = { user = \"u\", password = \"p\" }"),
        "p.toml:5:10",
        &["with 'basic'"],
    );
    expect(
        &step("get = \"/\"\nbasic = { user = \"u\" }"),
        "p.toml:5:9",
        &["'password' is missing"],
    );
    expect(&step("pause = \"1s\"\nget = \"/\""), "p.toml:", &["used with"]);
    expect(&step("pause = \"1s\"\nthreshold = \"1s\""), "p.toml:4:9", &["a separate step"]);
    expect(&step("pause = \"a while\""), "p.toml:4:9", &["think time"]);
    expect(
        "[[scenario]]\nname = \"a\"\nsteps = [{ pause = \"1s\" }]\n",
        "p.toml:1:1: scenario[1]:",
        &["sends anything"],
    );
    expect("[[scenario]]\nsteps = [{ get = \"/\" }]\n", "p.toml:2:18", &["base URL", "http.base"]);
}

#[test]
fn ldap_and_dhcp_step_errors() {
    let server =
        |table: &str, step: &str| format!("{table}\n[[scenario]]\n[[scenario.steps]]\n{step}\n");
    let ldap = |step: &str| server("ldap.server = \"ldap://x\"", step);
    let dhcp = |step: &str| server("dhcp.server = \"192.0.2.1:67\"", step);
    expect(
        &server("", "ldap.delete.dn = \"\""),
        "p.toml:4:1",
        &["needs a directory", "ldap.server"],
    );
    expect(&server("", "dhcp = \"renew\""), "p.toml:4:8", &["dhcp.server"]);
    expect(
        &server("ldap.server = \"http://x\"", "ldap.delete.dn = \"\""),
        "p.toml:1:15",
        &["ldap://localhost:1389"],
    );
    expect(&server("[ldap]\nstart-tls = true", ""), "p.toml:1:1: ldap:", &["'server' is missing"]);
    expect(
        &server("[ldap]\nserver = \"ldaps://x\"\nstart-tls = true", "ldap.delete.dn = \"\""),
        "p.toml:3:13: ldap.start-tls:",
        &["ldaps://"],
    );
    expect(
        &ldap("ldap.search = { base = \"\", filter = \"(a=b\" }"),
        "p.toml:4:37",
        &["not a filter"],
    );
    expect(&ldap("ldap.search = { base = \"\" }"), "p.toml:4:15", &["'filter' is missing"]);
    expect(&ldap("ldap.serch = { base = \"\" }"), "p.toml:4:6", &["did you mean 'search'?"]);
    expect(&ldap("ldap.delete = { dn = \"${x}\" }"), "p.toml:4:22", &["variable 'x'"]);
    expect(
        &ldap("ldap.modify = { dn = \"\", changes = [] }"),
        "p.toml:4:36",
        &["nothing would be modified"],
    );
    expect(&ldap("ldap.delete.dn = \"\"\njson = {}"), "p.toml:5:8", &["HTTP requests"]);
    expect(&dhcp("dhcp = \"rebind\""), "p.toml:4:8", &["no choice 'rebind'", "acquire"]);
    expect(&dhcp("dhcp = \"renew\"\nquery = { a = 1 }"), "p.toml:5:9", &["HTTP requests"]);
    expect(
        &server("dhcp.server = \"255.255.255.255:67\"", "dhcp = \"renew\""),
        "p.toml:1:15",
        &["behind a relay"],
    );
    expect(
        &server("dhcp.server = \"192.0.2.1\"", "dhcp = \"renew\""),
        "p.toml:1:15",
        &["socket address"],
    );
    expect(
        &server("dhcp = { server = \"192.0.2.1:67\", mac = \"5\" }", "dhcp = \"renew\""),
        "p.toml:1:41",
        &["00:0c:01"],
    );
    expect(
        &server(
            "run = { users = 5, workers = 2 }\ndhcp.server = \"192.0.2.1:67\"",
            "dhcp = \"renew\"",
        ),
        "p.toml:1:30",
        &["one socket"],
    );
}

#[test]
fn variable_errors() {
    let variable = |source: &str| top(&format!("[variables]\nv = {source}"));
    expect(&variable("[1]"), "p.toml:2:5: variables.v:", &["text, a number"]);
    expect(&variable("{}"), "p.toml:2:5: variables.v:", &["where its values come from"]);
    expect(
        &variable("{ randm = \"1..2\" }"),
        "p.toml:2:7: variables.v.randm:",
        &["did you mean 'random'?"],
    );
    expect(&variable("{ random = \"1-2\" }"), "p.toml:2:16: variables.v.random:", &["\"0..999\""]);
    expect(&variable("{ random = \"1..2\", uuid = true }"), "p.toml:2:31", &["with 'random'"]);
    expect(&variable("{ uuid = false }"), "p.toml:2:14", &["set it to true"]);
    expect(&variable("{ chars = \"[a-z]\" }"), "p.toml:2:5", &["'length' is missing"]);
    expect(&variable("{ chars = \"[z-a]\", length = 3 }"), "p.toml:2:15", &["backwards"]);
    expect(&variable("{ uuid = true, length = 3 }"), "p.toml:2:29", &["belongs to 'chars'"]);
    expect(&variable("{ timestamp = \"Q\" }"), "p.toml:2:19", &["not a time format"]);
    expect(&variable("{ choice = [] }"), "p.toml:2:16", &["nothing to choose"]);
    expect(&variable("{ env = \"NONE\" }"), "p.toml:2:13", &["NONE, which is not set"]);
    expect(&variable("{ file = \"none\" }"), "p.toml:2:14", &["nowhere/none", "cannot be read"]);
    expect(
        &variable("{ extracted = \"user\", renew = \"user\" }"),
        "p.toml:2:35",
        &["with 'extracted'"],
    );
    expect(&variable("\"${w}\"\nw = \"${v}\""), "p.toml:2:5: variables.v:", &["depends on itself"]);
    expect(&top("[variables]\n\"a b\" = 1"), "p.toml:2:9", &["not a variable name"]);
    expect(&top("[variables]\n\"run.user\" = 1"), "p.toml:2:14", &["built-in"]);
    let feeder = |keys: &str| top(&format!("[feeders.f]\n{keys}"));
    expect(&feeder("csv = \"none.csv\""), "p.toml:2:7: feeders.f.csv:", &["none.csv"]);
    expect(&feeder("order = \"random\""), "p.toml:1:", &["which file its rows are in"]);
    expect(&feeder("lines = \"x\"\ndelimiter = \";\""), "p.toml:3:13", &["belongs to 'csv'"]);
    expect(
        &feeder("csv = \"x\"\norder = \"any\""),
        "p.toml:3:9",
        &["no choice 'any'", "sequential"],
    );
}

#[test]
fn check_errors() {
    let checks = |check: &str| step(&format!("get = \"/\"\nchecks = [{check}]"));
    expect(
        &checks("{}"),
        "p.toml:5:11: scenario[1].steps[1].checks[1]:",
        &["what to check", "json"],
    );
    expect(&checks("{ json = \"a\", equals = 1 }"), "p.toml:5:20", &["JSON pointer 'a'"]);
    expect(&checks("{ json = \"$[\", equals = 1 }"), "p.toml:5:20", &["JSONPath"]);
    expect(&checks("{ json = \"/a\", header = \"b\" }"), "p.toml:5:35", &["with 'json'"]);
    expect(&checks("{ header = \"b\", equals = [1] }"), "p.toml:5:36", &["only a value of 'json'"]);
    expect(
        &checks("{ body = true, matches = \"(\" }"),
        "p.toml:5:36",
        &["not a regular expression"],
    );
    expect(&checks("{ regex = \"(a)\", group = 2 }"), "p.toml:5:21", &["no group 2"]);
    expect(&checks("{ json = \"/a\", between = \"3..1\" }"), "p.toml:5:36", &["\"1..10\""]);
    expect(&checks("{ size = \"x\" }"), "p.toml:5:20", &["\"1..10\""]);
    expect(&checks("{ size = \"1..\", body = true }"), "p.toml:5:20", &["its own table"]);
    expect(&checks("{ json = \"/a\", equal = 1 }"), "p.toml:5:26", &["did you mean 'equals'?"]);
    let extract = |table: &str| step(&format!("get = \"/\"\nextract = {{ v = {table} }}"));
    expect(
        &extract("5"),
        "p.toml:5:17: scenario[1].steps[1].extract.v:",
        &["integer 5", "\"/access_token\""],
    );
    expect(&extract("{ jsn = \"/a\" }"), "p.toml:5:19", &["did you mean 'json'?"]);
    expect(&extract("\"a\""), "p.toml:5:17", &["JSON pointer 'a'"]);
    expect(
        &extract("{ json = \"/a\", missing = \"fail\", default = 1 }"),
        "p.toml:5:",
        &["with 'missing'"],
    );
    expect(&extract("{ header = \"a\", group = 1 }"), "p.toml:5:", &["belongs to 'regex'"]);
}

#[test]
fn valid_plans_are_accepted() {
    for text in [
        run("users = 5"),
        step("get = \"/\""),
        step("get = \"/\"\nheaders = { connection = \"Close\" }"),
        top("[variables]\nv = { env = \"PW\" }\nw = { file = \"there.txt\" }"),
    ] {
        assert_eq!(message(&text), None, "{text}");
    }
}

#[test]
fn find_max_errors() {
    assert_eq!(
        message(&search(
            "objectives = [\"p99 < 5x\"]\nquick = true\nfrom = \"90/m\"\nprecision = 0.1"
        )),
        None
    );
    for (keys, what) in [
        ("precision = 0.9", "must be a share from 0.005 to 0.5"),
        ("from = \"fast\"", "is not a rate"),
        ("to = \"0/s\"", "is not a rate"),
        ("objectives = [\"p99 < 0.5x\"]", "the factor must be above 1"),
        ("objectives = [\"max < 1s\"]", "max"),
        ("objectives = [\"nobody.p99 < 1s\"]", "nobody"),
        ("budget = 5", "a time such as"),
        ("allow = \"0.0.0.0/0\"", "allow"),
    ] {
        let message = message(&search(keys)).unwrap_or_else(|| panic!("{keys} is right"));
        assert!(message.contains(what) && message.contains("p.toml:9"), "{keys}: {message}");
    }
}
