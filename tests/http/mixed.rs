//! One plan for three protocols: a bind at slapd, a page of nginx, and a lease of Kea.

use brunt_testbed::{
    Kea, KeaOptions, Lan, Listener, Nginx, Options, PASSWORD, Slapd, require, user_dn,
};

use crate::brunt::planned_on;
use crate::logged::step;

#[test]
fn plan_over_ldap_http_and_dhcp_agrees_with_all_servers() {
    if !require(&["ip", "root", "kea-dhcp4", "slapd", "slapcat", "nginx", "openssl"]) {
        return;
    }
    let lan = Lan::make();
    let kea = Kea::v4(&lan, &KeaOptions::default());
    // On the clients' host, where brunt can reach all three.
    let (slapd, nginx) = lan
        .as_client(|| (Slapd::start(Options { users: 50, ..Options::default() }), Nginx::start()));
    let bind = user_dn(7).replace("user.7", "user.${number}");
    let steps = [
        format!("name = \"bind\"\nldap = {{ bind = {{ dn = \"{bind}\", password = \"{PASSWORD}\" }} }}"),
        "name = \"search\"\nldap = { search = { base = \"dc=example,dc=com\", filter = \"(uid=user.${number})\", \
         attributes = [\"mail\"] } }\nextract = { mail = { attribute = \"mail\" } }"
            .to_owned(),
        "name = \"page\"\nget = \"/small.txt\"\nheaders = { X-Test = \"${mail}\" }".to_owned(),
        "name = \"lease\"\ndhcp = \"acquire\"".to_owned(),
        "name = \"renewal\"\ndhcp = \"renew\"".to_owned(),
        "name = \"release\"\ndhcp = \"release\"".to_owned(),
    ];
    let steps: String = steps.iter().map(|lines| step(lines)).collect();
    let plan = format!(
        "[run]\nusers = 5\niterations = {{ each = 4 }}\n[http]\nbase = \"{}\"\n[ldap]\nserver = \"{}\"\n\
         [dhcp]\nserver = \"{}:67\"\n[variables]\nnumber = {{ random = \"0..49\" }}\n[[scenario]]\n{steps}",
        nginx.url(Listener::Clear, ""),
        slapd.url().replace("localhost", "127.0.0.1"),
        Lan::SERVER_V4,
    );
    let run = planned_on(&lan, &plan).run().went_well();
    for step in ["bind", "search", "page", "lease", "renewal", "release"] {
        assert_eq!(run.count_of(step, "ok"), 20, "{step}\n{run}");
    }
    let (seen, served) = (slapd.operations(), lan.as_client(|| nginx.served()));
    assert_eq!((seen.binds, seen.searches, seen.entries), (20, 20, 20), "{seen:?}\n{run}");
    assert_eq!(served.len(), 20, "{run}");
    assert!(served.iter().all(|one| one.x_test.ends_with("@example.com")), "{served:?}");
    // Each lease was granted, renewed and given back: three rows, and none is held now.
    assert!(kea.comes_to_rows(60) && kea.leases().is_empty(), "{run}");
}
