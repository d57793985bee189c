//! Reads bytes as the envelope that a child of a website is given.

use brunt_envelope::Envelope;

/// Panics if the decoder treats this input otherwise.
pub fn check(input: &[u8]) {
    let Ok(envelope) = Envelope::read(input) else { return };
    // What was read is written and read again.
    let text = serde_json::to_vec(&envelope).expect("an envelope can be written");
    let again = Envelope::read(text.as_slice()).expect("it is one of ours");
    assert_eq!(serde_json::to_vec(&again).expect("it can be written"), text);
}
