//! The class of packets that `--dscp` requests, as it is seen on the wire, for every protocol.
//!
//! A [`Capture`] reads what loopback carries, as another machine on the network would. The servers accept and answer
//! nothing, so that each run ends soon: how it ends does not matter here, only how its packets are marked.

mod capture;

use std::io::Read as _;
use std::net::{IpAddr, SocketAddr, TcpListener, UdpSocket};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use brunt_test_program::{brunt, run};
use brunt_testbed::require;

use capture::Capture;

/// Expedited forwarding (RFC 3246), and class 2 with low drop precedence (RFC 2597), as octets of the IP header.
const EF: u8 = 46 << 2;
const AF21: u8 = 18 << 2;

/// Accepts connections and ends each, after it has read something if the client speaks first.
fn server(ip: &str, client_speaks: bool) -> (SocketAddr, Receiver<Vec<u8>>) {
    let listener = TcpListener::bind((ip, 0)).expect("a port is free");
    let at = listener.local_addr().expect("it is bound");
    let (output, hears) = channel();
    thread::spawn(move || {
        for mut client in listener.incoming().map_while(Result::ok) {
            let mut bytes = vec![0; 64];
            let count = if client_speaks { client.read(&mut bytes).unwrap_or(0) } else { 0 };
            bytes.truncate(count);
            if output.send(bytes).is_err() {
                break;
            }
        }
    });
    (at, hears)
}

/// Carries out a command line with this class, and returns what marked the packets to its server, without repetition.
fn marks(class: Option<&str>, line: &[&str], server: SocketAddr) -> Vec<u8> {
    let mut capture = Capture::start();
    let mut words: Vec<&str> = line.to_vec();
    if let Some(class) = class {
        words.splice(1..1, ["--dscp", class]);
    }
    let ended = run(&words);
    let marks = capture.marks(server.port());
    assert!(!marks.is_empty(), "nothing was sent: {ended}");
    marks
}

#[test]
fn dscp_marks_connections_of_every_protocol() {
    if !require(&["root"]) {
        return;
    }
    for (ip, host) in [("127.0.0.1", "127.0.0.1"), ("::1", "[::1]")] {
        let (at, _hears) = server(ip, true);
        let (url, port) = (format!("http://{host}:{}/", at.port()), at.port().to_string());
        let ldap = ["searchrate", "--noPropertiesFile", "-h", ip, "-p", &port];
        let ldap = [&ldap[..], &["-b", "", "-m", "1", "(cn=a)"]].concat();
        assert_eq!(marks(Some("ef"), &ldap, at), [EF], "LDAP");
        assert_eq!(marks(None, &ldap, at), [0], "LDAP");
        let http = ["http", "-n", "1", "-c", "1", &url];
        assert_eq!(marks(Some("af21"), &http, at), [AF21], "HTTP/1");
        assert_eq!(marks(Some("63"), &http, at), [63 << 2], "HTTP/1");
        let (at, hears) = server(ip, true);
        let url = format!("http://{host}:{}/", at.port());
        let http2 = ["http", "--http2", "-n", "1", "-c", "1", &url];
        assert_eq!(marks(Some("ef"), &http2, at), [EF], "HTTP/2");
        assert!(hears.iter().next().expect("it spoke").starts_with(b"PRI * HTTP/2"));
        let url = format!("ldap://{host}:{}", at.port());
        let names = ["names", "lookup", "--through", "ldap", "--url", &url, "--by", "uid"];
        let names = [&names[..], &["-n", "1", "--keys", "7-8", "--dscp", "ef"]].concat();
        assert_eq!(marks(None, &names, at), [EF], "names");
    }
}

#[test]
fn dscp_marks_connections_to_lease_databases() {
    if !require(&["root"]) {
        return;
    }
    for (scheme, client_speaks) in [("mysql", false), ("mariadb", false), ("postgres", true)] {
        let (at, _hears) = server("127.0.0.1", client_speaks);
        let url = format!("{scheme}://kea:secret@{at}/leases");
        let line = ["leases", "--phases", "create", "-n", "1", &url];
        assert_eq!(marks(Some("ef"), &line, at), [EF], "{scheme}");
        assert_eq!(marks(None, &line, at), [0], "{scheme}");
    }
}

#[test]
fn dscp_marks_dhcp_datagrams() {
    if !require(&["root"]) {
        return;
    }
    for (family, ip) in [("-4", "127.0.0.1"), ("-6", "::1")] {
        let ip: IpAddr = ip.parse().expect("an address");
        let server = UdpSocket::bind((ip, 0)).expect("a port is free");
        let at = server.local_addr().expect("it is bound");
        let (ip, port) = (ip.to_string(), at.port().to_string());
        // Some port that is free: this run needs one of its own.
        let own =
            UdpSocket::bind((&*ip, 0)).and_then(|it| it.local_addr()).expect("a port is free");
        let own = own.port().to_string();
        let line = ["perfdhcp", family, "-l", &ip, "-L", &own, "-N", &port, "-r", "10", "-n", "2"];
        let line = [&line[..], &["--drain", "10ms", &ip]].concat();
        assert_eq!(marks(Some("ef"), &line, at), [EF], "{family}");
        assert_eq!(marks(None, &line, at), [0], "{family}");
    }
}

#[test]
fn dscp_marks_steps_of_a_plan_in_every_protocol() {
    if !require(&["root"]) {
        return;
    }
    let (web, _web_hears) = server("127.0.0.1", true);
    let (ldap, _ldap_hears) = server("127.0.0.1", true);
    let dhcp = UdpSocket::bind("127.0.0.1:0").expect("a port is free");
    let dhcp = dhcp.local_addr().map(|at| (at, dhcp)).expect("it is bound");
    let own =
        UdpSocket::bind("127.0.0.1:0").and_then(|it| it.local_addr()).expect("a port is free");
    let plan = brunt_test_program::Plan::from_text(&format!(
        "[run]\nusers = 1\ndscp = \"ef\"\niterations = {{ each = 1 }}\n[http]\nbase = \"http://{web}\"\n\
         [ldap]\nserver = \"ldap://{ldap}\"\n\
         [dhcp]\nserver = \"{}\"\nlocal = \"{own}\"\ntimeout = \"50ms\"\n[[scenario]]\n\
         after-failure = \
         \"go-on\"\n[[scenario.steps]]\nget = \"/\"\n[[scenario.steps]]\nldap.compare = {{ dn = \"dc=a\", attribute = \
         \"dc\", value = \"a\" }}\n[[scenario.steps]]\ndhcp = \"acquire\"\n",
        dhcp.0
    ));
    // The class of the plan, and that of the command line, which has precedence.
    for (class, octet) in [(&["--dscp", "cs1"][..], 8 << 2), (&[], EF)] {
        let mut capture = Capture::start();
        let ended = plan.start(class).wait();
        let seen = capture.octets();
        for at in [web, ldap, dhcp.0] {
            assert_eq!(
                seen.get(&at.port()).map(Vec::as_slice),
                Some(&[octet][..]),
                "{at}: {ended}"
            );
        }
    }
}

#[test]
fn dscp_is_recorded_and_an_invalid_class_refused() {
    let (at, _hears) = server("127.0.0.1", true);
    let url = format!("http://{at}/");
    let ended = brunt("http -n 1 -c 1 --dscp 46").recorded().arg(&url).run();
    assert!(ended.record().plan.target.is_some_and(|target| target.ends_with("(dscp ef)")));
    let wrong = run(["http", "-n", "1", "--dscp", "gold", &url]).expect(2);
    assert!(
        wrong.output().contains("'gold'") && wrong.output().contains("af11 to af43"),
        "{wrong}"
    );
    let ldap = ["searchrate", "--noPropertiesFile", "--dscp", "64", "-b", "", "(cn=a)"];
    let wrong = run(ldap);
    assert!(wrong.code() != 0 && wrong.output().contains("0 to 63"), "{wrong}");
}
