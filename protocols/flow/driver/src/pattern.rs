//! [`Pattern`]: a regular expression over bytes, with one group whose match is wanted.
//!
//! It uses the engine below `regex` directly: the caller owns the memory for the bounds of groups, so a match in a
//! short text allocates nothing. A search takes time linear in the text, but multiplied by the size of the expression
//! if many states must be followed at once. If that could take long, only a lazy automaton is used, which reports when
//! it cannot keep up. Matches are counted by stepping the automaton, so that each byte it examines is counted as work.

use super::unexamined::Unexamined;
use super::work::Work;
use regex_automata::hybrid::CacheError;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::hybrid::regex::Regex as Lazy;
use regex_automata::meta::{Config, Regex};
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input, MatchError, MatchErrorKind};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// The maximum memory that a compiled expression takes.
const SIZE_MAX: usize = 10 << 20;

/// The highest group that can be used.
const GROUPS_MAX: usize = 31;

/// The length of a text times the states of an expression up to which any search takes only milliseconds.
const SHORT: usize = 20_000_000;

/// The same limit if there is no alternative: an expression with `\b`, and a text that is not all ASCII.
const LONG: usize = 10 * SHORT;

/// How many times the lazy automaton may clear its cache before it can be judged too slow, and the minimum number of
/// bytes that it must have processed for each state it created.
const CLEARED_MAX: usize = 8;
const BYTES_A_STATE: usize = 10;

/// Bytes that the automaton processes for one unit of work.
const BYTES_A_UNIT: usize = 8;

/// Bytes times states that are processed for one unit of work.
const STEPS_A_UNIT: usize = 128;

/// Why a text is not an expression that can be used here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// The parser's reason.
    #[error("{0}")]
    Syntax(String),
    /// It is too large.
    #[error("it takes more than {SIZE_MAX} bytes once it is compiled")]
    Large,
    /// The wanted group does not exist.
    #[error("it has {groups} groups, so there is no group {wanted}")]
    NoGroup {
        /// How many there are.
        groups: usize,
        /// The wanted one.
        wanted: usize,
    },
    /// The number of the wanted group is too high.
    #[error("it uses a group above {GROUPS_MAX}; write (?: for the others")]
    HighGroup,
}

/// A regular expression, compiled.
#[derive(Clone, Debug)]
pub struct Pattern {
    text: String,
    regex: Regex,
    lazy: Arc<Lazy>,
    /// The maximum number of states that may be followed at once.
    states: usize,
    group: usize,
}

/// The range of a match, and that of the wanted group in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Match {
    pub(super) whole: Range<usize>,
    pub(super) group: Range<usize>,
}

impl Pattern {
    /// Compiles an expression whose group `group` is wanted; 0 is the whole match.
    pub fn parse(text: &str, group: usize) -> Result<Self, PatternError> {
        // Bodies need not be UTF-8.
        let bytes = syntax::Config::new().utf8(false);
        let config = Config::new().utf8_empty(false).nfa_size_limit(Some(SIZE_MAX));
        let regex = Regex::builder().syntax(bytes).configure(config).build(text);
        let regex = regex.map_err(|error| match error.syntax_error() {
            // The parser's error has several lines that mark the place in the expression; only the last line fits into
            // a sentence.
            Some(error) => {
                let text = error.to_string();
                PatternError::Syntax(text.lines().last().unwrap_or_default().trim().to_owned())
            }
            None => PatternError::Large,
        })?;
        let groups = regex.captures_len() - 1;
        if group > groups {
            return Err(PatternError::NoGroup { groups, wanted: group });
        }
        if group > GROUPS_MAX {
            return Err(PatternError::HighGroup);
        }
        let lazy = lazy(text).ok_or(PatternError::Large)?;
        let states = lazy.forward().get_nfa().states().len();
        Ok(Self { text: text.to_owned(), regex, lazy: Arc::new(lazy), states, group })
    }

    /// The number of groups.
    pub fn groups(&self) -> usize {
        self.regex.captures_len() - 1
    }

    /// The first match; `None` if there is none or it does not contain the group.
    pub(super) fn find(&self, text: &[u8], work: &Work) -> Result<Option<Match>, Unexamined> {
        work.read(text.len())?;
        if self.is_short(text.len()) {
            return Ok(self.search(&Input::new(text)));
        }
        let mut cache = self.lazy.create_cache();
        let found = match self.lazy.try_search(&mut cache, &Input::new(text)) {
            Err(error) if self.may_follow_all(&error, text.len()) => {
                return Ok(self.search(&Input::new(text)));
            }
            found => found.map_err(|_| Unexamined::Work)?,
        };
        let Some(found) = found else { return Ok(None) };
        if self.group == 0 {
            return Ok(Some(Match { whole: found.range(), group: found.range() }));
        }
        if !self.is_short(found.len()) {
            return Err(Unexamined::Work);
        }
        Ok(self.search(&Input::new(text).range(found.range()).anchored(Anchored::Yes)))
    }

    /// Whether there is a match.
    pub(super) fn is_match(&self, text: &[u8], work: &Work) -> Result<bool, Unexamined> {
        work.read(text.len())?;
        if self.is_short(text.len()) {
            return Ok(self.regex.is_match(text));
        }
        let mut cache = self.lazy.create_cache();
        match self.lazy.try_search(&mut cache, &Input::new(text).earliest(true)) {
            Err(error) if self.may_follow_all(&error, text.len()) => Ok(self.regex.is_match(text)),
            found => Ok(found.map_err(|_| Unexamined::Work)?.is_some()),
        }
    }

    /// The number of matches.
    pub(super) fn count(&self, text: &[u8], work: &Work) -> Result<usize, Unexamined> {
        if self.is_short(text.len().saturating_mul(text.len())) {
            return Ok(self.regex.find_iter(text).count());
        }
        let dfa = self.lazy.forward();
        let mut cache = dfa.create_cache();
        let (mut start, mut last, mut count) = (0, None, 0);
        while start <= text.len() {
            let (end, steps) = match next_end(dfa, &mut cache, text, start) {
                Err(error) if self.may_follow_all(&error, text.len()) => {
                    return self.count_following_all(text, work);
                }
                found => found.map_err(|_| Unexamined::Work)?,
            };
            work.visit(1 + steps / BYTES_A_UNIT)?;
            let Some(end) = end else { break };
            // An empty match directly after another match does not count.
            if Some(end) == last {
                start += 1;
            } else {
                count += 1;
                (start, last) = (end, Some(end));
            }
        }
        Ok(count)
    }

    /// All matches, by the wanted group; one that does not contain the group is left out.
    pub(super) fn all(&self, text: &[u8], work: &Work) -> Result<Vec<Range<usize>>, Unexamined> {
        let (mut all, mut start) = (Vec::new(), 0);
        while start <= text.len() {
            let looked_at = (text.len() - start).saturating_mul(self.states);
            work.visit(1 + looked_at / STEPS_A_UNIT)?;
            let Some(whole) = self.regex.find(Input::new(text).range(start..)) else { break };
            let found = Input::new(text).range(whole.range()).anchored(Anchored::Yes);
            all.extend(self.search(&found).map(|found| found.group));
            start = whole.end() + usize::from(whole.is_empty());
        }
        Ok(all)
    }

    fn count_following_all(&self, text: &[u8], work: &Work) -> Result<usize, Unexamined> {
        let (mut count, mut start) = (0, 0);
        for found in self.regex.find_iter(text) {
            let looked_at = (text.len() - start).saturating_mul(self.states);
            work.visit(looked_at / STEPS_A_UNIT)?;
            (count, start) = (count + 1, found.end());
        }
        Ok(count)
    }

    /// Whether a text for which the automaton gave no answer may be searched by following all states at once.
    fn may_follow_all(&self, error: &MatchError, length: usize) -> bool {
        matches!(error.kind(), MatchErrorKind::Quit { .. })
            && length.saturating_mul(self.states) <= LONG
    }

    fn is_short(&self, length: usize) -> bool {
        length.saturating_mul(self.states) <= SHORT
    }

    fn search(&self, input: &Input<'_>) -> Option<Match> {
        let mut slots = [None; 2 * (GROUPS_MAX + 1)];
        let slots = &mut slots[..2 * (self.group + 1)];
        self.regex.search_slots(input, slots)?;
        let [whole, end, ..] = slots else { return None };
        let whole = (*whole)?.get()..(*end)?.get();
        let [.., start, end] = slots else { return None };
        Some(Match { whole, group: (*start)?.get()..(*end)?.get() })
    }
}

/// The automaton that creates its states when it reaches them, and gives up before it becomes slow.
fn lazy(text: &str) -> Option<Lazy> {
    let config = DFA::config()
        .unicode_word_boundary(true)
        .skip_cache_capacity_check(true)
        .minimum_cache_clear_count(Some(CLEARED_MAX))
        .minimum_bytes_per_state(Some(BYTES_A_STATE));
    let nfa =
        regex_automata::nfa::thompson::Config::new().utf8(false).nfa_size_limit(Some(SIZE_MAX));
    let syntax = syntax::Config::new().utf8(false);
    Lazy::builder().syntax(syntax).thompson(nfa).dfa(config).build(text).ok()
}

/// The end of the next match from `start` on, and how many bytes were examined to find it.
fn next_end(
    dfa: &DFA,
    cache: &mut Cache,
    text: &[u8],
    start: usize,
) -> Result<(Option<usize>, usize), MatchError> {
    let gave_up = |at| move |_: CacheError| MatchError::gave_up(at);
    let mut state = dfa.start_state_forward(cache, &Input::new(text).range(start..))?;
    let (mut end, mut steps) = (None, 0);
    for (at, byte) in text.iter().enumerate().skip(start) {
        state = dfa.next_state(cache, state, *byte).map_err(gave_up(at))?;
        steps += 1;
        if state.is_match() {
            end = Some(at);
        } else if state.is_dead() {
            return Ok((end, steps));
        } else if state.is_quit() {
            return Err(MatchError::quit(*byte, at));
        }
    }
    state = dfa.next_eoi_state(cache, state).map_err(gave_up(text.len()))?;
    if state.is_match() {
        end = Some(text.len());
    }
    Ok((end, steps))
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found<'a>(pattern: &str, group: usize, text: &'a [u8]) -> Option<&'a [u8]> {
        let pattern = Pattern::parse(pattern, group).unwrap();
        let found = pattern.find(text, &Work::default()).unwrap();
        assert_eq!(pattern.is_match(text, &Work::default()), Ok(found.is_some() || group > 0));
        found.map(|found| &text[found.group])
    }

    fn count(pattern: &str, text: &[u8]) -> Result<usize, Unexamined> {
        Pattern::parse(pattern, 0).unwrap().count(text, &Work::default())
    }

    #[test]
    fn regex_groups_are_found_anywhere() {
        let text = b"code=a.b&state=\xff5";
        assert_eq!(found("[&?]state=", 0, text), Some(&b"&state="[..]));
        assert_eq!(found("(code)=([^&]*)", 2, text), Some(&b"a.b"[..]));
        assert_eq!(found(r"(?-u:\xff)(\d)", 1, text), Some(&b"5"[..]));
        assert_eq!(found("(x)|(c)", 1, text), None);
        assert_eq!(found("", 0, text), Some(&b""[..]));
        assert_eq!(found("z", 0, text), None);
    }

    #[test]
    fn regex_count_equals_the_iterator_of_the_engine() {
        let texts = ["", "1a23", "abc", "aaaa\nb a", "a,b,,c", "\u{fc}\u{fc} x", "foo foobar"];
        let patterns = [
            "[0-9]",
            "a*",
            "",
            "a|",
            "\\b",
            "(?m)^",
            "$",
            "[^,]*",
            ".*[^a]|[a-c]",
            "\\w+",
            "foo|foobar",
        ];
        for (pattern, text) in patterns.iter().flat_map(|one| texts.map(|text| (one, text))) {
            let parsed = Pattern::parse(pattern, 0).unwrap();
            let expected = parsed.regex.find_iter(text).count();
            let stepped = Pattern { states: 5_000_000, ..parsed };
            let counted = stepped.count(text.as_bytes(), &Work::default());
            assert_eq!(counted, Ok(expected), "{pattern} in {text}");
        }
    }

    #[test]
    fn regex_searches_long_texts() {
        let text = [&b"x ".repeat(1_000_000)[..], b"\"token\":\"abc\"\xff"].concat();
        assert_eq!(found("\"token\":\"(\\w+)\"", 1, &text), Some(&b"abc"[..]));
        assert_eq!(found("\"token\"", 0, &text), Some(&b"\"token\""[..]));
        assert_eq!(found("x\\b.y|z", 0, &text), None);
        assert_eq!(found("\\btoken\\b", 0, &text), Some(&b"token"[..]));
        assert_eq!(count("x", &text), Ok(1_000_000));
    }

    #[test]
    fn regex_work_is_limited() {
        // Each state is used only once, so the automaton never stops creating states.
        let mut seed = 1_u32;
        let noise: Vec<u8> = (0..1 << 16)
            .map(|_| {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                b'a' + (seed >> 31) as u8
            })
            .collect();
        let wide = Pattern::parse("a[ab]{600}c", 0).unwrap();
        assert_eq!(wide.find(&noise, &Work::default()), Err(Unexamined::Work));
        assert_eq!(wide.is_match(&noise, &Work::default()), Err(Unexamined::Work));
        assert_eq!(wide.count(&noise, &Work::default()), Err(Unexamined::Work));
        // Each match except the last is one byte, found only after all following bytes were examined.
        let pattern = Pattern::parse(".*[^A-Z]|[A-Z]", 0).unwrap();
        let counted = pattern.count(&b"A".repeat(1 << 20), &Work::new(500_000));
        assert_eq!(counted, Err(Unexamined::Work));
    }

    #[test]
    fn regex_errors_are_refused() {
        let message = |text: &str, group| Pattern::parse(text, group).unwrap_err().to_string();
        assert_eq!(message("(a", 0), "error: unclosed group");
        assert!(message("(a)", 2).contains("1 groups"));
        assert!(message(&"(a)".repeat(40), 40).contains("above 31"));
        assert!(message("(?:a{1000}){1000}", 0).contains("bytes"));
    }

    #[test]
    fn regex_time_is_not_exponential() {
        let text = "a".repeat(30_000);
        assert_eq!(found("(a|aa)+$", 0, text.as_bytes()).map(<[u8]>::len), Some(30_000));
        assert_eq!(found("(a*)*b", 0, text.as_bytes()), None);
    }
}
