//! `brunt sizing`: how many servers a peak load needs, from the result of `brunt find-max`.

use brunt_capacity::{Demand, Reading, Sizing, Usl, UslError};
use brunt_record::{Collection, Document};
use brunt_report::{capacity, json};
use brunt_run::World;
use brunt_run::options::exit::Exit;
use brunt_run::options::refusal::Refusal;
use serde::Serialize;

use super::failed;
use crate::cli::sizing::{SizingArgs, SizingFormat};

/// Prints the sizing page of a search.
pub(crate) fn sizing(args: &SizingArgs, world: &World) -> Result<Exit, Refusal> {
    let collection = read(args)?;
    let reading = Reading::from_collection(&collection).ok_or_else(|| no_search(args))?;
    let sizing = Sizing::new(&reading, demand(args)).map_err(failed)?;
    let usl = args.usl.then(|| Usl::new(&reading));
    let page = || capacity::sizing(&reading, &sizing, usl.as_ref());
    let text = match args.format {
        SizingFormat::Text => page().text(world.console.screen()),
        SizingFormat::Html => page().html(),
        SizingFormat::Json => json(&Printed::new(&sizing, usl.as_ref())).map_err(failed)? + "\n",
    };
    world.console.print(&text)
}

/// The figures, for programs.
#[derive(Serialize)]
struct Printed<'a> {
    #[serde(flatten)]
    sizing: &'a Sizing,
    #[serde(skip_serializing_if = "Option::is_none")]
    usl: Option<&'a Usl>,
    /// Why no law was fitted, if a fit was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    usl_refused: Option<String>,
}

impl<'a> Printed<'a> {
    fn new(sizing: &'a Sizing, usl: Option<&'a Result<Usl, UslError>>) -> Self {
        let fitted = usl.and_then(|fit| fit.as_ref().ok());
        let refused = usl.and_then(|fit| fit.as_ref().err().map(UslError::to_string));
        Self { sizing, usl: fitted, usl_refused: refused }
    }
}

fn demand(args: &SizingArgs) -> Demand {
    Demand {
        peak: args.peak.as_per_second(),
        growth: args.growth,
        headroom: args.headroom,
        spare: args.spare,
        tested_servers: args.tested_servers,
        cores: args.cores.map(f64::from),
    }
}

fn read(args: &SizingArgs) -> Result<Collection, Refusal> {
    match Document::read(&args.file).map_err(failed)? {
        Document::Collection(collection) => Ok(*collection),
        Document::Record(_) => Err(no_search(args)),
    }
}

fn no_search(args: &SizingArgs) -> Refusal {
    let text = format!(
        "failed to size from {}: it is not the result of a search; name the file that brunt find-max wrote with \
         --record\n",
        args.file.display()
    );
    Refusal { text, exit: Exit::Usage }
}
