//! Makes a plan from a description of requests in another format, in a directory of its own.
//!
//! Nothing is sent, and only the given files are read. Secrets become variables, because the text of a plan is stored
//! for a team.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use brunt_envelope::{Import, Imported, Kind};
use brunt_flow_import::{CurlError, Filter, HarError, OpenApiError, Pauses, Secrets};
use brunt_flow_plan::model::Plan;
use brunt_flow_tool::import::{Planned, PlannedError, planned};
use brunt_flow_tool::loadgen;
use brunt_history::DATA;
use brunt_run::options::refusal::Refusal;

/// The most files of a tree.
const FILES_MAX: usize = 2_000;
/// The most directories above a file of a tree.
const DEPTH_MAX: usize = 8;
/// The directory that a tree is written to.
const TREE: &str = "tree";

/// Why there is no plan. What is shown of the given files is in one line.
#[derive(Debug, thiserror::Error)]
pub(super) enum ImportError {
    #[error("failed to {0}")]
    Curl(#[from] CurlError),
    #[error("failed to {0}")]
    Har(#[from] HarError),
    #[error("failed to {0}")]
    OpenApi(#[from] OpenApiError),
    #[error("failed to {0}")]
    Planned(#[from] PlannedError),
    #[error("failed to read the files of the tree: give a JSON object of paths and texts")]
    Tree,
    #[error("failed to take the tree: it has more than {FILES_MAX} files")]
    TooMany,
    #[error("failed to take {}: it is no path below the dropped directory", one_line(&.0.display().to_string()))]
    NotBelow(PathBuf),
    #[error("failed to keep {}: {source}", path.display())]
    Keep { path: PathBuf, source: io::Error },
    #[error("failed to use the tree: {0}")]
    Enter(#[source] io::Error),
    #[error("failed to find the tree: {0}")]
    Directory(#[source] io::Error),
    #[error("{}", .0.text.trim())]
    LoadGen(#[from] Refusal),
    #[error("failed to write the plan: {0}")]
    Write(#[from] toml::ser::Error),
    #[error("failed to find a job: drop the directory that holds jobs, workloads and tasks")]
    NoJob,
    #[error("failed to choose a job: name one of {}", .0.join(", "))]
    ManyJobs(Vec<String>),
    #[error("failed to find the job {} in the tree", one_line(.0))]
    OtherJob(String),
    #[error("failed to take the values of {}: {source}", path.display())]
    Values { path: PathBuf, source: io::Error },
}

/// Imports a plan.
pub(super) fn import(
    requested: &Import,
    readable: &brunt_feed::Files,
) -> Result<Imported, ImportError> {
    let secrets = Secrets::Named;
    let imported = match kind(requested) {
        Kind::Curl | Kind::Auto => {
            let refused = |_: &Path| {
                Err(io::Error::other(
                    "files are not read here; write what is in it into the command",
                ))
            };
            brunt_flow_import::curl(&requested.text, secrets, &refused)?
        }
        Kind::Har => {
            brunt_flow_import::har(&requested.text, &Filter::default(), Pauses::Recorded, secrets)?
        }
        Kind::Openapi => brunt_flow_import::openapi(&requested.text, None, secrets)?,
        Kind::Loadgen => return tree(requested, readable),
    };
    let Planned { text, notes, files } = planned(&imported, Path::new(DATA))?;
    let data = files.iter().map(|(path, bytes)| (name_of(path), BASE64.encode(bytes))).collect();
    Ok(Imported { name: imported.name, text, notes, data, ..Imported::default() })
}

/// The format of a text, detected if it was not given.
fn kind(requested: &Import) -> Kind {
    if requested.kind != Kind::Auto {
        return requested.kind;
    }
    let text = requested.text.trim_start_matches('\u{feff}').trim_start();
    if ["curl ", "curl.exe ", "$ curl ", "curl\n", "curl\\"]
        .iter()
        .any(|begin| text.starts_with(begin))
    {
        return Kind::Curl;
    }
    let head: String = text.chars().take(400).collect();
    let is_har = text.starts_with('{') && head.contains("\"log\"");
    if is_har { Kind::Har } else { Kind::Openapi }
}

/// The plan of a LoadGen job.
fn tree(requested: &Import, readable: &brunt_feed::Files) -> Result<Imported, ImportError> {
    let files: BTreeMap<String, String> =
        serde_json::from_str(&requested.text).map_err(|_| ImportError::Tree)?;
    if files.len() > FILES_MAX {
        return Err(ImportError::TooMany);
    }
    let files = rooted(files)?;
    let job = job(&files, &requested.job)?;
    for (path, text) in &files {
        let path = Path::new(TREE).join(path);
        let written = fs::create_dir_all(path.parent().unwrap_or(Path::new(TREE)))
            .and_then(|()| fs::write(&path, text));
        written.map_err(|source| ImportError::Keep { path, source })?;
    }
    // LoadGen looks for files below the directory in which it is started.
    std::env::set_current_dir(TREE).map_err(ImportError::Enter)?;
    let (mut plan, notes) = loadgen::as_plan(&job, readable)?;
    let data = taken(&mut plan)?;
    let text = toml::to_string_pretty(&plan)?;
    let stem = job.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut head =
        format!("# Imported from {} of LoadGen.\n", one_line(&job.display().to_string()));
    for note in &notes {
        head.push_str(&["# Note: ", &one_line(note), ".\n"].concat());
    }
    let name = plan.name.clone().unwrap_or(stem);
    Ok(Imported { name, text: format!("{head}\n{text}"), notes, data, steps: tasks(&plan) })
}

/// The tasks, without the workload that precedes names which several tasks share.
fn tasks(plan: &Plan) -> BTreeMap<String, String> {
    let steps = plan.scenario.iter().flat_map(|scenario| &scenario.steps);
    let named = steps.filter_map(|step| {
        let name = step.name.as_deref()?.rsplit('/').next()?.to_owned();
        Some((name, toml::to_string(step).ok()?))
    });
    named.collect()
}

/// The files by their paths below the directory that contains `jobs`, whichever directory was dropped.
fn rooted(files: BTreeMap<String, String>) -> Result<BTreeMap<PathBuf, String>, ImportError> {
    let above = |path: &str| {
        let parts: Vec<&str> = path.split('/').collect();
        let at = parts.iter().position(|part| *part == "jobs")?;
        Some(parts[..at].iter().flat_map(|part| [part, "/"]).collect::<String>())
    };
    let root = files.keys().filter_map(|path| above(path)).min_by_key(String::len);
    let root = root.unwrap_or_default();
    let mut all = BTreeMap::new();
    for (path, text) in files {
        let path = PathBuf::from(path.strip_prefix(&root).unwrap_or(&path));
        let plain = path.components().all(|part| matches!(part, Component::Normal(_)));
        if !plain || path.components().count() > DEPTH_MAX {
            return Err(ImportError::NotBelow(path));
        }
        all.insert(path, text);
    }
    Ok(all)
}

/// The requested job.
fn job(files: &BTreeMap<PathBuf, String>, named: &str) -> Result<PathBuf, ImportError> {
    let is_json = |path: &&PathBuf| path.extension().is_some_and(|ending| ending == "json");
    let mut jobs: Vec<&PathBuf> =
        files.keys().filter(is_json).filter(|path| path.starts_with("jobs")).collect();
    if jobs.is_empty() {
        // One file may contain everything.
        jobs = files.keys().filter(is_json).filter(|path| path.components().count() == 1).collect();
    }
    let is_named = |path: &&&PathBuf| path.ends_with(named.trim_start_matches('/'));
    match (&jobs[..], named) {
        ([], _) => Err(ImportError::NoJob),
        ([one], "") => Ok((*one).clone()),
        (many, "") => {
            Err(ImportError::ManyJobs(many.iter().map(|path| path.display().to_string()).collect()))
        }
        (many, _) => many
            .iter()
            .find(is_named)
            .map(|path| (**path).clone())
            .ok_or_else(|| ImportError::OtherJob(named.to_owned())),
    }
}

/// Collects the files that a plan refers to, and renames them to their stored names.
fn taken(plan: &mut Plan) -> Result<BTreeMap<String, String>, ImportError> {
    let here = std::env::current_dir().map_err(ImportError::Directory)?;
    let mut data = BTreeMap::new();
    for (_, feeder) in &mut plan.feeders.0 {
        for path in
            [&mut feeder.csv, &mut feeder.lines, &mut feeder.json_lines].into_iter().flatten()
        {
            let bytes = fs::read(&*path)
                .map_err(|source| ImportError::Values { path: path.clone(), source })?;
            let name = name_of(path.strip_prefix(&here).unwrap_or(path));
            *path = Path::new(DATA).join(&name);
            data.insert(name, BASE64.encode(bytes));
        }
    }
    Ok(data)
}

/// A path as the name of one file.
fn name_of(path: &Path) -> String {
    path.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("-")
}

fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
