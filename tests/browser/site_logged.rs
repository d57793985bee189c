//! Runs that are started by mouse, against real servers: the page agrees with the servers' own logs.

use brunt_testbed::{Kea, KeaOptions, Lan, Listener, Nginx, Options, Slapd, require};
use serde_json::Value;

use crate::browser::Browser;
use crate::site::{Site, fill, sign_in, sound};

/// Lists a target and runs a plan against it; the record of the run, as the site gives it away.
fn run(browser: &Browser, origin: &str, (name, at): (&str, &str), plan: &str) -> Value {
    browser.open(&format!("{origin}/targets"));
    fill(browser, "#name", name);
    fill(browser, "#allow", at);
    browser.click("#add button.main");
    browser.wait_for(&format!(
        "return [...document.querySelectorAll('tbody th')].some(one => one.textContent.includes({name:?}))"
    ));
    browser.open(&format!("{origin}/plans"));
    fill(browser, "#name", name);
    browser.click("#add button.main");
    browser.wait_for("return document.getElementById('text')");
    browser.click("button[value=text]");
    browser.wait_for("return document.querySelector('#source')");
    browser.run(&format!(
        "const text = document.getElementById('text'); text.value = {}; \
         const target = document.getElementById('target'); \
         target.selectedIndex = [...target.options].findIndex(one => one.text.startsWith({name:?})); \
         text.dispatchEvent(new Event('input'))",
        serde_json::to_string(plan).expect("a text")
    ));
    browser.wait_for("return document.querySelector('#checked .met')");
    browser.click(".save > button:not([name])");
    browser.wait_for("return document.querySelector('#state').textContent.includes('Revision 2')");
    browser.run(&format!(
        "const target = document.getElementById('target'); \
         target.selectedIndex = [...target.options].findIndex(one => one.text.startsWith({name:?}))"
    ));
    browser.click("button[name=save]");
    browser.wait_for(
        "return location.pathname.startsWith('/runs/') && document.querySelector('.tiles')",
    );
    sound(browser, origin, name);
    // By the browser's own request, with its cookie.
    browser.run(
        "window.kept = null; fetch(location.pathname + '/record').then(async answer => { \
           const plain = answer.body.pipeThrough(new DecompressionStream('gzip')); \
           window.kept = await new Response(plain).json(); })",
    );
    browser.wait_for("return window.kept")
}

/// How many exchanges the page says were due, which none of these runs leaves out.
fn due(browser: &Browser) -> u64 {
    let tiles = browser.text(".tiles").replace(',', "");
    let lines: Vec<&str> = tiles.lines().collect();
    let numbers =
        lines.iter().flat_map(|line| line.split(' ')).filter_map(|word| word.parse().ok());
    let numbers: Vec<u64> = numbers.collect();
    // The largest whole number of the tiles is the number of exchanges.
    numbers.into_iter().max().unwrap_or_else(|| panic!("no number in {tiles}"))
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn run_page_agrees_with_nginx_and_slapd_logs() {
    let Some(browser) = Browser::start() else { return };
    if !require(&["nginx", "slapd", "slapadd", "ldapsearch"]) {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let site = Site::start(&directory.path().join("site"));
    let origin = site.origin.as_str();
    sign_in(&browser, &site);
    let nginx = Nginx::start();
    let at = format!("127.0.0.1:{}", nginx.port(Listener::Clear));
    let plan = format!(
        "[run]\nrate = \"150/s\"\nusers = 20\nduration = \"3s\"\n[http]\nbase = \"http://{at}\"\n\
         [[scenario]]\nname = \"s\"\nsteps = [{{ get = \"/small.txt\" }}, {{ get = \"/status/404\", status = 404 }}]\n"
    );
    let record = run(&browser, origin, ("nginx", &at), &plan);
    let served = nginx.served();
    let of = |status: u16| served.iter().filter(|one| one.status == status).count() as u64;
    assert_eq!((of(200), of(404)), (450, 450));
    assert_eq!(due(&browser), 900);
    assert_eq!(record["conservation"]["counts"]["sent"], 900);
    let slapd = Slapd::start(Options { users: 50, ..Options::default() });
    let at = format!("127.0.0.1:{}", slapd.port());
    let plan = format!(
        "[run]\nrate = \"100/s\"\nusers = 10\nduration = \"3s\"\n[ldap]\nserver = \"ldap://{at}\"\n\
         [[scenario]]\nname = \"s\"\n[[scenario.steps]]\nname = \"search\"\n\
         ldap.search = {{ base = \"{}\", scope = \"base\", filter = \"(objectClass=*)\" }}\n",
        brunt_testbed::BASE_DN
    );
    let before = slapd.operations();
    let record = run(&browser, origin, ("slapd", &at), &plan);
    let after = slapd.operations();
    assert_eq!(after.searches - before.searches, 300);
    assert_eq!(due(&browser), 300);
    assert_eq!(record["counts"]["ok"], 300);
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn run_page_agrees_with_kea_counts() {
    if !require(&["ip", "root", "kea-dhcp4", "chromium", "chromedriver", "axe-core"]) {
        return;
    }
    let lan = Lan::make();
    let kea = Kea::v4(&lan, &KeaOptions::default());
    let at = format!("{}:67", Lan::SERVER_V4);
    let plan = format!(
        "[run]\nrate = \"50/s\"\nusers = 10\nduration = \"3s\"\n[dhcp]\nserver = \"{at}\"\n\
         [[scenario]]\nname = \"s\"\n\
         steps = [{{ dhcp = \"acquire\" }}, {{ dhcp = \"renew\" }}, {{ dhcp = \"release\" }}]\n"
    );
    // The site and the browser are on the clients' host, from which Kea can be reached.
    let (record, shown) = lan.as_client(|| {
        let browser = Browser::start().expect("it is installed");
        let directory = tempfile::tempdir().unwrap();
        let site = Site::start(&directory.path().join("site"));
        sign_in(&browser, &site);
        let record = run(&browser, &site.origin, ("kea", &at), &plan);
        (record, due(&browser))
    });
    assert_eq!((shown, record["counts"]["ok"].as_u64()), (450, Some(450)));
    let counted = |name: &str| kea.statistic(&format!("pkt4-{name}"));
    assert_eq!((counted("discover-received"), counted("offer-sent")), (150, 150));
    assert_eq!((counted("request-received"), counted("ack-sent")), (300, 300));
    assert!(kea.comes_to_count("pkt4-release-received", 150));
    // Each lease was granted, renewed and given back.
    assert!(kea.comes_to_rows(450) && kea.leases().is_empty());
}
