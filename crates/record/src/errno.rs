//! The words for errors of the operating system, by which screens name failures to connect and to send.

use brunt_exchange::Class;

/// The words for a code of this class, if its codes are errors of the operating system: `connection refused`.
///
/// The texts are our own, since the C libraries of packages have different ones.
pub fn errno_words(class: &str, code: u32) -> Option<&'static str> {
    let of_system =
        [Class::Connect, Class::Unsent, Class::Closed, Class::Ports, Class::Descriptors];
    if !of_system.iter().any(|known| known.word() == class) {
        return None;
    }
    WORDS.iter().find(|(known, _)| *known == code).map(|(_, words)| *words)
}

/// The codes of Linux that networks and local limits cause.
const WORDS: [(u32, &str); 22] = [
    (1, "not permitted"),
    (2, "no such socket"),
    (11, "would block"),
    (13, "permission denied"),
    (22, "invalid address"),
    (23, "too many open files on this machine"),
    (24, "too many open files"),
    (32, "broken pipe"),
    (90, "message too long"),
    (97, "address family not supported"),
    (98, "address in use"),
    (99, "no local address or port free"),
    (100, "network down"),
    (101, "network unreachable"),
    (103, "connection aborted"),
    (104, "connection reset"),
    (105, "no buffer space"),
    (107, "not connected"),
    (110, "connection timed out"),
    (111, "connection refused"),
    (112, "host down"),
    (113, "no route to host"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errno_is_named_only_for_system_errors() {
        assert_eq!(errno_words("connect", 111), Some("connection refused"));
        assert_eq!(errno_words("unsent", 101), Some("network unreachable"));
        assert_eq!(errno_words("result", 111), None);
        assert_eq!(errno_words("connect", 4_000), None);
    }

    #[test]
    fn errno_words_are_sorted_and_unique() {
        assert!(WORDS.windows(2).all(|two| two[0].0 < two[1].0));
    }
}
