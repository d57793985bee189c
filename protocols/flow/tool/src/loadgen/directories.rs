//! [`Directories`]: the directories in which the files of a job are searched for.
//!
//! LoadGen searches only below the directory it is started in. Here the two directories that a job file belongs to are
//! searched after it, so that a job can be started from anywhere; the one that was used is reported, since two may
//! contain a file of the same name.

use std::path::{Path, PathBuf};

/// How many files are considered for a suggestion of a similar name.
const NAMES_MAX: usize = 10_000;

/// A file that is in none of the directories: every path that was tried.
#[derive(Debug, thiserror::Error)]
#[error("there is neither {}", .0.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(" nor "))]
pub(super) struct NotFound(Vec<PathBuf>);

/// The directories to search, in this order.
#[derive(Debug)]
pub(super) struct Directories {
    roots: Vec<PathBuf>,
    /// Roots other than the first in which a file was found.
    taken: Vec<PathBuf>,
}

impl Directories {
    /// The directories for a job file: the current one, the parent of the job's own, and the job's own.
    pub(super) fn new(job: &Path) -> Self {
        let mut roots = vec![PathBuf::new()];
        let whole = std::path::absolute(job).unwrap_or_else(|_| job.to_owned());
        let own = whole.parent();
        for root in [own.and_then(Path::parent), own].into_iter().flatten() {
            if !roots.iter().any(|known| known == root) {
                roots.push(root.to_owned());
            }
        }
        Self { roots, taken: Vec::new() }
    }

    /// The file of this name below the first root that has it.
    pub(super) fn find(&mut self, name: &Path) -> Result<PathBuf, NotFound> {
        let found = self.roots.iter().position(|root| root.join(name).is_file());
        let Some(at) = found else {
            return Err(NotFound(self.roots.iter().map(|root| root.join(name)).collect()));
        };
        let root = &self.roots[at];
        if at > 0 && !name.is_absolute() && !self.taken.contains(root) {
            self.taken.push(root.clone());
        }
        Ok(root.join(name))
    }

    /// The names of the JSON files in a directory below any root, without their extension.
    pub(super) fn names(&self, directory: &str) -> Vec<String> {
        let entries = self.roots.iter().filter_map(|root| root.join(directory).read_dir().ok());
        let paths = entries.flatten().flatten().map(|entry| entry.path());
        let json = paths.filter(|path| path.extension().is_some_and(|ending| ending == "json"));
        json.filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
            .take(NAMES_MAX)
            .collect()
    }

    /// Notes for the user about where files were found.
    pub(super) fn notes(&self) -> impl Iterator<Item = String> {
        let note = |root: &PathBuf| {
            format!(
                "the job's files are read below {}, because they are not in the current directory",
                root.display()
            )
        };
        self.taken.iter().map(note)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn directory_above_the_job_is_searched_first() {
        let place = tempfile::tempdir().unwrap();
        let base = std::path::absolute(place.path()).unwrap();
        for directory in ["jobs/tasks", "tasks"] {
            fs::create_dir_all(base.join(directory)).unwrap();
        }
        for file in ["jobs/tasks/both.json", "tasks/both.json", "jobs/tasks/own.json"] {
            fs::write(base.join(file), "{}").unwrap();
        }
        let mut directories = Directories::new(&base.join("jobs/x.json"));
        let mut find = |name: &str| directories.find(&Path::new("tasks").join(name));
        assert_eq!(find("both.json").unwrap(), base.join("tasks/both.json"));
        assert_eq!(find("own.json").unwrap(), base.join("jobs/tasks/own.json"));
        let missing = find("none.json").unwrap_err().to_string();
        assert!(missing.starts_with("there is neither tasks/none.json nor "), "{missing}");
        assert_eq!(missing.matches("none.json").count(), 3);
        assert_eq!(directories.notes().count(), 2);
    }
}
