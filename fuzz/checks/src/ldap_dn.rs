//! Parses and normalises a name. The normal form is a name and its own normal form.

use brunt_ldap_wire::dn::{self, Dn};

/// Panics if the decoder treats this input otherwise.
pub fn check(bytes: &[u8]) {
    let mut form = Vec::new();
    let normal = dn::normalize(bytes, &mut form);
    let Ok(name) = Dn::parse(bytes) else {
        assert!(normal.is_err(), "the two ways agree on what is a name");
        return;
    };
    let mut long = Vec::new();
    name.normalize(&mut long);
    assert_eq!(form, long, "the two ways agree on the form");
    let mut again = Vec::new();
    dn::normalize(&form, &mut again).expect("the normal form is a name");
    assert_eq!(form, again);

    let mut escaped = b"cn=".to_vec();
    dn::escape(bytes, &mut escaped);
    let value = Dn::parse(&escaped).expect("an escaped value can stand in a name");
    assert_eq!(value.rdns[0].pairs[0].value, bytes);
}
