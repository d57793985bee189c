//! The cost of an HTTP/1.1 exchange in this crate: writing a head, reading an answer.
//!
//! Run it with `cargo bench -p brunt-http-wire`. The kernel takes about two microseconds for the two system
//! calls of an exchange over loopback.

#![expect(clippy::unwrap_used, reason = "a bench that fails should stop")]

use brunt_http_wire::{self as http, RequestKind};
use divan::Bencher;
use std::hint::black_box;

fn main() {
    divan::main();
}

/// The answer of nginx for a small file.
const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\nServer: nginx/1.22.1\r\nDate: Sat, 21 Nov 2026 08:29:18 GMT\r\n\
    Content-Type: text/html\r\nContent-Length: 21\r\nLast-Modified: Sat, 21 Nov 2026 08:20:00 GMT\r\n\
    Connection: keep-alive\r\nETag: \"6560f8a0-15\"\r\nAccept-Ranges: bytes\r\n\r\nHello, world of load\n";

#[divan::bench]
fn write_head(bencher: Bencher<'_, '_>) {
    let mut out = Vec::with_capacity(256);
    bencher.bench_local(|| {
        out.clear();
        http::request_line(&mut out, black_box(b"GET"), b"", black_box(b"/index.html"));
        http::field(&mut out, b"Host", b"127.0.0.1:8080");
        http::field(&mut out, b"Accept", b"*/*");
        http::finish(&mut out);
        out.len()
    });
}

#[divan::bench]
fn scan_and_let_go(bencher: Bencher<'_, '_>) {
    bencher.bench_local(|| {
        let answer = black_box(ANSWER);
        let mut head = http::scan(answer, RequestKind::Any, 256, |_, _| {}).unwrap().unwrap();
        head.framing.take(&answer[head.length..], |_| {}).unwrap().ended
    });
}

#[divan::bench]
fn scan_and_show_fields(bencher: Bencher<'_, '_>) {
    let mut fields = Vec::with_capacity(16);
    bencher.bench_local(|| {
        fields.clear();
        let show = |name, value| fields.push((name, value));
        http::scan(black_box(ANSWER), RequestKind::Any, 256, show).unwrap();
        fields.len()
    });
}

#[divan::bench]
fn read_over_chunks(bencher: Bencher<'_, '_>) {
    let mut answer = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
    for _ in 0..16 {
        answer.extend_from_slice(b"400\r\n");
        answer.extend_from_slice(&[b'x'; 1024]);
        answer.extend_from_slice(b"\r\n");
    }
    answer.extend_from_slice(b"0\r\n\r\n");
    bencher.bench_local(|| {
        let answer = black_box(&answer[..]);
        let mut head = http::scan(answer, RequestKind::Any, 256, |_, _| {}).unwrap().unwrap();
        head.framing.take(&answer[head.length..], |_| {}).unwrap().ended
    });
}
