//! Tests of compiled plans: requests, loads, connection settings.

use std::path::Path;
use std::time::Duration;

use brunt_engine::{Load, Node, ThinkTime};
use brunt_feed::{Text, Values};
use brunt_flow_driver::{
    Content, DrawContext, ExchangeStep, HttpExchange, Iterations, Order, Payload, Step, UploadPart,
    Variable,
};
use brunt_http_driver as http;

use super::{CompileEnvironment, Compiled, compile};
use crate::broken::Sparse;
use crate::reader::{self, read};

fn compiled_on(text: &str, node: Node) -> Compiled {
    let text = reader::Text { name: "p.toml", text, unset: &[], overrides: &[] };
    let written = read(&text, &|_| None).unwrap_or_else(|error| panic!("{error}"));
    let environment = CompileEnvironment { surroundings: &Sparse, base: Path::new("") };
    compile(&written.plan, node, 3, &environment)
        .unwrap_or_else(|fault| panic!("{}", written.error(fault)))
}

fn compiled(text: &str) -> Compiled {
    compiled_on(text, Node::default())
}

/// The request of a step, whose variables `a` and `b` have values that need escaping everywhere.
fn request(http: &str, step: &str) -> (String, Vec<(String, String)>, String) {
    let variables = "a = \"x/y z&\\\"\"\nb = 5";
    request_of(http, variables, step)
}

/// The request of a step, with these variables.
fn request_of(http: &str, variables: &str, step: &str) -> (String, Vec<(String, String)>, String) {
    let text = format!(
        "[http]\n{http}\n[variables]\n{variables}\n[[scenario]]\n[[scenario.steps]]\n{step}\n"
    );
    let compiled = compiled(&text);
    let Step::Exchange(act) = &compiled.flow.scenarios[0].steps[0] else { panic!("a pause") };
    let ExchangeStep { payload: Payload::Http(http), .. } = &**act else { panic!("not HTTP") };
    let values = drawn(&compiled);
    let HttpExchange { url, fields, body, .. } = &**http;
    let url = rendered(url, &values);
    let base = http.base_before(url.as_bytes()).map(|base| rendered(base, &values));
    let body = match body {
        Content::Text(text) => rendered(text, &values),
        Content::None => String::new(),
        Content::Fixed(body) => format!("{:?}", body.bytes()),
        Content::Json(json) => String::from_utf8(json.filled(&values).unwrap()).unwrap(),
        Content::File(choice) => {
            let content = choice.content(&values).unwrap().unwrap();
            String::from_utf8_lossy(content).into_owned()
        }
        Content::Upload(upload) => {
            let mut out = Vec::new();
            let content = |part: &UploadPart, out: &mut Vec<u8>| part.content(&values, out);
            let kind = upload.write(&values, &mut out, content).unwrap();
            let kind = format!("{}\n", String::from_utf8_lossy(&kind));
            kind + &String::from_utf8_lossy(&out).replace("\r\n", "\n")
        }
    };
    let fields = fields.iter().map(|(name, value)| (name.clone(), rendered(value, &values)));
    (base.unwrap_or_default() + &url, fields.collect(), body)
}

fn drawn(compiled: &Compiled) -> Values {
    let flow = &compiled.flow;
    let mut values = Values::new(flow.variables.len());
    for (hole, _) in brunt_flow_driver::drawing_order(&flow.variables).unwrap() {
        let variable = &flow.variables[usize::from(hole.0)];
        variable.draw(hole, flow.seed, (&DrawContext::default(), &[]), &mut values).unwrap();
    }
    values
}

fn rendered(text: &Text, values: &Values) -> String {
    let mut out = Vec::new();
    text.render(values, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn field<'a>(fields: &'a [(String, String)], name: &str) -> Vec<&'a str> {
    fields
        .iter()
        .filter(|(known, _)| known.eq_ignore_ascii_case(name))
        .map(|(_, value)| value.as_str())
        .collect()
}

#[test]
fn urls_are_built_from_base_path_and_query() {
    let url = |base: &str, step: &str| request(&format!("base = \"{base}\""), step).0;
    assert_eq!(url("http://h/app/", "get = \"/users\""), "http://h/app/users");
    assert_eq!(url("http://h", "get = \"\""), "http://h");
    assert_eq!(url("http://h", "get = \"/${a}/${b}\""), "http://h/x%2Fy%20z%26%22/5");
    assert_eq!(url("http://h", "get = \"/${a|raw}\""), "http://h/x/y z&\"");
    assert_eq!(url("http://h", "get = \"https://other:1/x\""), "https://other:1/x");
    // Whether a variable is a path depends on its value.
    let variable = |value: &str, step: &str| {
        request_of("base = \"http://h/app\"", &format!("p = \"{value}\""), step).0
    };
    assert_eq!(variable("/x/y", "get = \"${p}\""), "http://h/app/x/y");
    assert_eq!(variable("?x", "get = \"${p}/z\""), "http://h/app?x/z");
    assert_eq!(variable("https://other/x", "get = \"${p}\""), "https://other/x");
    assert_eq!(url("http://h", "get = \"/in?to=http://g/\""), "http://h/in?to=http://g/");
    // A value in the authority of a URL is not encoded like one in the path.
    assert_eq!(url("http://h${b}:80", "get = \"/\""), "http://h5:80/");
    assert_eq!(
        url("http://h", "get = \"http://${b}.example/${a|form}\""),
        "http://5.example/x%2Fy+z%26%22"
    );
    let query = "get = \"/q?one=1\"\nquery = { \"a b\" = \"${a}\", list = [1, \"2&3\"] }";
    assert_eq!(url("http://h", query), "http://h/q?one=1&a%20b=x%2Fy%20z%26%22&list=1&list=2%263");
}

#[test]
fn filters_are_applied_to_sent_values() {
    let verifier = "v = \"dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk\"\nw = \"a~?\"";
    let sent = |query: &str| {
        let step = format!("get = \"/\"\nquery = {{ {query} }}");
        request_of("base = \"http://h\"", verifier, &step).0
    };
    // RFC 7636, appendix B.
    assert_eq!(
        sent("c = \"${v|sha256|base64url}\""),
        "http://h/?c=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    );
    assert_eq!(sent("a = \"${w|upper}\", b = \"${w|trim|base64}\""), "http://h/?a=A~%3F&b=YX4%2F");
    assert_eq!(sent("a = \"${w|base64}\""), "http://h/?a=YX4/");
}

#[test]
fn origins_of_pages_follow_the_plan() {
    let origins = |http: &str| {
        let text = format!(
            "[http]\nbase = \"http://H:80/app\"\n{http}\n[[scenario]]\nsteps = [{{ get = \"/\" }}, \
             {{ get = \"https://i:8443/x?y=${{run.user}}\" }}, {{ submit = \"#f\", form = {{ a = 1 }} }}]"
        );
        let compiled = compiled(&text);
        (compiled.flow.origins, compiled.http.origins)
    };
    let named = ["http://h".to_owned(), "https://i:8443".to_owned()];
    assert_eq!(origins(""), (named.to_vec(), Vec::new()));
    let (pages, all) = origins("origins = [\"https://J/\"]");
    assert_eq!((pages.len(), pages.contains(&"https://j".to_owned())), (3, true));
    assert_eq!(pages, all);
}

#[test]
fn bodies_are_escaped_and_typed() {
    let base = "base = \"http://h\"";
    let (_, fields, body) =
        request(base, "post = \"/\"\nform = { \"k&\" = \"${a}\", n = [1, true] }");
    assert_eq!(body, "k%26=x%2Fy+z%26%22&n=1&n=true");
    assert_eq!(field(&fields, "content-type"), ["application/x-www-form-urlencoded"]);
    let (_, fields, body) = request(
        base,
        "post = \"/\"\njson = { t = \"<${a}>\", n = 1.5, l = [true, {}], \"${b}\" = \"q\\\"\" }",
    );
    assert_eq!(body, r#"{"t":"<x/y z&\">","n":1.5,"l":[true,{}],"5":"q\""}"#);
    assert_eq!(field(&fields, "content-type"), ["application/json"]);
    // In JSON text, values outside of quotes are inserted unchanged.
    let (_, _, body) =
        request(base, "post = \"/\"\njson = '{\"t\": \"${a}\\\\\", \"n\": [${b}, null]}'");
    assert_eq!(body, r#"{"t": "x/y z&\"\\", "n": [5, null]}"#);
    let (_, fields, body) = request(base, "post = \"/\"\ntext = \"${a}\"\ncontent-type = \"\"");
    assert_eq!((body.as_str(), field(&fields, "content-type")), ("x/y z&\"", vec![]));
    let (_, fields, body) =
        request(base, "post = \"/\"\nbody-file = \"there.txt\"\ncontent-type = \"a/b\"");
    assert_eq!(
        (body, field(&fields, "content-type")),
        (format!("{:?}", Some(b"there\n")), vec!["a/b"])
    );
}

#[test]
fn multipart_parts_are_texts_and_files() {
    let base = "base = \"http://h\"\nheaders = { Content-Type = \"a/b\" }";
    let variables =
        "name = \"there\"\nfiles = { choice = [\"${name}.txt\", \"x/there.txt\"] }\nb = 5";
    let (_, fields, body) = request_of(
        base,
        variables,
        "post = \"/\"\nmultipart = { a = [\"${b}\", true], f = { file = \"d/${name}.txt\" }, \
         g = { file = \"${files}\", type = \"t/${b}\", name = \"n\" }, j = { json = { n = \"${b}\" } }, \
         t = { text = \"<p>\", type = \"text/html\" } }",
    );
    let part = |head: &str, content: &str| {
        let line = "------brunt-form-00000000\nContent-Disposition: form-data; name=";
        format!("{line}{head}\n\n{content}\n")
    };
    let octets = "Content-Type: application/octet-stream";
    let parts = [
        part("\"a\"", "5"),
        part("\"a\"", "true"),
        part(&format!("\"f\"; filename=\"there.txt\"\n{octets}"), "there\n"),
        part("\"g\"; filename=\"n\"\nContent-Type: t/5", "there\n"),
        part("\"j\"\nContent-Type: application/json", "{\"n\":\"5\"}"),
        part("\"t\"\nContent-Type: text/html", "<p>"),
    ];
    let kind = "multipart/form-data; boundary=----brunt-form-00000000\n";
    assert_eq!(body, format!("{kind}{}------brunt-form-00000000--\n", parts.concat()));
    assert!(field(&fields, "content-type").is_empty());
    let step = "post = \"/\"\ncontent-type = \"multipart/mixed\"\nmultipart = { a = 1 }";
    let (_, _, body) = request_of(base, variables, step);
    assert!(body.starts_with("multipart/mixed; boundary=----"), "{body}");
    let (_, fields, body) = request_of(base, variables, "post = \"/\"\nbody-file = \"${files}\"");
    assert_eq!((body.as_str(), field(&fields, "content-type")), ("there\n", vec!["a/b"]));
}

#[test]
fn json_places_are_set_with_their_types() {
    let variables = "a = 'q\"'\nb = 5\npage = '{\"l\": [{\"t\":\"x\",\"v\":1.0},{\"t\":\"y\",\"v\":2}], \"n\":0}'";
    let step = |set: &str| format!("post = \"/\"\njson = \"${{page}}\"\nset = {{ {set} }}");
    let set = "\"$.l[?@.t == 'y'].v\" = \"<${a}>\", \"/n\" = { b = \"${b}\", c = [1.5, true] }";
    let (_, fields, body) = request_of("base = \"http://h\"", variables, &step(set));
    assert_eq!(
        body,
        r#"{"l": [{"t":"x","v":1.0},{"t":"y","v":"<q\">"}], "n":{"b":"5","c":[1.5,true]}}"#
    );
    assert_eq!(field(&fields, "content-type"), ["application/json"]);
    let (_, _, body) = request_of(
        "base = \"http://h\"",
        variables,
        &(step("\"$.none\" = 1, \"/n\" = 7") + "\nset-missing = \"skip\""),
    );
    assert!(body.ends_with("\"n\":7}"), "{body}");
}

#[test]
fn shown_plan_hides_secrets_in_parts_and_places() {
    let text = "[[scenario]]\nsteps = [{ post = \"http://h/\", json = { a = { password = \"\" } }, \
                set = { \"$.a.password\" = \"s3cr3t\" } }, { post = \"http://h/\", multipart = { \
                password = [\"s3cr3t\", { text = \"s3cr3t\" }], a = { json = { password = \"s3cr3t\" } } } }]";
    let text = reader::Text { name: "p.toml", text, unset: &[], overrides: &[] };
    let written = read(&text, &|_| None).unwrap_or_else(|error| panic!("{error}"));
    let shown = crate::merged::text(&written.plan, 1, 1);
    assert!(!shown.contains("s3cr3t") && shown.matches("***").count() == 4, "{shown}");
}

#[test]
fn step_headers_override_common_headers() {
    let http = "base = \"http://h\"\nheaders = { X-One = \"all\", x-two = \"all\", Content-Type = \"c/d\" }";
    let (_, fields, _) =
        request(http, "post = \"/\"\njson = {}\nheaders = { x-ONE = [\"${b}\", \"own\"] }");
    assert_eq!(field(&fields, "x-one"), ["5", "own"]);
    assert_eq!(
        (field(&fields, "x-two"), field(&fields, "content-type")),
        (vec!["all"], vec!["c/d"])
    );
    assert!(field(&fields, "user-agent")[0].starts_with("brunt/"));
    let (_, fields, _) = request(
        http,
        "get = \"/\"\nbasic = { user = \"u${b}\", password = { file = \"there.txt\" } }",
    );
    // `printf u5:there | base64`
    assert_eq!(field(&fields, "authorization"), ["Basic dTU6dGhlcmU="]);
    let (_, fields, _) = request(http, "get = \"/\"\nbearer = \"t${b}\"");
    assert_eq!(field(&fields, "authorization"), ["Bearer t5"]);
}

/// A plan with this `[run]` and two scenarios.
fn load(run: &str) -> String {
    format!(
        "[run]\n{run}\n[[scenario]]\nname = \"a\"\nsteps = [{{ get = \"http://h/\" }}]\n\
         [[scenario]]\nname = \"b\"\nsteps = [{{ get = \"http://h/\" }}]\n"
    )
}

#[test]
fn nodes_share_users_and_iterations() {
    let text = load("users = 5\niterations = { shared = 10 }").replacen(
        "[{ get",
        "[{ get = \"http://h/1\" }, { get",
        1,
    );
    let mut taken = 0;
    for rank in 0..3 {
        let compiled = compiled_on(&text, Node::weighted(rank, &[3, 1, 1]).unwrap());
        let flow = &compiled.flow;
        let (first, users) = [(0, 3), (3, 1), (4, 1)][rank as usize];
        assert_eq!((flow.users, flow.first_user, compiled.settings.sessions), (5, first, users));
        let Iterations::Shared(pool) = &flow.iterations else { panic!("{:?}", flow.iterations) };
        taken += (0..20).filter(|_| pool.take()).count();
    }
    assert_eq!(taken, 10);
}

#[test]
fn shared_iterations_of_one_exchange_become_a_count() {
    let run = "users = 5\nduration = \"9s\"\niterations = { shared = 10 }";
    let compiled = compiled(&load(run));
    assert!(matches!(compiled.flow.iterations, Iterations::Endless));
    let stop = &compiled.settings.stop;
    assert_eq!((stop.count, stop.time), (Some(10), Some(Duration::from_secs(9))));
    // The iterations of the warm-up are among those that all users share.
    assert!(stop.count_includes_warm_up);
}

#[test]
fn loads_are_open_or_closed() {
    let open = compiled(&load("rate = \"300/s\"\nduration = \"5s\""));
    assert!(open.flow.arrivals && matches!(open.settings.load, Load::Open(_)));
    // As many users as begin in a second, if no number is given.
    assert_eq!(
        (open.settings.sessions, open.settings.stop.time.map(|time| time.as_secs())),
        (300, Some(5))
    );
    let closed = compiled(&load("users = 2\nthink = \"1s\""));
    assert!(!closed.flow.arrivals && matches!(closed.flow.order, Order::Turns));
    let think = closed.flow.between.think.as_ref().map(|pause| pause.time);
    assert_eq!(think, Some(ThinkTime::Constant(Duration::from_secs(1))));
    assert!(matches!(closed.flow.scenarios[1].steps[..], [Step::Exchange(_)]));
    let rounds = compiled(&load("rounds = [{ times = 2, scenarios = { b = 3, a = 1 } }]"));
    let Order::Rounds(rounds) = &rounds.flow.order else { panic!("no rounds") };
    let numbers: Vec<Vec<(usize, u64)>> = rounds
        .iter()
        .map(|round| round.iter().map(|repeat| (repeat.scenario, repeat.times)).collect())
        .collect();
    assert_eq!(numbers, [[(1, 3), (0, 1)], [(1, 3), (0, 1)]]);
    // Both steps have the same name.
    assert_eq!(closed.flow.operations, ["get /"]);
}

#[test]
fn http_settings_follow_the_plan() {
    let http = |keys: &str| {
        compiled(&format!(
            "[http]\nbase = \"http://h\"\n{keys}\n[[scenario]]\nsteps = [{{ get = \"/\" }}]\n"
        ))
        .http
    };
    let set = http(
        "version = \"2\"\nrequests-per-connection = 3\nstreams = 7\nredirects = 2\ncookies = true\ncompression = true\n\
         connect-timeout = \"2s\"\nresolve = { \"[::1]:80\" = \"127.0.0.1:8080\" }\n\
         limits = { body = \"1MiB\", fields = 9 }",
    );
    assert_eq!(set.version, http::Version::Http2PriorKnowledge);
    assert_eq!((set.keep, set.streams, set.redirects), (http::Keep::Requests(3), 7, 2));
    assert!(set.cookies && set.decompress && set.proxy.is_none());
    assert_eq!((set.resolve[0].host.as_str(), set.resolve[0].to.port()), ("::1", 8080));
    assert_eq!((set.limits.body, set.limits.fields, set.limits.head), (1 << 20, 9, 64 << 10));
    let proxied = http(
        "proxy = \"http://p:3128\"\nproxy-login = { user = \"u\", password = { env = \"PW\" } }",
    )
    .proxy
    .unwrap();
    assert_eq!(proxied.credentials.unwrap().expose(), b"u:s3cret");
    assert!(http("").tls.is_none());
}

#[test]
fn group_with_pauses_of_zero_has_no_work_span() {
    let spans = |pause: &str| {
        let text = format!(
            "[[scenario]]\n[[scenario.steps]]\nname = \"leave\"\nchoose = \"weights\"\n\
             steps = [{{ get = \"http://h/\" }}, {{ pause = \"{pause}\" }}]\n"
        );
        compiled(&text).flow.spans
    };
    for none in ["0s", "0", "none", "uniform 0s..0s", "exponential 0s", "normal 0s+-0s"] {
        assert_eq!(spans(none), ["leave"], "{none}");
    }
    for some in ["1ms", "uniform 0s..1s", "exponential 1s", "normal 0s+-1s"] {
        assert_eq!(spans(some), ["leave", "leave work"], "{some}");
    }
}

#[test]
fn secrets_and_derived_values_are_hidden() {
    let compiled = compiled(
        "[variables]\nopen = \"x\"\nclosed = { env = \"PW\" }\n[[scenario]]\n\
         steps = [{ get = \"http://h/\", basic = { user = \"${open}\", password = \"${closed}\" } }]\n",
    );
    let secret = |name: &str| {
        compiled.flow.variables.iter().find(|it| it.name == name).is_some_and(Variable::is_secret)
    };
    assert_eq!([secret("open"), secret("closed"), secret("credentials")], [false, true, true]);
}

#[test]
fn measurements_belong_to_the_innermost_group() {
    let text = "[[scenario]]\nsteps = [\n\
        { name = \"visit\", steps = [\n\
          { name = \"front\", get = \"http://h/\" },\n\
          { name = \"login\", steps = [{ name = \"page\", get = \"http://h/\" }, { pause = \"1s\" }] },\n\
          { name = \"read\", steps = [{ name = \"page\", get = \"http://h/\" }] },\n\
        ] },\n\
        { name = \"leave\", get = \"http://h/\" },\n\
        ]\n[[scenario]]\nsteps = [{ name = \"login\", steps = [{ name = \"alone\", get = \"http://h/\" }] }]\n";
    let flow = compiled(text).flow;
    let names: Vec<&String> = flow.operations.iter().chain(&flow.spans).collect();
    let within = flow.nesting();
    assert_eq!(within.len(), names.len());
    let of = |name: &str| {
        let place = names.iter().position(|known| *known == name).unwrap();
        within[place].map(|span| flow.spans[usize::from(span)].as_str())
    };
    // A page is in two groups of a visit; a login is in a visit, and also in none.
    for (name, expected) in [
        ("front", Some("visit")),
        ("page", Some("visit")),
        ("read", Some("visit")),
        ("alone", Some("login")),
        ("login work", Some("login")),
        ("visit work", Some("visit")),
        ("login", None),
        ("leave", None),
        ("visit", None),
    ] {
        assert_eq!(of(name), expected, "{name}");
    }
}
