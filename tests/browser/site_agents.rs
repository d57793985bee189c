//! The pages about agents in every theme and size, with a real nats-server and a real agent, and without.

use std::process::Command;
use std::time::Duration;

use brunt_test_program::{binary, brunt};
use brunt_testbed::{Daemon, free_port, require, until};

use crate::browser::Browser;
use crate::site::{Site, looked_at, sign_in, sound};

/// A site that meets agents at this port.
fn site(directory: &std::path::Path, port: u16) -> Site {
    let words = format!("serve --listen 127.0.0.1:0 --nats nats://127.0.0.1:{port} --dir");
    Site::new(brunt(&words).arg(directory))
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn agents_pages_work_in_every_theme_and_size() {
    let Some(browser) = Browser::start().filter(|_| require(&["nats-server"])) else { return };
    let directory = tempfile::tempdir().unwrap();
    let port = free_port();
    let site = site(&directory.path().join("site"), port);
    let origin = site.origin.as_str();
    sign_in(&browser, &site);
    browser.open(&format!("{origin}/agents"));
    assert!(browser.text("[role=alert]").contains("nats-server"), "{}", browser.text("main"));
    looked_at(&browser, "agents-away");
    let mut server = Command::new("nats-server");
    server.args(["-a", "127.0.0.1", "-p", &port.to_string()]);
    let _broker = Daemon::start(&server, &directory.path().join("nats.log"));
    let mut agent = Command::new(binary());
    agent.args(["agent", "--name", "berlin-1", "--nats", &format!("nats://127.0.0.1:{port}")]);
    agent.arg("--records").arg(directory.path().join("records"));
    let _agent = Daemon::start(&agent, &directory.path().join("agent.log"));
    let is_there = until(Duration::from_secs(60), || {
        browser.open(&format!("{origin}/agents"));
        browser.text("main").contains("1 waits.")
    });
    assert!(is_there, "{}", browser.text("main"));
    looked_at(&browser, "agents");
    sound(&browser, origin, "agents");
}
