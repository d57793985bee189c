//! Several machines that share a run, and several workers of one: no client is simulated twice, none is left out.

use std::collections::BTreeSet;

use brunt_testbed::{Capture, KeaOptions};

use crate::brunt::Brunt;
use crate::network::{v4, v6};
use crate::packets::{decoded_v4, kind_v4, requested};

#[test]
fn dhcpv4_nodes_share_no_client_and_no_transaction() {
    let Some((lan, kea)) = v4(&KeaOptions::default()) else { return };
    let capture = Capture::start(&lan);
    // Each has an address of its own, as two machines would.
    let node = |rank: u32, address: &str| {
        let options = format!("-4 -l {address} -r 200 -n 80 -R 80 --node {rank}/2 10.77.0.1");
        Brunt::on(&lan).typed(&options).start()
    };
    let (first, second) = (node(0, "10.77.0.2"), node(1, "10.77.0.3"));
    let (first, second) = (first.wait().went_well(), second.wait().went_well());
    assert_eq!(first.count("ok") + second.count("ok"), 80, "{first}\n{second}");
    assert_eq!((kea.leases().len(), kea.lease_rows().len()), (80, 80));
    let messages = capture.stop();
    let discovers: Vec<_> = requested(&messages).filter(|message| kind_v4(message) == 1).collect();
    let by = |address: &str| -> (BTreeSet<u32>, BTreeSet<Vec<u8>>) {
        let source = address.parse::<std::net::IpAddr>().expect("an address");
        let mine = discovers.iter().filter(|message| message.source.ip() == source);
        mine.map(|message| decoded_v4(message))
            .map(|message| (message.xid(), message.chaddr().to_vec()))
            .unzip()
    };
    let (first, second) = (by("10.77.0.2"), by("10.77.0.3"));
    assert_eq!((first.0.len(), second.0.len()), (40, 40));
    assert!(first.0.is_disjoint(&second.0) && first.1.is_disjoint(&second.1));
}

#[test]
fn workers_share_the_clients() {
    let Some((lan, kea)) = v4(&KeaOptions::default()) else { return };
    let run =
        "-4 --source-ip 10.77.0.2,10.77.0.3 --workers 2 --window 40 -r 400 -n 200 -R 200 10.77.0.1";
    let run = Brunt::on(&lan).typed(run).run().went_well();
    assert_eq!(
        (run.count("ok"), kea.leases().len(), kea.lease_rows().len()),
        (200, 200, 200),
        "{run}"
    );
    let Some((lan, kea)) = v6(&KeaOptions::default()) else { return };
    let run = "-6 -A 1 --source-ip 2001:db8:77::2,2001:db8:77::3 --workers 2 --window 40 -r 400 -n 200 -R 200";
    let run = Brunt::on(&lan).typed(run).arg("2001:db8:77::1").run().went_well();
    assert_eq!(
        (run.count("ok"), kea.leases().len(), kea.lease_rows().len()),
        (200, 200, 200),
        "{run}"
    );
}

#[test]
fn source_ip_accepts_several_addresses() {
    let Some((lan, kea)) = v4(&KeaOptions::default()) else { return };
    let capture = Capture::start(&lan);
    let run = "-4 --source-ip 10.77.0.2,10.77.0.4 -r 200 -n 60 -R 60 10.77.0.1";
    let run = Brunt::on(&lan).typed(run).run().went_well();
    assert_eq!((run.count("ok"), kea.leases().len()), (60, 60), "{run}");
    let messages = capture.stop();
    let sources: BTreeSet<String> =
        requested(&messages).map(|message| message.source.ip().to_string()).collect();
    assert_eq!(sources, ["10.77.0.2".into(), "10.77.0.4".into()].into(), "{run}");
    // The relay that a message names is the one that sent it.
    for message in requested(&messages) {
        assert_eq!(decoded_v4(message).giaddr(), message.source.ip(), "{run}");
    }
}
