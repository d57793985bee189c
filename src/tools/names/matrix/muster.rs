//! Which back ends can take part on this machine, and through which access paths they can be queried.
//!
//! Back ends that cannot be measured are named with what they lack, and all others are measured: a machine without nscd
//! still has three of the article's four tables. Without walls a cell has no name service of its own, so for a
//! directory only the directory itself is measured.

use super::contender::Contender;
use super::plan::{Entrant, Road};
use crate::tools::names::cell::{Backend, Lack, Means, Reader, Source};

/// The back ends that take part.
#[derive(Debug)]
pub(super) struct Muster {
    /// Those that take part.
    pub(super) entrants: Vec<Entrant>,
    /// Those that do not, and why.
    pub(super) absent: Vec<(String, String)>,
    /// What is not measured of those that take part, and why.
    pub(super) limits: Vec<String>,
}

/// Compares the requested back ends with what this machine has.
pub(super) fn muster(contenders: Vec<Contender>, means: &Means, roads: &[Road]) -> Muster {
    let mut muster = Muster { entrants: Vec::new(), absent: Vec::new(), limits: Vec::new() };
    for Contender { label, backend } in contenders {
        let lacks = means.lacks(&backend);
        if lacks.is_empty() {
            let roads = muster.roads(&label, &backend, means, roads);
            muster.entrants.push(Entrant { label, backend, roads });
            continue;
        }
        let why = said(&lacks);
        match bare(&backend).filter(|bare| !means.resolves() && means.lacks(bare).is_empty()) {
            Some(bare) => {
                muster.limits.push(format!(
                    "{label}: only the directory itself, because the rest needs {why}"
                ));
                let roads = roads.iter().copied().filter(|road| *road == Road::Ldap).collect();
                muster.entrants.push(Entrant { label, backend: bare, roads });
            }
            None => muster.absent.push((label, why)),
        }
    }
    muster
}

impl Muster {
    fn roads(
        &mut self,
        label: &str,
        backend: &Backend,
        means: &Means,
        asked: &[Road],
    ) -> Vec<Road> {
        let reader = match &backend.source {
            Source::Files => None,
            Source::Ldap { reader, .. } => Some(*reader),
        };
        let mut roads = Vec::new();
        for road in asked.iter().copied() {
            let leads = match road {
                Road::Ls | Road::Nss => reader != Some(Reader::Nobody),
                Road::Nscd => backend.cache.is_some(),
                Road::Nslcd => reader == Some(Reader::Nslcd),
                Road::Ldap => reader.is_some(),
            };
            let lack = match road {
                Road::Ls => means.lacks_owners(),
                Road::Nss if !means.resolves() => {
                    Some(Lack("root, or permission to create user namespaces".to_owned()))
                }
                _ => None,
            };
            match lack.filter(|_| leads) {
                Some(Lack(why)) => {
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

fn said(lacks: &[Lack]) -> String {
    let lacks: Vec<&str> = lacks.iter().map(|lack| lack.0.as_str()).collect();
    lacks.join("; ")
}
