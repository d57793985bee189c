//! The container image: every digest matches its content, according to sha256sum and tar.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use brunt_testbed::require;
use serde_json::Value;

use crate::made::{BINARY, DATE, Made, ROOT, VERSION, stripped, succeed};

struct Layout(tempfile::TempDir);

impl Layout {
    /// An image of a tree, made by `packaging/image` and unpacked.
    fn made(tree: &Path, out: &Path) -> Self {
        let mut command = Command::new(format!("{ROOT}/packaging/image"));
        command.arg(VERSION).arg(out).arg(tree);
        succeed(command.env("SOURCE_DATE_EPOCH", DATE).env("PACKAGE_LEVEL", "1"));
        let directory = tempfile::tempdir().expect("a directory");
        succeed(Command::new("tar").arg("-xf").arg(out).arg("-C").arg(directory.path()));
        Self(directory)
    }

    /// The blob that a descriptor names, after its digest and its size were found right.
    fn blob(&self, descriptor: &Value) -> PathBuf {
        let digest =
            descriptor["digest"].as_str().and_then(|digest| digest.strip_prefix("sha256:"));
        let digest = digest.expect("a digest");
        let path = self.0.path().join("blobs/sha256").join(digest);
        let sum = succeed(Command::new("sha256sum").arg(&path));
        assert_eq!(sum.split(' ').next(), Some(digest));
        assert_eq!(descriptor["size"], fs::metadata(&path).expect("a blob").len());
        path
    }

    fn read(&self, descriptor: &Value) -> Value {
        serde_json::from_slice(&fs::read(self.blob(descriptor)).expect("a blob")).expect("JSON")
    }
}

/// A tree as `packaging/stage` makes it of the binary under test.
fn staged() -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    let licences = directory.path().join("licences");
    fs::write(&licences, "texts").expect("a file");
    let mut command = Command::new(format!("{ROOT}/packaging/stage"));
    command.arg(stripped()).arg(BINARY).arg(licences).arg(directory.path().join("tree"));
    succeed(command.env("SOURCE_DATE_EPOCH", DATE));
    directory
}

#[test]
fn image_content_matches_its_digests() {
    if !require(&["strip", "sha256sum", "tar", "gzip"]) {
        return;
    }
    let (staged, out) = (staged(), Made::empty());
    let (tree, image) = (staged.path().join("tree"), out.path().join("image.tar"));
    let layout = Layout::made(&tree, &image);
    let read = |name| fs::read_to_string(layout.0.path().join(name)).expect("a file of the layout");
    assert_eq!(read("oci-layout"), r#"{"imageLayoutVersion":"1.0.0"}"#);
    let index: Value = serde_json::from_str(&read("index.json")).expect("JSON");
    let [whole] = &index["manifests"].as_array().expect("a list")[..] else { panic!("{index}") };
    assert_eq!(whole["annotations"]["org.opencontainers.image.ref.name"], VERSION);
    let machines = layout.read(whole);
    let [machine] = &machines["manifests"].as_array().expect("a list")[..] else {
        panic!("{machines}")
    };
    let architecture = if cfg!(target_arch = "x86_64") { "amd64" } else { "arm64" };
    assert_eq!(machine["platform"]["architecture"], architecture);
    let manifest = layout.read(machine);
    let config = layout.read(&manifest["config"]);
    assert_eq!(config["config"]["Entrypoint"][0], "/usr/bin/brunt");
    assert_eq!(config["config"]["User"], "65532:65532");
    let [layer] = &manifest["layers"].as_array().expect("a list")[..] else { panic!("{manifest}") };
    let layer = layout.blob(layer);
    // The digest in the configuration is of what is unpacked.
    let unpacked = format!("gzip -dc '{}' | sha256sum", layer.display());
    let sum = succeed(Command::new("bash").args(["-c", &unpacked]));
    let digest = config["rootfs"]["diff_ids"][0].as_str().expect("a digest");
    assert_eq!(format!("sha256:{}", sum.split(' ').next().unwrap()), digest);
    let listed = succeed(Command::new("tar").arg("--numeric-owner").arg("-tvzf").arg(&layer));
    for (name, begin) in [
        ("usr/bin/brunt", "-rwxr-xr-x 0/0"),
        ("work/", "drwxr-xr-x 65532/65532"),
        ("tmp/", "drwxrwxrwt 0/0"),
        ("usr/share/doc/brunt/THIRD-PARTY-LICENCES", "-rw-r--r-- 0/0"),
    ] {
        let line = listed.lines().find(|line| line.ends_with(&format!(" {name}")));
        assert!(line.is_some_and(|line| line.starts_with(begin)), "{name}: {listed}");
    }
    assert!(!listed.contains(".."), "{listed}");
    // The same once more.
    let again = out.path().join("again.tar");
    Layout::made(&tree, &again);
    assert!(fs::read(&image).expect("an image") == fs::read(&again).expect("an image"));
}
