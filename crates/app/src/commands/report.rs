//! `brunt report`: prints a record again, the record made from an event file, a comparison of several, or the curve of
//! one load at several rates.

use std::path::{Path, PathBuf};

use brunt_capacity::Reading;
#[cfg(feature = "leases")]
use brunt_leases_tool::report as leases;
#[cfg(feature = "names")]
use brunt_names_tool::report as names;
use brunt_record::{Collection, Document, HistogramError, Record};
use brunt_report::comparison::Input;
use brunt_report::page::Page;
use brunt_report::{
    capacity, cells_csv, distribution, intervals_csv, junit, operations_csv, rates,
};
use brunt_run::options::exit::Exit;
use brunt_run::options::refusal::Refusal;
use brunt_run::{Console, World, files, summary, tool};

use super::compare::refuse_unlike;
use super::failed;
use super::runs::side;
use crate::cli::args::{CsvTable, Format, ReportArgs};

/// Prints a record or a comparison in the requested format.
pub(crate) fn report(args: &ReportArgs, world: &World) -> Result<Exit, Refusal> {
    let console = &world.console;
    let document = match args.files.as_slice() {
        [file] if !file.is_dir() => Document::read(file).map_err(failed)?,
        files => Document::Collection(Box::new(of_rates(files, args.anyway, console)?)),
    };
    if let Some(path) = &args.html {
        return write(args, &document, path);
    }
    let text = match document {
        Document::Record(record) => of_record(args, &record, console)?,
        Document::Collection(collection) => of_collection(args, &collection, console)?,
    };
    console.print(&text)
}

/// Writes the page of a record or a comparison.
fn write(args: &ReportArgs, document: &Document, path: &Path) -> Result<Exit, Refusal> {
    let place = |path: &Path| path.canonicalize().ok();
    let same = |there: PathBuf| args.files.iter().any(|file| place(file) == Some(there.clone()));
    if place(path).is_some_and(same) {
        return Err(other(args, "--html names the same file; name another"));
    }
    let html = match document {
        Document::Record(record) => html(args, record)?,
        Document::Collection(collection) => page(args, collection)?.html(),
    };
    files::write_page(&html, path).map_err(Refusal::failed)?;
    Ok(Exit::Ok)
}

fn html(args: &ReportArgs, record: &Record) -> Result<String, Refusal> {
    let page = brunt_report::run::page(record).map_err(|error| other(args, &error.to_string()))?;
    Ok(page.html())
}

fn of_record(args: &ReportArgs, record: &Record, console: &Console) -> Result<String, Refusal> {
    let unreadable = |error: HistogramError| other(args, &error.to_string());
    if let Some(table) = args.csv {
        let csv = match table {
            CsvTable::Intervals => intervals_csv(record),
            CsvTable::Operations => operations_csv(record),
        };
        return csv.map_err(unreadable);
    }
    match args.format {
        Format::Junit => Ok(junit(record)),
        Format::Summary => {
            let kept = args.files.first().map(PathBuf::as_path);
            summary::whole(record, args.details, kept, console).map_err(unreadable)
        }
        Format::Csv => intervals_csv(record).map_err(unreadable),
        Format::Json => record.text().map_err(|error| other(args, &error.to_string())),
        Format::Hgrm => distribution(record).map_err(unreadable),
        Format::Html => html(args, record),
    }
}

fn of_collection(
    args: &ReportArgs,
    collection: &Collection,
    console: &Console,
) -> Result<String, Refusal> {
    match args.csv {
        None => {}
        Some(CsvTable::Intervals) => return Ok(cells_csv(collection)),
        Some(CsvTable::Operations) => {
            let why = "it contains several runs, and operations are of one run; --csv has a line for each run";
            return Err(other(args, why));
        }
    }
    match args.format {
        // Its steps are not a comparison: the sentence at the top gives their result.
        Format::Summary if Reading::from_collection(collection).is_some() => {
            Ok(page(args, collection)?.text(console.screen()))
        }
        Format::Summary => Ok(summary::of_all(&page(args, collection)?, collection, console)),
        Format::Html => Ok(page(args, collection)?.html()),
        Format::Csv => Ok(cells_csv(collection)),
        Format::Json => collection.text().map_err(|error| other(args, &error.to_string())),
        Format::Junit => Err(other(
            args,
            "it contains several runs, and junit is for one run; --format csv has the percentiles of each",
        )),
        Format::Hgrm => Err(other(
            args,
            "it contains several runs, and hgrm is for one run; --format csv has the percentiles of each",
        )),
    }
}

/// The report of the comparison.
fn page(args: &ReportArgs, collection: &Collection) -> Result<Page, Refusal> {
    if let Some(reading) = Reading::from_collection(collection) {
        return Ok(capacity::page(&reading));
    }
    match collection.subject.as_str() {
        #[cfg(feature = "leases")]
        "leases" => Ok(leases::page(collection)),
        #[cfg(feature = "names")]
        "names" => Ok(names::page(collection)),
        rates::SUBJECT => rates::page(collection).map_err(|error| other(args, &error.to_string())),
        subject => Err(other(
            args,
            &format!(
                "it compares {subject:?}, for which this program has no tables; use --format csv"
            ),
        )),
    }
}

fn other(args: &ReportArgs, why: &str) -> Refusal {
    let first = args.files.first().map(|file| file.display().to_string()).unwrap_or_default();
    let more = match args.files.len() {
        0 | 1 => String::new(),
        files => format!(" and {} more", files - 1),
    };
    failed(format!("print {first}{more}: {why}"))
}

/// The runs as the collection of a curve, unless they differ in more than their rate.
fn of_rates(paths: &[PathBuf], anyway: bool, console: &Console) -> Result<Collection, Refusal> {
    let mut runs: Vec<Input> = Vec::new();
    for path in paths {
        runs.extend(side(path, console)?.runs);
    }
    let command = ["brunt", "report"].map(str::to_owned).into_iter();
    let command = command.chain(paths.iter().map(|path| path.display().to_string())).collect();
    let unlike = rates::unlike(&runs);
    let collection = rates::collection(tool(), command, runs)
        .map_err(|error| Refusal::usage(format!("failed to {error}")))?;
    if !anyway {
        refuse_unlike(&unlike)?;
    }
    Ok(collection)
}
