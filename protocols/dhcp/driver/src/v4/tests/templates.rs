//! Packets that the user composed.

use super::{OFFERED, Play, SERVER, captured, outgoing, setup};
use crate::v4::{Plan, Retransmission};
use crate::{Kind, Offsets, Rising, Stage, Step, Template};
use brunt_dhcp_wire::dhcp4::{Draft, Header, MessageType, option, patch};
use brunt_exchange::Outcome;
use std::path::PathBuf;
use std::time::Duration;

/// A packet with a host name, which the default packets do not have, and with space for the
/// filled-in fields.
fn packet(kind: MessageType) -> Vec<u8> {
    let mut draft = Draft::new(Header { hops: 3, xid: 0xffff_ffff, ..Header::request() }, kind)
        .with(option::HOST_NAME, b"phone")
        .with(option::PARAMETER_REQUEST_LIST, &[1, 3, 6])
        .with(option::CLIENT_ID, &[1, 9, 9, 9, 9, 9, 9]);
    if kind == MessageType::Request {
        draft = draft.with(option::REQUESTED_ADDRESS, &[0; 4]).with(option::SERVER_ID, &[0; 4]);
    }
    draft.to_bytes()
}

fn template(packet: Vec<u8>, offsets: Offsets) -> Template {
    Template { name: PathBuf::from("packet.hex"), packet, offsets }
}

fn wrong(packet: Vec<u8>, offsets: Offsets) -> String {
    let mut setup = setup();
    setup.second_template = Some(template(packet, offsets));
    Plan::compile(setup).unwrap_err().to_string()
}

#[test]
fn template_is_sent_with_few_fields_filled_in() {
    let (discover, request) = (packet(MessageType::Discover), packet(MessageType::Request));
    // 53, 12, 50, 54, 55, 61 in the order of their codes: 3, 7, 6, 6, 5 and 9 bytes from 240 on.
    let offsets = Offsets { server_id: Some(256), lease: Some(250), ..Offsets::default() };
    let mut play = Play::with(|setup| {
        setup.first_template =
            Some(template(discover.clone(), Offsets { xid: Some(4), ..Offsets::default() }));
        setup.second_template = Some(template(request.clone(), offsets));
    });
    let mac = [0x00, 0x0c, 0x01, 0x02, 0x03, 0x05];
    play.outgoing(Kind::Acquire, 4, None);
    let mut expected = discover;
    patch::xid(&mut expected, 4);
    patch::chaddr(&mut expected, &mac);
    assert_eq!(play.out, expected, "hops and giaddr are the template's own");

    let offer = play.reply(MessageType::Offer).bytes();
    let sent = outgoing(play.receive_after(&offer, Duration::from_millis(2_500)));
    assert_eq!((sent.stage, sent.xid), (Stage::Second, 4));
    let mut expected = request;
    patch::xid(&mut expected, 4);
    patch::secs(&mut expected, 2);
    patch::chaddr(&mut expected, &mac);
    patch::put(&mut expected, 252, &OFFERED.octets());
    patch::put(&mut expected, 258, &SERVER.octets());
    assert_eq!(play.out, expected);
    let found = play.plan.offsets(Stage::Second, &play.out);
    assert_eq!((found.identity, found.server_id, found.lease), (Some(33), Some(256), Some(250)));
    let ack = play.reply(MessageType::Ack).bytes();
    assert!(matches!(play.receive(&ack), Step::Done(ending) if ending.outcome == Outcome::Ok(5)));
}

#[test]
fn template_option_offsets_are_found() {
    let request = packet(MessageType::Request);
    let mut play =
        Play::with(|setup| setup.second_template = Some(template(request, Offsets::default())));
    play.outgoing(Kind::Acquire, 4, None);
    assert_eq!(play.out.len(), captured(">")[0].len(), "the DISCOVER is the usual one");
    outgoing(play.receive(&play.reply(MessageType::Offer).bytes()));
    let sent = play.packet();
    assert_eq!((sent.requested_address(), sent.server_id()), (Some(OFFERED), Some(SERVER)));
    assert_eq!(sent.option(option::HOST_NAME), Some(&b"phone"[..]));
}

#[test]
fn template_mac_may_be_in_the_client_identifier() {
    let discover = packet(MessageType::Discover);
    // The client identifier is the last option: its last octet comes before the end option.
    let last = discover.len() - 2;
    let offsets = Offsets { identity: Some(last), ..Offsets::default() };
    let mut play = Play::with(|setup| setup.first_template = Some(template(discover, offsets)));
    play.outgoing(Kind::Acquire, 4, None);
    assert_eq!(play.packet().client_id(), Some(&[1, 0x00, 0x0c, 0x01, 0x02, 0x03, 0x05][..]));
    assert_eq!(play.packet().chaddr(), [0; 6]);
    // An answer of this kind contains the template's own address, and is accepted.
    outgoing(play.receive(&play.reply(MessageType::Offer).bytes()));
}

#[test]
fn template_offset_error_names_what_it_points_at() {
    let request = packet(MessageType::Request);
    let none = Offsets::default();
    let reported = wrong(request.clone(), Offsets { server_id: Some(265), ..none });
    assert_eq!(
        reported,
        "use the packet template packet.hex: offset 265 (-S) is inside option 55 (parameter request list), \
         3 bytes after its code; option 54 begins at 256"
    );
    let reported = wrong(request.clone(), Offsets { lease: Some(256), ..none });
    assert!(
        reported.contains("(-I) is the code of option 54")
            && reported.ends_with("option 50 begins at 250"),
        "{reported}"
    );
    let reported = wrong(request.clone(), Offsets { xid: Some(5), ..none });
    assert!(
        reported.contains("offset 5 (-X) is byte 2 of xid; the transaction id begins at 4"),
        "{reported}"
    );
    let reported = wrong(request.clone(), Offsets { elapsed: Some(10), ..none });
    assert!(
        reported.contains("offset 10 (-E) is the first byte of flags; the elapsed seconds"),
        "{reported}"
    );
    let reported = wrong(request.clone(), Offsets { identity: Some(35), ..none });
    assert!(
        reported.contains(
            "(-O) is byte 8 of chaddr; the last octet of chaddr is at 33, that of the client"
        ),
        "{reported}"
    );
    // One octet before the end of the client identifier.
    let reported = wrong(request.clone(), Offsets { identity: Some(274), ..none });
    assert!(
        reported.contains("is inside option 61 (client identifier), 7 bytes")
            && reported.ends_with("at 275"),
        "{reported}"
    );
    let reported = wrong(request.clone(), Offsets { identity: Some(4_000), ..none });
    assert!(
        reported.contains("lies beyond the last byte of the packet, which has 277"),
        "{reported}"
    );
    let reported = wrong(packet(MessageType::Discover), Offsets { server_id: Some(54), ..none });
    assert!(
        reported.contains("is byte 11 of sname; there is no option 54 in the packet"),
        "{reported}"
    );
    let short = Draft::new(Header::request(), MessageType::Request).with(54, &[1, 2, 3]).to_bytes();
    let reported = wrong(short, Offsets { server_id: Some(243), ..none });
    assert!(
        reported.ends_with("whose value has 3 bytes; 4 bytes are needed for an address"),
        "{reported}"
    );
    let reported = wrong(request[..100].to_vec(), none);
    assert!(
        reported.starts_with("use the packet template packet.hex: 100 bytes are too short"),
        "{reported}"
    );
}

#[test]
fn template_options_are_appended() {
    let discover = packet(MessageType::Discover);
    let mut play = Play::with(|setup| {
        setup.first_template = Some(template(discover.clone(), Offsets::default()));
        setup.options = vec![(60, b"door".to_vec())];
    });
    play.outgoing(Kind::Acquire, 4, None);
    let end = discover.len() - 1;
    assert_eq!(play.out[240..end], discover[240..end]);
    assert_eq!(play.out[end..], *b"\x3c\x04door\xff");
    let mut setup = setup();
    setup.first_template = Some(template(discover, Offsets::default()));
    setup.options = vec![(12, b"door".to_vec())];
    let reported = Plan::compile(setup).unwrap_err().to_string();
    assert!(reported.starts_with("add option 12 to the template of the DISCOVER: "), "{reported}");
}

#[test]
fn template_of_another_type_is_answered_by_an_ack() {
    let inform = Draft::new(Header::request(), MessageType::Inform).to_bytes();
    let mut play = Play::with(|setup| {
        setup.first_half = true;
        setup.first_template = Some(template(inform, Offsets::default()));
    });
    play.outgoing(Kind::Acquire, 4, None);
    let ack = play.reply(MessageType::Ack).bytes();
    assert!(matches!(play.receive(&ack), Step::Done(ending) if ending.outcome == Outcome::Ok(5)));
    play.outgoing(Kind::Acquire, 5, None);
    let nak = play.reply(MessageType::Nak).bytes();
    assert!(matches!(play.receive(&nak), Step::Done(ending) if ending.lease.is_none()));
}

#[test]
fn template_seconds_are_kept_unless_claimed() {
    let mut discover = packet(MessageType::Discover);
    patch::secs(&mut discover, 77);
    let mut play = Play::with(|setup| {
        setup.first_template = Some(template(discover.clone(), Offsets::default()));
    });
    play.outgoing(Kind::Acquire, 4, None);
    assert_eq!(play.packet().secs(), 77);
    let rising = Rising { after: Duration::ZERO, lasting: Duration::from_secs(60) };
    let mut play = Play::with(|setup| {
        setup.first_template = Some(template(discover, Offsets::default()));
        setup.rising = Some(rising);
    });
    play.outgoing(Kind::Acquire, 4, None);
    assert_eq!(play.packet().secs(), 11);
}

#[test]
fn template_client_identifier_follows_the_mac() {
    let theirs = [2, 0, 0, 0, 0, 9];
    let mut header = Header::request();
    header.chaddr[..6].copy_from_slice(&theirs);
    let packet = |client_id: &[u8]| {
        Draft::new(header, MessageType::Discover).with(option::CLIENT_ID, client_id).to_bytes()
    };
    let repeating = packet(&[&[1], &theirs[..]].concat());
    let mac = [0x00, 0x0c, 0x01, 0x02, 0x03, 0x05];
    for (discover, identity, expected) in [
        (repeating.clone(), None, [&[1], &mac[..]].concat()),
        (repeating, Some(33), [&[1], &theirs[..]].concat()),
        (packet(b"a name of its own"), None, b"a name of its own".to_vec()),
        (packet(b"short"), None, b"short".to_vec()),
    ] {
        let offsets = Offsets { identity, ..Offsets::default() };
        let mut play = Play::with(|setup| setup.first_template = Some(template(discover, offsets)));
        play.outgoing(Kind::Acquire, 4, None);
        assert_eq!(
            (play.packet().chaddr(), play.packet().client_id()),
            (&mac[..], Some(&expected[..]))
        );
    }
}

#[test]
fn template_seconds_can_be_left_alone() {
    let mut request = packet(MessageType::Request);
    patch::secs(&mut request, 77);
    let offsets = Offsets { elapsed: Some(0), ..Offsets::default() };
    let mut play = Play::with(|setup| {
        setup.second_template = Some(template(request, offsets));
        setup.retransmission = Some(Retransmission::default());
    });
    play.outgoing(Kind::Acquire, 4, None);
    let offer = play.reply(MessageType::Offer).bytes();
    outgoing(play.receive_after(&offer, Duration::from_secs(3)));
    assert_eq!(play.packet().secs(), 77);
    assert!(matches!(play.expire(Duration::from_secs(4)), Step::Again(_)));
    assert_eq!(play.packet().secs(), 77);
    assert_eq!(play.plan.offsets(Stage::Second, &play.out).elapsed, None);
}
