//! The cost of a DHCPv4 exchange in this crate: filling in a packet, reading an answer, writing
//! one.
//!
//! Run it with `cargo bench -p brunt-dhcp-wire`. A lease takes two of each, and a datagram
//! over loopback costs more than a microsecond of kernel time.

#![expect(clippy::unwrap_used, reason = "a bench that fails should stop")]

use std::hint::black_box;
use std::net::Ipv4Addr;

use brunt_dhcp_wire::dhcp4::{Draft, Header, Message, MessageType, Writer, option, patch};
use divan::Bencher;

fn main() {
    divan::main();
}

const SERVER: Ipv4Addr = Ipv4Addr::new(10, 9, 0, 1);
const CLIENT_ID: [u8; 7] = [1, 0x00, 0x0c, 0x01, 0x02, 0x03, 0x04];

fn discover() -> Vec<u8> {
    Draft::new(Header::request(), MessageType::Discover)
        .with(option::PARAMETER_REQUEST_LIST, &[1, 28, 2, 3, 15, 6, 12])
        .with(option::CLIENT_ID, &CLIENT_ID)
        .to_bytes()
}

fn write_offer(request: &Message<'_>, out: &mut Vec<u8>) {
    let header = Header { yiaddr: Ipv4Addr::new(10, 9, 1, 2), ..Header::reply_to(request) };
    let mut writer = Writer::new(out, &header, MessageType::Offer);
    writer
        .option(option::SUBNET_MASK, &[255, 255, 0, 0])
        .seconds(option::LEASE_TIME, 4_000)
        .address(option::SERVER_ID, SERVER)
        .seconds(option::RENEWAL_TIME, 900)
        .seconds(option::REBINDING_TIME, 1_800)
        .option(option::CLIENT_ID, &CLIENT_ID);
    writer.end();
}

fn offer() -> Vec<u8> {
    let mut out = Vec::new();
    write_offer(&Message::scan(&discover()).unwrap(), &mut out);
    out
}

#[divan::bench]
fn request_copied_and_patched(bencher: Bencher<'_, '_>) {
    let (packet, mut out) = (discover(), Vec::new());
    bencher.bench_local(|| {
        out.clear();
        out.extend_from_slice(black_box(&packet));
        patch::xid(&mut out, black_box(77));
        patch::chaddr(&mut out, black_box(&CLIENT_ID[1..]));
        patch::giaddr(&mut out, black_box(SERVER));
        out.len()
    });
}

#[divan::bench]
fn reply_scanned(bencher: Bencher<'_, '_>) {
    let bytes = offer();
    bencher.bench_local(|| {
        let message = Message::scan(black_box(&bytes)).unwrap();
        (message.xid(), message.message_type(), message.server_id())
    });
}

#[divan::bench]
fn lease_times_looked_up(bencher: Bencher<'_, '_>) {
    let bytes = offer();
    let message = Message::scan(&bytes).unwrap();
    bencher.bench_local(|| {
        let message = black_box(&message);
        (message.lease_time(), message.renewal_time(), message.rebinding_time())
    });
}

#[divan::bench]
fn reply_written_by_a_server(bencher: Bencher<'_, '_>) {
    let (bytes, mut out) = (discover(), Vec::new());
    bencher.bench_local(|| {
        out.clear();
        write_offer(&Message::scan(black_box(&bytes)).unwrap(), &mut out);
        out.len()
    });
}
