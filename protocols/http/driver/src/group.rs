//! [`Group`]: what the users of one worker share: the buffers they read into and write from, and connections over
//! HTTP/2.
//!
//! Buffers are borrowed within a poll and never across one, so thousands of idle connections share one of each.

use super::http2::Shared;
use super::network::Network;
use super::origin::Origin;
use brunt_http_wire::Heads;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// Room for the result of one read.
const INPUT: usize = 64 * 1024;

/// What the users of one worker share.
#[derive(Debug)]
pub struct Group {
    pub(super) network: Arc<Network>,
    pub(super) input: Rc<RefCell<Box<[u8]>>>,
    pub(super) output: RefCell<Vec<u8>>,
    pub(super) heads: RefCell<Heads>,
    /// How many users there are.
    users: Cell<u32>,
    /// The shared connections, by origin and by the number of the connection to it.
    shared: RefCell<HashMap<(*const Origin, u32), Rc<Shared>>>,
}

impl Group {
    /// Makes the group for the users of one worker.
    pub fn new(network: &Arc<Network>) -> Rc<Self> {
        Rc::new(Self {
            network: Arc::clone(network),
            input: Rc::new(RefCell::new(vec![0; INPUT].into_boxed_slice())),
            output: RefCell::default(),
            heads: RefCell::default(),
            users: Cell::default(),
            shared: RefCell::default(),
        })
    }

    /// The number of the next user, among those of its worker.
    pub(super) fn user(&self) -> u32 {
        self.users.replace(self.users.get().wrapping_add(1))
    }

    /// The connection to an origin that the user of this number shares with its neighbours.
    pub(super) fn shared(&self, origin: &Arc<Origin>, user: u32) -> Rc<Shared> {
        // The network keeps every origin for as long as there is a group, so no address is reused.
        let key = (Arc::as_ptr(origin), user / self.network.settings.streams.max(1));
        let mut shared = self.shared.borrow_mut();
        let input = || Rc::new(Shared::new(Rc::clone(&self.input)));
        Rc::clone(shared.entry(key).or_insert_with(input))
    }
}
