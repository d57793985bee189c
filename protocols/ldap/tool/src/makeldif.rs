//! `brunt makeldif`: writes the entries of a template file as LDIF (RFC 2849), which any directory can import.
//!
//! They are the entries that addrate adds with the same template and seed, after the branches that it expects to exist.

use std::fs::File;
use std::io::{self, BufWriter, Write};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use brunt_feed::makeldif::{Entry, MakeLdif, MakeLdifError, Sources};
use brunt_run::World;
use brunt_run::options::exit::Exit;
use brunt_run::options::refusal::Refusal;

use crate::options::makeldif::MakeldifArgs;

/// Writes the entries, and prints how many there are.
pub(crate) fn run(args: &MakeldifArgs, world: &World) -> Result<Exit, Refusal> {
    let sources = Sources {
        resource_dir: args.resource_path.clone(),
        files: world.files.clone(),
        constants: args.constant.clone(),
        seed: args.random_seed,
    };
    let template = MakeLdif::read(&args.template, &sources).map_err(|error| Refusal {
        exit: match error {
            MakeLdifError::Read { .. } => Exit::Input,
            MakeLdifError::Line { .. } => Exit::Usage,
        },
        text: format!("failed to {error}\n"),
    })?;
    template.warnings().iter().for_each(|warning| world.console.note(warning));
    let entries = count(args, &template)?;
    let written = match &args.output_ldif {
        Some(path) => {
            let failed =
                |error| Refusal::failed(format!("failed to write {}: {error}", path.display()));
            let file = File::create(path).map_err(failed)?;
            write(BufWriter::new(file), args, &template, entries).map_err(failed)
        }
        None => match write(BufWriter::new(world.console.writer()), args, &template, entries) {
            // A reader that closes its end early is not a failure.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(Exit::Ok),
            written => written.map_err(|error| {
                Refusal::failed(format!("failed to write to standard output: {error}"))
            }),
        },
    }?;
    world.console.message(&format!("LDIF processing complete. {written} entries written"));
    Ok(Exit::Ok)
}

/// The number of entries below the branches.
fn count(args: &MakeldifArgs, template: &MakeLdif) -> Result<u64, Refusal> {
    let usage = |text: String| Refusal { text, exit: Exit::Usage };
    let name = args.template.display();
    match (args.entries, template.len()) {
        (Some(wanted), Some(most)) if wanted > most => Err(usage(format!(
            "--entries {wanted}: the template file {name} makes only {most}; raise the number of a \
             subordinateTemplate\n"
        ))),
        (Some(wanted), _) => Ok(wanted),
        (None, Some(most)) => Ok(most),
        (None, None) => Err(usage(format!(
            "the template file {name} makes entries without end: give their number with --entries\n"
        ))),
    }
}

/// Writes the branches and this number of entries below them; returns how many it wrote.
fn write(
    mut out: impl Write,
    args: &MakeldifArgs,
    template: &MakeLdif,
    entries: u64,
) -> io::Result<u64> {
    let (mut entry, mut lines) = (Entry::new(), Lines { text: Vec::new(), wrap: args.wrap_column });
    let mut written = 0;
    let branches = if args.no_branches { 0 } else { template.branch_count() };
    for branch in 0..branches {
        if template.branch(branch, &mut entry) {
            lines.entry(&entry, &mut out)?;
            written += 1;
        }
    }
    for number in 0..entries {
        if template.entry(number, &mut entry) {
            lines.entry(&entry, &mut out)?;
            written += 1;
        }
    }
    out.flush()?;
    Ok(written)
}

/// Lines of LDIF, collected in one buffer.
struct Lines {
    text: Vec<u8>,
    wrap: usize,
}

impl Lines {
    fn entry(&mut self, entry: &Entry, out: &mut impl Write) -> io::Result<()> {
        self.line(b"dn", entry.dn(), out)?;
        for (name, value) in entry.values() {
            self.line(name, value, out)?;
        }
        out.write_all(b"\n")
    }

    fn line(&mut self, name: &[u8], value: &[u8], out: &mut impl Write) -> io::Result<()> {
        self.text.clear();
        self.text.extend_from_slice(name);
        if is_safe(value) {
            self.text.extend_from_slice(b": ");
            self.text.extend_from_slice(value);
        } else {
            self.text.extend_from_slice(b":: ");
            self.text.extend_from_slice(BASE64.encode(value).as_bytes());
        }
        let mut rest = self.text.as_slice();
        let mut room = if self.wrap == 0 { rest.len() } else { self.wrap };
        while rest.len() > room {
            let (line, more) = rest.split_at(room);
            out.write_all(line)?;
            // A continuation line begins with a space, which takes a column.
            out.write_all(b"\n ")?;
            (rest, room) = (more, self.wrap - 1);
        }
        out.write_all(rest)?;
        out.write_all(b"\n")
    }
}

/// Whether a value may be written unencoded (RFC 2849: `SAFE-STRING`, and no space at its end).
fn is_safe(value: &[u8]) -> bool {
    let safe = |octet: &u8| octet.is_ascii() && !matches!(octet, 0 | b'\n' | b'\r');
    value.iter().all(safe)
        && !matches!(value.first(), Some(b' ' | b':' | b'<'))
        && value.last() != Some(&b' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(name: &str, value: &[u8], wrap: usize) -> String {
        let mut out = Vec::new();
        let mut lines = Lines { text: Vec::new(), wrap };
        lines.line(name.as_bytes(), value, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn ldif_value_is_base64_where_required() {
        for (value, expected) in [
            (&b"Smith"[..], "sn: Smith\n"),
            (b"a: b <c>", "sn: a: b <c>\n"),
            (b"", "sn: \n"),
            (b" a", "sn:: IGE=\n"),
            (b"a ", "sn:: YSA=\n"),
            (b":a", "sn:: OmE=\n"),
            (b"<a", "sn:: PGE=\n"),
            (b"a\nb", "sn:: YQpi\n"),
            ("\u{fc}".as_bytes(), "sn:: w7w=\n"),
        ] {
            assert_eq!(line("sn", value, 0), expected, "{value:?}");
        }
    }

    #[test]
    fn ldif_lines_are_folded_at_the_column() {
        let value = "0123456789".repeat(5);
        let folded = line("description", value.as_bytes(), 20);
        assert!(folded.lines().all(|line| line.len() <= 20), "{folded}");
        assert_eq!(folded.replace("\n ", ""), format!("description: {value}\n"));
        assert_eq!(line("cn", b"abcdef", 10), "cn: abcdef\n");
        assert_eq!(line("cn", b"abcdefg", 10), "cn: abcdef\n g\n");
    }
}
