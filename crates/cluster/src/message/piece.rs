//! How an agent requests a piece of a file of its order ([`Wanted`]), and the answer.
//!
//! The order is signed and contains the hash of each file, so a piece needs no signature: a wrong one is detected.

use serde::{Deserialize, Serialize};

use crate::bundle::{PIECE_MAX, Piece};

/// The first byte of an answer that contains a piece, and of one that gives the reason why there is none.
const BROUGHT: u8 = 0;
const REFUSED: u8 = 1;
/// The most bytes of a reason.
const WHY_MAX: usize = 1_000;

/// An agent requests a piece of a file. It repeats the request until it has the piece.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wanted {
    /// The nonce of the agent, which distinguishes agents of this name.
    pub nonce: String,
    /// The piece.
    #[serde(flatten)]
    pub piece: Piece,
}

/// Writes the answer to an agent: the bytes of the piece, or why there are none.
pub fn write_piece(piece: Result<&[u8], &str>) -> Vec<u8> {
    let (kind, bytes) = match piece {
        Ok(bytes) => (BROUGHT, bytes),
        Err(why) => (REFUSED, why.as_bytes()),
    };
    [&[kind], bytes].concat()
}

/// Why the sender of a file has no piece, in its words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NoPiece(String);

/// Reads an answer; none if it has neither form.
pub fn read_piece(answer: &[u8]) -> Option<Result<&[u8], NoPiece>> {
    match answer {
        [BROUGHT, bytes @ ..] if bytes.len() <= PIECE_MAX => Some(Ok(bytes)),
        [REFUSED, why @ ..] => {
            let why = why.get(..WHY_MAX).unwrap_or(why);
            Some(Err(NoPiece(super::printable(&String::from_utf8_lossy(why)))))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn piece_answer_round_trips() {
        assert_eq!(read_piece(&write_piece(Ok(b"ab"))), Some(Ok(&b"ab"[..])));
        let refused = write_piece(Err("no\u{1b}[2J file"));
        assert_eq!(read_piece(&refused), Some(Err(NoPiece("no [2J file".to_owned()))));
        for wrong in [&b""[..], b"\x07", &vec![BROUGHT; PIECE_MAX + 2]] {
            assert_eq!(read_piece(wrong), None);
        }
        let wanted = Wanted { nonce: "n".to_owned(), piece: Piece { file: 3, at: 9 } };
        let text = serde_json::to_string(&wanted).unwrap();
        assert_eq!(serde_json::from_str::<Wanted>(&text).unwrap(), wanted);
    }
}
