//! [`Keys`]: the users or groups that a run looks up.
//!
//! All names are stored in one block of memory, each with the terminating zero byte that the C library requires, so
//! that a question needs no formatting: through a cache in shared memory a lookup takes a tenth of a microsecond, and
//! preparing the question must not add half of that to the measurement.

use std::collections::HashMap;
use std::ffi::CStr;
use std::ops::RangeInclusive;

/// The largest number of keys of a run.
pub const KEYS_MAX: usize = 4_000_000;
/// The first of the numbers that no user or group has: above the ranges that directories map and that systemd reserves
/// for containers.
pub const ABSENT_FROM: u32 = 3_900_000_000;
/// The longest name.
const NAME_MAX: usize = 256;

/// Users or groups that are known, by number, by name or both.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Keys {
    ids: Vec<u32>,
    /// Where each name begins; empty where no names are known.
    starts: Vec<u32>,
    names: Vec<u8>,
    /// A group of each user; empty where no groups of users are known.
    groups: Vec<Option<u32>>,
}

/// Why there are no keys.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeysError {
    /// There are no keys.
    #[error("find anything to look up: there are no keys")]
    Empty,
    /// There are too many keys.
    #[error("keep {0} keys: at most {KEYS_MAX} are possible")]
    TooMany(usize),
    /// A pattern that gives the same name to all keys.
    #[error("make names of '{0}': it contains neither %d, the number, nor %i, the position from 0")]
    Pattern(String),
    /// A name that cannot be passed to the C library.
    #[error("ask for the name '{0}': a name has 1 to {NAME_MAX} bytes and no zero byte")]
    Name(String),
    /// A line that does not have the format of `/etc/passwd` or `/etc/group`.
    #[error(
        "read line {line}: it is not NAME:PASSWORD:NUMBER:... as in /etc/passwd and /etc/group"
    )]
    Line {
        /// Its number, counted from 1.
        line: usize,
    },
}

impl Keys {
    /// The numbers of a range, and names made from a pattern in which `%d` is the number and `%i` the place in the
    /// range.
    pub fn range(ids: RangeInclusive<u32>, pattern: Option<&str>) -> Result<Self, KeysError> {
        if ids.is_empty() {
            return Err(KeysError::Empty);
        }
        let count = (ids.end() - ids.start()) as usize + 1;
        if count > KEYS_MAX {
            return Err(KeysError::TooMany(count));
        }
        if let Some(pattern) = pattern
            && count > 1
            && !pattern.contains("%d")
            && !pattern.contains("%i")
        {
            return Err(KeysError::Pattern(pattern.to_owned()));
        }
        let mut keys = Self::default();
        for (place, id) in ids.enumerate() {
            keys.ids.push(id);
            if let Some(pattern) = pattern {
                let name = pattern.replace("%d", &id.to_string()).replace("%i", &place.to_string());
                keys.push_name(&name)?;
            }
        }
        Ok(keys)
    }

    /// These pairs of number and name.
    pub fn list<'a>(pairs: impl IntoIterator<Item = (u32, &'a str)>) -> Result<Self, KeysError> {
        let mut keys = Self::default();
        for (id, name) in pairs {
            keys.ids.push(id);
            keys.push_name(name)?;
            if keys.ids.len() > KEYS_MAX {
                return Err(KeysError::TooMany(keys.ids.len()));
            }
        }
        if keys.ids.is_empty() { Err(KeysError::Empty) } else { Ok(keys) }
    }

    /// Reads the output of `getent passwd` or `getent group`, which has the format of `/etc/passwd` and `/etc/group`.
    /// Empty lines, comments, and lines for NIS (`+`, `-`) are skipped, as the C library skips them; of lines with the
    /// same name or number the C library finds only the first, so only that is kept.
    pub fn lines(text: &str) -> Result<Self, KeysError> {
        let mut pairs: Vec<(u32, &str)> = Vec::new();
        let mut seen_ids = std::collections::HashSet::new();
        let mut seen_names = std::collections::HashSet::new();
        for (number, line) in text.lines().enumerate() {
            if line.trim().is_empty() || line.starts_with(['#', '+', '-']) {
                continue;
            }
            let mut fields = line.split(':');
            let name = fields.next().filter(|name| !name.is_empty());
            let id = fields.nth(1).and_then(|id| id.parse().ok());
            let (Some(name), Some(id)) = (name, id) else {
                return Err(KeysError::Line { line: number + 1 });
            };
            let (new_id, new_name) = (seen_ids.insert(id), seen_names.insert(name));
            if new_id && new_name {
                pairs.push((id, name));
            }
        }
        Self::list(pairs)
    }

    /// This number of keys that do not exist.
    pub fn absent(count: usize) -> Result<Self, KeysError> {
        let count = count.clamp(1, KEYS_MAX);
        Self::range(ABSENT_FROM..=ABSENT_FROM + (count as u32 - 1), Some("brunt-absent-%i"))
    }

    /// Reads from lines of `/etc/group` in which group each user is.
    #[must_use]
    pub fn with_members(mut self, groups: &str) -> Self {
        let mut known: HashMap<&str, u32> = HashMap::new();
        for line in groups.lines() {
            let mut fields = line.split(':');
            let Some(gid) = fields.nth(2).and_then(|gid| gid.parse().ok()) else { continue };
            for member in fields.next().unwrap_or_default().split(',').map(str::trim) {
                known.entry(member).or_insert(gid);
            }
        }
        let name = |place| std::str::from_utf8(self.name(place).to_bytes()).unwrap_or_default();
        self.groups = (0..self.len()).map(|place| known.get(name(place)).copied()).collect();
        self
    }

    /// How many there are; never 0.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there are no keys, which is true only of the default value.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Whether their names are known.
    pub fn has_names(&self) -> bool {
        !self.starts.is_empty()
    }

    /// The number of the key at this place.
    pub fn id(&self, place: usize) -> u32 {
        self.ids.get(place).copied().unwrap_or_default()
    }

    /// The name of the key at this place; empty where it is not known.
    pub fn name(&self, place: usize) -> &CStr {
        let Some(&start) = self.starts.get(place) else { return c"" };
        let end = self.starts.get(place + 1).map_or(self.names.len(), |end| *end as usize);
        let bytes = self.names.get(start as usize..end).unwrap_or_default();
        CStr::from_bytes_with_nul(bytes).unwrap_or_default()
    }

    /// A group in which the user at this place is, if one is known.
    pub fn group(&self, place: usize) -> Option<u32> {
        self.groups.get(place).copied().flatten()
    }

    fn push_name(&mut self, name: &str) -> Result<(), KeysError> {
        if name.is_empty() || name.len() > NAME_MAX || name.contains('\0') {
            return Err(KeysError::Name(name.escape_debug().to_string()));
        }
        self.starts.push(self.names.len() as u32);
        self.names.extend_from_slice(name.as_bytes());
        self.names.push(0);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn range_keys_follow_their_pattern() {
        let keys = Keys::range(10_000..=10_002, Some("u%d-%i")).unwrap();
        let all: Vec<_> = (0..3).map(|place| (keys.id(place), keys.name(place))).collect();
        assert_eq!(all, [(10_000, c"u10000-0"), (10_001, c"u10001-1"), (10_002, c"u10002-2")]);
        let nameless = Keys::range(5..=5, None).unwrap();
        assert!(!nameless.has_names() && nameless.name(0).is_empty());
        assert_eq!(Keys::range(1..=2, Some("u")), Err(KeysError::Pattern("u".to_owned())));
        assert!(Keys::range(5..=5, Some("root")).is_ok());
        #[expect(clippy::reversed_empty_ranges, reason = "that is what is refused")]
        let reversed = Keys::range(2..=1, None);
        assert_eq!(reversed, Err(KeysError::Empty));
        assert!(matches!(Keys::range(0..=u32::MAX, None), Err(KeysError::TooMany(_))));
    }

    #[test]
    fn passwd_and_group_lines_are_parsed() {
        let text =
            "root:x:0:0:root:/root:/bin/sh\n# no\n+::::::\n\ntoor:x:0:0::/:/bin/sh\nu:x:7:7:::\n";
        let keys = Keys::lines(text).unwrap();
        assert_eq!((keys.len(), keys.id(1), keys.name(1)), (2, 7, c"u"));
        assert_eq!(Keys::lines("root:x"), Err(KeysError::Line { line: 1 }));
        assert_eq!(Keys::lines("a:x:1:\nb:x:-1:"), Err(KeysError::Line { line: 2 }));
        assert_eq!(Keys::lines("# nothing\n"), Err(KeysError::Empty));
        let long = format!("{}:x:1:", "a".repeat(300));
        assert!(matches!(Keys::lines(&long), Err(KeysError::Name(_))));
    }

    #[test]
    fn group_members_are_found() {
        let keys = Keys::lines("root:x:0:\nu:x:7:\nv:x:8:").unwrap();
        let keys = keys.with_members("root:x:0:\nw:x:20:x, v,root\nz:x:21:v\n");
        assert_eq!([0, 1, 2].map(|place| keys.group(place)), [Some(20), None, Some(20)]);
    }

    #[test]
    fn absent_keys_are_equally_many() {
        let absent = Keys::absent(3).unwrap();
        assert_eq!(
            (absent.len(), absent.id(2), absent.name(2)),
            (3, 3_900_000_002, c"brunt-absent-2")
        );
        assert!(Keys::absent(KEYS_MAX * 2).unwrap().len() == KEYS_MAX);
    }
}
