//! Messages from files, and the offsets of the parts that differ between clients: `-T -X -O -E -S -I`.
//!
//! An offset that is not given is determined from the message when the file is read. The contents of the files are not
//! read here.

use std::path::PathBuf;

use brunt_run::options::row::dashed;
use brunt_run::options::usage_error::UsageError;
use brunt_run::options::values::Values;

use super::args::{ElapsedOffset, SecondTemplate, Template, Templates};

pub(super) fn read(values: &Values) -> Result<Option<Templates>, UsageError> {
    let files: Vec<PathBuf> = values.all("T").map(PathBuf::from).collect();
    for name in ["X", "O"] {
        if values.occurrences(name) > files.len() {
            return Err(UsageError::new(format!(
                "{} needs as many -T: each offset refers to one template",
                dashed(name)
            )));
        }
    }
    for name in ["E", "S", "I"] {
        if values.has(name) && files.len() < 2 {
            return Err(UsageError::new(format!(
                "{} needs two -T: its offset refers to the second template",
                dashed(name)
            )));
        }
    }
    if values.has("e") && values.text("e") != Some("address-only") && !files.is_empty() {
        return Err(UsageError::new(
            "-e cannot be used with -T: the template decides what is leased",
        ));
    }
    let (xids, randoms) = (offsets(values, "X"), offsets(values, "O"));
    let mut templates = files.into_iter().enumerate().map(|(at, path)| Template {
        path,
        xid: xids.get(at).or(xids.last()).copied(),
        random: randoms.get(at).or(randoms.last()).copied(),
    });
    let Some(first) = templates.next() else { return Ok(None) };
    let second = templates.next().map(|template| SecondTemplate {
        template,
        elapsed: match values.whole("E") {
            None => ElapsedOffset::Found,
            Some(0) => ElapsedOffset::Off,
            Some(offset) => ElapsedOffset::At(offset),
        },
        server_id: values.whole("S"),
        address: values.whole("I"),
    });
    Ok(Some(Templates { first, second }))
}

fn offsets(values: &Values, name: &str) -> Vec<usize> {
    values.counts(name).into_iter().filter_map(|offset| usize::try_from(offset).ok()).collect()
}
