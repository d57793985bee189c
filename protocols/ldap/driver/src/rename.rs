//! [`Renaming`]: a modify DN that is measured, and the one that gives the entry its name back.
//!
//! An entry that was renamed cannot be found by its name again. Each renaming is followed on its session by one that
//! undoes it, so that a run can have any length and leaves the directory unchanged.

use super::request::{Request, Undo};
use brunt_feed::{Arguments, Position, Row};

/// A modify DN, compiled.
#[derive(Debug)]
pub(super) struct Renaming {
    pub(super) rename: Request,
    /// The request that restores the name of the entry, if there is one.
    pub(super) undo: Option<Undo>,
}

/// The names of an entry that a session renames.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Whether the entry has its new name.
    pub(super) away: bool,
    old: Vec<u8>,
    new: Vec<u8>,
    row: Row,
}

impl Names {
    /// Records that the entry of the exchange at `position` has its new name.
    pub(super) fn renamed(
        &mut self,
        renaming: &Renaming,
        undo: &Undo,
        arguments: &Arguments,
        position: &Position,
    ) {
        let Self { away, old, new, row } = self;
        arguments.draw(position, row);
        old.clear();
        new.clear();
        renaming.rename.render(renaming.rename.dn(), row, old);
        renaming.rename.render(&undo.rdn, row, new);
        new.push(b',');
        match &undo.superior {
            Some(superior) => renaming.rename.render(superior, row, new),
            None => new.extend_from_slice(split(old).1),
        }
        *away = true;
    }

    /// The values for the request that undoes it.
    pub(super) fn values(&self) -> [&[u8]; 3] {
        let (rdn, parent) = split(&self.old);
        [&self.new, rdn, parent]
    }

    /// The present name of the entry.
    pub(super) fn current(&self) -> String {
        String::from_utf8_lossy(&self.new).into_owned()
    }
}

/// The first RDN of a DN, and the rest: the name of the parent (RFC 4514 section 2).
fn split(dn: &[u8]) -> (&[u8], &[u8]) {
    let (mut at, mut quoted) = (0, false);
    while let Some(octet) = dn.get(at) {
        match octet {
            b'\\' => at += 1,
            b'"' => quoted = !quoted,
            b',' | b';' if !quoted => {
                return (dn[..at].trim_ascii(), dn[at + 1..].trim_ascii_start());
            }
            _ => {}
        }
        at += 1;
    }
    (dn, &[])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_rdn_ends_at_the_first_unescaped_comma() {
        for (dn, rdn, parent) in [
            ("uid=a,ou=b,dc=c", "uid=a", "ou=b,dc=c"),
            ("cn=a\\, b+sn=c, ou=d", "cn=a\\, b+sn=c", "ou=d"),
            ("cn=\"a,b\",ou=c", "cn=\"a,b\"", "ou=c"),
            ("cn=a\\\\,ou=b", "cn=a\\\\", "ou=b"),
            ("dc=top", "dc=top", ""),
            ("cn=a\\", "cn=a\\", ""),
        ] {
            assert_eq!(split(dn.as_bytes()), (rdn.as_bytes(), parent.as_bytes()), "{dn}");
        }
    }
}
