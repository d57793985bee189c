//! [`Questions`]: every question of a run, as a pure function of its number.
//!
//! Kinds of question take turns in proportion to their weights, and not at random, so that every kind looks up each key
//! exactly once if this is requested.

use std::sync::Arc;

use super::distribution::{Distribution, Sampler, drawn};
use super::keys::{Keys, KeysError};
use super::question::{By, Expected, Question};

/// One kind of question in a run.
#[derive(Clone, Debug)]
pub struct Part {
    /// The kind of lookup.
    pub by: By,
    /// How many questions of this kind are in a round; at least 1.
    pub weight: u32,
    /// The keys they look up: users, or groups.
    pub keys: Arc<Keys>,
}

/// Why there are no questions.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QuestionsError {
    /// No kind, or a kind without keys.
    #[error("ask anything: no kind of lookup is left")]
    Nothing,
    /// A kind that needs names.
    #[error("look up by {0}: the names are not known; add --pattern, such as u%d")]
    Nameless(&'static str),
    /// Weights that make a round too long.
    #[error("mix lookups in a round of {0}: the weights may add up to 1000 at most")]
    Round(u32),
    /// A share that is not a number from 0 to 1.
    #[error("look up names that do not exist: the fraction must be from 0 to 1")]
    Negative,
    /// The keys that do not exist cannot be made.
    #[error(transparent)]
    Keys(#[from] KeysError),
}

/// The questions of a run.
#[derive(Clone, Debug)]
pub struct Questions {
    kinds: Vec<Kind>,
    /// The kind of each question of a round, and how many of this kind precede it in the round.
    round: Vec<(u16, u32)>,
    seed: u64,
    /// A drawn number below this selects a key that does not exist.
    negative: u64,
    each: u64,
}

#[derive(Clone, Debug)]
struct Kind {
    by: By,
    weight: u64,
    /// Distinguishes its draws from those of other kinds; 0 if each key is looked up once, so that a listing's
    /// questions for a user and a group are adjacent.
    seed: u64,
    keys: Arc<Keys>,
    sampler: Sampler,
    absent: Option<Arc<Keys>>,
}

impl Questions {
    /// The questions of these kinds. The share `negative` of all questions uses keys that do not exist.
    pub fn new(
        parts: &[Part],
        distribution: Distribution,
        negative: f64,
        seed: u64,
    ) -> Result<Self, QuestionsError> {
        if !(0.0..=1.0).contains(&negative) {
            return Err(QuestionsError::Negative);
        }
        let total: u32 = parts.iter().map(|part| part.weight).fold(0, u32::saturating_add);
        if parts.iter().any(|part| part.keys.is_empty() || part.weight == 0) || total == 0 {
            return Err(QuestionsError::Nothing);
        }
        if total > 1000 {
            return Err(QuestionsError::Round(total));
        }
        let nameless = |part: &&Part| !part.by.is_by_id() && !part.keys.has_names();
        if let Some(part) = parts.iter().find(nameless) {
            return Err(QuestionsError::Nameless(part.by.word()));
        }
        let most = parts.iter().map(|part| part.keys.len()).max().unwrap_or(1);
        let absent = if negative > 0.0 { Some(Arc::new(Keys::absent(most)?)) } else { None };
        let kind = |(number, part): (usize, &Part)| Kind {
            by: part.by,
            weight: u64::from(part.weight),
            seed: if distribution == Distribution::Once { 0 } else { number as u64 },
            keys: Arc::clone(&part.keys),
            sampler: Sampler::new(distribution, part.keys.len()),
            absent: absent.clone(),
        };
        // The number of rounds is that of the kind that has the most keys for its weight.
        let rounds = parts.iter().map(|part| (part.keys.len() as u64).div_ceil(part.weight.into()));
        Ok(Self {
            kinds: parts.iter().enumerate().map(kind).collect(),
            round: round(parts),
            seed,
            negative: (negative * u64::MAX as f64) as u64,
            each: rounds.max().unwrap_or(1) * u64::from(total),
        })
    }

    /// The names of the kinds, in their order: the operations of a run.
    pub fn operations(&self) -> Vec<&'static str> {
        self.kinds.iter().map(|kind| kind.by.word()).collect()
    }

    /// How many questions it takes until every kind has looked up each key once, in order.
    pub const fn each_once(&self) -> u64 {
        self.each
    }

    /// The operation of question `number`.
    pub fn operation(&self, number: u64) -> u16 {
        self.turn(number).0
    }

    /// Question `number`, and its operation.
    pub fn question(&self, number: u64) -> (u16, Question<'_>) {
        let (operation, turn) = self.turn(number);
        let kind = &self.kinds[usize::from(operation)];
        let place = kind.sampler.place(self.seed.wrapping_add(kind.seed), turn);
        if let Some(absent) = &kind.absent
            && drawn(!self.seed, number) <= self.negative
        {
            return (operation, kind.absent(absent, place));
        }
        (operation, kind.present(place))
    }

    /// The kind of question `number`, and its number within that kind.
    fn turn(&self, number: u64) -> (u16, u64) {
        let length = self.round.len() as u64;
        let (operation, before) = self.round[(number % length) as usize];
        let weight = self.kinds[usize::from(operation)].weight;
        (operation, number / length * weight + u64::from(before))
    }
}

impl Kind {
    fn present(&self, place: usize) -> Question<'_> {
        let name = self.keys.name(place);
        if self.by == By::Memberships {
            let group = self.keys.group(place);
            let expected = if group.is_some() { Expected::Found } else { Expected::Either };
            return Question { by: self.by, id: group, name, expected };
        }
        Question { by: self.by, id: Some(self.keys.id(place)), name, expected: Expected::Found }
    }

    fn absent<'a>(&self, absent: &'a Keys, place: usize) -> Question<'a> {
        let (id, name) = (Some(absent.id(place)), absent.name(place));
        Question { by: self.by, id, name, expected: Expected::Absent }
    }
}

/// A round in which the kinds are spread as evenly as their weights allow: each place is given to the kind that is most
/// overdue.
fn round(parts: &[Part]) -> Vec<(u16, u32)> {
    let total: u32 = parts.iter().map(|part| part.weight).sum();
    let mut requested = vec![0_u32; parts.len()];
    (1..=total)
        .map(|place| {
            let overdue = |kind: usize| {
                i64::from(place) * i64::from(parts[kind].weight)
                    - i64::from(requested[kind]) * i64::from(total)
            };
            // If several are equally overdue, the first is chosen.
            let kind = (0..parts.len()).rev().max_by_key(|&kind| overdue(kind)).unwrap_or_default();
            requested[kind] += 1;
            (kind as u16, requested[kind] - 1)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn keys(count: u32) -> Arc<Keys> {
        Arc::new(Keys::range(100..=99 + count, Some("u%d")).unwrap())
    }

    fn part(by: By, weight: u32, keys: &Arc<Keys>) -> Part {
        Part { by, weight, keys: Arc::clone(keys) }
    }

    #[test]
    fn once_looks_up_each_key_once_per_kind() {
        let keys = keys(10);
        let parts = [part(By::Uid, 1, &keys), part(By::Gid, 1, &keys)];
        let questions = Questions::new(&parts, Distribution::Once, 0.0, 1).unwrap();
        assert_eq!(questions.each_once(), 20);
        let mut requested = BTreeMap::new();
        for number in 0..20 {
            let (operation, question) = questions.question(number);
            assert_eq!(operation, questions.operation(number));
            *requested.entry((question.by, question.id.unwrap())).or_insert(0) += 1;
        }
        assert_eq!(requested.len(), 20);
        assert!(requested.values().all(|&times| times == 1));
        // A user and the group with the same number follow each other, as a listing of files requests them.
        for file in 0..10 {
            let [user, group] = [0, 1].map(|of| questions.question(2 * file + of).1);
            assert_eq!((user.id, user.by, group.by), (group.id, By::Uid, By::Gid));
        }
    }

    #[test]
    fn kinds_follow_their_weights() {
        let keys = keys(1000);
        let parts =
            [part(By::Uid, 3, &keys), part(By::User, 1, &keys), part(By::Memberships, 2, &keys)];
        let questions = Questions::new(&parts, Distribution::Uniform, 0.0, 1).unwrap();
        let mut counts = [0; 3];
        for number in 0..600 {
            counts[usize::from(questions.operation(number))] += 1;
        }
        assert_eq!(counts, [300, 100, 200]);
        let first: Vec<_> = (0..6).map(|number| questions.operation(number)).collect();
        assert_eq!(first, [0, 2, 0, 1, 2, 0], "spread over the round");
    }

    #[test]
    fn negative_share_looks_up_absent_keys() {
        let keys = keys(50);
        let count = |negative| {
            let parts = [part(By::User, 1, &keys)];
            let questions = Questions::new(&parts, Distribution::Uniform, negative, 7).unwrap();
            let absent = |number: &u64| {
                let (_, question) = questions.question(*number);
                let named = question.name.to_bytes().starts_with(b"brunt-absent-");
                assert_eq!(named, question.expected == Expected::Absent);
                named
            };
            (0..10_000).filter(absent).count()
        };
        assert_eq!((count(0.0), count(1.0)), (0, 10_000));
        let tenth = count(0.1);
        assert!((900..1100).contains(&tenth), "{tenth}");
    }

    #[test]
    fn invalid_questions_are_refused() {
        let named = keys(5);
        let nameless = Arc::new(Keys::range(1..=5, None).unwrap());
        let new = |parts: &[Part], negative| {
            Questions::new(parts, Distribution::Uniform, negative, 0).map(|_| ()).unwrap_err()
        };
        assert_eq!(new(&[], 0.0), QuestionsError::Nothing);
        assert_eq!(new(&[part(By::Uid, 0, &named)], 0.0), QuestionsError::Nothing);
        assert_eq!(new(&[part(By::User, 1, &nameless)], 0.0), QuestionsError::Nameless("user"));
        assert_eq!(new(&[part(By::Uid, 1001, &named)], 0.0), QuestionsError::Round(1001));
        assert_eq!(new(&[part(By::Uid, 1, &named)], 1.5), QuestionsError::Negative);
        assert_eq!(new(&[part(By::Uid, 1, &named)], f64::NAN), QuestionsError::Negative);
    }

    #[test]
    fn memberships_are_expected_if_known() {
        let users = Keys::lines("a:x:1:\nb:x:2:").unwrap().with_members("g:x:9:b");
        let parts = [part(By::Memberships, 1, &Arc::new(users))];
        let questions = Questions::new(&parts, Distribution::Once, 0.0, 0).unwrap();
        let mut expected = [0, 1].map(|number| {
            let (_, question) = questions.question(number);
            (question.name, question.id, question.expected)
        });
        expected.sort_by_key(|(name, ..)| *name);
        let known = [(c"a", None, Expected::Either), (c"b", Some(9), Expected::Found)];
        assert_eq!(expected, known);
    }
}
