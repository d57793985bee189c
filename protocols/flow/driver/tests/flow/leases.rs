//! Exchanges with a DHCP server, performed directly and as steps of a flow.

use brunt_dhcp_driver::{
    DhcpAccess, DhcpClient, DhcpEndpoint, DhcpEndpointError, EndpointSetup, Kind,
};
use brunt_dhcp_wire::{dhcp4, dhcp6};
use brunt_exchange::{Class, Monotonic, Outcome, Session as _, Ticket, Want, Watch};
use brunt_feed::{Hole, Text};
use brunt_flow_driver::{
    AfterFailure, Check, CompiledFlow, Condition, ExchangeStep, Extract, Flow, FlowCounters,
    Iterations, Location, Missing, Payload, Renewal, Scenario, Source, Step, User, Variable,
    WorkerContext,
};
use brunt_http_driver::{Network, Settings};
use std::collections::HashSet;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::{Builder, LocalOptions};

/// Starts a server that answers with `answer`, for as long as the process runs.
fn serve(at: &str, answer: impl Fn(&[u8], &mut Vec<u8>) + Send + 'static) -> SocketAddr {
    let socket = UdpSocket::bind(at).unwrap();
    let address = socket.local_addr().unwrap();
    std::thread::spawn(move || {
        let (mut room, mut out) = ([0; 2048], Vec::new());
        while let Ok((length, from)) = socket.recv_from(&mut room) {
            out.clear();
            answer(&room[..length], &mut out);
            if !out.is_empty() {
                let _ = socket.send_to(&out, from);
            }
        }
    });
    address
}

/// Gives the client whose MAC ends with n the address 10.0.0.n; if `refuses` is set, it refuses renewals.
fn v4(request: &[u8], refuses: bool, out: &mut Vec<u8>) -> dhcp4::MessageType {
    use dhcp4::{Header, Message, MessageType, Writer, option};
    let request = Message::scan(request).unwrap();
    let output = request.message_type().unwrap();
    let renews = !request.ciaddr().is_unspecified();
    let kind = match output {
        MessageType::Discover => MessageType::Offer,
        MessageType::Request if renews && refuses => MessageType::Nak,
        MessageType::Request => MessageType::Ack,
        _ => return output,
    };
    let mut header = Header::reply_to(&request);
    header.yiaddr = Ipv4Addr::new(10, 0, 0, request.chaddr()[5]);
    let mut writer = Writer::new(out, &header, kind);
    writer.seconds(option::LEASE_TIME, 3600);
    writer.address(option::SERVER_ID, Ipv4Addr::LOCALHOST);
    writer.option(option::DOMAIN_NAME, b"example.net");
    writer.end();
    output
}

fn v6(datagram: &[u8], out: &mut Vec<u8>) {
    use dhcp6::{IaKind, Message, MessageType, RelayNesting, Writer, code};
    let nest = RelayNesting::answering(datagram, out).unwrap();
    let request: Message<'_> = dhcp6::relay::unwrap(datagram).unwrap().message;
    let kind = if request.kind() == MessageType::SOLICIT {
        MessageType::ADVERTISE
    } else {
        MessageType::REPLY
    };
    let mac = request.client_id().unwrap()[9];
    let mut writer = Writer::message(out, kind, request.xid());
    writer.option(code::CLIENT_ID, request.client_id().unwrap());
    writer.option(code::SERVER_ID, &[0, 3, 0, 1, 2, 0, 0, 0, 0, 1]);
    let servers = [Ipv6Addr::LOCALHOST, Ipv6Addr::UNSPECIFIED].map(|each| each.octets()).concat();
    writer.option(code::DNS_SERVERS, &servers);
    if request.kind() != MessageType::RELEASE {
        let association = writer.open_ia(IaKind::Na, 1, 1800, 2880);
        let address = Ipv6Addr::from_bits((0x2001_0db8 << 96) + u128::from(mac));
        writer.address(address, 3600, 7200).close(&association);
    }
    nest.close(out);
}

fn requested(server: SocketAddr) -> EndpointSetup {
    let local = if server.is_ipv4() { "127.0.0.1:0" } else { "[::1]:0" };
    EndpointSetup {
        local: Some(local.parse().unwrap()),
        mac: Some([2, 0, 0, 0, 0, 7]),
        // Long enough for any answer on a busy machine.
        wait: Duration::from_secs(10),
        ..EndpointSetup::new(server, 100)
    }
}

/// A clock whose times are compared only with its own.
fn clock() -> Monotonic {
    Monotonic::new()
}

fn open(requested: &EndpointSetup) -> Result<DhcpEndpoint, DhcpEndpointError> {
    DhcpEndpoint::open(&brunt_net::Network::private(), requested, Arc::new(clock()))
}

/// Runs `what` where tasks that are not `Send` can be spawned.
fn within<T>(what: impl Future<Output = T>) -> T {
    let runtime =
        Builder::new_current_thread().enable_all().build_local(LocalOptions::default()).unwrap();
    runtime.block_on(what)
}

/// Performs an exchange and returns its outcome and the reason for a failure.
async fn carry_out(dhcp_client: &mut DhcpClient, kind: Kind) -> (Outcome, String) {
    let (clock, mut text) = (clock(), String::new());
    let mut watch = Watch::new(&clock, Some(&mut text));
    let outcome = dhcp_client.carry_out(kind, true, 3, &mut watch).await;
    if matches!(outcome, Outcome::Ok(_)) {
        let (sent, ended) = (watch.sent_at().unwrap(), watch.ended_at().unwrap());
        assert!(sent <= ended && ended <= watch.now());
    }
    (outcome, text)
}

fn lease_value(dhcp_client: &DhcpClient, name: &str) -> Option<String> {
    let found = dhcp_client.values().iter().find(|(known, _)| known == name);
    found.map(|(_, value)| String::from_utf8(value.clone()).unwrap())
}

#[test]
fn lease_is_acquired_renewed_and_released() {
    let (output, received) = std::sync::mpsc::channel();
    let server = serve("127.0.0.1:0", move |request, out| {
        let message = v4(request, false, out);
        output.send((message.byte(), request[33])).unwrap();
    });
    let access = open(&requested(server)).unwrap();
    within(async {
        let access = DhcpAccess::new(&access, 2);
        let mut clients = [DhcpClient::new(&access, 3), DhcpClient::new(&access, 4)];
        for (dhcp_client, last) in clients.iter_mut().zip([10, 11]) {
            let (early, why) = carry_out(dhcp_client, Kind::Renew).await;
            assert_eq!(early, Outcome::Failed(Class::Check, 0));
            assert!(why.contains("holds no lease"), "{why}");
            for kind in [Kind::Acquire, Kind::Renew] {
                assert_eq!(carry_out(dhcp_client, kind).await.0, Outcome::Ok(5));
                let address = format!("10.0.0.{last}");
                assert_eq!(lease_value(dhcp_client, "address"), Some(address));
                assert_eq!(lease_value(dhcp_client, "domain-name").as_deref(), Some("example.net"));
                assert_eq!(lease_value(dhcp_client, "option-51").as_deref(), Some("00000e10"));
            }
            assert_eq!(carry_out(dhcp_client, Kind::Release).await.0, Outcome::Ok(0));
            let (gone, _) = carry_out(dhcp_client, Kind::Release).await;
            assert_eq!(gone, Outcome::Failed(Class::Check, 0));
        }
        // DISCOVER, REQUEST, the renewing REQUEST and RELEASE, of the MACs that end with 7 + 3 and 7 + 4.
        let of = |last: u8| [(1, last), (3, last), (3, last), (7, last)];
        let wait = Duration::from_secs(5);
        let all: Vec<_> = (0..8).map(|_| received.recv_timeout(wait).unwrap()).collect();
        assert_eq!(all, [of(10), of(11)].concat());
        clients.iter_mut().for_each(DhcpClient::leave);
    });
}

#[test]
fn nak_leaves_no_lease_and_silence_times_out() {
    let server = serve("127.0.0.1:0", |request, out| {
        v4(request, true, out);
    });
    let silent = serve("127.0.0.1:0", |_, _| ());
    let access = open(&requested(server)).unwrap();
    let silence = EndpointSetup { wait: Duration::from_millis(300), ..requested(silent) };
    let nobody = open(&silence).unwrap();
    within(async {
        let access = DhcpAccess::new(&access, 1);
        let mut dhcp_client = DhcpClient::new(&access, 1);
        assert_eq!(carry_out(&mut dhcp_client, Kind::Acquire).await.0, Outcome::Ok(5));
        let (refused, why) = carry_out(&mut dhcp_client, Kind::Renew).await;
        assert_eq!(refused, Outcome::Failed(Class::Result, 6));
        assert!(why.contains("DHCPNAK"), "{why}");
        assert_eq!(
            carry_out(&mut dhcp_client, Kind::Renew).await.0,
            Outcome::Failed(Class::Check, 0)
        );

        let access = DhcpAccess::new(&nobody, 1);
        let mut dhcp_client = DhcpClient::new(&access, 1);
        assert_eq!(carry_out(&mut dhcp_client, Kind::Acquire).await.0, Outcome::TimedOut);
        // A client can continue after an exchange that was cancelled before its end.
        let clock = clock();
        let mut watch = Watch::new(&clock, None);
        let soon = Duration::from_millis(20);
        let off =
            tokio::time::timeout(soon, dhcp_client.carry_out(Kind::Acquire, false, 3, &mut watch));
        assert!(off.await.is_err());
        assert_eq!(carry_out(&mut dhcp_client, Kind::Acquire).await.0, Outcome::TimedOut);
    });
}

#[test]
fn dhcpv6_uses_a_relay() {
    let server = serve("[::1]:0", |datagram, out| {
        // The relay's own header: RELAY-FORW, with a hop count of 0.
        assert_eq!(datagram[..2], [12, 0]);
        v6(datagram, out);
    });
    let access = open(&requested(server)).unwrap();
    within(async {
        let access = DhcpAccess::new(&access, 1);
        let mut dhcp_client = DhcpClient::new(&access, 2);
        for kind in [Kind::Acquire, Kind::Renew] {
            let (outcome, why) = carry_out(&mut dhcp_client, kind).await;
            assert!(matches!(outcome, Outcome::Ok(_)), "{outcome:?} {why}");
            assert_eq!(lease_value(&dhcp_client, "address").as_deref(), Some("2001:db8::9"));
            assert_eq!(lease_value(&dhcp_client, "dns-servers").as_deref(), Some("::1,::"));
            assert_eq!(lease_value(&dhcp_client, "valid-lifetime").as_deref(), Some("7200"));
        }
        assert!(matches!(carry_out(&mut dhcp_client, Kind::Release).await.0, Outcome::Ok(_)));
    });
}

#[test]
fn invalid_endpoint_is_refused_before_the_run() {
    let other = EndpointSetup {
        local: Some("[::1]:0".parse().unwrap()),
        ..requested(([127, 0, 0, 1], 67).into())
    };
    let error = open(&other).unwrap_err();
    assert!(matches!(error, DhcpEndpointError::Families { .. }));
    assert!(error.to_string().contains("one is IPv4 and the other IPv6"));
    let taken = UdpSocket::bind("127.0.0.1:0").unwrap();
    let mut requested = requested(([127, 0, 0, 1], 67).into());
    requested.local = Some(taken.local_addr().unwrap());
    assert!(matches!(open(&requested).unwrap_err(), DhcpEndpointError::Socket(_)));
}

/// Two users acquire, renew and release three times each; the values they receive are extracted and compared.
#[test]
fn flow_steps_acquire_leases() {
    let server = serve("127.0.0.1:0", |request, out| {
        v4(request, false, out);
    });
    let of = |kind, operation| ExchangeStep::new(operation, Payload::Dhcp(kind));
    let address = || Location::Field("address".to_owned());
    let mut acquire = of(Kind::Acquire, 0);
    acquire.extracts =
        vec![Extract { from: address(), into: Hole(0), missing: Missing::Fail, expires: None }];
    let mut renew = of(Kind::Renew, 1);
    let same = Text::parse("${held}", brunt_feed::Escape::None, |_| Some(Hole(0))).unwrap();
    renew.checks = vec![Check::Value { of: address(), must: Condition::Equal(same) }];
    let steps = [acquire, renew, of(Kind::Release, 2)];
    let flow = Flow {
        scenarios: vec![Scenario {
            name: "lease".to_owned(),
            steps: steps.map(|act| Step::Exchange(Box::new(act))).into(),
            after_failure: AfterFailure::Skip,
        }],
        variables: vec![Variable::new("held", Source::Answer, Renewal::Extracted)],
        operations: ["acquire", "renew", "release"].map(str::to_owned).into(),
        iterations: Iterations::Each(3),
        users: 2,
        dhcp: Some(Arc::new(open(&requested(server)).unwrap())),
        ..Flow::default()
    };
    let network =
        Arc::new(Network::new(Settings::default(), &brunt_net::Network::private()).unwrap());
    let compiled = Arc::new(CompiledFlow::new(flow, network).unwrap());
    let counters = Arc::new(FlowCounters::new(compiled.tallies().clone()));
    let mut operations = HashSet::new();
    within(async {
        let context = Rc::new(WorkerContext::new(&compiled, &counters, 2));
        let clock = clock();
        for number in 0..2 {
            let mut user = User::new(&context, number);
            let mut turn = 0;
            while user.wants(brunt_exchange::Clock::now(&clock)) != Want::Nothing {
                let mut text = String::new();
                let mut watch = Watch::new(&clock, Some(&mut text));
                user.ready(&mut watch).await;
                let ticket = Ticket {
                    number: 2 * turn + u64::from(number),
                    session: number,
                    turn,
                    phase: 0,
                };
                let outcome = user.exchange(&ticket, &mut watch).await;
                operations.insert(watch.named_operation());
                assert!(matches!(outcome, Outcome::Ok(_)), "{turn}: {outcome:?} {text}");
                turn += 1;
            }
            assert_eq!(turn, 9);
            user.close(&clock).await;
        }
    });
    let counts = counters.whole();
    assert_eq!(operations.len(), 3);
    for operation in 0..3 {
        let counted = compiled.tallies().of_operation(&counts, operation);
        assert_eq!((counted.passed, counted.failed), (6, 0));
    }
}
