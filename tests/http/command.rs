//! `brunt http`: one URL or a file of them, with the flags that users of wrk and oha know.

use brunt_testbed::{Listener, Served};

use crate::brunt::{Run, command, planned};
use crate::logged::{nginx, the_same};

fn http(words: &str, url: &str) -> Run {
    command("http").typed(words).arg(url).run()
}

#[test]
fn methods_headers_and_bodies_are_sent_as_given() {
    let Some(nginx) = nginx() else { return };
    let url = nginx.url(Listener::Clear, "/kept/posted");
    let brunt = command("http").typed("-c 2 -n 20 -m PUT -T text/csv -H");
    let run = brunt.args(["X-Test: its own", "-d", "a,b\nc,d\n"]).arg(url).run().went_well();
    let served = the_same(&nginx, &run);
    assert_eq!(nginx.kept("posted").as_deref(), Some(&b"a,b\nc,d\n"[..]), "{run}");
    assert!(served.iter().all(|one| {
        one.method == "PUT" && one.content_type == "text/csv" && one.x_test == "its own"
    }));
    let brunt = command("http").typed("-c 1 -n 4 -m PUT -D");
    let body = brunt.file("body", &"0123456789".repeat(10_000));
    let run = brunt.arg(body).arg(nginx.url(Listener::Clear, "/kept/file")).run().went_well();
    assert_eq!(nginx.kept("file").map(|body| body.len()), Some(100_000), "{run}");
}

#[test]
fn connection_reuse_and_http_version_are_as_given() {
    let Some(nginx) = nginx() else { return };
    let ca = nginx.pki().ca();
    let secured = |words: &str, path: &str| {
        let brunt = command("http").typed(words).arg("--cacert").arg(&ca);
        brunt.arg(nginx.url(Listener::Tls, path)).run().went_well()
    };
    let clear = nginx.url(Listener::Clear, "/small.txt");
    let mut seen = 0;
    let mut since = || {
        let served = nginx.served().split_off(seen);
        seen += served.len();
        (served.len(), Served::connections(&served).len(), served[0].protocol.clone())
    };
    let run = http("-c 4 -n 40 --disable-keepalive", &clear).went_well();
    assert_eq!(since(), (40, 40, "HTTP/1.1".into()), "{run}");
    let run = secured("-c 4 -n 40", "/small.txt");
    assert_eq!(since(), (40, 4, "HTTP/1.1".into()), "{run}");
    let run = secured("-c 2 -p 5 -n 100 --http2", "/small.txt");
    assert_eq!(since(), (100, 2, "HTTP/2.0".into()), "{run}");
    let run = secured("-c 2 -n 10 --http2", "/large.bin");
    assert_eq!(since(), (10, 2, "HTTP/2.0".into()), "{run}");
}

#[test]
fn statuses_are_reported() {
    let Some(nginx) = nginx() else { return };
    let run = http("-c 2 -n 12", &nginx.url(Listener::Clear, "/status/503"));
    the_same(&nginx, &run);
    assert!(run.stdout.contains("503"), "{run}");
    let run = http("-c 1 -n 3", &nginx.url(Listener::Clear, "/redirect/2")).went_well();
    assert_eq!(run.ends(), [(("ok".into(), 302), 3)].into(), "{run}");
    let run = http("-c 1 -n 3 --redirect 5", &nginx.url(Listener::Clear, "/redirect/2"));
    assert_eq!(run.went_well().ends(), [(("ok".into(), 200), 3)].into());
}

#[test]
fn connect_to_resolve_proxy_and_unix_reach_the_server() {
    let Some(nginx) = nginx() else { return };
    let away = "http://id.example.test/small.txt";
    let port = nginx.port(Listener::Clear);
    let run = |words: &str, url: &str| {
        let before = nginx.served().len();
        let run = http(&format!("-c 2 -n 20 {words}"), url).went_well();
        (nginx.served().split_off(before), run)
    };
    let (served, ended) = run(&format!("--connect-to id.example.test:80:127.0.0.1:{port}"), away);
    assert!(served.iter().all(|one| one.host == "id.example.test"), "{served:?}\n{ended}");
    assert_eq!(served.len(), 20, "{ended}");
    let socket = nginx.socket();
    let socket = format!("--unix-socket {}", socket.display());
    let (served, ended) = run(&socket, "http://localhost/small.txt");
    assert_eq!(served.iter().filter(|one| one.listener == "unix").count(), 20, "{ended}");
    let proxy = format!("-x http://127.0.0.1:{}", nginx.port(Listener::Proxy));
    let (served, ended) = run(&proxy, &nginx.url(Listener::Clear, "/small.txt"));
    assert_eq!(served.iter().filter(|one| one.listener == "proxy").count(), 20, "{ended}");
    let (served, ended) = run("--compressed", &nginx.url(Listener::Clear, "/text.txt"));
    assert!(served.iter().all(|one| one.encoding == "gzip"), "{served:?}\n{ended}");
}

#[test]
fn curl_command_and_plan_send_the_same() {
    let Some(nginx) = nginx() else { return };
    let url = nginx.url(Listener::Clear, "/kept/pasted");
    let pasted = format!(
        "curl -X PUT '{url}' -H 'X-Test: it'\\''s' -H 'Content-Type: application/json' --data-raw '{{\"a\": 1}}'"
    );
    let run = command("http").typed("-c 1 -n 3 --curl").arg(&pasted).run().went_well();
    let same = |served: Vec<Served>| {
        assert_eq!(served.len(), 3);
        assert!(served.iter().all(|one| {
            one.method == "PUT" && one.x_test == "it's" && one.content_type == "application/json"
        }));
        assert_eq!(nginx.kept("pasted").as_deref(), Some(&b"{\"a\": 1}"[..]));
    };
    same(the_same(&nginx, &run));
    let plan = command("http").typed("-c 1 -n 3 --to-plan --curl").arg(&pasted).run();
    let plan = plan.expect(0).stdout;
    assert_eq!(nginx.served().len(), 3, "{plan}");
    planned(&plan).run().went_well();
    same(nginx.served().split_off(3));
}
