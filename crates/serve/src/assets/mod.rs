//! The files that pages load from this server: a style sheet and scripts, under names that change with their content.
//! Only pages that need a script load it.
//!
//! The report's own style and script are served unchanged, so that a run looks the same here as in its file. A browser
//! may cache them indefinitely.

use std::fmt::Write as _;
use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use brunt_report::page;
use flate2::Compression;
use ring::digest::{SHA256, digest};

use crate::call::{Answer, Call, pack};
use crate::problem::Problem;

const OWN_STYLE: &str = concat!(
    include_str!("site.css"),
    include_str!("plan.css"),
    include_str!("compare.css"),
    include_str!("run.css")
);
const OWN_SCRIPT: &str =
    concat!(include_str!("site.js"), include_str!("times.js"), include_str!("live.js"));
const OF_PLANS: &str =
    concat!("\"use strict\";\n", include_str!("editor.js"), include_str!("import.js"));

/// One file.
struct Asset {
    name: String,
    kind: &'static str,
    text: String,
    /// Compressed as well as possible, once: everyone who opens a page for the first time loads it.
    packed: Vec<u8>,
}

static STYLE: LazyLock<Asset> =
    LazyLock::new(|| asset("site", "css", "text/css; charset=utf-8", page::style() + OWN_STYLE));
static SCRIPT: LazyLock<Asset> =
    LazyLock::new(|| asset("site", "js", "text/javascript; charset=utf-8", page::code(OWN_SCRIPT)));
static PLANS: LazyLock<Asset> =
    LazyLock::new(|| asset("plans", "js", "text/javascript; charset=utf-8", page::code(OF_PLANS)));
static CHARTS: LazyLock<Asset> =
    LazyLock::new(|| asset("charts", "js", "text/javascript; charset=utf-8", page::script()));

fn asset(name: &str, ending: &str, kind: &'static str, text: String) -> Asset {
    let hash = digest(&SHA256, text.as_bytes());
    let mut named = format!("{name}.");
    for byte in hash.as_ref().iter().take(8) {
        _ = write!(named, "{byte:02x}");
    }
    let packed = pack(text.as_bytes(), Compression::best());
    Asset { name: format!("{named}.{ending}"), kind, text, packed }
}

/// The address of the style sheet.
pub(crate) fn style() -> String {
    format!("/assets/{}", STYLE.name)
}

/// The address of the script of every page.
pub(crate) fn script() -> String {
    format!("/assets/{}", SCRIPT.name)
}

/// The address of the script of pages on which plans are written.
pub(crate) fn plans() -> String {
    format!("/assets/{}", PLANS.name)
}

/// The address of the script that draws charts.
pub(crate) fn charts() -> String {
    format!("/assets/{}", CHARTS.name)
}

/// What pages may load and run: only these files, and the style of pictures in a page.
pub(crate) fn policy() -> &'static str {
    static POLICY: LazyLock<String> = LazyLock::new(|| {
        let hash = BASE64.encode(digest(&SHA256, page::picture_style().as_bytes()));
        format!(
            "default-src 'none'; script-src 'self'; style-src 'self' 'sha256-{hash}'; img-src 'self' data:; \
             connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; \
             require-trusted-types-for 'script'; trusted-types brunt"
        )
    });
    &POLICY
}

/// `GET /assets/{name}`.
pub(crate) fn file(call: &Call) -> Result<Answer, Problem> {
    let name = call.segment("name");
    let all: [&'static Asset; 4] = [&STYLE, &SCRIPT, &PLANS, &CHARTS];
    let found = all.into_iter().find(|asset| asset.name == name);
    let asset = found.ok_or_else(|| Problem::missing("file"))?;
    let kept = "public, max-age=31536000, immutable";
    let answer = Answer::new(asset.kind, asset.text.clone().into_bytes()).packed(&asset.packed);
    Ok(answer.with(http::header::CACHE_CONTROL, kept))
}
