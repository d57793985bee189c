//! Weights of steps of which one is chosen: compiles `weight`.

use brunt_flow_driver::Weight;

use super::names::Names;
use crate::key_error::KeyError;
use crate::path::KeyPath;
use crate::values::Scalar;

/// The weight of a step; one that is known is examined here, and the others during the run.
pub(super) fn weight(
    at: &KeyPath,
    given: Option<&Scalar>,
    names: &mut Names,
) -> Result<Weight, KeyError> {
    let wrong = |found: String| {
        let what = format!(
            "is {found}, but must be a whole number of 0 or more, or a text with a variable that is one, such as \
             \"${{logout}}\""
        );
        KeyError::new(at, what)
    };
    match given {
        None => Ok(Weight::Fixed(1)),
        Some(Scalar::Integer(number)) => {
            u32::try_from(*number).map(Weight::Fixed).map_err(|_| wrong(number.to_string()))
        }
        Some(Scalar::Text(text)) => {
            let weight = names.plain(at, text)?;
            let Some(known) = names.constant(&weight) else { return Ok(Weight::Of(weight)) };
            let number = known.trim().parse().map(Weight::Fixed);
            let found =
                if known == *text { String::new() } else { format!(", which is \"{known}\"") };
            number.map_err(|_| wrong(format!("\"{text}\"{found}")))
        }
        Some(other) => Err(wrong(other.to_string())),
    }
}
