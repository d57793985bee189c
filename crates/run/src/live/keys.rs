//! [`Key`]: the keys of the view.

/// The commands of the user to the view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    /// Freeze the picture, or resume.
    Pause,
    /// Show a longer time, and after the longest the shortest.
    Window,
    /// Show the next operation, and after the last all of them.
    Next,
    /// Show the previous operation.
    Previous,
    /// End the run in good order.
    Stop,
    /// Show the keys, or hide them.
    Help,
    /// A key without a meaning.
    Other,
}

/// The keys in the bytes from a terminal. An unknown sequence is one key.
pub(super) fn keys(mut typed: &[u8]) -> Vec<Key> {
    let mut keys = Vec::new();
    while let Some((first, rest)) = typed.split_first() {
        typed = rest;
        keys.push(match first {
            b'p' | b'P' | b' ' => Key::Pause,
            b'w' | b'W' => Key::Window,
            b'o' | b'\t' => Key::Next,
            b'O' => Key::Previous,
            b's' | b'S' | b'q' | b'Q' => Key::Stop,
            b'?' | b'h' | b'H' => Key::Help,
            b'\x1b' => sequence(&mut typed),
            _ => Key::Other,
        });
    }
    keys
}

/// The rest of a sequence after an escape: parameters, and a letter that ends them.
fn sequence(typed: &mut &[u8]) -> Key {
    let Some((b'[' | b'O', rest)) = typed.split_first() else { return Key::Other };
    let Some(end) = rest.iter().position(|byte| (0x40..=0x7e).contains(byte)) else {
        *typed = &[];
        return Key::Other;
    };
    *typed = &rest[end + 1..];
    match rest[end] {
        b'A' | b'D' if end == 0 => Key::Previous,
        b'B' | b'C' if end == 0 => Key::Next,
        _ => Key::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_letters_and_arrows() {
        let read = keys(b"pw?o\x1b[A\x1bOB\x1b[Cq");
        let expected = [
            Key::Pause,
            Key::Window,
            Key::Help,
            Key::Next,
            Key::Previous,
            Key::Next,
            Key::Next,
            Key::Stop,
        ];
        assert_eq!(read, expected);
        // Letters within a terminal's report must not end the run.
        assert_eq!(keys(b"\x1b[200~\x1b[1;5A\x1b[12;40R\x1b"), [Key::Other; 4]);
        assert_eq!(keys(b"\x1b[12"), [Key::Other]);
        assert_eq!(keys("\u{e9}".as_bytes()), [Key::Other; 2]);
    }
}
