//! The plans of `examples/from`: what the first pages of other tools do, against the servers in memory that their
//! comments name.

use std::fs;
use std::path::{Path, PathBuf};

use crate::directory::Directory;
use crate::machine::run;
use crate::rest_target::RestTarget;

fn plans() -> Vec<PathBuf> {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/from");
    let entries = fs::read_dir(place).expect("the directory is there");
    let mut plans: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    plans.retain(|path| path.extension().is_some_and(|end| end == "toml"));
    plans.sort();
    plans
}

#[test]
fn examples_from_other_tools_pass() {
    let rest = RestTarget::start();
    Directory::start(2_000);
    let plans = plans();
    assert_eq!(plans.len(), 10, "{plans:?}");
    for plan in &plans {
        let text = fs::read_to_string(plan).expect("a plan is text");
        let http = format!("http.base={}", rest.base);
        let setting = if text.contains("\n[ldap]\n") {
            "ldap.server=ldap://10.0.0.2:389".to_owned()
        } else if text.contains(":8080/openam/json\"") {
            format!("{http}/openam/json")
        } else {
            http
        };
        let path = plan.to_str().expect("a path is text");
        let ended = run(&["run", path, "--once", "--set", &setting]);
        assert_eq!(ended.code(), 0, "{}: {ended}", plan.display());
    }
}

#[test]
fn coming_from_page_names_every_example() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("docs/coming-from.md")).expect("the page is there");
    for plan in plans() {
        let name = plan.file_name().expect("a file has a name").to_string_lossy().into_owned();
        assert!(page.contains(&format!("`{name}`")), "{name}");
    }
}
