//! [`PendingFiles`] and [`OrderDirectory`]: the agent's side. Files are written into a directory that only the agent's
//! user may enter, and that is removed with its value.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, symlink};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::pack::content;
use super::{BundleError, Entry, From, Manifest, PIECE_MAX, Piece, hexadecimal};

/// The prefix of the names of these directories. The id of the process that made one follows.
const PREFIX: &str = "brunt-order-";

/// Removes the directories in `parent` whose agents were killed before they could remove them.
pub fn sweep(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let rest = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
        let process = rest.and_then(|rest| rest.split('-').next()?.parse::<u32>().ok());
        let gone = process.is_some_and(|id| !Path::new("/proc").join(id.to_string()).exists());
        if gone && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// The directory of an order. It is removed when this is dropped.
#[derive(Debug)]
pub struct OrderDirectory {
    path: PathBuf,
}

impl OrderDirectory {
    /// Where the files are; the command is started in this directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes a directory with an unpredictable name.
    fn make(parent: &Path) -> Result<Self, BundleError> {
        let mut name = [0; 12];
        let failed = |source| BundleError::File {
            act: "make a directory in",
            path: parent.to_owned(),
            source,
        };
        getrandom::fill(&mut name).map_err(|error| failed(std::io::Error::other(error)))?;
        let own = std::process::id();
        let path = parent.join(format!("{PREFIX}{own}-{}", hexadecimal(&name)));
        DirBuilder::new().mode(0o700).create(&path).map_err(failed)?;
        Ok(Self { path })
    }
}

impl Drop for OrderDirectory {
    fn drop(&mut self) {
        // Links in it are removed, but not their targets.
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// Files that are being written.
#[derive(Debug)]
pub struct PendingFiles {
    manifest: Manifest,
    laid: OrderDirectory,
    /// The file that is open, by its number.
    open: Option<Open>,
    next: usize,
}

#[derive(Debug)]
struct Open {
    number: usize,
    file: File,
    hash: Sha256,
    at: u64,
}

impl PendingFiles {
    /// Begins to write the files of an order into a new directory below `parent`. `data` is the data directory of the
    /// agent's owner.
    pub fn begin(
        manifest: Manifest,
        data: Option<&Path>,
        parent: &Path,
    ) -> Result<Self, BundleError> {
        manifest.check()?;
        let laid = OrderDirectory::make(parent)?;
        for entry in &manifest.files {
            lay(entry, data, &laid)?;
        }
        let mut laying = Self { manifest, laid, open: None, next: 0 };
        laying.advance()?;
        Ok(laying)
    }

    /// The piece to request next; none if all files are complete.
    pub fn wanted(&self) -> Option<Piece> {
        let open = self.open.as_ref()?;
        Some(Piece { file: u32::try_from(open.number).ok()?, at: open.at })
    }

    /// Takes the piece that was requested.
    pub fn take(&mut self, piece: Piece, bytes: &[u8]) -> Result<(), BundleError> {
        let Some(open) = &mut self.open else {
            return Err(BundleError::Piece("an order".to_owned()));
        };
        let Some(Entry { name, from: From::Coordinator(content) }) =
            self.manifest.files.get(open.number)
        else {
            return Err(BundleError::Piece("an order".to_owned()));
        };
        let left = content.size - open.at;
        let requested = Piece { file: u32::try_from(open.number).unwrap_or(u32::MAX), at: open.at };
        if piece != requested
            || bytes.is_empty()
            || bytes.len() > PIECE_MAX
            || bytes.len() as u64 > left
        {
            return Err(BundleError::Piece(name.to_string()));
        }
        let path = || self.laid.path.join(name.path());
        open.file.write_all(bytes).map_err(|source| BundleError::File {
            act: "write",
            path: path(),
            source,
        })?;
        open.hash.update(bytes);
        open.at += bytes.len() as u64;
        if open.at < content.size {
            return Ok(());
        }
        let found = hexadecimal(&open.hash.clone().finalize());
        if found != content.sha256 {
            return Err(BundleError::Content(name.to_string()));
        }
        self.open = None;
        self.advance()
    }

    /// The directory, once all files are complete.
    pub fn finish(self) -> Option<OrderDirectory> {
        self.open.is_none().then_some(self.laid)
    }

    /// Opens the next file that comes from the coordinator.
    fn advance(&mut self) -> Result<(), BundleError> {
        while let Some(entry) = self.manifest.files.get(self.next) {
            let number = self.next;
            self.next += 1;
            let From::Coordinator(content) = &entry.from else { continue };
            let path = self.laid.path.join(entry.name.path());
            let mut options = OpenOptions::new();
            let file = options.write(true).create_new(true).mode(0o600).open(&path);
            let file = file.map_err(|source| BundleError::File { act: "write", path, source })?;
            let hash = Sha256::new();
            if content.size > 0 {
                self.open = Some(Open { number, file, hash, at: 0 });
                return Ok(());
            }
            if hexadecimal(&hash.finalize()) != content.sha256 {
                return Err(BundleError::Content(entry.name.to_string()));
            }
        }
        Ok(())
    }
}

/// Makes the directories of a file, and links it if it is on this machine.
fn lay(entry: &Entry, data: Option<&Path>, laid: &OrderDirectory) -> Result<(), BundleError> {
    let place = laid.path.join(entry.name.path());
    if let Some(above) = place.parent() {
        let made = DirBuilder::new().recursive(true).mode(0o700).create(above);
        made.map_err(|source| BundleError::File {
            act: "make the directory",
            path: above.to_owned(),
            source,
        })?;
    }
    let expected = match &entry.from {
        From::Coordinator(_) => return Ok(()),
        From::Owner(content) => Some(content),
        From::OwnerSecret => None,
    };
    let data = data.ok_or_else(|| BundleError::NoData(entry.name.to_string()))?;
    let path = data.join(entry.name.path());
    if let Err(source) = File::open(&path) {
        return Err(BundleError::Missing { name: entry.name.to_string(), path, source });
    }
    if expected.is_some_and(|expected| content(&path).ok().as_ref() != Some(expected)) {
        return Err(BundleError::Content(path.display().to_string()));
    }
    symlink(&path, &place).map_err(|source| BundleError::File { act: "link", path: place, source })
}
