//! Leaves a key out of a plan that was read: the option `--unset`.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// What is wrong with the path of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RemovalError {
    /// It is not a path.
    #[error("cannot be read; write it as --unset run.rate")]
    Unreadable,
    /// It leads to nothing, or to an element of an array.
    #[error(
        "the plan has no such key: leave the option out, or see the plan with its defaults by --check"
    )]
    Missing,
}

/// Removes the key at this path, such as `run.rate` or `scenario.1.weight`.
pub(crate) fn remove(tree: &mut Spanned<DeValue<'_>>, path: &str) -> Result<(), RemovalError> {
    let segments = segments(path).ok_or(RemovalError::Unreadable)?;
    let Some((last, above)) = segments.split_last() else { return Ok(()) };
    let mut there = tree;
    for segment in above {
        there = below(there, segment).ok_or(RemovalError::Missing)?;
    }
    // Elements of an array have no names that could stay the same: none is left out.
    let DeValue::Table(table) = there.get_mut() else { return Err(RemovalError::Missing) };
    table.remove(last.as_str()).map(drop).ok_or(RemovalError::Missing)
}

fn below<'t, 'a>(
    value: &'t mut Spanned<DeValue<'a>>,
    segment: &str,
) -> Option<&'t mut Spanned<DeValue<'a>>> {
    match value.get_mut() {
        DeValue::Table(table) => table.get_mut(segment),
        DeValue::Array(elements) => elements.get_mut(place(segment)?),
        _ => None,
    }
}

fn place(segment: &str) -> Option<usize> {
    segment.parse::<usize>().ok()?.checked_sub(1)
}

/// The keys of a dotted path, which may be quoted as in TOML.
fn segments(path: &str) -> Option<Vec<String>> {
    let line = format!("{path}=0");
    let table = DeTable::parse(&line).ok()?.into_inner();
    let mut segments = Vec::new();
    let mut value = DeValue::Table(table);
    while let DeValue::Table(table) = value {
        let (key, inner) = table.into_iter().next()?;
        segments.push(key.into_inner().into_owned());
        value = inner.into_inner();
    }
    Some(segments)
}

#[cfg(test)]
mod tests {
    use crate::reader::{Text, read};

    fn without(unset: &str) -> Result<String, String> {
        let text = "[run]\nrate = \"5/s\"\nusers = 3\n[[scenario]]\nname = \"a\"\n[[scenario]]\nname = \"b\"\n";
        let unset = [unset.to_owned()];
        let overrides = ["run.backlog=7".to_owned()];
        let text = Text { name: "p.toml", text, unset: &unset, overrides: &overrides };
        let plan = read(&text, &|_| None).map_err(|error| error.to_string())?.plan;
        let names: Vec<_> = plan.scenario.iter().filter_map(|it| it.name.clone()).collect();
        Ok(format!("{:?} {:?} {}", plan.run.rate.is_some(), plan.run.users, names.join(" ")))
    }

    #[test]
    fn unset_removes_a_key_or_names_a_missing_one() {
        assert_eq!(without("run.rate").as_deref(), Ok("false Some(3) a b"));
        assert_eq!(without("scenario.1.name").as_deref(), Ok("true Some(3) b"));
        assert_eq!(without("run").as_deref(), Ok("false None a b"));
        for missing in [
            "run.rats",
            "scenario.1",
            "scenario.3.name",
            "scenario.0.name",
            "run.rate.x",
            "x.y",
            "run.backlog",
        ] {
            let message = without(missing).unwrap_err();
            assert!(
                message.starts_with(&format!("--unset {missing}: the plan has no such key")),
                "{message}"
            );
        }
        for odd in ["", "run rate", "a=b", "="] {
            let message = without(odd).unwrap_err();
            assert!(message.contains("cannot be read"), "{odd}: {message}");
        }
    }
}
