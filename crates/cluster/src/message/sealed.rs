//! [`Sealed`]: a text with the signature of whoever wrote it.
//!
//! A broker does not say who published a message, so what an agent obeys is signed over the very bytes that are read.
//! Every order and every word names the run and the nonce of the agent it is for, and a word the report it answers, so
//! that none is good for another agent or another time.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The most bytes of an order: a command line is shorter.
const TEXT_MAX: usize = 256 << 10;

/// Signs bytes; none if nobody asks for signatures.
pub type Sealing<'a> = &'a (dyn Fn(&[u8]) -> Option<Vec<u8>> + Send + Sync);
/// Whether a signature of these bytes is one that is obeyed; an empty one is of nobody.
pub type Trust<'a> = &'a (dyn Fn(&[u8], &[u8]) -> bool + Send + Sync);

/// A text and its signature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sealed {
    text: String,
    /// In hexadecimal; empty if nobody signed it.
    #[serde(default)]
    signature: String,
}

/// Why a sealed text is not obeyed.
#[derive(Debug, thiserror::Error)]
pub enum SealedError {
    /// Nobody who is trusted signed it.
    #[error("it is not signed by a key that this agent accepts orders from")]
    Signature,
    /// It is longer than may be.
    #[error("it is longer than {TEXT_MAX} bytes")]
    Long,
    /// It is not what belongs there.
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

    /// As it goes over the network.
    pub fn bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// Reads a sealed text and what it says, if it is to be obeyed.
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
    fn only_what_is_trusted_is_read() {
        // Not a signature that anybody should use: the sum of the bytes.
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
