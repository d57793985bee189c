//! What the server's side counted beside a run's figures: Kea's own statistics, and the receive queue of a server in
//! another network namespace.

use std::net::UdpSocket;
use std::process::Child;
use std::time::Duration;

use brunt_testbed::{KeaOptions, Lan, require, until};

use crate::brunt::{Brunt, Run};
use crate::network::v4;

#[test]
fn monitor_kea_statistics_are_in_the_record() {
    let Some((lan, kea)) = v4(&KeaOptions::default()) else { return };
    let source = format!("kea:{}", kea.control().display());
    let run =
        Brunt::on(&lan).typed("-4 -l lan0 -r 100 -p 3 -R 300 --details --monitor").arg(&source);
    let run = run.arg("10.77.0.1").run().went_well();
    let monitor = &run.json()["monitors"][0];
    assert_eq!((&monitor["source"], &monitor["failed"]), (&source.into(), &0.into()), "{run}");
    let readings = monitor["readings"].as_array().expect("it has readings");
    let of = |name: &str| {
        let reading = readings.iter().find(|reading| reading["name"] == name);
        let reading = reading.unwrap_or_else(|| panic!("{name}\n{run}"));
        (reading["first"].as_f64(), reading["last"].as_f64())
    };
    for (statistic, stage) in [
        ("pkt4-discover-received", "DISCOVER-OFFER sent"),
        ("pkt4-ack-sent", "REQUEST-ACK received"),
        ("subnet[1].assigned-addresses", "REQUEST-ACK received"),
    ] {
        assert_eq!(of(statistic), (Some(0.0), Some(run.tally(stage) as f64)), "{statistic}\n{run}");
    }
    assert!(run.stderr.contains("Target's own figures (kea:"), "{run}");
}

/// A process on the server's host, by whose number its network namespace is found.
struct Beside(Child);

impl Beside {
    fn start(lan: &Lan) -> Self {
        let child = lan.server("sleep").arg("600").spawn().expect("it can be started");
        let beside = Self(child);
        // Before it is the program itself, it may not be on that host yet.
        let name = format!("/proc/{}/comm", beside.0.id());
        let begun = || std::fs::read_to_string(&name).is_ok_and(|name| name.trim() == "sleep");
        assert!(until(Duration::from_secs(60), begun), "it never began");
        beside
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// How many drops the report does not count against anybody, because the machine held brunt up.
fn stalled(run: &Run) -> u64 {
    run.tally("DISCOVER-OFFER drops because brunt stood still")
}

/// Checks what the report says about messages of which none was answered and `queue` were lost in the server's queue.
fn told(run: &Run, sent: u64, queue: u64) {
    let drops = sent - stalled(run);
    let queue = queue.min(drops);
    assert!(run.stdout.contains(&format!("server's receive queue: {queue}\n")), "{run}");
    let elsewhere = format!("by the server or on the wire: {}\n", drops - queue);
    assert!(run.stdout.contains(&elsewhere), "{run}");
}

fn unanswered(lan: &Lan, monitor: &[String]) -> Run {
    let run = Brunt::on(lan).typed("-4 -l lan0 -i -r 400 -n 80 -d 1 -d 1");
    let run = monitor.iter().fold(run, Brunt::arg);
    run.arg(Lan::SERVER_V4.to_string()).run()
}

/// The server takes nothing while the run lasts: what does not fit into its queue is lost there, and what the queue
/// still holds afterwards was not. A server that takes everything and says nothing has lost it by itself.
#[test]
fn monitor_sees_queue_losses_in_another_namespace() {
    if !require(&["ip", "root"]) {
        return;
    }
    let lan = Lan::make();
    let socket = lan.as_server(|| UdpSocket::bind((Lan::SERVER_V4, 67)).expect("the port is free"));
    socket.set_nonblocking(true).expect("a mode");
    let taken = || std::iter::from_fn(|| socket.recv(&mut [0; 2048]).ok()).count() as u64;
    let queue = |size| {
        rustix::net::sockopt::set_socket_recv_buffer_size(&socket, size).expect("a size");
    };
    let beside = Beside::start(&lan);
    let monitor = ["--monitor".to_owned(), format!("pid:{}", beside.0.id())];

    queue(4096);
    let run = unanswered(&lan, &monitor);
    let (sent, held) = (run.tally("DISCOVER-OFFER sent"), taken());
    assert!(sent == 80 && held > 0 && held < sent, "{held} of {sent}\n{run}");
    assert_eq!(run.tally("lost in the server's queue"), sent - held, "{run}");
    told(&run, sent, sent - held);

    // Without the process nobody knows.
    let run = unanswered(&lan, &[]);
    let lost = format!("receive queue, by it or on the wire: {}\n", 80 - stalled(&run));
    assert!(run.stdout.contains(&lost), "{run}");
    taken();

    queue(1 << 20);
    let run = unanswered(&lan, &monitor);
    assert_eq!((run.tally("lost in the server's queue"), taken()), (0, 80), "{run}");
    told(&run, 80, 0);
}

/// A real server that is stopped for the whole run takes nothing, and once it continues it takes what its queue kept.
/// So what it counted then, and what was lost in its queue, are all that was sent.
#[test]
fn monitor_sees_queue_losses_of_a_stopped_kea() {
    let Some((lan, kea)) = v4(&KeaOptions::default()) else { return };
    kea.pause();
    let monitor = ["--monitor".to_owned(), format!("pid:{}", kea.id())];
    // More than fit into a queue of the usual size.
    let run = Brunt::on(&lan).typed("-4 -l lan0 -i -r 2000 -n 2000 -d 1 -d 1");
    let run = monitor.iter().fold(run, Brunt::arg).arg(Lan::SERVER_V4.to_string()).run();
    kea.resume();
    let sent = run.tally("DISCOVER-OFFER sent");
    let lost = run.tally("lost in the server's queue");
    assert!(sent > 0 && lost > 0 && lost < sent, "{lost} of {sent}\n{run}");
    told(&run, sent, lost);
    assert!(run.stderr.contains("receive queue, which was full: the server is there"), "{run}");
    let all = || kea.statistic("pkt4-discover-received") + lost == sent;
    assert!(until(Duration::from_secs(60), all), "{:?}\n{run}", kea.statistics());
}
