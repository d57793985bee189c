//! Reads every part of a DHCPv4 message. What can be read can be written, and reads the same then.

use brunt_dhcp_wire::dhcp4::{FieldAt, Header, Message, OPTIONS_AT, Writer, option, relay};

/// Panics if the decoder treats this input otherwise.
pub fn check(bytes: &[u8]) {
    for offset in (0..bytes.len()).step_by(7) {
        let _ = FieldAt::new(bytes, offset).to_string();
    }
    let Ok(message) = Message::scan(bytes) else { return };
    assert!(bytes.len() >= OPTIONS_AT && message.chaddr().len() <= 16);
    let _ = (message.message_type(), message.server_id(), message.requested_address());
    let _ = (message.lease_time(), message.renewal_time(), message.rebinding_time());
    let _ = (message.rapid_commit(), message.message(), Header::reply_to(&message));
    if let Some(info) = message.relay_info() {
        assert!(relay::sub_options(info).count() <= info.len());
    }
    // The scan saw that all options lie within their fields, so none is missing from here on.
    let options: Vec<_> = message.options().map(|each| each.expect("a checked option")).collect();
    let mut out = Vec::new();
    let mut writer = Writer::untyped(&mut out, &message.header());
    // An overload would send the reader into the empty fields of what is written.
    for each in options.iter().filter(|each| each.code != option::OVERLOAD) {
        assert_eq!(bytes.get(each.value_at()), Some(each.value));
        writer.option(each.code, each.value);
    }
    writer.end();
    let again = Message::scan(&out).expect("what was written can be read");
    assert_eq!(again.header(), message.header());
    assert_eq!(
        (again.message_type(), again.server_id()),
        (message.message_type(), message.server_id())
    );
    let again = again.options().map(|each| each.expect("an option"));
    let kept = options.iter().filter(|each| each.code != option::OVERLOAD);
    assert!(again.map(|each| (each.code, each.value)).eq(kept.map(|each| (each.code, each.value))));
}
