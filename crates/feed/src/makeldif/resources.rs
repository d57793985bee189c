//! The data files that a template names, and the built-in lists that replace missing ones.

use crate::files::Files;
use crate::lines::Lines;
use crate::permutation::Permutation;
use crate::stream::Stream;
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const BUILT_IN: [(&str, &str); 5] = [
    ("cities", include_str!("words/cities")),
    ("first.names", include_str!("words/first.names")),
    ("last.names", include_str!("words/last.names")),
    ("states", include_str!("words/states")),
    ("streets", include_str!("words/streets")),
];

/// Why a data file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ResourceError {
    /// It cannot be read.
    #[error("the file {} cannot be read: {source}", path.display())]
    Read {
        /// Its path.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// It is not there, and there is no directory for such files.
    #[error(
        "there is no file `{0}`, and there is no resource directory; name its directory with -r"
    )]
    NoDirectory(String),
    /// It is not there.
    #[error(
        "there is no file `{name}`, nor in the resource directory {}; name its directory with -r", directory.display()
    )]
    Missing {
        /// Its name.
        name: String,
        /// The directory for such files.
        directory: PathBuf,
    },
    /// It has no value.
    #[error("the file `{0}` is empty; put one value on each line")]
    Empty(String),
}

/// Where data files come from; each is read once.
#[derive(Debug)]
pub(super) struct Resources {
    dir: Option<PathBuf>,
    files: Files,
    read: HashMap<String, Arc<Lines>>,
}

impl Resources {
    pub(super) fn new(dir: Option<PathBuf>, files: Files) -> Self {
        Self { dir, files, read: HashMap::new() }
    }

    /// The lines of the file `name`: from the resource directory, else from this path, else built
    /// in.
    pub(super) fn lines(&mut self, name: &str) -> Result<Arc<Lines>, ResourceError> {
        if let Some(lines) = self.read.get(name) {
            return Ok(Arc::clone(lines));
        }
        let in_dir = self.dir.as_ref().map(|dir| dir.join(name));
        let found =
            in_dir.into_iter().chain([PathBuf::from(name)]).find(|path| Path::is_file(path));
        let lines = match (&found, BUILT_IN.iter().find(|(known, _)| *known == name)) {
            (Some(path), _) => Lines::read(&self.files, path)
                .map_err(|source| ResourceError::Read { path: path.clone(), source })?,
            (None, Some((_, text))) => Lines::from_bytes(text.as_bytes().to_vec()),
            (None, None) => {
                let name = name.to_owned();
                return Err(match &self.dir {
                    Some(dir) => ResourceError::Missing { name, directory: dir.clone() },
                    None => ResourceError::NoDirectory(name),
                });
            }
        };
        if lines.len() == 0 {
            return Err(ResourceError::Empty(name.to_owned()));
        }
        let lines = Arc::new(lines);
        self.read.insert(name.to_owned(), Arc::clone(&lines));
        Ok(lines)
    }

    /// The first and last names, in an order that `stream` determines.
    pub(super) fn names(&mut self, stream: Stream) -> Result<Names, ResourceError> {
        let (first, last) = (self.lines("first.names")?, self.lines("last.names")?);
        let pairs = first.len().saturating_mul(last.len());
        Ok(Names { order: Permutation::new(stream, pairs - 1), pairs, first, last })
    }
}

/// Pairs of a first and a last name; no pair is repeated before all have been used.
#[derive(Clone, Debug)]
pub(super) struct Names {
    first: Arc<Lines>,
    last: Arc<Lines>,
    pairs: u64,
    order: Permutation,
}

impl Names {
    /// Appends the first name of pair `number`.
    pub(super) fn first(&self, number: u64, out: &mut Vec<u8>) {
        out.extend_from_slice(self.first.line(self.order.value(number) % self.first.len()));
        self.pass(number, out);
    }

    /// Appends the last name of pair `number`.
    pub(super) fn last(&self, number: u64, out: &mut Vec<u8>) {
        out.extend_from_slice(self.last.line(self.order.value(number) / self.first.len()));
        self.pass(number, out);
    }

    fn pass(&self, number: u64, out: &mut Vec<u8>) {
        let pass = number / self.pairs;
        if pass > 0 {
            out.extend_from_slice(itoa::Buffer::new().format(pass).as_bytes());
        }
    }
}
