//! Which records belong together: those of different nodes of one run, by its fingerprint.

use super::{Files, NodeRecord};
use crate::{HistogramError, Record, SloError};
use std::path::PathBuf;

/// Why records were not merged.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// There are none.
    #[error("merge nothing: name the records or event files of the nodes of a run")]
    Nothing,
    /// It is not known what the run was asked to do.
    #[error(
        "merge {}: it does not say what was asked of its run, so an older brunt has written it; \
         make the run again with this one",
        path.display()
    )]
    Unknown {
        /// The file.
        path: PathBuf,
    },
    /// The run had no nodes.
    #[error(
        "merge {}: it is a whole run and no node of one, so nothing can be added to it; \
         nodes of a run are started with --node 0/2 and --node 1/2",
        path.display()
    )]
    Whole {
        /// The file.
        path: PathBuf,
    },
    /// They were not asked to do the same.
    #[error(
        "merge {} and {}: they are not nodes of the same run, since {what}; \
         give every node the same command but for --node",
        one.display(),
        other.display()
    )]
    Different {
        /// A file.
        one: PathBuf,
        /// A file whose run is another.
        other: PathBuf,
        /// How they differ.
        what: String,
    },
    /// A node is there twice.
    #[error(
        "merge {} and {}: both are node {rank} of {of}, whose operations would count twice; leave one out",
        one.display(),
        other.display()
    )]
    Twice {
        /// A file.
        one: PathBuf,
        /// Another with the same node.
        other: PathBuf,
        /// Its number.
        rank: u32,
        /// Of how many.
        of: u32,
    },
    /// A histogram in one of them is damaged.
    #[error("merge {} and others: failed to {source}", path.display())]
    Histogram {
        /// One of the files.
        path: PathBuf,
        /// What is wrong with it.
        source: HistogramError,
    },
    /// An objective cannot be evaluated against the merged record.
    #[error(transparent)]
    Objective(#[from] SloError),
}

/// The nodes that a record covers.
pub(super) fn shares(record: &Record) -> Vec<NodeRecord> {
    match &record.node {
        Some(node) => vec![NodeRecord::new(node.clone(), record)],
        None => record.nodes.clone(),
    }
}

/// The nodes of all the records, by rank, if they are different nodes of one run.
pub(super) fn nodes(files: &Files) -> Result<Vec<NodeRecord>, MergeError> {
    let mut nodes: Vec<(&PathBuf, NodeRecord)> = Vec::new();
    for (path, record) in files {
        if record.fingerprint.is_none() {
            return Err(MergeError::Unknown { path: path.clone() });
        }
        let shares = shares(record);
        if shares.is_empty() {
            return Err(MergeError::Whole { path: path.clone() });
        }
        let (first_path, first) = &files[0];
        if let Some(what) = difference(first, record) {
            let (one, other) = (first_path.clone(), path.clone());
            return Err(MergeError::Different { one, other, what });
        }
        for share in shares {
            if let Some((one, known)) =
                nodes.iter().find(|(_, known)| known.node.of != share.node.of)
            {
                let what =
                    format!("one has {} nodes and the other {}", known.node.of, share.node.of);
                let (one, other) = ((*one).clone(), path.clone());
                return Err(MergeError::Different { one, other, what });
            }
            if let Some((one, _)) =
                nodes.iter().find(|(_, known)| known.node.weights != share.node.weights)
            {
                let what = "their shares follow from different --weights".to_owned();
                let (one, other) = ((*one).clone(), path.clone());
                return Err(MergeError::Different { one, other, what });
            }
            if let Some((one, _)) =
                nodes.iter().find(|(_, known)| known.node.rank == share.node.rank)
            {
                let (one, other) = ((*one).clone(), path.clone());
                let (rank, of) = (share.node.rank, share.node.of);
                return Err(MergeError::Twice { one, other, rank, of });
            }
            nodes.push((path, share));
        }
    }
    nodes.sort_by_key(|(_, share)| share.node.rank);
    Ok(nodes.into_iter().map(|(_, share)| share).collect())
}

/// How two runs differ, in words; `None` if they are the same.
fn difference(one: &Record, other: &Record) -> Option<String> {
    if one.fingerprint == other.fingerprint {
        return None;
    }
    let text = |of: &Option<String>| of.clone().unwrap_or_else(|| "none".to_owned());
    let operations = |of: &Record| {
        let names: Vec<&str> =
            of.operations.iter().map(|operation| operation.name.as_str()).collect();
        names.join(", ")
    };
    let figures = [
        ("tool", one.tool.name.clone(), other.tool.name.clone()),
        ("version", one.tool.version.clone(), other.tool.version.clone()),
        ("seed", one.plan.seed.to_string(), other.plan.seed.to_string()),
        (
            "first operation",
            one.plan.first_exchange.to_string(),
            other.plan.first_exchange.to_string(),
        ),
        ("model", one.plan.mode.word().to_owned(), other.plan.mode.word().to_owned()),
        ("target", text(&one.plan.target), text(&other.plan.target)),
        ("operations", operations(one), operations(other)),
    ];
    let differs = figures.into_iter().find(|(_, one, other)| one != other);
    Some(differs.map_or_else(
        || "their commands ask for different loads".to_owned(),
        |(what, one, other)| format!("the {what} of one is {one} and of the other {other}"),
    ))
}
