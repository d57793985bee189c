//! Messages from files: the right fields are found without offsets, and wrong offsets are refused before anything is
//! sent.

use std::path::{Path, PathBuf};

use brunt_testbed::{Capture, KeaOptions};
use dhcproto::v4::OptionCode;

use crate::brunt::Brunt;
use crate::network::{v4, v6};
use crate::packets::{decoded_v4, decoded_v6, requested};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/dhcp/testdata").join(name)
}

#[test]
fn dhcpv4_template_offsets_are_found() {
    let Some((lan, kea)) = v4(&KeaOptions::default()) else { return };
    let capture = Capture::start(&lan);
    let run = Brunt::on(&lan).typed("-4 -l lan0 -r 100 -n 20 -R 20 -T").arg(data("discover.hex"));
    let run = run.arg("-T").arg(data("request.hex")).arg("10.77.0.1").run().went_well();
    assert_eq!((run.count("ok"), kea.leases().len()), (20, 20), "{run}");
    for message in requested(&capture.stop()) {
        // None in the file, none on the wire.
        let identifier = OptionCode::ClientIdentifier;
        assert!(decoded_v4(message).opts().get(identifier).is_none(), "{run}");
    }
}

#[test]
fn dhcpv6_template_offsets_are_found() {
    let Some((lan, kea)) = v6(&KeaOptions::default()) else { return };
    let capture = Capture::start(&lan);
    let run =
        Brunt::on(&lan).typed("-6 -l lan0 --lab -r 100 -n 20 -R 20 -T").arg(data("solicit.hex"));
    let run = run.arg("-T").arg(data("request6.hex")).arg("all").run().went_well();
    assert_eq!((run.count("ok"), kea.leases().len()), (20, 20), "{run}");
    for message in requested(&capture.stop()) {
        let decoded = decoded_v6(message);
        // The old tool writes this option with no length, and leaves what it holds lying about.
        let elapsed = decoded.opts().get(dhcproto::v6::OptionCode::ElapsedTime);
        assert!(elapsed.is_some(), "{run}");
    }
}

#[test]
fn template_offset_errors_are_refused() {
    for (options, output) in [
        ("-O 35", "35"),
        ("-X 8", "8"),
        ("-X 400", "400"),
        ("-O 33 -S 244", "244"),
        ("-O 33 -I 243", "243"),
    ] {
        let Some((lan, kea)) = v4(&KeaOptions::default()) else { return };
        let run = Brunt::on(&lan).typed("-4 -l lan0 -r 100 -n 5 -T").arg(data("discover.hex"));
        let run = run.arg("-T").arg(data("request.hex")).typed(options).arg("10.77.0.1").run();
        assert!([1, 2].contains(&run.code()), "{run}");
        assert!(run.stderr.contains(output), "{run}");
        assert_eq!(kea.statistic("pkt4-discover-received"), 0);
    }
}

#[test]
fn template_file_errors_are_refused() {
    for (content, output) in
        [("", "no digit"), ("0g", "g"), ("010", "no whole number of bytes"), ("0101", "")]
    {
        let brunt = Brunt::here();
        let file = brunt.file("template", content);
        let run = brunt.typed("-4 -l 127.0.0.1 -r 100 -n 5 -T").arg(&file).arg("127.0.0.1").run();
        assert!([1, 2].contains(&run.code()), "{run}");
        assert!(run.stderr.contains(output) && run.stderr.contains("template"), "{run}");
    }
}
