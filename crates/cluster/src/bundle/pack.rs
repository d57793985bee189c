//! [`Bundle`]: the coordinator's side. It describes files and serves pieces of them.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::{
    BUNDLE_MAX, BundleError, Content, Entry, FILES_MAX, FileName, From, Manifest, PIECE_MAX, Piece,
    hexadecimal,
};

/// The files of an order, with their places on disk.
#[derive(Debug)]
pub struct Bundle {
    manifest: Manifest,
    directory: PathBuf,
}

impl Bundle {
    /// Describes files of a directory, each with a flag for whether it is a secret. If they are too large together, the
    /// largest are not sent.
    pub fn new<P: AsRef<Path>>(directory: &Path, files: &[(P, bool)]) -> Result<Self, BundleError> {
        Self::within(BUNDLE_MAX, directory, files)
    }

    /// The same with an explicit limit on the bytes that may be sent.
    pub(super) fn within<P: AsRef<Path>>(
        most: u64,
        directory: &Path,
        files: &[(P, bool)],
    ) -> Result<Self, BundleError> {
        if files.len() > FILES_MAX {
            return Err(BundleError::TooMany(files.len()));
        }
        let mut entries = Vec::new();
        for (path, secret) in files {
            let path = path.as_ref();
            let name = FileName::new(path);
            let name = name.ok_or_else(|| BundleError::Name(path.display().to_string()))?;
            let from = if *secret {
                From::OwnerSecret
            } else {
                From::Coordinator(content(&directory.join(name.path()))?)
            };
            entries.push(Entry { name, from });
        }
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        entries.dedup();
        leave_largest(&mut entries, most);
        let manifest = Manifest { files: entries };
        manifest.check()?;
        Ok(Self { manifest, directory: directory.to_owned() })
    }

    /// The manifest for the agents.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The piece that an agent requests: as much as there is, up to [`PIECE_MAX`].
    pub fn piece(&self, piece: Piece) -> Result<Vec<u8>, BundleError> {
        let none = || BundleError::NoPiece { file: piece.file, at: piece.at };
        let entry = usize::try_from(piece.file).ok().and_then(|at| self.manifest.files.get(at));
        let Some(Entry { name, from: From::Coordinator(content) }) = entry else {
            return Err(none());
        };
        let left = content.size.checked_sub(piece.at).filter(|left| *left > 0).ok_or_else(none)?;
        let length = usize::try_from(left).unwrap_or(PIECE_MAX).min(PIECE_MAX);
        let mut bytes = vec![0; length];
        let path = self.directory.join(name.path());
        let read = File::open(&path).and_then(|file| file.read_exact_at(&mut bytes, piece.at));
        read.map_err(|source| BundleError::File { act: "read", path, source })?;
        Ok(bytes)
    }
}

/// Marks the largest files as already on the agents, until the remaining ones fit the limit.
fn leave_largest(entries: &mut [Entry], most: u64) {
    loop {
        let travels = entries.iter().filter_map(|entry| match &entry.from {
            From::Coordinator(content) => Some(content.size),
            _ => None,
        });
        if travels.fold(0_u64, u64::saturating_add) <= most {
            return;
        }
        let size = |entry: &Entry| match &entry.from {
            From::Coordinator(content) => content.size,
            _ => 0,
        };
        let Some(largest) = entries.iter_mut().max_by_key(|entry| size(entry)) else { return };
        if let From::Coordinator(content) = &largest.from {
            largest.from = From::Owner(content.clone());
        }
    }
}

/// The size and hash of a file, which is read once and not kept.
pub(super) fn content(path: &Path) -> Result<Content, BundleError> {
    let failed = |source| BundleError::File { act: "read", path: path.to_owned(), source };
    let mut file = File::open(path).map_err(failed)?;
    if !file.metadata().map_err(failed)?.is_file() {
        return Err(failed(io::Error::other("it is no file")));
    }
    let (mut hash, mut size) = (Sha256::new(), 0_u64);
    let mut buffer = vec![0; 64 << 10];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(Content { size, sha256: hexadecimal(&hash.finalize()) }),
            Ok(length) => {
                hash.update(&buffer[..length]);
                size += length as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(failed(error)),
        }
    }
}
