//! Files that are packed are laid out byte for byte, and no others.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use super::*;

fn directory() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn written(at: &Path, name: &str, bytes: &[u8]) {
    let path = at.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

fn noise(length: usize) -> Vec<u8> {
    (0..length as u64).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
}

fn pulled(
    bundle: &Bundle,
    data: Option<&Path>,
    parent: &Path,
) -> Result<OrderDirectory, BundleError> {
    // As it is sent over the network.
    let manifest = serde_json::to_string(bundle.manifest()).unwrap();
    let mut laying = PendingFiles::begin(serde_json::from_str(&manifest).unwrap(), data, parent)?;
    while let Some(piece) = laying.wanted() {
        laying.take(piece, &bundle.piece(piece)?)?;
    }
    Ok(laying.finish().expect("all is there"))
}

#[test]
fn bundle_is_unpacked_into_a_private_temporary_directory() {
    let (ours, theirs, data) = (directory(), directory(), directory());
    let large = noise(PIECE_MAX * 2 + 17);
    written(ours.path(), "login.toml", b"[http]\n");
    written(ours.path(), "data/users.csv", &large);
    written(ours.path(), "data/empty", b"");
    written(data.path(), "pw", b"secret of the agent\n");
    let files =
        [("login.toml", false), ("./data/users.csv", false), ("data/empty", false), ("pw", true)];
    let bundle = Bundle::new(ours.path(), &files).unwrap();
    assert!(!serde_json::to_string(bundle.manifest()).unwrap().contains("secret of"));
    let laid = pulled(&bundle, Some(data.path()), theirs.path()).unwrap();
    let at = |name: &str| laid.path().join(name);
    assert_eq!(fs::read(at("data/users.csv")).unwrap(), large);
    assert_eq!(fs::read(at("login.toml")).unwrap(), b"[http]\n");
    assert_eq!(fs::read(at("data/empty")).unwrap(), b"");
    assert_eq!(fs::read(at("pw")).unwrap(), b"secret of the agent\n");
    for (name, mode) in
        [("", 0o700), ("data", 0o700), ("login.toml", 0o600), ("data/users.csv", 0o600)]
    {
        assert_eq!(fs::metadata(at(name)).unwrap().mode() & 0o777, mode, "{name}");
    }
    drop(laid);
    assert_eq!(fs::read_dir(theirs.path()).unwrap().count(), 0);
    assert!(data.path().join("pw").exists(), "what is the owner's stays");
}

#[test]
fn bundle_names_cannot_leave_the_directory() {
    let ours = directory();
    for name in ["/etc/passwd", "../x", "a/../../x", "a\u{1b}[2Jb", "a\u{202e}b", "", ".", "x/\n"] {
        assert!(FileName::new(Path::new(name)).is_none(), "{name:?}");
        assert!(Bundle::new(ours.path(), &[(name, false)]).is_err(), "{name:?}");
    }
    let entry = |name: &str| format!(r#"{{"files":[{{"name":{name:?},"from":"owner_secret"}}]}}"#);
    assert!(serde_json::from_str::<Manifest>(&entry("a/b")).is_ok());
    for name in ["/a", "../a", "a/../b", "./a", "a//b", "a/", ""] {
        assert!(serde_json::from_str::<Manifest>(&entry(name)).is_err(), "{name}");
    }
    assert!(FileName::new(Path::new(&"x/".repeat(17))).is_none());
    assert!(FileName::new(Path::new(&"x".repeat(256))).is_none());
}

#[test]
fn bundle_files_too_large_must_exist_with_equal_content() {
    let (ours, theirs, data) = (directory(), directory(), directory());
    for (name, length) in [("a", 4_000), ("b", 3_000)] {
        written(ours.path(), name, &noise(length));
    }
    let bundle = Bundle::within(6_999, ours.path(), &[("a", false), ("b", false)]).unwrap();
    assert!(matches!(bundle.manifest().files[0].from, From::Owner(_)));
    assert!(matches!(bundle.manifest().files[1].from, From::Coordinator(_)));
    let missing = pulled(&bundle, Some(data.path()), theirs.path());
    assert!(matches!(missing, Err(BundleError::Missing { .. })), "{missing:?}");
    let nowhere = pulled(&bundle, None, theirs.path());
    assert!(matches!(nowhere, Err(BundleError::NoData(_))), "{nowhere:?}");
    written(data.path(), "a", b"other");
    let other = pulled(&bundle, Some(data.path()), theirs.path());
    assert!(matches!(other, Err(BundleError::Content(_))), "{other:?}");
    fs::copy(ours.path().join("a"), data.path().join("a")).unwrap();
    let laid = pulled(&bundle, Some(data.path()), theirs.path()).unwrap();
    assert_eq!(fs::metadata(laid.path().join("a")).unwrap().len(), 4_000);
    assert_eq!(fs::read_dir(theirs.path()).unwrap().count(), 1, "what failed is gone");
}

#[test]
fn bundle_refuses_unrequested_pieces_and_changed_files() {
    let (ours, theirs) = (directory(), directory());
    written(ours.path(), "a", &noise(PIECE_MAX + 1));
    let bundle = Bundle::new(ours.path(), &[("a", false)]).unwrap();
    let begin = || PendingFiles::begin(bundle.manifest().clone(), None, theirs.path()).unwrap();
    let first = Piece { file: 0, at: 0 };
    for (piece, length) in [
        (Piece { file: 1, at: 0 }, 1),
        (Piece { file: 0, at: 1 }, 1),
        (first, 0),
        (first, PIECE_MAX + 1),
    ] {
        assert!(begin().take(piece, &vec![0; length]).is_err(), "{piece:?} {length}");
    }
    for piece in [
        Piece { file: 1, at: 0 },
        Piece { file: 0, at: PIECE_MAX as u64 + 1 },
        Piece { file: 0, at: u64::MAX },
    ] {
        assert!(bundle.piece(piece).is_err(), "{piece:?}");
    }
    assert!(begin().finish().is_none(), "nothing has arrived");
    written(ours.path(), "a", &vec![7; PIECE_MAX + 1]);
    let changed = pulled(&bundle, None, theirs.path());
    assert!(matches!(changed, Err(BundleError::Content(_))), "{changed:?}");
    assert_eq!(fs::read_dir(theirs.path()).unwrap().count(), 0);
}

#[test]
fn bundle_beyond_its_limit_is_refused_at_once() {
    let theirs = directory();
    let content = Content { size: BUNDLE_MAX / 2 + 1, sha256: String::new() };
    let entry = |name: &str| Entry {
        name: FileName::new(Path::new(name)).unwrap(),
        from: From::Coordinator(content.clone()),
    };
    let large = Manifest { files: vec![entry("a"), entry("b")] };
    let twice = Manifest { files: vec![entry("a"), entry("a")] };
    let many = Manifest { files: (0..=FILES_MAX).map(|n| entry(&n.to_string())).collect() };
    for manifest in [large, twice, many] {
        assert!(PendingFiles::begin(manifest, None, theirs.path()).is_err());
    }
    assert_eq!(fs::read_dir(theirs.path()).unwrap().count(), 0);
    // A file cannot be inside another file.
    let nested = Manifest { files: vec![entry("a"), entry("a/b")] };
    let small = |entry: Entry| Entry {
        from: From::Coordinator(Content { size: 1, sha256: String::new() }),
        ..entry
    };
    let nested = Manifest { files: nested.files.into_iter().map(small).collect() };
    assert!(PendingFiles::begin(nested, None, theirs.path()).is_err());
    assert_eq!(fs::read_dir(theirs.path()).unwrap().count(), 0);
}

#[test]
fn bundle_leftovers_of_killed_agents_are_removed() {
    let parent = directory();
    // No process has a number as high as this.
    let left = parent.path().join("brunt-order-4199999999-ab");
    let other = parent.path().join("brunt-order-of-mine");
    for path in [&left, &other] {
        written(path, "plan.toml", b"");
    }
    let laying = PendingFiles::begin(Manifest::default(), None, parent.path()).unwrap();
    sweep(parent.path());
    assert!(!left.exists() && other.exists());
    assert!(laying.finish().expect("nothing is to come").path().exists());
}
