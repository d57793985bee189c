//! `brunt import`: makes plans from descriptions of requests in other formats.
//!
//! `brunt_flow_import` reads the description, [`settled`] makes the model of a plan from it, and [`written`] writes
//! that as TOML with comments about everything that was guessed. Only this file accesses the file system.

mod compact;
mod people;
pub mod settled;
mod shared_headers;
mod written;

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use brunt_feed::file;
use brunt_flow_import::{Filter, HarError, Imported, Pauses, Secrets, har_beside};
use brunt_flow_plan::model::Part;
use brunt_record::create_private;
use brunt_run::Console;
use brunt_run::World;
use brunt_run::console;
use brunt_run::options::exit::Exit;
use brunt_run::options::refusal::Refusal;

use crate::options::import::{HarImportArgs, ImportKind, ImportedArgs};

use people::{People, without_file};
pub use settled::SettleError;
use settled::Settled;
use written::Steps;

/// The maximum size of a file.
const LARGEST: u64 = 512 * 1024 * 1024;

/// Carries out an import.
pub fn run(kind: &ImportKind, world: &World) -> Result<Exit, Refusal> {
    let mut feeder = None;
    let (imported, args) = match kind {
        ImportKind::Curl(args) => {
            let text = match args.source.trim_start() {
                command if command.starts_with("curl ") || command.starts_with("curl.exe ") => {
                    args.source.clone()
                }
                file => text_of(Path::new(file))?,
            };
            let read = |path: &Path| world.files.read(path, file::DATA_MAX);
            let read = brunt_flow_import::curl(&text, secrets(&args.imported), &read);
            (read.map_err(|error| failed(&error))?, &args.imported)
        }
        ImportKind::Har(args) => {
            feeder = args.feeder.as_deref();
            (recording(args)?, &args.imported)
        }
        ImportKind::Openapi(args) => {
            let text = text_of(&args.file)?;
            let read =
                brunt_flow_import::openapi(&text, args.server.as_deref(), secrets(&args.imported));
            (read.map_err(|error| within(&args.file, &error))?, &args.imported)
        }
    };
    let output = args.output.as_deref().filter(|path| *path != Path::new("-"));
    save(imported, output, feeder, &world.console)
}

/// Reads a recording.
fn recording(args: &HarImportArgs) -> Result<Imported, Refusal> {
    let filter = Filter {
        hosts: args.host.clone(),
        types: args.types.clone(),
        all_hosts: args.all_hosts,
        statics: args.statics,
    };
    let pauses = if args.no_pauses { Pauses::None } else { Pauses::Recorded };
    let text = text_of(&args.file)?;
    let second = args.compare.as_deref().map(text_of).transpose()?;
    let secrets = secrets(&args.imported);
    let read = har_beside(&text, second.as_deref(), &filter, pauses, secrets);
    let named = |error: HarError| match (&error, &args.compare) {
        (HarError::Second(_), Some(second)) => within(second, &error),
        _ => within(&args.file, &error),
    };
    read.map_err(named)
}

/// A plan made from an import, for a caller that stores it.
pub struct Planned {
    /// Its text.
    pub text: String,
    /// What was omitted, removed or guessed.
    pub notes: Vec<String>,
    /// Bodies that are not text, by name.
    pub files: Vec<(PathBuf, Vec<u8>)>,
}

/// Why an import makes no plan. It reads after "failed to".
#[derive(Debug, thiserror::Error)]
pub enum PlannedError {
    /// What was imported has no form in a plan.
    #[error(transparent)]
    Settle(#[from] SettleError),
    /// The plan cannot be written.
    #[error(transparent)]
    Write(#[from] toml::ser::Error),
}

/// The plan made from an import, whose files will be in `directory`.
pub fn planned(imported: &Imported, directory: &Path) -> Result<Planned, PlannedError> {
    let mut settled = Settled::new(imported, Some(Path::new("body")))?;
    for (step, _) in &mut settled.steps {
        let written = settled.files.iter().map(|(path, _)| path);
        let moved =
            |path: &Path| written.clone().any(|one| one == path).then(|| directory.join(path));
        if let Some(path) = &mut step.body_file
            && let Some(other) = moved(path)
        {
            *path = other;
        }
        for part in step.multipart.0.iter_mut().flat_map(|(_, parts)| &mut parts.0) {
            if let Part::Table(table) = part
                && let Some(path) = &mut table.file
                && let Some(other) = moved(Path::new(path))
            {
                table.name.get_or_insert_with(|| path.clone());
                *path = other.to_string_lossy().into_owned();
            }
        }
    }
    if let Some(people) = settled.people.take() {
        let name = people.path.file_name().map(PathBuf::from).unwrap_or_default();
        if let Some((_, feeder)) = settled.plan.feeders.0.first_mut() {
            feeder.csv = Some(directory.join(&name));
        }
        settled.files.push((name, people.text.into_bytes()));
    }
    let text = written::text(imported, &settled, Steps::Tables)?;
    Ok(Planned { text, notes: settled.notes, files: settled.files })
}

/// Writes the plan, and beside it the bodies that are not text.
fn save(
    imported: Imported,
    output: Option<&Path>,
    feeder: Option<&Path>,
    console: &Console,
) -> Result<Exit, Refusal> {
    let fileless = output.is_none() && feeder.is_none();
    let imported = &if fileless { without_file(&imported) } else { imported };
    let settled = Settled::with_people(imported, output, feeder);
    let settled = settled.map_err(|error| failed(&error))?;
    if let Some(people) = &settled.people {
        save_people(people, console)?;
    }
    for (path, bytes) in &settled.files {
        let written = create_private(path).and_then(|mut file| file.write_all(bytes));
        written.map_err(|error| {
            let text = format!("failed to write {}: {error}\n", path.display());
            Refusal { text, exit: Exit::Failed }
        })?;
        console.note(&format!("a body that is not text was written to {}", path.display()));
    }
    let text = written::text(imported, &settled, Steps::Short);
    let text = text.map_err(|error| failed(&error))?;
    let Some(path) = output else { return console.print(&text) };
    for note in &settled.notes {
        console.note(note);
    }
    let steps = imported.steps.len();
    console.note(&format!(
        "{} has {steps} {}; see what it does with: brunt run {} --check",
        path.display(),
        if steps == 1 { "request" } else { "requests" },
        path.display()
    ));
    console::write(path, &text)
}

/// Writes the file of users, unless there is one: a person may have put more users into it.
fn save_people(people: &People, console: &Console) -> Result<(), Refusal> {
    let path = people.path.display();
    let written = File::options().write(true).create_new(true).mode(0o600).open(&people.path);
    let written = written.and_then(|mut file| file.write_all(people.text.as_bytes()));
    match written {
        Ok(()) => console.note(&format!("what the person typed was written to {path}")),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let columns = people.text.lines().next().unwrap_or_default();
            console.note(&format!("{path} is kept as it is; the plan needs its columns {columns}"));
        }
        Err(error) => {
            let text = format!("failed to write {path}: {error}\n");
            return Err(Refusal { text, exit: Exit::Failed });
        }
    }
    Ok(())
}

fn secrets(args: &ImportedArgs) -> Secrets {
    if args.keep_secrets { Secrets::Kept } else { Secrets::Named }
}

/// The text of a file, or of standard input.
fn text_of(path: &Path) -> Result<String, Refusal> {
    let mut bytes = Vec::new();
    let read = if path == Path::new("-") {
        io::stdin().lock().take(LARGEST + 1).read_to_end(&mut bytes)
    } else {
        File::open(path).and_then(|file| file.take(LARGEST + 1).read_to_end(&mut bytes))
    };
    read.map_err(|error| within(path, &format!("read it: {error}")))?;
    if bytes.len() as u64 > LARGEST {
        return Err(within(path, &"read it: it has more than 512 MiB"));
    }
    String::from_utf8(file::unmarked(bytes)).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        within(path, &format!("read it as text: byte {at} is not UTF-8"))
    })
}

fn failed(error: &dyn std::fmt::Display) -> Refusal {
    Refusal { text: format!("failed to {error}\n"), exit: Exit::Usage }
}

fn within(path: &Path, error: &dyn std::fmt::Display) -> Refusal {
    Refusal { text: format!("{}: failed to {error}\n", path.display()), exit: Exit::Usage }
}

/// The path of a file beside a plan.
fn beside(plan: &Path, name: &str) -> PathBuf {
    let stem = plan.file_stem().unwrap_or_default().to_string_lossy();
    plan.with_file_name(format!("{stem}.{name}"))
}
