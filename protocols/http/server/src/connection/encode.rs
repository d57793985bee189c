//! The head of an answer in the syntax of HTTP/1 (RFC 9112).

use std::io::Write as _;

use crate::reply::{Reply, reason};

/// How the end of a body is announced.
#[derive(Clone, Copy, Debug)]
pub(super) enum Length {
    Exact(u64),
    Chunked,
    /// By the end of the connection.
    None,
}

/// The properties of an answer that do not depend on its content.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    /// Whether the connection is kept.
    pub(super) keep: bool,
    /// Whether the client uses HTTP/1.0 and must be informed that the connection is kept.
    pub(super) old: bool,
    /// Whether the request was a HEAD.
    pub(super) head_only: bool,
}

/// Writes the head of an answer.
pub(super) fn head(out: &mut Vec<u8>, reply: &Reply, length: Length, form: Form) {
    // Nine of ten answers are of this status.
    if reply.status == 200 {
        out.extend_from_slice(b"HTTP/1.1 200 OK\r\n");
    } else {
        // Writing to memory does not fail.
        let _ = write!(out, "HTTP/1.1 {} {}\r\n", reply.status, reason(reply.status));
    }
    if reply.has_body() {
        line(out, "Content-Type", reply.content_type);
        match length {
            Length::Exact(bytes) => line(out, "Content-Length", itoa::Buffer::new().format(bytes)),
            Length::Chunked => line(out, "Transfer-Encoding", "chunked"),
            Length::None => {}
        }
    }
    for (name, value) in &reply.fields {
        line(out, name, value);
    }
    match form {
        Form { keep: false, .. } => line(out, "Connection", "close"),
        Form { old: true, .. } => line(out, "Connection", "keep-alive"),
        _ => {}
    }
    out.extend_from_slice(b"\r\n");
}

/// Writes an answer whose whole body is available.
pub(super) fn whole(out: &mut Vec<u8>, reply: &Reply, form: Form) {
    head(out, reply, Length::Exact(reply.body.len() as u64), form);
    if !form.head_only {
        out.extend_from_slice(&reply.body);
    }
}

/// Writes a chunk of a body. An empty one ends it.
pub(super) fn chunk(out: &mut Vec<u8>, bytes: &[u8]) {
    let _ = write!(out, "{:x}\r\n", bytes.len());
    out.extend_from_slice(bytes);
    out.extend_from_slice(b"\r\n");
}

fn line(out: &mut Vec<u8>, name: &str, value: &str) {
    for part in [name, ": ", value, "\r\n"] {
        out.extend_from_slice(part.as_bytes());
    }
}
