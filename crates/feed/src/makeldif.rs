//! Entries made from a template file in the `MakeLDIF` language, for `addrate`.
//!
//! A file defines branches, which are the entries at the top, and templates, each of which a branch or another template
//! uses a given number of times. The template entries are numbered in the order in which `makeldif` writes them, an
//! entry before those below it. Entry N is computed only from N, so that an entry added an hour ago can be named again
//! to delete it. A branch has no number: `addrate` expects the branches to exist, as `OpenDJ`'s does, and
//! [`MakeLdif::branch`] provides their content for a caller that creates them first.
//!
//! The language is described on `OpenDJ`'s manual page `make-ldif.template(5)`. Where the tool and the page differ, or
//! this implementation differs from both:
//!
//! * `{attr}` refers to a line above it, and is empty if that line gave no value.
//! * `<first>` and `<last>` are a random pair that no other entry of the template has; a number follows both once all
//!   pairs have been used. `OpenDJ` uses its lists in order.
//! * `<sequential:0:true>` starts again below each parent. `OpenDJ` 5.0.3 does not, contrary to its page.
//! * A branch gets the object class of its RDN if it names none, as the page says.
//! * `include` names a Java class and is refused.
//! * `first.names`, `last.names`, `cities`, `states` and `streets` are built in, for a resource directory without them.

mod backslash;
mod definition;
mod entry;
mod place;
mod resources;
mod tag;
mod value;

pub use entry::Entry;

use crate::files::Files;
use crate::stream::Stream;
pub use definition::DefinitionError;
use definition::{Definition, LineError};
use place::{EntryPosition, Level};
pub use resources::ResourceError;
use resources::{Names, Resources};
use std::io;
use std::path::{Path, PathBuf};
pub use tag::TagError;

/// The maximum nesting depth of templates.
const DEPTH_MAX: usize = 8;

/// Why a template file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum MakeLdifError {
    /// The file cannot be read.
    #[error("read the template file {}; check its name and permissions", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error that the operating system returned.
        source: io::Error,
    },
    /// A line that is not valid in its place.
    #[error("use the template file: {file}:{line}: {problem}")]
    Line {
        /// The file.
        file: String,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong and what would be correct.
        problem: DefinitionError,
    },
}

/// The inputs for reading a template file.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// The directory in which data files are looked up.
    pub resource_dir: Option<PathBuf>,
    /// Which files may be read.
    pub files: Files,
    /// Constants that replace those defined in the file.
    pub constants: Vec<(String, String)>,
    /// The seed: the same seed gives the same entries.
    pub seed: u64,
}

/// The entries of a compiled template file.
#[derive(Clone, Debug)]
pub struct MakeLdif {
    definitions: Vec<Definition>,
    branches: Vec<usize>,
    /// For each definition, how many entries one of its entries produces in total, including those below it.
    sizes: Vec<u64>,
    /// For each definition, how many of those entries belong to each definition.
    counts: Vec<Vec<u64>>,
    names: Names,
    warnings: Vec<String>,
}

impl MakeLdif {
    /// Reads the file at `path`.
    pub fn read(path: &Path, sources: &Sources) -> Result<Self, MakeLdifError> {
        let text = sources
            .files
            .read_text(path)
            .map_err(|source| MakeLdifError::Read { path: path.to_owned(), source })?;
        Self::parse(&text, &path.display().to_string(), sources)
    }

    /// Compiles `text`; errors refer to it as `file`.
    pub fn parse(text: &str, file: &str, sources: &Sources) -> Result<Self, MakeLdifError> {
        let mut resources = Resources::new(sources.resource_dir.clone(), sources.files.clone());
        let wrong = |(line, problem)| MakeLdifError::Line { file: file.to_owned(), line, problem };
        let parsed = definition::parse(text, sources, &mut resources).map_err(wrong)?;
        let names = resources
            .names(Stream::new(sources.seed, u64::MAX))
            .map_err(|problem| wrong((1, problem.into())))?;
        let mut forest = Self {
            sizes: Vec::new(),
            counts: Vec::new(),
            definitions: parsed.definitions,
            branches: parsed.branches,
            names,
            warnings: parsed.warnings,
        };
        forest.measure().map_err(wrong)?;
        Ok(forest)
    }

    /// Parts of the file that look like mistakes but need not be.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// How many template entries there are; `None` if a template is used without a number.
    pub fn len(&self) -> Option<u64> {
        let total =
            self.branches.iter().fold(0u64, |sum, &branch| sum.saturating_add(self.below(branch)));
        (total < u64::MAX).then_some(total)
    }

    /// Whether the file produces no template entry.
    pub fn is_empty(&self) -> bool {
        self.len() == Some(0)
    }

    /// How many branches the file has.
    pub fn branch_count(&self) -> usize {
        self.branches.len()
    }

    /// Makes branch `index`, counted from 0 in file order; false beyond the last.
    pub fn branch(&self, index: usize, entry: &mut Entry) -> bool {
        let Some(&branch) = self.branches.get(index) else { return false };
        entry.fill(&EntryPosition { forest: self, branch, levels: &[], given: &[] });
        true
    }

    /// Makes template entry `number`, counted from 0; false beyond the last.
    pub fn entry(&self, number: u64, entry: &mut Entry) -> bool {
        self.at(number, |place| entry.fill(place)).is_some()
    }

    /// Appends the DN of template entry `number` to `out`; false beyond the last.
    pub fn dn(&self, number: u64, out: &mut Vec<u8>) -> bool {
        self.at(number, |place| place.dn(out)).is_some()
    }

    /// Finds entry `number` and passes its position to `use_it`.
    fn at<T>(&self, number: u64, use_it: impl FnOnce(&EntryPosition<'_>) -> T) -> Option<T> {
        let mut rest = number;
        let mut owner = *self.branches.iter().find(|&&branch| {
            let below = self.below(branch);
            let here = rest < below;
            rest -= if here { 0 } else { below };
            here
        })?;
        let branch = owner;
        let mut steps = [Step::default(); DEPTH_MAX];
        let mut levels = [Level::default(); DEPTH_MAX];
        let mut depth = 0;
        loop {
            let (step, within) = self.step(owner, rest)?;
            steps[depth] = step;
            let template = self.definitions[owner].subordinates[step.group].template;
            levels[depth] = Level {
                template,
                occurrence: self.occurrence(branch, &steps[..=depth], template),
                sibling: self.sibling(step, template),
            };
            depth += 1;
            owner = template;
            match within.checked_sub(1) {
                Some(below) if depth < DEPTH_MAX => rest = below,
                _ => break,
            }
        }
        Some(use_it(&EntryPosition { forest: self, branch, levels: &levels[..depth], given: &[] }))
    }

    /// Which entry directly below `owner` contains the entry `rest`, and its number within that one.
    fn step(&self, owner: usize, mut rest: u64) -> Option<(Step, u64)> {
        for (group, subordinate) in self.definitions[owner].subordinates.iter().enumerate() {
            let size = self.sizes[subordinate.template];
            let total = subordinate.count.saturating_mul(size);
            if rest < total {
                return Some((Step { owner, group, instance: rest / size }, rest % size));
            }
            rest -= total;
        }
        None
    }

    /// How many entries of `template` precede the one at the end of `steps`.
    fn occurrence(&self, branch: usize, steps: &[Step], template: usize) -> u64 {
        let before = self.branches.iter().take_while(|&&earlier| earlier != branch);
        let mut count =
            before.fold(0u64, |sum, &earlier| sum.saturating_add(self.counts[earlier][template]));
        for step in steps {
            let groups = &self.definitions[step.owner].subordinates;
            for earlier in &groups[..step.group] {
                count = count.saturating_add(
                    earlier.count.saturating_mul(self.counts[earlier.template][template]),
                );
            }
            count +=
                step.instance.saturating_mul(self.counts[groups[step.group].template][template]);
        }
        count
    }

    /// How many entries of `template` precede the one of `step` below the same parent.
    fn sibling(&self, step: Step, template: usize) -> u64 {
        let earlier = &self.definitions[step.owner].subordinates[..step.group];
        let same = earlier.iter().filter(|group| group.template == template);
        same.fold(step.instance, |sum, group| sum.saturating_add(group.count))
    }

    fn below(&self, definition: usize) -> u64 {
        self.definitions[definition].subordinates.iter().fold(0, |sum, group| {
            sum.saturating_add(group.count.saturating_mul(self.sizes[group.template]))
        })
    }

    /// Computes `sizes` and `counts`, for templates before those that use them.
    fn measure(&mut self) -> Result<(), LineError> {
        let count = self.definitions.len();
        self.sizes = vec![0; count];
        self.counts = vec![Vec::new(); count];
        for definition in 0..count {
            self.measure_one(definition, 0)?;
        }
        let mut endless = false;
        for &branch in &self.branches {
            match self.definitions[branch].subordinates.first() {
                Some(group) if endless => return Err((group.line, DefinitionError::Never)),
                _ => endless |= self.below(branch) == u64::MAX,
            }
        }
        Ok(())
    }

    fn measure_one(&mut self, index: usize, depth: usize) -> Result<(), LineError> {
        let line = self.definitions[index].line;
        if depth > DEPTH_MAX {
            return Err((line, DefinitionError::Deep(DEPTH_MAX)));
        }
        let groups = self.definitions[index].subordinates.clone();
        let mut counts = vec![0u64; self.definitions.len()];
        let mut size = 1u64;
        for group in &groups {
            if size == u64::MAX {
                return Err((group.line, DefinitionError::Never));
            }
            self.measure_one(group.template, depth + 1)?;
            size = size.saturating_add(group.count.saturating_mul(self.sizes[group.template]));
            for (total, below) in counts.iter_mut().zip(&self.counts[group.template]) {
                *total = total.saturating_add(group.count.saturating_mul(*below));
            }
        }
        counts[index] = 1;
        self.sizes[index] = size;
        self.counts[index] = counts;
        Ok(())
    }
}

/// One step down from an entry to one below it.
#[derive(Clone, Copy, Debug, Default)]
struct Step {
    owner: usize,
    group: usize,
    instance: u64,
}

#[cfg(test)]
mod tests;
