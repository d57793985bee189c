//! The files of a plan: they are stored in a directory of the plan, and copied into each of its runs.

use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use brunt_history::DATA;

use crate::app::App;

/// Whether a name is a plain file name without a path.
pub(crate) fn is_plain(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\0']) && name.len() < 200
}

/// The directory of a plan's files.
pub(crate) fn directory(app: &App, plan: i64) -> PathBuf {
    app.history.directory().join("plans").join(plan.to_string())
}

/// Writes the files of a plan or of a run.
pub(crate) fn write(directory: &Path, data: &[(String, Vec<u8>)]) -> io::Result<()> {
    if data.is_empty() {
        return Ok(());
    }
    let data_directory = directory.join(DATA);
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&data_directory)?;
    for (name, bytes) in data {
        brunt_record::replace(&data_directory.join(name), |out| out.write_all(bytes))?;
    }
    Ok(())
}

/// The names of the files of a plan.
pub(crate) fn data_of(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory.join(DATA)).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.retain(|name| is_plain(name));
    names.sort_unstable();
    names
}

/// Copies the files of a plan into the directory of a run.
pub(crate) fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let names = data_of(from);
    let read = |name: &String| Ok((name.clone(), std::fs::read(from.join(DATA).join(name))?));
    write(to, &names.iter().map(read).collect::<io::Result<Vec<_>>>()?)
}
