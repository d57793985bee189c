//! A link on a page of another site, such as a chat or a tracker: it leads to the run, after signing in if need be.
//! What such a page sends by itself changes nothing.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::thread;

use fantoccini::key::Key;

use crate::browser::Browser;
use crate::site::{PASSWORD, Site, fill};
use crate::site_home::{first_run, prepared};
use brunt_test_program::Target;

/// Serves a page on a site of its own, for as long as the test process lives: `localhost` and an address of numbers are
/// two sites. Its address.
fn elsewhere(body: &str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let port = listener.local_addr().expect("it has an address").port();
    let page =
        format!("<!doctype html><html lang=en><title>Elsewhere</title><main>{body}</main></html>");
    let answer = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{page}",
        page.len()
    );
    thread::spawn(move || {
        for mut requested in listener.incoming().flatten() {
            let _ = requested.read(&mut [0; 4_096]);
            let _ = requested.write_all(answer.as_bytes());
        }
    });
    format!("http://localhost:{port}/")
}

/// The page of another site that links to the run, and that sends a form that would name it.
fn other(origin: &str, run: &str) -> String {
    elsewhere(&format!(
        "<a href='{origin}{run}'>the run</a>\
         <form method=post action='{origin}{run}/about'><input name=name value=taken><button>send</button></form>"
    ))
}

/// The whole way.
pub(crate) fn follows_a_link(browser: &Browser) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let site = Site::start(&directory.path().join("site"));
    let target = Target::start("rest");
    prepared(browser, &site, &target);
    let run = first_run(browser);
    let page = other(&site.origin, &run);
    let is_there =
        format!("return location.pathname === '{run}' && document.querySelector('.tiles')");
    // Who is signed in is there at once.
    browser.open(&page);
    browser.click("a");
    browser.wait_for(&is_there);
    // Who is not signs in first.
    browser.click(".bar button.quiet");
    browser.wait_for("return location.pathname === '/sign-in'");
    browser.open(&page);
    browser.click("a");
    browser.wait_for("return location.pathname === '/sign-in' && document.querySelector('#name')");
    fill(browser, "#name", "admin");
    fill(browser, "#password", PASSWORD);
    browser.press(Key::Enter);
    browser.wait_for(&is_there);
    // A form of the other page arrives without the session, and changes nothing.
    browser.open(&page);
    browser.click("button");
    browser.wait_for(&format!(
        "return location.href.startsWith('{}') && document.readyState === 'complete'",
        site.origin
    ));
    browser.open(&format!("{}{run}", site.origin));
    browser.wait_for(&is_there);
    assert_eq!(browser.text("h1"), "Visit", "it is not named as the other page wanted");
}

#[test]
#[ignore = "slow: .ci/slow runs it"]
fn link_from_another_site_opens_the_run() {
    let Some(browser) = Browser::start() else { return };
    follows_a_link(&browser);
}
