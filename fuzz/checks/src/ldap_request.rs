//! Decodes a request. A filter that can be read can be written, and reads the same then.

use brunt_ldap_wire::ber::{Reader, Text};
use brunt_ldap_wire::filter::Filter;
use brunt_ldap_wire::message::{Message, Request};

/// Panics if the decoder treats this input otherwise.
pub fn check(bytes: &[u8]) {
    let Ok(message) = Message::decode(bytes) else { return };
    assert!(message.message_id >= 0);
    if let Request::Search(search) = &message.request {
        let ours = Filter::<Text>::from(&search.filter);
        let written = ours.node().to_bytes().expect("there is no slot");
        let again =
            Filter::decode(&mut Reader::new(&written)).expect("what was written can be read");
        assert_eq!(again, search.filter);
        let _ = Filter::parse(&search.filter.to_string());
    }
}
