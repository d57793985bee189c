//! [`Engine`]: the browsers that tests know, each with its driver.

use std::path::Path;
use std::process::Command;

use brunt_testbed::found;
use serde_json::{Value, json};

/// A browser of Debian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Engine {
    /// Chromium, of which tests also see the console, the requests and the colours.
    Chromium,
    /// Firefox, which shows that the pages need nothing of one browser alone.
    Firefox,
}

impl Engine {
    /// What it needs on this machine.
    pub(super) const fn needs(self) -> &'static [&'static str] {
        match self {
            Self::Chromium => &["chromium", "chromedriver", "axe-core"],
            Self::Firefox => &["firefox-esr", "geckodriver", "axe-core"],
        }
    }

    /// The command of its driver, at this port.
    pub(super) fn driver(self, port: u16, directory: &Path) -> Command {
        let program = if self == Self::Chromium { "chromedriver" } else { "geckodriver" };
        let mut command = Command::new(found(program).expect("the driver is installed"));
        match self {
            Self::Chromium => command.arg(format!("--port={port}")),
            Self::Firefox => {
                command.args(["--port", &port.to_string(), "--profile-root"]).arg(directory)
            }
        };
        // Browsers keep caches and settings beside their profiles.
        command.env("HOME", directory).env("TMPDIR", directory);
        command
    }

    /// What is asked of a new session.
    pub(super) fn capabilities(self, profile: &Path) -> Value {
        match self {
            Self::Chromium => chromium(profile),
            Self::Firefox => json!({
                "moz:firefoxOptions": {
                    "binary": found("firefox-esr").expect("Firefox is installed"),
                    "args": ["-headless", "--width=1280", "--height=800"],
                    // Nothing is asked of anybody but the pages under test.
                    "prefs": {
                        "app.normandy.enabled": false,
                        "browser.newtabpage.enabled": false,
                        "network.captive-portal-service.enabled": false,
                        "network.connectivity-service.enabled": false,
                        "services.settings.server": "data:,",
                        "toolkit.telemetry.enabled": false,
                    },
                },
            }),
        }
    }
}

fn chromium(profile: &Path) -> Value {
    let profile = format!("--user-data-dir={}", profile.display());
    let mut arguments = vec![
        "--headless=new",
        "--remote-debugging-pipe",
        "--window-size=1280,800",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-dev-shm-usage",
        "--disable-gpu",
        "--hide-scrollbars",
        "--no-first-run",
        &profile,
    ];
    // Chromium's sandbox does not run as root, which the tests of networks need.
    if rustix::process::geteuid().is_root() {
        arguments.push("--no-sandbox");
    }
    json!({
        "goog:chromeOptions": { "args": arguments },
        "goog:loggingPrefs": { "browser": "ALL", "performance": "ALL" },
    })
}
