//! Replies of nscd: never a panic, never more wanted than a reply may have, and the same answer however it comes in.

use brunt_names_wire::account::{Progress, REPLY_MAX};
use brunt_names_wire::nscd::{Reply, Request, scan};

const REQUESTS: [Request; 5] = [
    Request::UserByName,
    Request::UserById,
    Request::GroupByName,
    Request::GroupById,
    Request::Memberships,
];

/// Panics if the decoder treats this input otherwise.
pub fn check(bytes: &[u8]) {
    for request in REQUESTS {
        let scanned = scan(request, bytes);
        match &scanned {
            Ok(Progress::More(needed)) => {
                assert!(*needed > bytes.len() && *needed <= REPLY_MAX, "{needed} are wanted");
            }
            Ok(Progress::Done(Reply::Memberships(gids))) => {
                assert!(gids.iter().count() <= bytes.len() / 4);
            }
            Ok(Progress::Done(_)) | Err(_) => {}
        }
        for end in 0..bytes.len().min(80) {
            match scan(request, &bytes[..end]) {
                Ok(Progress::More(needed)) => assert!(needed > end),
                early => assert_eq!(early, scanned, "what was said of a part is not taken back"),
            }
        }
    }
}
