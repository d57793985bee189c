//! [`Group`]: what the users of one worker share: the buffers they read into and write from.
//!
//! Buffers are borrowed within a poll and never across one, so thousands of idle connections have one of each, not one
//! each.

use super::network::Network;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// Room for what one read brings.
const INPUT: usize = 64 * 1024;

/// What the users of one worker share.
#[derive(Debug)]
pub struct Group {
    pub(super) network: Arc<Network>,
    pub(super) input: RefCell<Box<[u8]>>,
    pub(super) output: RefCell<Vec<u8>>,
}

impl Group {
    /// For the users of one worker.
    pub fn new(network: &Arc<Network>) -> Rc<Self> {
        Rc::new(Self {
            network: Arc::clone(network),
            input: RefCell::new(vec![0; INPUT].into_boxed_slice()),
            output: RefCell::default(),
        })
    }
}
