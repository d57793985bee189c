//! Puts a DHCPv6 message together of whatever comes, wraps it for some relay agents, and reads it
//! again: nothing is lost, and the options stand in ascending order.

use brunt_dhcp_wire::dhcp6::relay::{self, unwrap};
use brunt_dhcp_wire::dhcp6::{Draft, MessageType, RelayNesting, set_elapsed, set_xid};

/// Panics if the decoder treats this input otherwise.
pub fn check(bytes: &[u8]) {
    let Some(([kind, xid @ .., levels], mut rest)) = bytes.split_first_chunk::<5>() else { return };
    let kind = MessageType(kind % 11 + 1);
    let mut draft = Draft::default();
    let mut expected = Vec::new();
    while let Some(([high, low, length], after)) = rest.split_first_chunk::<3>() {
        let (data, after) = after.split_at(usize::from(*length).min(after.len()));
        rest = after;
        let code = u16::from_be_bytes([*high & 1, *low]);
        draft.add(code, data);
        expected.push((code, data));
    }
    expected.sort_by_key(|(code, _)| *code);
    let mut out = Vec::new();
    let mut nest = RelayNesting::default();
    let levels = usize::from(*levels) % (relay::DEPTH_MAX + 1);
    for hops in (0..levels).rev() {
        relay::header(
            MessageType::RELAY_FORW,
            hops as u8,
            [1; 16].into(),
            [2; 16].into(),
            &mut out,
        );
        assert!(nest.open(&mut out));
    }
    let at = out.len();
    draft.write(kind, 0, &mut out);
    nest.close(&mut out);
    let xid = u32::from_be_bytes([0, xid[0], xid[1], xid[2]]);
    set_xid(&mut out[at..], xid);
    // Nothing is written where nothing is.
    let whole = out.clone();
    set_elapsed(&mut out, whole.len(), 7);
    assert_eq!(out, whole);
    let unwrapped = unwrap(&out).expect("what was written can be read");
    assert_eq!((unwrapped.depth, unwrapped.message.kind()), (levels, kind));
    assert_eq!(unwrapped.message.xid(), xid);
    let read: Vec<_> =
        unwrapped.message.options().into_iter().map(|option| (option.code, option.data)).collect();
    assert_eq!(read, expected);
}
