//! The thread that serves a live page, from its first connection to the end of the run.
//!
//! axum routes requests; connections are accepted here, because their number, the size of a socket's buffers and the
//! time for a request head must be bounded, which axum's own server does not offer.

use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use brunt_exchange::{Clock as _, Monotonic};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpStream;
use tokio::runtime::Builder;
use tokio::sync::{Semaphore, watch};
use tokio::time::timeout;

use super::tabs::{TABS_MAX, Tabs};
use super::{Shared, routes};

/// The most connections at a time: each tab has one for its events, and may request the page over another.
const CONNECTIONS_MAX: usize = TABS_MAX + 56;
/// How many bytes the kernel and the server may each buffer for a tab that does not read.
const BUFFER: usize = 64 << 10;
/// How long a connection may take to send its request head.
const HEAD_MAX: Duration = Duration::from_secs(10);
/// How long to wait after a connection that could not be accepted, for example because no descriptors are left.
const AGAIN: Duration = Duration::from_millis(100);
/// How long tabs may delay the end of a run.
pub(super) const GOODBYE_MAX: Duration = Duration::from_secs(2);
/// How much of that is for sending the last messages.
const SENDING_MAX: Duration = Duration::from_millis(500);

/// Serves until the run is over and every tab has been notified.
pub(super) fn serve(listener: TcpListener, shared: &Arc<Shared>) {
    // If the runtime cannot be made here, it cannot be made at all; the run continues without the page.
    let Ok(runtime) = Builder::new_current_thread().enable_all().build() else { return };
    let clock = Monotonic::new();
    runtime.block_on(async {
        let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
        let router = routes::router(shared, clock);
        let graceful = GracefulShutdown::new();
        tokio::select! {
            () = accept(&listener, &router, &graceful) => {}
            () = all_tabs_notified(shared, clock) => {}
        }
        drop(listener);
        let _ = timeout(SENDING_MAX, graceful.shutdown()).await;
    });
}

async fn accept(listener: &tokio::net::TcpListener, router: &Router, graceful: &GracefulShutdown) {
    let room = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    let mut server = http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(HEAD_MAX).max_buf_size(BUFFER);
    loop {
        let Ok(place) = Arc::clone(&room).acquire_owned().await else { return };
        let accepted = listener.accept().await;
        let Ok(stream) = accepted.and_then(|(stream, _)| prepared(stream)) else {
            let _ = timeout(AGAIN, std::future::pending::<()>()).await;
            continue;
        };
        let service = TowerToHyperService::new(router.clone());
        let connection = server.serve_connection(TokioIo::new(stream), service);
        let watched = graceful.watch(connection);
        tokio::spawn(async move {
            // A tab that disconnects is not a failure.
            let _ = watched.await;
            drop(place);
        });
    }
}

fn prepared(stream: TcpStream) -> io::Result<TcpStream> {
    stream.set_nodelay(true)?;
    rustix::net::sockopt::set_socket_send_buffer_size(&stream, BUFFER)?;
    Ok(stream)
}

/// Waits for the end of the run, and then until every tab has been notified of it, up to the time limit.
async fn all_tabs_notified(shared: &Shared, clock: Monotonic) {
    let mut changed = shared.changed.subscribe();
    while !shared.history().is_over() {
        if changed.changed().await.is_err() {
            return;
        }
    }
    let mut tabs = shared.tabs.subscribe();
    let _ = timeout(GOODBYE_MAX.saturating_sub(SENDING_MAX), all_tabs_left(&mut tabs, clock)).await;
}

async fn all_tabs_left(tabs: &mut watch::Receiver<Tabs>, clock: Monotonic) {
    while tabs.wait_for(|tabs| tabs.open == 0).await.is_ok() {
        let awaited = tabs.borrow().awaited(clock.now());
        let Some(awaited) = awaited else { return };
        let _ = timeout(awaited, tabs.wait_for(|tabs| tabs.open > 0)).await;
    }
}
