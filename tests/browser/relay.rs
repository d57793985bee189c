//! [`Relay`]: a connection to a page that can be cut, as when a cable is pulled.
//!
//! Chromium's own offline mode does not interrupt an existing event stream, so the network is cut here.

use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// Passes bytes on to the server of a page, for as long as the test process lives.
pub(crate) struct Relay {
    address: String,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    is_cut: bool,
    open: Vec<TcpStream>,
}

impl Relay {
    /// A way to the page at this address.
    pub(crate) fn to(page: &str) -> Self {
        let rest = page.strip_prefix("http://").expect("an address");
        let (host, path) = rest.split_once('/').expect("a path");
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let at = listener.local_addr().expect("it has an address");
        let state = Arc::new(Mutex::new(State::default()));
        let (known, host) = (Arc::clone(&state), host.to_owned());
        thread::spawn(move || {
            for from in listener.incoming().flatten() {
                let _ = join(&known, from, &host);
            }
        });
        Self { address: format!("http://{at}/{path}"), state }
    }

    /// Where the page is, this way.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// Ends every connection, and lets no other be.
    pub(crate) fn cut(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.is_cut = true;
        for stream in state.open.drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    /// Lets connections be again.
    pub(crate) fn mend(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).is_cut = false;
    }
}

/// Connects a browser with the server, if the way is not cut.
fn join(state: &Mutex<State>, from: TcpStream, host: &str) -> io::Result<()> {
    let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
    if state.is_cut {
        return from.shutdown(Shutdown::Both);
    }
    let to = TcpStream::connect(host)?;
    for (from, to) in [(from.try_clone()?, to.try_clone()?), (to.try_clone()?, from.try_clone()?)] {
        thread::spawn(move || pass(from, to));
    }
    state.open.extend([from, to]);
    Ok(())
}

fn pass(mut from: TcpStream, mut to: TcpStream) {
    let mut buffer = [0; 16 << 10];
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        if to.write_all(&buffer[..count]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Write);
}
