//! Cuts a stream into messages and scans each, as a connection does.

use brunt_ldap_wire::response;

/// Panics if the decoder treats this input otherwise.
pub fn check(stream: &[u8]) {
    let mut rest = stream;
    loop {
        match response::frame_limited(rest, 1 << 16) {
            Ok(Some(length)) => {
                assert!((2..=1 << 16).contains(&length));
                let Some((message, after)) = rest.split_at_checked(length) else { break };
                if let Ok(scan) = response::scan(message) {
                    assert!(scan.message_id >= 0);
                    // A byte less is never a message.
                    assert!(response::scan(&message[..length - 1]).is_err());
                }
                rest = after;
            }
            Ok(None) => {
                assert!(rest.len() < 6, "six bytes always tell the length");
                break;
            }
            Err(_) => break,
        }
    }
}
