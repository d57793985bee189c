//! Replies of nslcd: never a panic, never more wanted than a reply may have, and the same entries however they come in.

use brunt_names_wire::account::{Malformed, REPLY_MAX};
use brunt_names_wire::nslcd::{Entry, Replies, Request, Step};

const REQUESTS: [Request; 5] = [
    Request::UserByName,
    Request::UserById,
    Request::GroupByName,
    Request::GroupById,
    Request::Memberships,
];

/// Panics if the decoder treats this input otherwise.
pub fn check(input: (u8, &[u8])) {
    let (piece, bytes) = input;
    for request in REQUESTS {
        let whole = walk(request, bytes, bytes.len().max(1));
        assert_eq!(whole, walk(request, bytes, usize::from(piece).max(1)));
    }
}

/// The entries of a reply that comes in pieces of that size, and why there are no more: an end, or too few bytes.
fn walk(request: Request, bytes: &[u8], piece: usize) -> (Vec<Entry<'_>>, Result<bool, Malformed>) {
    let mut replies = Replies::new(request);
    let (mut entries, mut come) = (Vec::new(), 0);
    loop {
        match replies.step(&bytes[..come]) {
            Ok(Step::Entry(entry)) => entries.push(entry),
            Ok(Step::End) => return (entries, Ok(true)),
            Ok(Step::More(needed)) => {
                assert!(needed > come && needed <= REPLY_MAX, "{needed} are wanted");
                if come == bytes.len() {
                    return (entries, Ok(false));
                }
                come = (come + piece).min(bytes.len());
            }
            Err(why) => return (entries, Err(why)),
        }
    }
}
