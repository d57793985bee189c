//! Which groups what is measured is a part of, for reports that show it as a tree.

use super::control::Control;
use super::plan::{ExchangeStep, Flow, Step};

impl Flow {
    /// For each operation, and then for each span, the span of the innermost group that it is always a part of. What
    /// has the same name in several groups is measured together, so it is a part of what contains them all.
    pub fn nesting(&self) -> Vec<Option<u16>> {
        let mut found = Found { chains: vec![None; self.operations.len() + self.spans.len()] };
        for scenario in &self.scenarios {
            self.collect(&scenario.steps, &mut found);
        }
        found.chains.into_iter().map(|chain| chain?.last().copied()).collect()
    }

    fn collect(&self, steps: &[Step], found: &mut Found) {
        let mut open: Vec<u16> = Vec::new();
        let span = |number: u16| self.operations.len() + usize::from(number);
        for step in steps {
            match step {
                Step::Exchange(act) => {
                    let (operations, spans) = measured(act);
                    let spans = spans.into_iter().flatten().map(span);
                    let operations = operations.into_iter().flatten().map(usize::from);
                    operations.chain(spans).for_each(|number| found.add(number, &open));
                }
                Step::Control(Control::Enter(number)) => {
                    let Some(group) = self.groups.get(usize::from(*number)) else { continue };
                    found.add(span(group.span), &open);
                    open.push(group.span);
                    group.work.iter().for_each(|work| found.add(span(*work), &open));
                }
                Step::Control(Control::Leave) => drop(open.pop()),
                Step::Control(_) | Step::Pause(_) => {}
            }
        }
    }
}

/// The operations and the spans of a step.
fn measured(act: &ExchangeStep) -> ([Option<u16>; 3], [Option<u16>; 2]) {
    let (poll, retry) = (act.poll.as_ref(), act.retry.as_ref());
    let operations = [Some(act.operation), poll.map(|poll| poll.operation), act.challenge];
    (operations, [poll.map(|poll| poll.span), retry.map(|retry| retry.span)])
}

/// The spans that always contain each of what is measured, from the outermost; `None` for what was not found yet.
struct Found {
    chains: Vec<Option<Vec<u16>>>,
}

impl Found {
    fn add(&mut self, number: usize, open: &[u16]) {
        match self.chains.get_mut(number) {
            None => {}
            Some(Some(known)) => known.retain(|span| open.contains(span)),
            Some(unknown) => *unknown = Some(open.to_vec()),
        }
    }
}
