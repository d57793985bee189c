//! [`renounce`]: what a user without privileges may do.

use rustix::thread::{CapabilitySet, CapabilitySets, set_capabilities};

/// Drops every privilege of this thread, so that a test behaves like a user without them.
pub fn renounce() {
    let none = CapabilitySet::empty();
    let sets = CapabilitySets { effective: none, permitted: none, inheritable: none };
    set_capabilities(None, sets).expect("a thread may drop its privileges");
}
