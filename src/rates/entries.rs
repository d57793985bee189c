//! [`Entries`]: what addrate adds, made by a template file.

use std::cell::RefCell;

use brunt_drivers::ldap::{Entry, EntrySource};
use brunt_feed::makeldif::{self, MakeLdif, MakeLdifError, Sources};

use super::problem::Problem;
use crate::cli::rate::operation::AddMix;
use crate::console;

thread_local! {
    /// Where this thread's entries are put together, used again for the next.
    static MADE: RefCell<makeldif::Entry> = RefCell::new(makeldif::Entry::new());
}

/// The entries of a template file, for the driver.
#[derive(Debug)]
pub(super) struct Entries(MakeLdif);

impl Entries {
    /// Reads the template file.
    pub(super) fn read(mix: &AddMix, seed: u64) -> Result<Self, Problem> {
        let sources =
            Sources { resource_dir: mix.resources.clone(), constants: mix.constants.clone(), seed };
        let entries = MakeLdif::read(&mix.template, &sources).map_err(|error| match error {
            MakeLdifError::Read { .. } => Problem::input(error),
            MakeLdifError::Line { .. } => Problem::failed(error),
        })?;
        if entries.is_empty() {
            return Err(Problem::usage(format!(
                "The template file {} makes no entry: a branch or template needs a line such as \
                 'subordinateTemplate: person:1000'",
                mix.template.display()
            )));
        }
        entries.warnings().iter().for_each(|warning| console::note(warning));
        Ok(Self(entries))
    }
}

impl EntrySource for Entries {
    fn has(&self, number: u64) -> bool {
        self.0.len().is_none_or(|len| number < len)
    }

    fn dn(&self, number: u64, out: &mut Vec<u8>) {
        self.0.dn(number, out);
    }

    fn fill(&self, number: u64, entry: &mut Entry) {
        MADE.with_borrow_mut(|made| {
            if self.0.entry(number, made) {
                entry.set_dn(made.dn());
                made.values().for_each(|(name, value)| entry.push(name, value));
            }
        });
    }
}
