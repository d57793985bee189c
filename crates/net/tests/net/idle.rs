//! The memory use of an idle plain connection, measured in a separate process.

use brunt_net::Network;
use brunt_net::stream::Stream;
use brunt_net::tcp::{Dialer, Endpoint, Options};

const CONNECTIONS: u64 = 400;

/// Resident bytes of this process.
fn resident() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    statm.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 4096
}

#[test]
#[ignore = "run by idle_connection_costs_less_than_4_kib, alone in its process"]
fn measure() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let endpoint = Endpoint { host: "127.0.0.1".to_owned(), port };
    let dialer = Dialer::new(&Network::private(), &[endpoint], Options::default()).unwrap();
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
        let mut kept =
            vec![(Stream::Plain(dialer.connect(0).await.unwrap()), listener.accept().unwrap())];
        let before = resident();
        for number in 1..=CONNECTIONS {
            kept.push((
                Stream::Plain(dialer.connect(number).await.unwrap()),
                listener.accept().unwrap(),
            ));
        }
        let each = (resident() - before) / CONNECTIONS;
        assert!(each < 4096, "{each} bytes for an idle connection");
    });
}

#[test]
fn idle_connection_costs_less_than_4_kib() {
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "idle::measure", "--test-threads=1"])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}
