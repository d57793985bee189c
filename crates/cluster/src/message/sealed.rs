//! [`Sealed`]: a text with the signature of its author.
//!
//! A broker does not report who published a message, so a text that an agent obeys is signed, over exactly the bytes
//! that are read. Every order and every word names the run and the nonce of the agent it is for, and a word also names
//! the report it answers, so that none is valid for another agent or at another time.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The most bytes of an order: a command line is shorter.
const TEXT_MAX: usize = 256 << 10;

/// Signs bytes; returns none if signatures are not used.
pub type Sealing<'a> = &'a (dyn Fn(&[u8]) -> Option<Vec<u8>> + Send + Sync);
/// Whether bytes with this signature are obeyed; an empty signature means that the bytes are not signed.
pub type Trust<'a> = &'a (dyn Fn(&[u8], &[u8]) -> bool + Send + Sync);

/// A text and its signature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sealed {
    text: String,
    /// In hexadecimal; empty if the text is not signed.
    #[serde(default)]
    signature: String,
}

/// Why a sealed text is not obeyed.
#[derive(Debug, thiserror::Error)]
pub enum SealedError {
    /// The text has no signature of a trusted key.
    #[error("it is not signed by a key that this agent accepts orders from")]
    Signature,
    /// It is longer than is allowed.
    #[error("it is longer than {TEXT_MAX} bytes")]
    Long,
    /// It is not the expected JSON.
    #[error("it cannot be understood ({0})")]
    Json(#[from] serde_json::Error),
}

impl Sealed {
    /// Writes and signs a value.
    pub fn new(value: &impl Serialize, sealing: Sealing<'_>) -> Self {
        // Structs of numbers and texts always become JSON.
        let text = serde_json::to_string(value).unwrap_or_default();
        let signature = sealing(text.as_bytes()).unwrap_or_default();
        Self { text, signature: hexadecimal(&signature) }
    }

    /// The bytes that are sent over the network.
    pub fn bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// Verifies a sealed text and reads its value, if the signature is trusted.
    pub fn open<T: DeserializeOwned>(bytes: &[u8], trust: Trust<'_>) -> Result<T, SealedError> {
        if bytes.len() > 2 * TEXT_MAX {
            return Err(SealedError::Long);
        }
        let sealed: Self = serde_json::from_slice(bytes)?;
        if sealed.text.len() > TEXT_MAX {
            return Err(SealedError::Long);
        }
        let signature = octets(&sealed.signature).ok_or(SealedError::Signature)?;
        if !trust(sealed.text.as_bytes(), &signature) {
            return Err(SealedError::Signature);
        }
        Ok(serde_json::from_str(&sealed.text)?)
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from_digit(nibble.into(), 16).unwrap_or('0');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

fn octets(text: &str) -> Option<Vec<u8>> {
    if text.len() > 1_024 || !text.len().is_multiple_of(2) || !text.is_ascii() {
        return None;
    }
    let pairs = (0..text.len()).step_by(2).filter_map(|at| text.get(at..at + 2));
    pairs.map(|pair| u8::from_str_radix(pair, 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sealed_text_opens_only_for_trusted_signers() {
        // A signature for tests only: the sum of the bytes.
        let sum = |bytes: &[u8]| vec![bytes.iter().fold(7_u8, |sum, byte| sum.wrapping_add(*byte))];
        let sealing = move |bytes: &[u8]| Some(sum(bytes));
        let trust = move |bytes: &[u8], signature: &[u8]| signature == sum(bytes);
        let sealed = Sealed::new(&["-M", "100"], &sealing);
        let read: Vec<String> = Sealed::open(&sealed.bytes(), &trust).unwrap();
        assert_eq!(read, ["-M", "100"]);
        let changed = Sealed { text: sealed.text.replace("100", "200"), ..sealed.clone() };
        let unsigned = Sealed { signature: String::new(), ..sealed.clone() };
        let odd = Sealed { signature: "é0".to_owned(), ..sealed };
        for wrong in [changed, unsigned, odd] {
            let read = Sealed::open::<Vec<String>>(&wrong.bytes(), &trust);
            assert!(matches!(read, Err(SealedError::Signature)), "{read:?}");
        }
        let long = vec![b' '; 3 * TEXT_MAX];
        assert!(matches!(Sealed::open::<u8>(&long, &trust), Err(SealedError::Long)));
    }
}
