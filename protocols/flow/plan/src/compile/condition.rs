//! Conditions on the values of variables: compiles `when` and `while`.

use brunt_feed::Text;
use brunt_flow_driver::{self as flow, Guard};

use super::answer::{regex, wrong_range};
use super::names::Names;
use super::ranges::range;
use crate::key_error::KeyError;
use crate::model::Condition;
use crate::path::KeyPath;
use crate::values::Scalar;

/// The conditions of a list, all of which must hold.
pub(super) fn guards(
    at: &KeyPath,
    given: &[Condition],
    names: &mut Names,
) -> Result<Vec<Guard>, KeyError> {
    let mut guards = Vec::new();
    for (index, condition) in given.iter().enumerate() {
        guard(&at.index(index), condition, names, &mut guards)?;
    }
    Ok(guards)
}

fn guard(
    at: &KeyPath,
    given: &Condition,
    names: &mut Names,
    out: &mut Vec<Guard>,
) -> Result<(), KeyError> {
    let value = names.plain(&at.key("value"), &given.value)?;
    if value.constant().is_some() {
        let what = "has no variable, so it is always the same: write one such as \"${token}\"";
        return Err(KeyError::new(&at.key("value"), what));
    }
    let not = given.not.unwrap_or(false);
    let before = out.len();
    let mut add = |must, not| out.push(Guard { value: value.clone(), must, not });
    if let Some(there) = given.exists {
        add(flow::Condition::Exist, not ^ !there);
    }
    if let Some(whole) = &given.equals {
        let text = match whole {
            Scalar::Text(text) => names.plain(&at.key("equals"), text)?,
            other => Text::literal(other.to_string()),
        };
        add(flow::Condition::Equal(text), not);
    }
    if let Some(part) = &given.contains {
        add(flow::Condition::Contain(names.plain(&at.key("contains"), part)?), not);
    }
    if let Some(pattern) = &given.matches {
        add(flow::Condition::Match(regex(&at.key("matches"), pattern)?), not);
    }
    if let Some(text) = &given.between {
        let at = at.key("between");
        let read = range::<f64>(text).ok_or_else(|| wrong_range(&at, text))?;
        let (least, most) = (read.0.unwrap_or(f64::NEG_INFINITY), read.1.unwrap_or(f64::INFINITY));
        add(flow::Condition::Between(least, most), not);
    }
    if out.len() == before {
        out.push(Guard { value, must: flow::Condition::Exist, not });
    }
    Ok(())
}
