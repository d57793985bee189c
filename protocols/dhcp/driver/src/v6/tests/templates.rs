//! Packet templates: what is filled in, what is not changed, and wrong offsets.

use super::super::{Lease, Plan, Relay, Setup};
use super::{ADDRESS, Player, TOOK, answer, clients, codes, done, gives, outgoing};
use crate::{Dialogue, ExchangeRequest, Kind, Offsets, Population, Template};
use brunt_dhcp_wire::dhcp6::{Draft, IaKind, Message, MessageType, Writer, code};

const DUID: [u8; 14] = [0, 1, 0, 1, 9, 9, 9, 9, 0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5];

/// A SOLICIT whose options are in no order: 1 at 4, 8 at 22, 6 at 28, 3 at 36 and 39 at 52.
fn solicit() -> Vec<u8> {
    let mut out = Vec::new();
    let mut writer = Writer::message(&mut out, MessageType::SOLICIT, 0x0066_7788);
    writer.option(code::CLIENT_ID, &DUID).elapsed(77).option(code::ORO, &[0, 23, 0, 24]);
    let open = writer.open_ia(IaKind::Na, 5, 6, 7);
    writer.close(&open).option(code::CLIENT_FQDN, &[1, 2]);
    out
}

/// A REQUEST: 1 at 4, 2 (18 octets) at 22, 3 with room for an address at 44, 8 at 88, 6 at 94.
fn request() -> Vec<u8> {
    let mut out = Vec::new();
    let mut writer = Writer::message(&mut out, MessageType::REQUEST, 0);
    writer.option(code::CLIENT_ID, &DUID).option(code::SERVER_ID, &[0xee; 18]);
    let open = writer.open_ia(IaKind::Na, 5, 6, 7);
    writer.address(std::net::Ipv6Addr::UNSPECIFIED, 1, 2).close(&open);
    writer.elapsed(99).option(code::ORO, &[0, 23]);
    out
}

fn template(packet: Vec<u8>, offsets: Offsets) -> Template {
    Template { name: "packet.hex".into(), packet, offsets }
}

fn compiled(range: u64, first: Offsets, second: Offsets) -> Result<Plan, String> {
    let mut setup = clients(range);
    setup.first_template = Some(template(solicit(), first));
    setup.second_template = Some(template(request(), second));
    Plan::compile(setup).map_err(|error| error.to_string())
}

const NONE: Offsets =
    Offsets { xid: None, identity: None, elapsed: None, server_id: None, lease: None };

#[test]
fn template_solicit_changes_only_xid_and_duid() {
    let offsets = Offsets { xid: Some(1), identity: Some(21), ..NONE };
    let plan = compiled(300, offsets, NONE).unwrap();
    let mut player = Player::default();
    outgoing(player.begin(&plan, Kind::Acquire, 299, None));
    let mut expected = solicit();
    expected[1..4].copy_from_slice(&[0, 2, 86]);
    // Client 299 is 1 * 256 + 43: the MAC's last octets are 0x03 + 1 and 0x04 + 43.
    expected[20..22].copy_from_slice(&[0x04, 0x2f]);
    assert_eq!(player.out, expected);
    assert_eq!(player.duid(), plan.duid(299).octets());
}

#[test]
fn template_offsets_are_reported() {
    let plan = compiled(300, Offsets { identity: Some(15), ..NONE }, NONE).unwrap();
    let mut player = Player::default();
    outgoing(player.begin(&plan, Kind::Acquire, 299, None));
    let expected =
        Offsets { xid: Some(1), identity: Some(15), elapsed: Some(22), lease: Some(36), ..NONE };
    assert_eq!(plan.offsets(&player.out), expected);
    let mut setup = clients(3);
    let agent = Relay {
        link: ADDRESS,
        peer: ADDRESS,
        options: vec![(code::INTERFACE_ID, vec![7; 9])],
        varied: Vec::new(),
    };
    setup.relays = vec![agent; 2];
    let plan = Plan::compile(setup).unwrap();
    let request =
        ExchangeRequest { kind: Kind::Acquire, number: 1, client: 1, lease: None, at: TOOK };
    outgoing(player.client.begin(&plan, request, &mut player.out));
    // As perfdhcp -x T shows them for its default packets: 1 and 21.
    let expected =
        Offsets { xid: Some(1), identity: Some(21), elapsed: Some(46), lease: Some(22), ..NONE };
    assert_eq!(plan.offsets(&player.out), expected);
    assert_eq!(plan.offsets(&[1, 2]), NONE);
}

#[test]
fn template_duid_is_used_by_a_single_client() {
    let plan = compiled(1, NONE, NONE).unwrap();
    let mut player = Player::default();
    outgoing(player.begin(&plan, Kind::Acquire, 0, None));
    assert_eq!(player.duid(), DUID);
    // The octets that differ may end before the last octet.
    let inside = Offsets { identity: Some(15), ..NONE };
    let duid = compiled(256, inside, NONE).unwrap().duid(1);
    assert_eq!(duid.octets(), [&DUID[..7], &[0x05], &DUID[8..]].concat());
}

#[test]
fn template_request_is_rebuilt_around_the_offer() {
    let offsets = Offsets {
        identity: Some(21),
        elapsed: Some(88),
        server_id: Some(22),
        lease: Some(44),
        ..NONE
    };
    let plan = compiled(300, NONE, offsets).unwrap();
    for server in [&[0xaa; 10][..], &[0xbb; 18], &[0xcc; 60]] {
        let mut player = Player::default();
        outgoing(player.begin(&plan, Kind::Acquire, 299, None));
        let duid = player.duid();
        let advertise = answer(MessageType::ADVERTISE, 0, Some(&duid), Some(server), |writer| {
            let open = writer.open_ia(IaKind::Na, 5, 1000, 2000);
            writer.address(ADDRESS, 3, 4).address(ADDRESS, 5, 6).close(&open);
        });
        outgoing(player.receives(&plan, &advertise));
        let offered = Message::parse(&advertise).unwrap();
        let mut expected = Vec::new();
        Writer::message(&mut expected, MessageType::REQUEST, 599)
            .option(code::CLIENT_ID, &duid)
            .option(code::SERVER_ID, server)
            .encoded(offered.option(code::IA_NA).unwrap().whole)
            .elapsed((TOOK.as_millis() / 10) as u16)
            .option(code::ORO, &[0, 23]);
        assert_eq!(player.out, expected);
        let reply = answer(MessageType::REPLY, 599, Some(&duid), Some(server), gives);
        let lease: Lease = done(player.receives(&plan, &reply)).lease.unwrap();
        // The messages that follow are not templates, and belong to the same client.
        outgoing(player.begin(&plan, Kind::Renew, 300, Some(lease)));
        assert_eq!((player.duid(), codes(&player.message())), (duid, vec![1, 2, 3]));
    }
}

#[test]
fn template_elapsed_time_can_be_left_alone() {
    let plan = compiled(1, NONE, Offsets { elapsed: Some(0), ..NONE }).unwrap();
    let mut player = Player::default();
    outgoing(player.begin(&plan, Kind::Acquire, 0, None));
    outgoing(player.receives(&plan, &player.answer(MessageType::ADVERTISE, gives)));
    assert_eq!(player.message().elapsed(), Ok(Some(99)));
}

#[test]
fn template_options_of_the_user_are_appended() {
    let mut setup: Setup = clients(1);
    setup.first_template = Some(template(solicit(), NONE));
    setup.options = vec![(4, vec![7])];
    setup.rapid_commit = true;
    let plan = Plan::compile(setup).unwrap();
    let mut player = Player::default();
    outgoing(player.begin(&plan, Kind::Acquire, 0, None));
    assert_eq!(codes(&player.message()), [1, 8, 6, 3, 39, 14, 4]);
    assert_eq!(player.message().elapsed(), Ok(Some(77)));
    // The REQUEST has no template and is the default one.
    outgoing(player.receives(&plan, &player.answer(MessageType::ADVERTISE, gives)));
    assert_eq!(codes(&player.message()), [1, 2, 3, 4, 8]);
}

#[test]
fn template_elapsed_time_is_set_when_retransmitting() {
    let mut setup: Setup = clients(1);
    setup.first_template = Some(template(solicit(), NONE));
    setup.retransmit = true;
    let plan = Plan::compile(setup).unwrap();
    let mut player = Player::default();
    let wait = outgoing(player.begin(&plan, Kind::Acquire, 0, None)).wait.unwrap();
    assert_eq!(player.message().elapsed(), Ok(Some(0)));
    let _ = player.client.expired(&plan, wait, &mut player.out);
    let hundredths = (wait.as_millis() / 10) as u16;
    assert_eq!(player.message().elapsed(), Ok(Some(hundredths)));
}

#[test]
fn template_offset_error_names_what_it_points_at() {
    let first = |offsets| compiled(300, offsets, NONE).unwrap_err();
    let second = |offsets| compiled(300, NONE, offsets).unwrap_err();
    let use_it = "use the packet template packet.hex: ";
    assert_eq!(
        second(Offsets { elapsed: Some(96), ..NONE }),
        format!(
            "{use_it}offset 96 (-E) is inside option 6 (option request), 2 bytes behind its beginning; \
             option 8 (elapsed time) begins at 88"
        )
    );
    assert_eq!(
        second(Offsets { server_id: Some(44), ..NONE }),
        format!(
            "{use_it}offset 44 (-S) is where option 3 (IA_NA) begins; option 2 (server identifier) begins at 22"
        )
    );
    assert_eq!(
        second(Offsets { lease: Some(1000), ..NONE }),
        format!(
            "{use_it}offset 1000 (-I) is beyond the 100 bytes of the packet; option 3 (IA_NA) begins at 44"
        )
    );
    assert_eq!(
        second(Offsets { identity: Some(20), ..NONE }),
        format!(
            "{use_it}offset 20 (-O) is inside option 1 (client identifier), 16 bytes behind its beginning; \
             option 1 (client identifier) ends at 21"
        )
    );
    assert_eq!(
        first(Offsets { xid: Some(4), ..NONE }),
        format!(
            "{use_it}offset 4 (-X) is where option 1 (client identifier) begins; the transaction id begins at 1"
        )
    );
    assert_eq!(
        first(Offsets { identity: Some(35), ..NONE }),
        format!(
            "{use_it}offset 35 (-O) is inside option 6 (option request), 7 bytes behind its beginning; the 2 octets \
             that differ from client to client must lie between 8 and 21, the data of option 1 (client identifier)"
        )
    );
    assert!(first(Offsets { identity: Some(8), ..NONE }).contains("the 2 octets"), "one too few");
    assert!(first(Offsets { identity: Some(0), ..NONE }).contains("is the type of the message"));
    assert!(first(Offsets { xid: Some(2), ..NONE }).contains("is in the transaction id"));
}

#[test]
fn template_of_another_message_is_refused() {
    let refused = |first: Vec<u8>, second: Option<Vec<u8>>| {
        let mut setup = clients(1);
        setup.population = Population::cycle([0; 6], 1);
        setup.first_template = Some(template(first, NONE));
        setup.second_template = second.map(|packet| template(packet, NONE));
        Plan::compile(setup).unwrap_err().to_string()
    };
    assert!(
        refused(request(), None).contains("it is a REQUEST, and what is sent there is a SOLICIT")
    );
    assert!(
        refused(solicit(), Some(solicit()))
            .contains("is a SOLICIT, and what is sent there is a REQUEST")
    );
    assert!(refused(vec![12, 0], None).contains("it is a RELAY-FORW"));
    assert!(refused(vec![1, 0, 0], None).contains("no DHCPv6 message: the message has 3 bytes"));
    let cut = solicit();
    assert!(refused(cut[..cut.len() - 1].to_vec(), None).contains("byte 52 runs past the end"));
    let mut empty = Vec::new();
    Draft::default().write(MessageType::SOLICIT, 1, &mut empty);
    assert!(refused(empty, None).contains("it has no option 1 (client identifier)"));
    let mut setup = clients(1);
    setup.first_template = Some(template(solicit(), NONE));
    setup.wanted = super::super::Wanted::Both;
    assert!(Plan::compile(setup).unwrap_err().to_string().contains("ask for prefixes"));
}
