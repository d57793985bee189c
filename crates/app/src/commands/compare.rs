//! `brunt compare`: reports for each figure whether runs differ.

use std::path::Path;

use brunt_report::comparison::{
    self, Comparison, Finding, Given, Mismatch, closing, differences, markdown, page, spectra,
};
use brunt_report::json;
use brunt_run::Console;
use brunt_run::World;
use brunt_run::options::exit::Exit;
use brunt_run::options::refusal::Refusal;
use brunt_run::{console, tool};

use super::failed;
use super::runs::side;
use crate::cli::compare::{CompareArgs, ComparedArgs, ComparedFormat};

/// Compares the files or directories, the first being the baseline.
pub(crate) fn compare(args: &CompareArgs, world: &World) -> Result<Exit, Refusal> {
    let sides: Vec<Given> =
        args.sides.iter().map(|path| side(path, &world.console)).collect::<Result<_, _>>()?;
    let comparison = comparison::compare(tool(), &sides).map_err(failed)?;
    if !args.anyway {
        refuse_unlike(&comparison.unlike)?;
    }
    show(&comparison, &sides, &args.results, args.anyway, &world.console)
}

/// Names every setting in which the runs differ, if these differences prevent a comparison.
pub(super) fn refuse_unlike(unlike: &[Mismatch]) -> Result<(), Refusal> {
    let differences = differences(unlike.iter().filter(|found| found.refuses));
    if differences.is_empty() {
        return Ok(());
    }
    let lines = differences.join("\n  ");
    let text = format!(
        "failed to compare unlike runs; --anyway compares them. They differ in\n  {lines}\n"
    );
    Err(Refusal { text, exit: Exit::Usage })
}

/// Prints a comparison, writes its page, and decides how the command ends.
pub(super) fn show(
    comparison: &Comparison,
    sides: &[Given],
    args: &ComparedArgs,
    anyway: bool,
    console: &Console,
) -> Result<Exit, Refusal> {
    let text = match args.format {
        ComparedFormat::Text => {
            let screen = console.screen();
            format!(
                "{}\n{}",
                page(comparison, Vec::new()).text(screen),
                closing(comparison, screen)
            )
        }
        ComparedFormat::Markdown => markdown(comparison),
        ComparedFormat::Json => json(comparison).map_err(failed)? + "\n",
    };
    console.print(&text)?;
    if let Some(path) = &args.html {
        write(path, &page(comparison, spectra(sides).map_err(failed)?).html(), console)?;
    }
    let unknown = comparison.pairs.iter().all(|pair| pair.result == Finding::Unknown);
    Ok(match () {
        () if (!comparison.trusted && !anyway) || unknown => Exit::Undecided,
        () if comparison.regressions(&args.tolerances).next().is_some() => Exit::Regression,
        () => Exit::Ok,
    })
}

/// Writes a page and prints its path.
pub(super) fn write(path: &Path, html: &str, console: &Console) -> Result<(), Refusal> {
    console::write(path, html)?;
    console.message(&format!("page: {}", path.display()));
    Ok(())
}
