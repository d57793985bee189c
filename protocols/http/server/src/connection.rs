//! A connection: TLS if it is for HTTPS, then HTTP/1 or HTTP/2 by hyper, whichever the client speaks.
//!
//! hyper reads requests and writes answers through [`Wire`], which applies the faults that concern bytes. Without a
//! script they pass unchanged.

use std::convert::Infallible;
use std::error::Error;
use std::io;
use std::rc::Rc;

use brunt_embedded::counter::add;
use brunt_embedded::tcp::accepted::Accepted;
use brunt_embedded::tcp::socket::Socket;
use brunt_embedded::tcp::stream::Stream;
use hyper::service::service_fn;
use hyper_util::server::conn::auto;
use tokio::sync::Notify;

use super::service;
use super::wire::{Io, Wire};
use super::worker::Worker;

/// How many requests of a connection of HTTP/2 may be in progress at once.
const STREAMS: u32 = 1000;
/// The most fields a request may have.
const FIELDS: usize = 128;
/// The least that hyper accepts as the limit of its buffers.
const BUFFER_MIN: usize = 8 << 10;

/// Serves a connection to its end.
pub(super) async fn serve(worker: Rc<Worker>, accepted: Accepted) {
    let Accepted { stream, tls, number, open } = accepted;
    // Errors of a connection matter only to its client.
    let _ = open_and_run(worker, stream, tls, number).await;
    drop(open);
}

async fn open_and_run(
    worker: Rc<Worker>,
    stream: std::net::TcpStream,
    tls: bool,
    number: u64,
) -> io::Result<()> {
    let stream = Stream::Clear(Socket::accepted(stream)?);
    run(worker, stream, tls, number).await
}

/// Serves an open connection.
pub(super) async fn run(
    worker: Rc<Worker>,
    mut stream: Stream,
    tls: bool,
    number: u64,
) -> io::Result<()> {
    if tls {
        let secured = stream.secure(&worker.acceptor).await;
        let counters = &worker.counters;
        add(if secured.is_ok() { &counters.handshakes } else { &counters.handshakes_failed }, 1);
        stream = secured?;
        if stream.resumed() {
            add(&counters.handshakes_resumed, 1);
        }
    }
    let wire = Rc::new(Wire::new(Rc::clone(&worker), stream));
    let end = Rc::new(Notify::new());
    let ended = Rc::clone(&end);
    let (builder, io) = (builder(&worker), Io(Rc::clone(&wire)));
    let service = service_fn(|request| {
        // A stream of HTTP/2 must not keep the connection open after its end.
        let wire = (request.version() != http::Version::HTTP_2).then(|| Rc::clone(&wire));
        let (worker, end) = (Rc::clone(&worker), Rc::clone(&end));
        async move {
            Ok::<_, Infallible>(
                service::answer(&worker, wire.as_deref(), request, (number, tls), &end).await,
            )
        }
    });
    tokio::select! {
        served = builder.serve_connection(io, service) => {
            if served.is_err_and(|error| is_malformed(&*error)) {
                add(&worker.counters.malformed, 1);
            }
        }
        () = ended.notified() => {}
    }
    Ok(())
}

fn builder(worker: &Worker) -> auto::Builder<Local> {
    let mut builder = auto::Builder::new(Local).title_case_headers(true);
    builder
        .http1()
        .auto_date_header(false)
        .half_close(true)
        .max_buf_size(worker.realm.config.head_bytes_max.max(BUFFER_MIN))
        .max_headers(FIELDS);
    builder.http2().max_concurrent_streams(STREAMS);
    builder
}

/// Whether a connection ended because its client sent something other than HTTP.
fn is_malformed(error: &(dyn Error + 'static)) -> bool {
    error.downcast_ref::<hyper::Error>().is_some_and(hyper::Error::is_parse)
}

/// Spawns the tasks of a connection on its own thread.
#[derive(Clone, Copy, Debug)]
struct Local;

impl<F: Future + 'static> hyper::rt::Executor<F> for Local {
    fn execute(&self, future: F) {
        tokio::task::spawn_local(async move {
            future.await;
        });
    }
}
