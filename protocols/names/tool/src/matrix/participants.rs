//! Which back ends can take part on this machine, and through which access paths they can be queried.
//!
//! Back ends that cannot be measured are named with what they lack, and all others are measured: a machine without nscd
//! still has three of the article's four tables. Without isolation a cell has no name service of its own, so for a
//! directory only the directory itself is measured.

use super::labelled_backend::LabelledBackend;
use super::plan::{Participant, PathChoice};
use crate::sandbox::{Backend, Means, MissingMeans, Reader, Source};

/// The back ends that take part.
#[derive(Debug)]
pub(super) struct Participants {
    /// Those that take part.
    pub measured: Vec<Participant>,
    /// Those that do not, and why.
    pub absent: Vec<(String, String)>,
    /// What is not measured of those that take part, and why.
    pub limits: Vec<String>,
}

/// Compares the requested back ends with what this machine has.
pub(super) fn participants(
    contenders: Vec<LabelledBackend>,
    means: &Means,
    paths: &[PathChoice],
) -> Participants {
    let mut participants =
        Participants { measured: Vec::new(), absent: Vec::new(), limits: Vec::new() };
    for LabelledBackend { label, backend } in contenders {
        let lacks = means.lacks(&backend);
        if lacks.is_empty() {
            let paths = participants.paths(&label, &backend, means, paths);
            participants.measured.push(Participant { label, backend, paths });
            continue;
        }
        let why = message(&lacks);
        match bare(&backend).filter(|bare| !means.resolves() && means.lacks(bare).is_empty()) {
            Some(bare) => {
                participants.limits.push(format!(
                    "{label}: only the directory itself, because the rest needs {why}"
                ));
                let paths =
                    paths.iter().copied().filter(|path| *path == PathChoice::Ldap).collect();
                participants.measured.push(Participant { label, backend: bare, paths });
            }
            None => participants.absent.push((label, why)),
        }
    }
    participants
}

impl Participants {
    fn paths(
        &mut self,
        label: &str,
        backend: &Backend,
        means: &Means,
        requested: &[PathChoice],
    ) -> Vec<PathChoice> {
        let reader = match &backend.source {
            Source::Files => None,
            Source::Ldap { reader, .. } => Some(*reader),
        };
        let mut paths = Vec::new();
        for path in requested.iter().copied() {
            let leads = match path {
                PathChoice::Ls | PathChoice::Nss => reader != Some(Reader::Nobody),
                PathChoice::Nscd => backend.cache.is_some(),
                PathChoice::Nslcd => reader == Some(Reader::Nslcd),
                PathChoice::Ldap => reader.is_some(),
            };
            let lack = match path {
                PathChoice::Ls => means.lacks_owners(),
                PathChoice::Nss if !means.resolves() => {
                    Some(MissingMeans("root, or permission to create user namespaces".to_owned()))
                }
                _ => None,
            };
            match lack.filter(|_| leads) {
                Some(MissingMeans(why)) => {
                    self.limits
                        .push(format!("{label}: not through {}, which needs {why}", path.name()));
                }
                None if leads => paths.push(path),
                None => {}
            }
        }
        paths
    }
}

/// The back end reduced to its directory.
fn bare(backend: &Backend) -> Option<Backend> {
    let Source::Ldap { server, variant, .. } = &backend.source else { return None };
    let source = Source::Ldap { server: *server, variant: variant.clone(), reader: Reader::Nobody };
    Some(Backend { source, cache: None, switch: None })
}

fn message(lacks: &[MissingMeans]) -> String {
    let lacks: Vec<&str> = lacks.iter().map(|lack| lack.0.as_str()).collect();
    lacks.join("; ")
}
