//! [`Source`]: where the values of a variable come from.
//!
//! A value is derived from the seed of the run, the variable and the [`DrawContext`] it is drawn for, never from the
//! previous value, so a run repeats and its nodes share it without communication. The variable's renewal determines the
//! number that a value is drawn with: that of the iteration if it changes with each iteration, that of the user if it
//! stays the same for a user. Nothing here may depend on where the values are used.

use super::choice::Choice;
use super::filter::{Filter, filtered};
use super::signed::{Signed, Unsigned};
use brunt_exchange::{Class, Outcome, Watch};
use brunt_feed::{Chars, FILLED_MAX, Feeder, Hole, Moment, Stream, Text, Unfilled, Values, uuid};
use brunt_flow_signing::{Key, SeedError};
use brunt_net::secret::Secret;
use std::sync::Arc;

/// A variable and its source.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Where its values come from.
    pub source: Source,
    /// When it gets a new value.
    pub renewal: Renewal,
    /// The stream that random values are drawn from, if not the one of its number.
    pub stream: Option<u64>,
}

/// When a variable gets a new value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Renewal {
    /// When an iteration begins.
    #[default]
    Iteration,
    /// Once, when the user begins.
    User,
    /// For each exchange.
    Exchange,
    /// When an iteration begins, if the previous one used it.
    IterationIfUsed,
    /// Before the first performed exchange that follows one that used it, like LoadGen's `$INCREMENT`.
    AfterUse,
    /// For each exchange that uses it.
    Use,
    /// For each request that uses it, when everything but its last fields is known.
    Request,
    /// Only by an extraction; it has no value when an iteration begins.
    Extracted,
    /// Only by an extraction, and kept from one iteration to the next.
    Kept,
    /// Only by an extraction before the load; it is the value of all users.
    Shared,
}

/// The iteration that a value is drawn for. Values are derived from this and the seed, never from the previous value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DrawContext {
    /// The number of the iteration in the whole run.
    pub iteration: u64,
    /// The number of the user.
    pub user: u32,
    /// How many users there are.
    pub users: u32,
    /// How many values of this variable the user has drawn before.
    pub turn: u64,
    /// The number of the current round of the innermost repetition.
    pub round: u64,
    /// The period whose one-time password was set aside for the variable.
    pub code: Option<u64>,
}

/// Where values come from.
#[derive(Clone, Debug)]
pub enum Source {
    /// From an extraction.
    Answer,
    /// Other variables and text.
    Text(Text),
    /// What filters make of another variable.
    Filtered(Text, Arc<[Filter]>),
    /// The number of the user.
    User,
    /// The number of the iteration.
    Iteration,
    /// A multiple of the number of the current round of the innermost repetition, counted from 0.
    Round {
        /// The difference between two rounds.
        step: i64,
    },
    /// Integers from the first on, with a fixed step: one for each value that the user draws.
    Count {
        /// The first.
        first: i64,
        /// The step.
        step: i64,
    },
    /// A random integer, both ends included.
    Random {
        /// The minimum.
        least: i64,
        /// The maximum.
        most: i64,
    },
    /// Random text.
    Chars(Chars),
    /// A random UUID.
    Uuid,
    /// The current time.
    Moment(Moment),
    /// One of several texts, some more likely than others.
    Choice(Choice),
    /// A cell of the row that a feeder draws.
    Cell {
        /// The feeder: for the same number, all columns of one feeder draw from the same row.
        feeder: Arc<Feeder>,
        /// The number of the column.
        column: usize,
    },
    /// The same for all users, and never shown.
    Secret(Secret),
    /// What is made of other values with a key or a seed.
    Signed(Arc<Signed>),
    /// A part of the request that is being sent.
    Request(RequestPart),
}

/// A part of a request, which a field of the request may be made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestPart {
    /// The method.
    Method,
    /// The whole URL.
    Url,
    /// The path and the query, as the field `:path` of HTTP/2 has them (RFC 9113 section 8.3.1).
    Path,
    /// The body.
    Body,
}

/// A variable for which there is no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Exhausted {
    /// No rows are left.
    #[error(
        "give the variable '{0}' a value: each row of its data is used once, and all rows are used; add rows or choose \
         another order"
    )]
    Rows(String),
    /// It is too long.
    #[error(
        "give the variable '{0}' a value: the variables in it make it longer than {FILLED_MAX} bytes; make it of less"
    )]
    Long(String),
    /// It is a one-time password of a seed that cannot be read.
    #[error("give the variable '{0}' a value: failed to {1}")]
    Seed(String, SeedError),
}

impl Exhausted {
    /// The outcome of an exchange that needs the value.
    pub(super) fn as_outcome(&self, watch: &mut Watch<'_>) -> Outcome {
        watch.explain(format_args!("failed to {self}"));
        Outcome::Failed(Class::Check, 0)
    }
}

impl Source {
    /// The texts it is composed of, which may contain other variables.
    pub fn texts(&self) -> impl Iterator<Item = &Text> {
        let (one, many) = match self {
            Self::Text(text) | Self::Filtered(text, _) => (Some(text), None),
            Self::Choice(choice) => (None, Some(choice)),
            _ => (None, None),
        };
        let signed = match self {
            Self::Signed(signed) => Some(signed.texts()),
            _ => None,
        };
        let chosen = many.into_iter().flat_map(Choice::texts);
        one.into_iter().chain(chosen).chain(signed.into_iter().flatten())
    }

    /// Whether its value may be known only in the run: it comes from an answer or a request, or is made of others.
    pub const fn is_known_late(&self) -> bool {
        matches!(self, Self::Answer | Self::Filtered(..) | Self::Signed(_) | Self::Request(_))
    }

    /// Whether its values are never shown.
    fn is_secret(&self) -> bool {
        match self {
            Self::Secret(_) => true,
            Self::Signed(signed) => signed.is_secret(),
            _ => false,
        }
    }
}

impl Variable {
    /// A variable that draws from the stream of its number.
    pub fn new(name: impl Into<String>, source: Source, renewal: Renewal) -> Self {
        Self { name: name.into(), source, renewal, stream: None }
    }

    /// Whether its values are secrets: it is a secret itself, or its name says so. For a column, the column's name
    /// counts.
    pub fn is_secret(&self) -> bool {
        let name = self.name.rsplit('.').next().unwrap_or_default();
        self.source.is_secret() || brunt_redact::is_secret_name(name)
    }

    /// Sets the variable, which is the one at `hole`, to the value that it has at `place` in a run with this seed.
    ///
    /// If it is composed of a variable without a value, or no rows are left, it has no value afterwards. `own` are the
    /// keys that the user has generated.
    pub fn draw(
        &self,
        hole: Hole,
        seed: u64,
        (place, own): (&DrawContext, &[Key]),
        values: &mut Values,
    ) -> Result<(), Exhausted> {
        if matches!(self.source, Source::Answer | Source::Request(_)) {
            return Ok(());
        }
        let number = match self.renewal {
            Renewal::User => place.user.into(),
            Renewal::Iteration => place.iteration,
            // No other user and no other turn has this number, however many values are drawn in one iteration.
            _ => {
                u64::from(place.user).wrapping_add(u64::from(place.users).wrapping_mul(place.turn))
            }
        };
        let stream = Stream::new(seed, self.stream.unwrap_or_else(|| hole.0.into()));
        let draw = Draw { seed, stream, number, place, own };
        let drawn = values.fill_from(hole, |values, out| draw.write(&self.source, values, out));
        let secret = |hole| values.is_hidden(hole);
        let hidden =
            self.source.is_secret() || self.source.texts().flat_map(Text::holes).any(secret);
        values.hide(hole, hidden);
        match drawn {
            Err(NoValue::Spent) => Err(Exhausted::Rows(self.name.clone())),
            Err(NoValue::Long) => Err(Exhausted::Long(self.name.clone())),
            Err(NoValue::Seed(error)) => Err(Exhausted::Seed(self.name.clone(), error)),
            Ok(()) | Err(NoValue::Unset) => Ok(()),
        }
    }
}

/// Why there is no value.
enum NoValue {
    Unset,
    Spent,
    Long,
    Seed(SeedError),
}

impl From<Unsigned> for NoValue {
    fn from(unsigned: Unsigned) -> Self {
        match unsigned {
            Unsigned::Unfilled(unfilled) => unfilled.into(),
            Unsigned::Seed(error) => Self::Seed(error),
        }
    }
}

impl From<Unfilled> for NoValue {
    fn from(unfilled: Unfilled) -> Self {
        match unfilled {
            Unfilled::Unset(_) => Self::Unset,
            Unfilled::Long(_) => Self::Long,
        }
    }
}

/// The inputs of one draw.
struct Draw<'a> {
    seed: u64,
    stream: Stream,
    number: u64,
    place: &'a DrawContext,
    own: &'a [Key],
}

impl Draw<'_> {
    fn write(&self, source: &Source, values: &Values, out: &mut Vec<u8>) -> Result<(), NoValue> {
        let mut draws = self.stream.at(self.number);
        match source {
            Source::Answer | Source::Request(_) => return Err(NoValue::Unset),
            Source::Text(text) => text.render(values, out)?,
            Source::Filtered(text, filters) => {
                let mut value = Vec::new();
                text.render(values, &mut value)?;
                // The step that uses it reports that it has no value.
                out.extend(filtered(filters, value).map_err(|_| NoValue::Unset)?);
            }
            Source::User => integer(self.place.user.into(), out),
            Source::Iteration => integer(self.place.iteration.into(), out),
            Source::Round { step } => {
                integer(i128::from(*step) * i128::from(self.place.round), out);
            }
            Source::Count { first, step } => {
                integer(i128::from(*first) + i128::from(*step) * i128::from(self.place.turn), out);
            }
            Source::Random { least, most } => {
                let above = draws.up_to(most.wrapping_sub(*least).cast_unsigned());
                integer(i128::from(*least) + i128::from(above), out);
            }
            Source::Chars(chars) => chars.write(&mut draws, out),
            Source::Uuid => uuid::write(&mut draws, out),
            Source::Moment(moment) => moment.write(out),
            Source::Choice(choice) => choice.pick(&mut draws).render(values, out)?,
            Source::Cell { feeder, column } => {
                let row = feeder.row(self.seed, self.number).ok_or(NoValue::Spent)?;
                out.extend_from_slice(feeder.table().cell(row, *column));
            }
            Source::Secret(secret) => out.extend_from_slice(secret.expose()),
            Source::Signed(signed) => signed.write(values, self.own, self.place.code, out)?,
        }
        Ok(())
    }
}

/// Writes an integer.
fn integer(value: i128, out: &mut Vec<u8>) {
    let mut digits = [0; 40];
    let mut start = digits.len();
    let mut rest = value.unsigned_abs();
    loop {
        start -= 1;
        digits[start] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if value < 0 {
        out.push(b'-');
    }
    out.extend_from_slice(&digits[start..]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NoChoice;
    use brunt_feed::{Escape, RowOrder, Table};
    use std::collections::{HashMap, HashSet};

    fn variable(name: &str, source: Source, renewal: Renewal) -> Variable {
        Variable::new(name, source, renewal)
    }

    fn text(text: &str) -> Text {
        let find = |name: &str| ["a", "b", "c"].iter().position(|known| *known == name);
        Text::parse(text, Escape::None, |name| find(name).map(|at| Hole(at as u16))).unwrap()
    }

    fn values(variable: &Variable, place: DrawContext) -> Result<Values, Exhausted> {
        let mut values = Values::new(4);
        values.set(Hole(0), b"A");
        values.set(Hole(3), b"before");
        variable.draw(Hole(3), 7, (&place, &[]), &mut values).map(|()| values)
    }

    fn drawn(variable: &Variable, place: DrawContext) -> Result<String, Exhausted> {
        let values = values(variable, place)?;
        Ok(String::from_utf8(values.value(Hole(3)).unwrap().to_vec()).unwrap())
    }

    const PLACE: DrawContext =
        DrawContext { iteration: 12, user: 2, users: 5, turn: 4, round: 3, code: None };

    #[test]
    fn sources_produce_their_values() {
        let cases = [
            (Source::User, "2"),
            (Source::Iteration, "12"),
            (Source::Round { step: 20 }, "60"),
            (Source::Count { first: 10, step: -3 }, "-2"),
            (Source::Count { first: i64::MIN, step: 0 }, "-9223372036854775808"),
            (Source::Random { least: 5, most: 5 }, "5"),
            (Source::Text(text("<${a}>")), "<A>"),
            (Source::Choice(Choice::new([(0, text("x")), (1, text("${a}y"))]).unwrap()), "Ay"),
            (Source::Secret(Secret::from("s3")), "s3"),
        ];
        for (source, expected) in cases {
            let variable = variable("v", source, Renewal::Iteration);
            assert_eq!(drawn(&variable, PLACE).unwrap(), expected);
        }
        let year = variable("v", Source::Moment(Moment::parse("yyyy").unwrap()), Renewal::Exchange);
        assert!(drawn(&year, PLACE).unwrap().parse::<u32>().unwrap() >= 2025);
        let answer = variable("v", Source::Answer, Renewal::Extracted);
        assert_eq!(drawn(&answer, PLACE).unwrap(), "before");
        let unset = variable("v", Source::Text(text("${b}")), Renewal::Iteration);
        assert_eq!(values(&unset, PLACE).unwrap().value(Hole(3)), None);
    }

    #[test]
    fn secrets_and_derived_values_are_hidden() {
        let secret = variable("a", Source::Secret(Secret::from("s3cret")), Renewal::User);
        let mut values = Values::new(4);
        secret.draw(Hole(0), 7, (&PLACE, &[]), &mut values).unwrap();
        let basic = Text::parse("jo:${a}", Escape::None, |_| Some(Hole(0))).unwrap();
        let made = variable("b", Source::Text(basic), Renewal::Iteration);
        made.draw(Hole(1), 7, (&PLACE, &[]), &mut values).unwrap();
        variable("c", Source::User, Renewal::User)
            .draw(Hole(2), 7, (&PLACE, &[]), &mut values)
            .unwrap();
        let hidden = [0, 1, 2].map(|at| values.is_hidden(Hole(at)));
        assert_eq!(hidden, [true, true, false]);
    }

    #[test]
    fn random_values_reach_both_ends_and_repeat() {
        let random = |least, most| {
            let source = Source::Random { least, most };
            let variable = variable("v", source, Renewal::Iteration);
            (0..400)
                .map(move |iteration| drawn(&variable, DrawContext { iteration, ..PLACE }).unwrap())
        };
        let values: HashSet<String> = random(-1, 2).collect();
        let expected = ["-1", "0", "1", "2"].map(str::to_owned);
        assert_eq!(values, HashSet::from(expected));
        assert!(random(0, 9).eq(random(0, 9)));
        let whole: HashSet<String> = random(i64::MIN, i64::MAX).collect();
        assert_eq!(whole.len(), 400);
    }

    #[test]
    fn choice_weights_are_kept() {
        let options = [(1, text("x")), (3, text("y")), (0, text("never"))];
        let source = Source::Choice(Choice::new(options).unwrap());
        let variable = variable("v", source, Renewal::Iteration);
        let mut counts: HashMap<String, u32> = HashMap::new();
        for iteration in 0..8000 {
            let value = drawn(&variable, DrawContext { iteration, ..PLACE }).unwrap();
            *counts.entry(value).or_default() += 1;
        }
        // 2000 of 8000 are expected, with a deviation of 39.
        assert!((1850..2150).contains(&counts["x"]), "{counts:?}");
        assert_eq!(counts.len(), 2);
        assert_eq!(Choice::new([(0, text("x"))]).unwrap_err(), NoChoice);
    }

    #[test]
    fn renewal_decides_how_long_a_value_lasts() {
        let uuid = |renewal, place| drawn(&variable("v", Source::Uuid, renewal), place).unwrap();
        let other_user = DrawContext { user: 3, turn: 9, ..PLACE };
        let later = DrawContext { iteration: 17, turn: 9, ..PLACE };
        // The value does not depend on which user takes the iteration, or on how many values that user has drawn.
        assert_eq!(uuid(Renewal::Iteration, PLACE), uuid(Renewal::Iteration, other_user));
        assert_ne!(uuid(Renewal::Iteration, PLACE), uuid(Renewal::Iteration, later));
        assert_eq!(uuid(Renewal::User, PLACE), uuid(Renewal::User, later));
        assert_ne!(uuid(Renewal::User, PLACE), uuid(Renewal::User, other_user));
        let next = DrawContext { turn: 5, ..PLACE };
        assert_ne!(uuid(Renewal::Exchange, PLACE), uuid(Renewal::Exchange, next));
    }

    #[test]
    fn feeder_columns_share_a_row_and_unique_rows_run_out() {
        let rows = b"jo,1\nal,2\nmo,3\n";
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), rows).unwrap();
        let columns = Some(vec!["name".to_owned(), "id".to_owned()]);
        let table = Arc::new(
            Table::csv(&brunt_feed::Files::default(), file.path(), b',', columns).unwrap(),
        );
        let cell = |order, column, iteration| {
            let feeder = Arc::new(Feeder::new(0, Arc::clone(&table), order));
            let source = Source::Cell { feeder, column };
            drawn(&variable("v", source, Renewal::Iteration), DrawContext { iteration, ..PLACE })
        };
        for order in [RowOrder::Random, RowOrder::Shuffled, RowOrder::Sequential] {
            for iteration in 0..20 {
                let (name, id) = (cell(order, 0, iteration), cell(order, 1, iteration));
                let known = [("jo", "1"), ("al", "2"), ("mo", "3")];
                assert!(known.contains(&(&name.unwrap(), &id.unwrap())), "{order:?}");
            }
        }
        let unique: Vec<_> = (0..4).map(|at| cell(RowOrder::Unique, 0, at)).collect();
        let names = ["jo", "al", "mo"].map(|name| Ok(name.to_owned()));
        assert_eq!(unique, [&names[..], &[Err(Exhausted::Rows("v".to_owned()))]].concat());
    }

    #[test]
    fn nested_values_are_limited_in_length() {
        let mut values = Values::new(30);
        values.set(Hole(0), b"four");
        let mut long = Vec::new();
        for number in 1..30_u16 {
            let name = format!("v{number}");
            let double = Text::parse("${a}${a}", Escape::None, |_| Some(Hole(number - 1))).unwrap();
            let variable = variable(&name, Source::Text(double), Renewal::Iteration);
            long.extend(variable.draw(Hole(number), 7, (&PLACE, &[]), &mut values).err());
        }
        // If the first has 4 bytes, the 22nd has 16 MiB. Those after the first that is too long have no value to be
        // composed of.
        assert_eq!(values.value(Hole(22)).map(<[u8]>::len), Some(FILLED_MAX));
        assert_eq!(long, [Exhausted::Long("v23".to_owned())]);
        assert!(long[0].to_string().contains("'v23' a value: the variables in it make it longer"));
    }
}
