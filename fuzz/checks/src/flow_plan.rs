//! Reads, compiles and describes plans. What a plan may send in an iteration is bounded, whatever its groups repeat.

use std::io;
use std::path::Path;

use brunt_engine::Node;
use brunt_flow_plan::compile::{CompileEnvironment, compile};
use brunt_flow_plan::reader::{Text, read};
use brunt_flow_plan::{merged, preview};
use brunt_net::secret::Secret;
use brunt_run::Files;
use brunt_run::options::surroundings::{FileNotPermitted, Surroundings};

/// The most exchanges of an iteration.
const EXCHANGES_MAX: u64 = 100_000;

/// A machine without files, on which every variable has a value.
struct Bare;

impl Surroundings for Bare {
    fn variable(&self, name: &str) -> Option<String> {
        Some(name.to_lowercase())
    }

    fn files(&self) -> Files {
        let files = Files::default();
        files.confine();
        files
    }

    fn read(&self, _: &Path) -> io::Result<Vec<u8>> {
        Err(io::ErrorKind::NotFound.into())
    }

    fn permits(&self, _: &Path) -> Result<(), FileNotPermitted> {
        Err(FileNotPermitted::Outside)
    }

    fn interactive(&self) -> bool {
        false
    }

    fn prompt(&self, _: &str) -> io::Result<Secret> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Panics if the reader treats this input otherwise.
pub fn check(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let text = Text { name: "p.toml", text, unset: &[], overrides: &[] };
    let written = match read(&text, &|name| Bare.variable(name)) {
        Ok(written) => written,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let environment = CompileEnvironment { surroundings: &Bare, base: Path::new("nowhere") };
    let compiled = match compile(&written.plan, Node::default(), 1, &environment) {
        Ok(compiled) => compiled,
        Err(fault) => return assert!(!written.error(fault).to_string().is_empty()),
    };
    for bound in &compiled.flow.bounds {
        assert!(bound.exchanges <= EXCHANGES_MAX, "{} exchanges", bound.exchanges);
    }
    let measured = compiled.flow.operations.len() + compiled.flow.spans.len();
    assert!(u16::try_from(measured).is_ok());
    assert!(!preview::text(&written.plan, &compiled).is_empty());
    // What is shown as the plan with its defaults is a plan.
    let whole = merged::text(&written.plan, compiled.flow.users, 1);
    let again = Text { name: "merged.toml", text: &whole, unset: &[], overrides: &[] };
    let again = read(&again, &|name| Bare.variable(name));
    assert!(
        again.is_ok(),
        "{}\n{whole}",
        again.err().map(|error| error.to_string()).unwrap_or_default()
    );
}
