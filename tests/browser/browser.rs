//! [`Browser`]: a headless browser with a profile of its own, and the operations that tests need.
//!
//! Calls block, as in the other servers of the tests. Every failure panics with the driver's message. Chromium
//! communicates with chromedriver over a pipe, so that it ends when chromedriver does; geckodriver ends Firefox. A
//! driver is a [`Daemon`], which ends with the test: no browser is left behind, however a test ends. This module does
//! not depend on the page under test.

use std::cell::RefCell;
use std::fs;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::time::Duration;

use brunt_testbed::{Core, Daemon, axe_core, core, free_port, require, until};
use fantoccini::actions::{InputSource as _, KeyAction, KeyActions};
use fantoccini::wd::WebDriverCompatibleCommand;
use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};
use url::Url;

use crate::engine::Engine;

/// How long a page may take to come to what is waited for.
const PATIENCE: Duration = Duration::from_secs(90);

/// How long chromedriver may take over one command. It waits for ever for a picture of a page that is left meanwhile.
const COMMAND: Duration = Duration::from_secs(60);

/// How long a browser may take to close by itself.
const CLOSING: Duration = Duration::from_secs(10);

/// How a page is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    /// A window of 1280 by 800 that prefers light colours.
    Light,
    /// The same, dark.
    Dark,
    /// A telephone: 390 by 844, three pixels to one, light.
    Phone,
    /// On paper.
    Print,
}

/// What axe-core says of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Violation {
    /// The rule, such as `color-contrast`.
    pub(crate) rule: String,
    /// `minor`, `moderate`, `serious` or `critical`.
    pub(crate) impact: String,
    /// The elements, as CSS selectors, and what is wrong with each.
    pub(crate) elements: Vec<String>,
}

impl Violation {
    /// Whether it prevents some users from using the page.
    pub(crate) fn is_serious(&self) -> bool {
        matches!(self.impact.as_str(), "serious" | "critical")
    }
}

/// A running browser with one tab.
pub(crate) struct Browser {
    engine: Engine,
    runtime: Runtime,
    client: Client,
    /// Lines of the console that are errors, and addresses that were asked for, since they were last looked at.
    seen: RefCell<Seen>,
    // After the session, which is closed first when a browser is dropped.
    driver: Option<Daemon>,
    _directory: TempDir,
    _core: Core,
}

#[derive(Default)]
struct Seen {
    errors: Vec<String>,
    requests: Vec<String>,
}

impl Browser {
    /// Starts Chromium, which takes about a second, once a core is free; none, visibly, where it is not installed.
    pub(crate) fn start() -> Option<Self> {
        Self::start_as(Engine::Chromium)
    }

    /// Starts this browser.
    pub(crate) fn start_as(engine: Engine) -> Option<Self> {
        require(engine.needs()).then(|| Self::begin(engine))
    }

    fn begin(engine: Engine) -> Self {
        let core = core();
        let directory = tempfile::Builder::new().prefix("testbed-browser-").tempdir();
        let directory = directory.expect("a temporary directory");
        let port = free_port();
        let command = engine.driver(port, directory.path());
        let driver = Daemon::start(&command, &directory.path().join("driver.log"));
        driver.wait_for_port(port);
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        let mut builder = ClientBuilder::new(HttpConnector::new());
        let wanted = engine.capabilities(&directory.path().join("profile"));
        builder.capabilities(wanted.as_object().expect("an object").clone());
        let address = format!("http://127.0.0.1:{port}");
        let client =
            runtime.block_on(builder.connect(&address)).expect("the driver starts its browser");
        let browser = Self {
            engine,
            runtime,
            client,
            seen: RefCell::default(),
            driver: Some(driver),
            _directory: directory,
            _core: core,
        };
        browser.look(Look::Light);
        // Instead of the page that Chromium begins with, whose parts are none of a test's.
        browser.open("about:blank");
        browser.read_logs();
        browser.seen.take();
        browser
    }

    /// Opens an address and waits until the page is loaded.
    pub(crate) fn open(&self, address: &str) {
        self.must(&format!("open {address}"), self.client.goto(address));
    }

    /// Opens a file of this machine, by `file:`.
    pub(crate) fn open_file(&self, path: &Path) {
        let path =
            path.canonicalize().unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        self.open(Url::from_file_path(path).expect("the path is absolute").as_str());
    }

    /// Loads the page again.
    pub(crate) fn reload(&self) {
        self.must("reload", self.client.refresh());
    }

    /// Opens another tab, and switches to it.
    pub(crate) fn open_tab(&self) {
        let tab = self.must("open a tab", self.client.new_window(true));
        self.must("change tabs", self.client.switch_to_window(tab.handle));
    }

    /// Goes on in the tab that was opened as this one, from 0.
    pub(crate) fn use_tab(&self, number: usize) {
        let tabs = self.must("list tabs", self.client.windows());
        self.must("change tabs", self.client.switch_to_window(tabs[number].clone()));
    }

    /// What a function body in JavaScript returns.
    pub(crate) fn run(&self, script: &str) -> Value {
        self.must(script, self.client.execute(script, Vec::new()))
    }

    /// Waits until a function body in JavaScript returns something true, and returns that.
    pub(crate) fn wait_for(&self, script: &str) -> Value {
        let mut last = Value::Null;
        let is_true = |value: &Value| {
            !matches!(value, Value::Null | Value::Bool(false))
                && *value != json!(0)
                && *value != json!("")
        };
        let came = until(PATIENCE, || {
            last = self.run(script);
            is_true(&last)
        });
        assert!(
            came,
            "the page did not come to: {script}\nit is at {last}; its errors: {:?}",
            self.console_errors()
        );
        last
    }

    /// The text of an element as a reader sees it.
    pub(crate) fn text(&self, css: &str) -> String {
        let element = self.must(css, self.client.find(Locator::Css(css)));
        self.must(css, element.text())
    }

    /// Clicks an element in its middle. An element that is redrawn between being found and being clicked is found
    /// again.
    pub(crate) fn click(&self, css: &str) {
        let clicked = || async {
            let mut left = 5;
            loop {
                let element = self.client.find(Locator::Css(css)).await?;
                match element.click().await {
                    Err(error) if error.is_stale_element_reference() && left > 0 => left -= 1,
                    done => return done,
                }
            }
        };
        self.must(&format!("click {css}"), clicked());
    }

    /// Drops a file or a directory of this machine onto an element, as a file manager does.
    pub(crate) fn drop_path(&self, path: &Path, onto: &str) {
        let found = self.run(&format!(
            "const onto = document.querySelector({}); onto.scrollIntoView({{ block: 'center' }}); \
             const box = onto.getBoundingClientRect(); \
             return [box.left + box.width / 2, box.top + box.height / 2]",
            json!(onto)
        ));
        let data = json!({
            "items": [], "files": [path.to_str().expect("UTF-8")], "dragOperationsMask": 1,
        });
        for kind in ["dragEnter", "dragOver", "drop"] {
            let event = json!({ "type": kind, "x": found[0], "y": found[1], "data": data });
            self.devtools("Input.dispatchDragEvent", &event);
        }
    }

    /// Presses a key and lets it go: a character, or one of [`fantoccini::key::Key`].
    pub(crate) fn press(&self, key: impl Into<char>) {
        let key = key.into();
        let actions = KeyActions::new("keyboard".to_owned())
            .then(KeyAction::Down { value: key })
            .then(KeyAction::Up { value: key });
        self.must("press a key", self.client.perform_actions(actions));
    }

    /// Errors on the console since this was last asked, of whatever origin: scripts, loading, refused content. Of
    /// Firefox none are known.
    pub(crate) fn console_errors(&self) -> Vec<String> {
        self.read_logs();
        std::mem::take(&mut self.seen.borrow_mut().errors)
    }

    /// The addresses that pages asked for since this was last asked, in order; what is in the page itself (`data:`,
    /// `blob:`) or in the browser is none.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.read_logs();
        std::mem::take(&mut self.seen.borrow_mut().requests)
    }

    /// How the page is looked at from now on. Of Firefox only the size of the window changes.
    pub(crate) fn look(&self, look: Look) {
        if self.engine == Engine::Firefox {
            let (width, height) = if look == Look::Phone { (390, 844) } else { (1280, 800) };
            return self.must("resize the window", self.client.set_window_size(width, height));
        }
        let scheme = if look == Look::Dark { "dark" } else { "light" };
        let media = if look == Look::Print { "print" } else { "screen" };
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.devtools(
            "Emulation.setEmulatedMedia",
            &json!({ "media": media, "features": features }),
        );
        let (width, height, scale) =
            if look == Look::Phone { (390, 844, 3) } else { (1280, 800, 1) };
        let metrics = json!({
            "width": width, "height": height, "deviceScaleFactor": scale, "mobile": look == Look::Phone,
        });
        self.devtools("Emulation.setDeviceMetricsOverride", &metrics);
    }

    /// Saves a picture of the whole page for inspection: `target/tmp/screens/NAME.png`.
    pub(crate) fn screenshot(&self, name: &str) -> PathBuf {
        if self.engine == Engine::Firefox {
            let taken = self.must("take a picture", self.client.screenshot());
            return written(&format!("firefox-{name}.png"), &taken);
        }
        let metrics = self.devtools("Page.getLayoutMetrics", &json!({}));
        let size = &metrics["cssContentSize"];
        // A page that never ends would be a picture that never ends.
        let height = size["height"].as_f64().unwrap_or(800.0).min(12_000.0);
        let clip = json!({ "x": 0, "y": 0, "width": size["width"], "height": height, "scale": 1 });
        let parameters = json!({ "format": "png", "captureBeyondViewport": true, "clip": clip });
        let taken = self.devtools("Page.captureScreenshot", &parameters);
        kept(&format!("{name}.png"), &taken)
    }

    /// Keeps a small picture of the upper part of the page, of this size: `target/tmp/screens/NAME.webp`.
    pub(crate) fn screenshot_of(&self, name: &str, width: f64, height: f64) -> PathBuf {
        let clip = json!({ "x": 0, "y": 0, "width": width, "height": height, "scale": 1 });
        let parameters =
            json!({ "format": "webp", "quality": 82, "captureBeyondViewport": true, "clip": clip });
        kept(&format!("{name}.webp"), &self.devtools("Page.captureScreenshot", &parameters))
    }

    /// Prints the page into a file for inspection: `target/tmp/screens/NAME.pdf`.
    pub(crate) fn print(&self, name: &str) -> PathBuf {
        let printed = self.devtools("Page.printToPDF", &json!({ "printBackground": true }));
        kept(&format!("{name}.pdf"), &printed)
    }

    /// What axe-core finds wrong with the page as it is now: all of it, whatever its impact.
    pub(crate) fn violations(&self) -> Vec<Violation> {
        let axe = fs::read_to_string(axe_core()).expect("tests/setup unpacked axe-core");
        // In one script, and once more if the page has gone to another meanwhile.
        let script = format!(
            "{axe}\nconst done = arguments[0]; \
             axe.run(document, {{resultTypes: ['violations']}}).then(done, error => done(String(error)))"
        );
        let run = || self.runtime.block_on(self.client.execute_async(&script, Vec::new()));
        let result = run().or_else(|_| run());
        let result =
            result.unwrap_or_else(|error| panic!("the browser failed to run axe-core: {error}"));
        let found = result["violations"].as_array();
        let found = found.unwrap_or_else(|| panic!("axe-core failed: {result}"));
        found.iter().map(violation).collect()
    }

    /// Sends a command of Chromium's own protocol to the tab.
    pub(crate) fn devtools(&self, method: &str, parameters: &Value) -> Value {
        let body = json!({ "cmd": method, "params": parameters });
        self.must(method, self.client.issue_cmd(Ours { path: "goog/cdp/execute", body }))
    }

    /// Reads what the driver logged; it forgets what was read. Only chromedriver logs.
    fn read_logs(&self) {
        if self.engine == Engine::Firefox {
            return;
        }
        let of = |kind: &str| {
            let command = Ours { path: "se/log", body: json!({ "type": kind }) };
            let lines = self.must("read a log", self.client.issue_cmd(command));
            lines.as_array().cloned().unwrap_or_default()
        };
        let mut seen = self.seen.borrow_mut();
        for line in of("browser") {
            if line["level"] == "SEVERE" {
                seen.errors.push(line["message"].as_str().unwrap_or_default().to_owned());
            }
        }
        for line in of("performance") {
            let text = line["message"].as_str().unwrap_or_default();
            let event: Value = serde_json::from_str(text).unwrap_or_default();
            let message = &event["message"];
            let address = match message["method"].as_str() {
                Some("Network.requestWillBeSent") => &message["params"]["request"]["url"],
                Some("Network.webSocketCreated") => &message["params"]["url"],
                _ => continue,
            };
            let address = address.as_str().unwrap_or_default();
            if !["about:", "blob:", "chrome:", "data:"]
                .iter()
                .any(|inside| address.starts_with(inside))
            {
                seen.requests.push(address.to_owned());
            }
        }
    }

    fn must<T, E: std::fmt::Display>(
        &self,
        what: &str,
        act: impl Future<Output = Result<T, E>>,
    ) -> T {
        let what = shortened(what);
        // Timers belong to the runtime, which is entered first.
        let done = self.runtime.block_on(async { tokio::time::timeout(COMMAND, act).await });
        let done =
            done.unwrap_or_else(|_| panic!("the browser did not answer in {COMMAND:?}: {what}"));
        done.unwrap_or_else(|error| panic!("the browser failed to {what}: {error}"))
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // A command that was given up may still occupy the session; the driver ends the browser as well.
        let close = self.client.clone().close();
        let _ = self.runtime.block_on(async { tokio::time::timeout(CLOSING, close).await });
        drop(self.driver.take());
    }
}

/// Keeps what the browser has drawn.
fn kept(name: &str, drawn: &Value) -> PathBuf {
    written(name, &decoded(drawn["data"].as_str().expect("something that was drawn")))
}

fn written(name: &str, bytes: &[u8]) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("screens");
    fs::create_dir_all(&directory).expect("a directory for pictures");
    let path = directory.join(name);
    fs::write(&path, bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    path
}

fn violation(found: &Value) -> Violation {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let nodes = found["nodes"].as_array().cloned().unwrap_or_default();
    let elements =
        nodes.iter().map(|node| format!("{}: {}", node["target"], text(&node["failureSummary"])));
    Violation {
        rule: text(&found["id"]),
        impact: text(&found["impact"]),
        elements: elements.collect(),
    }
}

/// The bytes of a picture in base64.
fn decoded(text: &str) -> Vec<u8> {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.decode(text).expect("base64")
}

fn shortened(what: &str) -> &str {
    what.char_indices().nth(200).map_or(what, |(end, _)| &what[..end])
}

/// A command that chromedriver has beside those of the standard.
#[derive(Debug)]
struct Ours {
    path: &'static str,
    body: Value,
}

impl WebDriverCompatibleCommand for Ours {
    fn endpoint(&self, base: &Url, session: Option<&str>) -> Result<Url, url::ParseError> {
        base.join(&format!("session/{}/{}", session.unwrap_or_default(), self.path))
    }

    fn method_and_body(&self, _: &Url) -> (http::Method, Option<String>) {
        (http::Method::POST, Some(self.body.to_string()))
    }
}
