//! [`Entries`]: the entries that addrate adds, made from a template file.

use brunt_run::World;
use std::cell::RefCell;

use brunt_feed::makeldif::{self, MakeLdif, MakeLdifError, Sources};
use brunt_ldap_driver::{Entry, EntrySource};

use super::problem::Problem;
use crate::options::rate::operation::{AddMix, DeleteMode, Threshold};

thread_local! {
    /// The buffer in which this thread builds entries, reused for the next one.
    static MADE: RefCell<makeldif::Entry> = RefCell::new(makeldif::Entry::new());
}

/// The entries of a template file, for the driver.
///
/// A template makes any number of entries or a fixed number. If the fixed number exceeds the entries that are live at
/// once, the entries are used again after the last: those of the first round have been deleted by then.
#[derive(Debug)]
pub(crate) struct Entries {
    template: MakeLdif,
    /// The number of different entries.
    len: Option<u64>,
}

impl Entries {
    /// Reads the template file.
    pub(crate) fn read(mix: &AddMix, seed: u64, world: &World) -> Result<Self, Problem> {
        let sources = Sources {
            resource_dir: mix.resources.clone(),
            files: world.files.clone(),
            constants: mix.constants.clone(),
            seed,
        };
        let entries = MakeLdif::read(&mix.template, &sources).map_err(|error| match error {
            MakeLdifError::Read { .. } => Problem::input(error),
            MakeLdifError::Line { .. } => Problem::failed(error),
        })?;
        if entries.is_empty() {
            return Err(Problem::usage(format!(
                "The template file {} generates no entry: add a line such as 'subordinateTemplate: person:1000' to a \
                 branch or template",
                mix.template.display()
            )));
        }
        entries.warnings().iter().for_each(|warning| world.console.note(warning));
        Ok(Self { len: entries.len(), template: entries })
    }

    /// The number of exchanges that are possible if nothing is deleted before everything is added.
    pub(crate) fn exchanges_max(&self, mix: &AddMix) -> Option<u64> {
        self.len.filter(|len| match mix.delete {
            DeleteMode::Off => true,
            DeleteMode::Random(size) | DeleteMode::Fifo(Threshold::Size(size)) => *len <= size,
            DeleteMode::Fifo(Threshold::Age(_)) => false,
        })
    }

    fn index(&self, number: u64) -> u64 {
        self.len.map_or(number, |len| number % len)
    }
}

impl EntrySource for Entries {
    fn names(&self) -> Option<u64> {
        self.len
    }

    fn dn(&self, number: u64, out: &mut Vec<u8>) {
        self.template.dn(self.index(number), out);
    }

    fn fill(&self, number: u64, entry: &mut Entry) {
        MADE.with_borrow_mut(|made| {
            if self.template.entry(self.index(number), made) {
                entry.set_dn(made.dn());
                made.values().for_each(|(name, value)| entry.push(name, value));
            }
        });
    }
}
