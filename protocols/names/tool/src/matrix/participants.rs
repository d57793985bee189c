//! Which back ends can take part on this machine, and through which access paths they can be queried.
//!
//! Back ends that cannot be measured are named with what they lack, and all others are measured: a machine without nscd
//! still has three of the article's four tables. Without isolation a cell has no name service of its own, so for a
//! directory only the directory itself is measured.

use super::labelled_backend::LabelledBackend;
use super::plan::{Participant, PathChoice};
use crate::cell::{Backend, Means, MissingMeans, Reader, Source};

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
    roads: &[PathChoice],
) -> Participants {
    let mut participants =
        Participants { measured: Vec::new(), absent: Vec::new(), limits: Vec::new() };
    for LabelledBackend { label, backend } in contenders {
        let lacks = means.lacks(&backend);
        if lacks.is_empty() {
            let roads = participants.roads(&label, &backend, means, roads);
            participants.measured.push(Participant { label, backend, roads });
            continue;
        }
        let why = said(&lacks);
        match bare(&backend).filter(|bare| !means.resolves() && means.lacks(bare).is_empty()) {
            Some(bare) => {
                participants.limits.push(format!(
                    "{label}: only the directory itself, because the rest needs {why}"
                ));
                let roads =
                    roads.iter().copied().filter(|road| *road == PathChoice::Ldap).collect();
                participants.measured.push(Participant { label, backend: bare, roads });
            }
            None => participants.absent.push((label, why)),
        }
    }
    participants
}

impl Participants {
    fn roads(
        &mut self,
        label: &str,
        backend: &Backend,
        means: &Means,
        asked: &[PathChoice],
    ) -> Vec<PathChoice> {
        let reader = match &backend.source {
            Source::Files => None,
            Source::Ldap { reader, .. } => Some(*reader),
        };
        let mut roads = Vec::new();
        for road in asked.iter().copied() {
            let leads = match road {
                PathChoice::Ls | PathChoice::Nss => reader != Some(Reader::Nobody),
                PathChoice::Nscd => backend.cache.is_some(),
                PathChoice::Nslcd => reader == Some(Reader::Nslcd),
                PathChoice::Ldap => reader.is_some(),
            };
            let lack = match road {
                PathChoice::Ls => means.lacks_owners(),
                PathChoice::Nss if !means.resolves() => {
                    Some(MissingMeans("root, or permission to create user namespaces".to_owned()))
                }
                _ => None,
            };
            match lack.filter(|_| leads) {
                Some(MissingMeans(why)) => {
                    self.limits
                        .push(format!("{label}: not through {}, which needs {why}", road.name()));
                }
                None if leads => roads.push(road),
                None => {}
            }
        }
        roads
    }
}

/// The back end reduced to its directory.
fn bare(backend: &Backend) -> Option<Backend> {
    let Source::Ldap { server, variant, .. } = &backend.source else { return None };
    let source = Source::Ldap { server: *server, variant: variant.clone(), reader: Reader::Nobody };
    Some(Backend { source, cache: None, switch: None })
}

fn said(lacks: &[MissingMeans]) -> String {
    let lacks: Vec<&str> = lacks.iter().map(|lack| lack.0.as_str()).collect();
    lacks.join("; ")
}
