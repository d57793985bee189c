//! What people write about runs: names, tags, notes and marks.

use brunt_history::{About, RunId};

use crate::app::App;
use crate::history::EditError;
use crate::problem::Problem;

/// The tags of a comma-separated text, sorted and without duplicates.
pub(crate) fn tags(text: &str) -> Vec<String> {
    let mut tags: Vec<String> = text.split(',').map(|tag| tag.trim().to_owned()).collect();
    tags.retain(|tag| !tag.is_empty());
    tags.sort_unstable();
    tags.dedup();
    tags
}

/// Changes what people wrote about a run, in its directory and in the index.
pub(crate) fn change(
    app: &App,
    id: &RunId,
    change: impl FnOnce(&mut About),
) -> Result<About, Problem> {
    let mut before = None;
    let changed = app.history.edit(id, |about| {
        before = Some(about.clone());
        change(about);
        about.tags.sort_unstable();
        about.tags.dedup();
    });
    let about = changed.map_err(|error| match error {
        EditError::Unknown(_) => Problem::missing("run"),
        EditError::About(why) => {
            let problem = Problem::unusable(format!("Failed to {why}."));
            match why.field() {
                Some(field) => problem.at(field),
                None => problem,
            }
        }
        EditError::History(why) => Problem::failed(why),
    })?;
    let entry = app.history.entry(id).map_err(Problem::failed)?;
    let entry = entry.ok_or_else(|| Problem::missing("run"))?;
    if let Err(error) = app.store.put_run(&entry) {
        // The directory and the index agree, or neither has changed.
        let undone = before.map(|before| app.history.edit(id, |about| *about = before));
        drop(undone);
        return Err(error.into());
    }
    Ok(about)
}
