//! Reads bytes as what agents and a coordinator of a cluster hear: a report with its piece, an order, a word, a
//! question for work.

use brunt_cluster::message::{Join, Order, PIECE_MAX, Sealed, Word, read_report, write_report};

/// Panics if the decoder treats this input otherwise.
pub fn check(input: &[u8]) {
    if let Ok((report, piece)) = read_report(input) {
        assert!(piece.len() <= PIECE_MAX);
        let again = write_report(&report, &piece);
        assert_eq!(read_report(&again).ok(), Some((report, piece)));
    }
    // Whoever signed it.
    let _ = Sealed::open::<Order>(input, &|_, _| true);
    let _ = Sealed::open::<Word>(input, &|_, _| true);
    assert!(Sealed::open::<Order>(input, &|_, _| false).is_err());
    if let Ok(join) = serde_json::from_slice::<Join>(input) {
        let why = join.misfit("0.1.0");
        assert!(why.is_none_or(|why| !why.contains(char::is_control)));
    }
}
