//! Packs the guides of `docs/` for `brunt help`: compressed they take a third of their size in the binary.
//!
//! A page that was written from the declaration of a command is left out, because the help of the command says the
//! same. Those are not watched either, so that writing them anew builds nothing again. The pages of options that
//! several commands share are guides. A new guide is in the index, which is watched.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use flate2::Compression;
use flate2::write::DeflateEncoder;

fn main() -> io::Result<()> {
    let root = PathBuf::from(variable("CARGO_MANIFEST_DIR")?).join("../../docs");
    let mut packed = DeflateEncoder::new(Vec::new(), Compression::best());
    for directory in ["", "tutorials"] {
        let mut names = fs::read_dir(root.join(directory))?
            .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
            .collect::<io::Result<Vec<_>>>()?;
        names.retain(|name| Path::new(name).extension().is_some_and(|it| it == "md"));
        // The order in which a directory lists its files differs between machines, and packages must not.
        names.sort();
        for name in names {
            let file = Path::new(directory).join(&name);
            let text = fs::read_to_string(root.join(&file))?;
            if !text.contains("<!-- Written from the declaration of")
                && !text.contains("<!-- Written from the table of")
            {
                println!("cargo::rerun-if-changed={}", root.join(&file).display());
                write!(packed, "{}\0{text}\0", file.display())?;
            }
        }
    }
    fs::write(PathBuf::from(variable("OUT_DIR")?).join("guides.deflate"), packed.finish()?)
}

fn variable(name: &str) -> io::Result<String> {
    env::var(name).map_err(io::Error::other)
}
