//! [`TestSurroundings`]: what command lines of tests find around them.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use brunt_net::secret::Secret;
use brunt_run::options::surroundings::Surroundings;

/// Surroundings with a few files and variables, and possibly a user who types `typed`.
#[derive(Default)]
pub(crate) struct TestSurroundings {
    pub(crate) files: HashMap<PathBuf, Vec<u8>>,
    pub(crate) variables: HashMap<String, String>,
    pub(crate) somebody: bool,
    pub(crate) requested: RefCell<Vec<String>>,
}

impl TestSurroundings {
    pub(crate) fn file(mut self, path: &str, text: &str) -> Self {
        self.files.insert(path.into(), text.into());
        self
    }

    pub(crate) fn variable(mut self, name: &str, text: &str) -> Self {
        self.variables.insert(name.into(), text.into());
        self
    }
}

impl Surroundings for TestSurroundings {
    fn variable(&self, name: &str) -> Option<String> {
        self.variables.get(name).cloned()
    }

    fn files(&self) -> brunt_run::Files {
        brunt_run::Files::default()
    }
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.files.get(path).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }
    fn interactive(&self) -> bool {
        self.somebody
    }
    fn prompt(&self, prompt: &str) -> io::Result<Secret> {
        self.requested.borrow_mut().push(prompt.to_owned());
        Ok(Secret::new(b"typed".to_vec()))
    }
}

/// Splits as a shell does, for lines that use quotes but no escapes.
pub(crate) fn shell(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for letter in line.replace("\\\n", " ").chars() {
        match (quote, letter) {
            (Some(open), _) if open == letter => quote = None,
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, ' ' | '\n') => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}
