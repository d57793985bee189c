//! Reads every part of an answer, its controls and their values. A result that can be read can be
//! written, and reads the same then.

use brunt_ldap_wire::control::{RawControl, value};
use brunt_ldap_wire::reply::{self, Answer};
use brunt_ldap_wire::response::{self, Scan};

/// Panics if the decoder treats this input otherwise.
pub fn check(message: &[u8]) {
    let Ok(scan) = response::scan(message) else { return };
    let _ = scan.is_notice_of_disconnection();
    let _ = scan.reference().map(Iterator::count);
    let _ = scan.intermediate();
    if let Ok(entry) = scan.entry() {
        let _ = entry.value(b"cn");
        let values = entry.attributes().flatten().map(|attribute| attribute.values.count());
        assert!(values.sum::<usize>() <= message.len());
    }
    let Ok(controls) = scan.controls() else { return };
    let Ok(controls) = controls.collect::<Result<Vec<_>, _>>() else { return };
    for bytes in controls.iter().filter_map(|control| control.value) {
        if let Ok(policy) = value::PasswordPolicy::decode(bytes) {
            assert_eq!(value::PasswordPolicy::decode(&policy.encode()), Ok(policy));
        }
        if let Ok(page) = value::Page::decode(bytes) {
            assert_eq!(value::Page::decode(&page.encode()), Ok(page));
        }
        let _ = value::read_entry(bytes).map(|entry| entry.attributes().count());
        let _ = value::read_attributes(bytes);
        let _ = value::sort_result(bytes);
    }
    written_again(&scan, &controls);
}

fn written_again(scan: &Scan<'_>, controls: &[RawControl<'_>]) {
    let Ok(result) = scan.result() else { return };
    let Ok(referrals) = result.referrals.clone().collect::<Result<Vec<_>, _>>() else { return };
    assert_eq!(scan.code, Some(result.code));
    let answer = Answer {
        code: result.code,
        matched_dn: result.matched_dn,
        diagnostic: result.diagnostic,
        referrals: &referrals,
    };
    let mut out = Vec::new();
    reply::result(&mut out, scan.message_id, scan.op, &answer, controls);
    let again = response::scan(&out).expect("what was written can be read");
    assert_eq!((again.message_id, again.op, again.code), (scan.message_id, scan.op, scan.code));
    let again_controls: Vec<_> =
        again.controls().expect("controls").map(|each| each.expect("a control")).collect();
    assert_eq!(again_controls, controls);
}
