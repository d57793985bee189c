//! [`drawing_order`]: in which order the variables of a user are drawn, and when each is renewed.

use super::source::{Renewal, Source, Variable};
use brunt_feed::{Hole, Text};

/// Variables that are composed of each other.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("give the variable '{0}' a value: it depends on itself, through {1}")]
pub struct VariableCycle(pub String, pub String);

/// The order in which variables are filled in, each after those it is composed of, and when each is renewed.
///
/// A text that contains an extracted value is renewed for each exchange, since the value may change during an
/// iteration; the same applies to a text that contains a variable which changes with each exchange.
pub fn drawing_order(variables: &[Variable]) -> Result<Vec<(Hole, Renewal)>, VariableCycle> {
    let mut search =
        Search { variables, marks: vec![Mark::New; variables.len()], order: Vec::new() };
    for at in 0..variables.len() {
        search.visit(at, &mut Vec::new())?;
    }
    Ok(search.order)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    New,
    Open,
    Done(Renewal),
}

struct Search<'a> {
    variables: &'a [Variable],
    marks: Vec<Mark>,
    order: Vec<(Hole, Renewal)>,
}

impl Search<'_> {
    fn visit(&mut self, at: usize, path: &mut Vec<usize>) -> Result<Renewal, VariableCycle> {
        match self.marks[at] {
            Mark::Done(renewal) => return Ok(renewal),
            Mark::Open => {
                let names = path.iter().skip_while(|on| **on != at);
                let names: Vec<_> =
                    names.map(|on| format!("'{}'", self.variables[*on].name)).collect();
                return Err(VariableCycle(self.variables[at].name.clone(), names.join(", ")));
            }
            Mark::New => {}
        }
        self.marks[at] = Mark::Open;
        path.push(at);
        let variable = &self.variables[at];
        let mut renewal = match variable.source {
            Source::Answer if variable.renewal != Renewal::Kept => Renewal::Extracted,
            // What is made of it is made anew for each exchange.
            Source::Round { .. } => Renewal::Exchange,
            Source::Request(_) => Renewal::Request,
            _ => variable.renewal,
        };
        for hole in variable.source.texts().flat_map(Text::holes) {
            let named = usize::from(hole.0);
            if named >= self.variables.len() {
                continue;
            }
            renewal = match (self.visit(named, path)?, renewal) {
                (Renewal::Request, _) => Renewal::Request,
                (_, Renewal::Use | Renewal::Request) => renewal,
                (of, _) if may_change(of) => Renewal::Exchange,
                _ => renewal,
            };
        }
        path.pop();
        self.marks[at] = Mark::Done(renewal);
        self.order.push((Hole(at as u16), renewal));
        Ok(renewal)
    }
}

/// Whether a value may change during an iteration.
fn may_change(renewal: Renewal) -> bool {
    !matches!(renewal, Renewal::Iteration | Renewal::User | Renewal::IterationIfUsed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use brunt_feed::Escape;

    fn variable(name: &str, source: Source, renewal: Renewal) -> Variable {
        Variable::new(name, source, renewal)
    }

    fn text(text: &str) -> Text {
        let find = |name: &str| ["a", "b", "c"].iter().position(|known| *known == name);
        Text::parse(text, Escape::None, |name| find(name).map(|at| Hole(at as u16))).unwrap()
    }

    #[test]
    fn variables_are_filled_in_dependency_order() {
        let made = |one: &str, two: &str, three: Source| {
            [
                variable("a", Source::Text(text(one)), Renewal::Iteration),
                variable("b", Source::Text(text(two)), Renewal::User),
                variable("c", three, Renewal::Iteration),
            ]
        };
        let renewals = drawing_order(&made("${b}", "${c}", Source::User)).unwrap();
        let expected = [(2, Renewal::Iteration), (1, Renewal::User), (0, Renewal::Iteration)];
        assert_eq!(renewals, expected.map(|(at, renewal)| (Hole(at), renewal)));
        // An extracted value may change at any time, and so may every text composed of it.
        let renewals = drawing_order(&made("${b}", "${c}", Source::Answer)).unwrap();
        let expected = [(2, Renewal::Extracted), (1, Renewal::Exchange), (0, Renewal::Exchange)];
        assert_eq!(renewals, expected.map(|(at, renewal)| (Hole(at), renewal)));
        let circle = drawing_order(&made("${b}", "x${c}", Source::Text(text("${a}")))).unwrap_err();
        assert_eq!(circle, VariableCycle("a".to_owned(), "'a', 'b', 'c'".to_owned()));
        let own = drawing_order(&made("${a}", "", Source::User)).unwrap_err();
        assert_eq!(
            own.to_string(),
            "give the variable 'a' a value: it depends on itself, through 'a'"
        );
    }
}
