//! Surroundings for lines that are read more than once: to find out what they are, and to carry them out.
//!
//! A file may be a pipe, which can be read once only: `-j <(pass show ldap)`.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use brunt_feed::Files;
use brunt_net::secret::Secret;
use brunt_run::options::surroundings::{FileNotPermitted, Surroundings};

/// Surroundings whose files are kept once they have been read. Secrets are not.
pub(super) struct Kept<'a> {
    of: &'a dyn Surroundings,
    known: RefCell<HashMap<PathBuf, Vec<u8>>>,
}

impl<'a> Kept<'a> {
    /// Nothing has been read yet.
    pub(super) fn new(of: &'a dyn Surroundings) -> Self {
        Self { of, known: RefCell::default() }
    }
}

impl Surroundings for Kept<'_> {
    fn variable(&self, name: &str) -> Option<String> {
        self.of.variable(name)
    }

    fn ambient(&self, name: &str) -> Option<String> {
        self.of.ambient(name)
    }

    fn files(&self) -> Files {
        self.of.files()
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        if let Some(bytes) = self.known.borrow().get(path) {
            return Ok(bytes.clone());
        }
        let bytes = self.of.read(path)?;
        self.known.borrow_mut().insert(path.to_owned(), bytes.clone());
        Ok(bytes)
    }

    fn secret(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.of.secret(path)
    }

    fn permits(&self, path: &Path) -> Result<(), FileNotPermitted> {
        self.of.permits(path)
    }

    fn interactive(&self) -> bool {
        self.of.interactive()
    }

    fn prompt(&self, prompt: &str) -> io::Result<Secret> {
        self.of.prompt(prompt)
    }

    fn properties_files(&self) -> Vec<PathBuf> {
        self.of.properties_files()
    }
}

/// Surroundings in which a line is only tried: every question has an answer, and no secret is read.
pub(super) struct Trial<'a>(pub &'a dyn Surroundings);

impl Surroundings for Trial<'_> {
    fn variable(&self, name: &str) -> Option<String> {
        self.0.variable(name)
    }

    fn ambient(&self, name: &str) -> Option<String> {
        self.0.ambient(name)
    }

    fn files(&self) -> Files {
        self.0.files()
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.0.read(path)
    }

    fn secret(&self, _: &Path) -> io::Result<Vec<u8>> {
        Ok(b"tried\n".to_vec())
    }

    fn permits(&self, path: &Path) -> Result<(), FileNotPermitted> {
        self.0.permits(path)
    }

    fn interactive(&self) -> bool {
        true
    }

    fn prompt(&self, _: &str) -> io::Result<Secret> {
        Ok(Secret::new(b"tried".to_vec()))
    }

    fn properties_files(&self) -> Vec<PathBuf> {
        self.0.properties_files()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::tool::Tool;
    use crate::unboundid::decide;

    /// Counts how often each file is read.
    #[derive(Default)]
    struct Counting(RefCell<HashMap<PathBuf, u32>>);

    impl Surroundings for Counting {
        fn variable(&self, _: &str) -> Option<String> {
            None
        }
        fn files(&self) -> Files {
            Files::default()
        }

        fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
            *self.0.borrow_mut().entry(path.to_owned()).or_default() += 1;
            Ok(b"useSSL=false\n".to_vec())
        }
        fn interactive(&self) -> bool {
            false
        }
        fn prompt(&self, _: &str) -> io::Result<Secret> {
            Err(io::ErrorKind::Unsupported.into())
        }
        fn properties_files(&self) -> Vec<PathBuf> {
            Vec::new()
        }
    }

    #[test]
    fn pipe_is_read_once_however_often_the_line_is_parsed() {
        let line = "-b dc=x -D cn=a -j /pipe --propertiesFilePath /other (uid=a)";
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let counting = Counting::default();
        assert!(decide::parse(Tool::Searchrate, None, &words, &counting).is_ok());
        let counts = counting.0.borrow();
        assert_eq!(counts.get(Path::new("/pipe")), Some(&1));
        assert_eq!(counts.get(Path::new("/other")), Some(&1));
    }
}
