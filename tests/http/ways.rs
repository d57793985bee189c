//! The routes to a server and from one to the next: redirects, cookies, proxies, and names without a resolver.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use brunt_testbed::{Listener, PASSWORD, Served};

use crate::brunt::planned;
use crate::logged::{base, nginx, plan, quoted, step, the_same};

#[test]
fn redirects_are_not_followed_by_default() {
    let Some(nginx) = nginx() else { return };
    let steps = step("name = \"far\"\nget = \"/redirect/3\"");
    let run = planned(&plan(2, 5, &base(&nginx, Listener::Clear), &steps)).run().went_well();
    the_same(&nginx, &run);
    assert_eq!(run.ends(), [(("ok".into(), 302), 10)].into(), "{run}");
    let before = nginx.served().len();
    let http = format!("{}\nredirects = 3", base(&nginx, Listener::Clear));
    let run = planned(&plan(2, 5, &http, &steps)).run().went_well();
    let served = nginx.served().split_off(before);
    assert_eq!(run.ends(), [(("ok".into(), 200), 10)].into(), "{run}");
    assert_eq!(Served::statuses(&served), [(200, 10), (302, 30)].into(), "{run}");
    assert_eq!(Served::connections(&served).len(), 2, "{run}");
}

#[test]
fn redirects_cross_origins_keep_bodies_and_have_a_limit() {
    let Some(nginx) = nginx() else { return };
    let steps = [
        step("name = \"elsewhere\"\nget = \"/redirect/elsewhere\""),
        step("name = \"kept\"\nput = \"/redirect/kept\"\ntext = \"carried along\""),
        step("name = \"endless\"\nget = \"/redirect/again\""),
    ];
    let http = format!("{}\nredirects = 4", base(&nginx, Listener::Clear));
    let run = planned(&plan(1, 6, &http, &steps.concat())).run().expect(0);
    assert_eq!(run.count_of("elsewhere", "ok"), 6, "{run}");
    assert_eq!((run.count_of("kept", "ok"), run.count_of("endless", "failed")), (6, 6), "{run}");
    assert_eq!(nginx.kept("redirected").as_deref(), Some(&b"carried along"[..]), "{run}");
    let served = nginx.served();
    let at = |path: &str| served.iter().filter(|one| one.path == path).count();
    assert_eq!((at("/redirect/kept"), at("/kept/redirected")), (6, 6), "{run}");
    assert_eq!(at("/redirect/again"), 6 * 5, "{run}");
    let short: Vec<&Served> = served.iter().filter(|one| one.listener == "short").collect();
    assert_eq!(short.len(), 6, "{run}");
}

#[test]
fn cookies_are_kept_per_user() {
    let Some(nginx) = nginx() else { return };
    let steps = step("name = \"given\"\nget = \"/cookie\"")
        + &step("name = \"back\"\nget = \"/small.txt\"");
    for cookies in [true, false] {
        let before = nginx.served().len();
        let http = format!("{}\ncookies = {cookies}", base(&nginx, Listener::Clear));
        let run = planned(&plan(3, 1, &http, &steps)).run().went_well();
        let served = nginx.served().split_off(before);
        let back: Vec<&str> = served
            .iter()
            .filter(|one| one.path == "/small.txt")
            .map(|one| one.cookie.as_str())
            .collect();
        if cookies {
            let mut distinct = back.clone();
            distinct.sort_unstable();
            distinct.dedup();
            assert_eq!(distinct.len(), 3, "{back:?}\n{run}");
            assert!(back.iter().all(|cookie| cookie.starts_with("session=")), "{back:?}");
        } else {
            assert_eq!(back, [""; 3], "{run}");
        }
    }
}

#[test]
fn basic_auth_and_headers_are_sent_as_given() {
    let Some(nginx) = nginx() else { return };
    let steps = [
        step(&format!(
            "name = \"known\"\nget = \"/private\"\nbasic = {{ user = \"user.5\", password = \"{PASSWORD}\" }}"
        )),
        step(
            "name = \"wrong\"\nget = \"/private\"\nbasic = { user = \"user.5\", password = \"no\" }",
        ),
        step("name = \"own\"\nget = \"/small.txt\"\nheaders = { X-Test = \"its own\" }"),
    ];
    let http = format!(
        "{}\nheaders = {{ X-Test = \"of all\", User-Agent = \"one of many\" }}",
        base(&nginx, Listener::Clear)
    );
    let run = planned(&plan(1, 5, &http, &steps.concat())).run().expect(0);
    let served = the_same(&nginx, &run);
    assert_eq!(run.ends_of("wrong"), [(("result".into(), 401), 5)].into(), "{run}");
    assert_eq!(served.iter().filter(|one| one.user == "user.5" && one.status == 200).count(), 5);
    assert!(served.iter().all(|one| one.agent == "one of many"), "{served:?}");
    let own = served.iter().filter(|one| one.x_test == "its own").count();
    assert_eq!((own, served.iter().filter(|one| one.x_test == "of all").count()), (5, 10));
    // A password is nowhere to be read.
    assert!(!run.json().to_string().contains(PASSWORD), "{run}");
}

#[test]
fn resolve_maps_a_name_to_an_address() {
    let Some(nginx) = nginx() else { return };
    let port = nginx.port(Listener::Clear);
    let http = format!(
        "base = \"http://id.example.test\"\nresolve = {{ \"id.example.test:80\" = \"127.0.0.1:{port}\" }}"
    );
    let steps = step("name = \"small\"\nget = \"/small.txt\"");
    let run = planned(&plan(2, 5, &http, &steps)).run().went_well();
    let served = the_same(&nginx, &run);
    assert!(served.iter().all(|one| one.host == "id.example.test"), "{served:?}");
    let (port, ca) = (nginx.port(Listener::Tls), quoted(&nginx.pki().ca()));
    let http = format!(
        "base = \"https://localhost\"\nresolve = {{ \"localhost:443\" = \"127.0.0.1:{port}\" }}\n\
         [http.tls]\nca = {ca}"
    );
    let before = nginx.served().len();
    let run = planned(&plan(2, 5, &http, &steps)).run().went_well();
    let served = nginx.served().split_off(before);
    assert_eq!(served.len(), 10, "{run}");
    assert!(served.iter().all(|one| one.server_name == "localhost" && one.tls == "TLSv1.3"));
}

#[test]
fn proxy_gets_the_absolute_url() {
    let Some(nginx) = nginx() else { return };
    let proxy = nginx.port(Listener::Proxy);
    let http = format!("{}\nproxy = \"http://127.0.0.1:{proxy}\"", base(&nginx, Listener::Clear));
    let steps = step("name = \"small\"\nget = \"/small.txt\"");
    let run = planned(&plan(2, 20, &http, &steps)).run().went_well();
    let served = nginx.served();
    let by = |listener: &str| served.iter().filter(|one| one.listener == listener).count();
    assert_eq!((run.count("ok"), by("proxy"), by("clear")), (40, 40, 40), "{run}");
    let requested: Vec<&Served> = served.iter().filter(|one| one.listener == "proxy").collect();
    assert_eq!(Served::connections(requested).len(), 2, "{run}");
}

/// A proxy that does nothing but CONNECT, and the number of those.
fn tunnels() -> (u16, Arc<AtomicU64>) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port is free");
    let port = listener.local_addr().expect("it is bound").port();
    let count = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&count);
    thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let counted = Arc::clone(&counted);
            thread::spawn(move || tunnel(client, &counted));
        }
    });
    (port, count)
}

fn tunnel(mut client: TcpStream, count: &AtomicU64) -> Option<()> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        client.read_exact(&mut byte).ok()?;
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).ok()?;
    let target = head.strip_prefix("CONNECT ")?.split(' ').next()?;
    let mut server = TcpStream::connect(target).ok()?;
    count.fetch_add(1, Ordering::Relaxed);
    client.write_all(b"HTTP/1.1 200 here you are\r\n\r\n").ok()?;
    let (mut from, mut to) = (client.try_clone().ok()?, server.try_clone().ok()?);
    let up = thread::spawn(move || {
        let _ = std::io::copy(&mut from, &mut to);
        let _ = to.shutdown(Shutdown::Write);
    });
    let _ = std::io::copy(&mut server, &mut client);
    let _ = client.shutdown(Shutdown::Write);
    up.join().ok()
}

#[test]
fn proxy_tunnels_https_by_connect() {
    let Some(nginx) = nginx() else { return };
    let (proxy, count) = tunnels();
    let ca = quoted(&nginx.pki().ca());
    for (version, protocol) in [("1.1", "HTTP/1.1"), ("2", "HTTP/2.0")] {
        let before = (nginx.served().len(), count.load(Ordering::Relaxed));
        let http = format!(
            "{}\nversion = \"{version}\"\nproxy = \"http://127.0.0.1:{proxy}\"\n[http.tls]\nca = {ca}",
            base(&nginx, Listener::Tls)
        );
        let steps = step("name = \"small\"\nget = \"/small.txt\"");
        let run = planned(&plan(2, 20, &http, &steps)).run().went_well();
        let served = nginx.served().split_off(before.0);
        assert_eq!((served.len(), count.load(Ordering::Relaxed) - before.1), (40, 2), "{run}");
        assert!(served.iter().all(|one| one.protocol == protocol), "{run}");
    }
}
