//! The requests: [`Request`].

use super::VERSION;
use std::io::Write as _;

/// The maximum length of a key that the daemon accepts, including its zero byte: `MAXKEYLEN` of glibc.
pub const KEY_MAX: usize = 1024;

/// What is requested. Numbers are `request_type` of glibc.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Request {
    /// A user by name.
    UserByName = 0,
    /// A user by id.
    UserById = 1,
    /// A group by name.
    GroupByName = 2,
    /// A group by id.
    GroupById = 3,
    /// The groups of a user by name, as `initgroups` needs them.
    Memberships = 15,
}

impl Request {
    /// Appends the request for `key` to `into`. If the key is longer than the daemon accepts or contains a zero byte,
    /// which would end it, nothing is written and `false` is returned.
    pub fn write(self, key: &[u8], into: &mut Vec<u8>) -> bool {
        if key.len() >= KEY_MAX || key.contains(&0) {
            return false;
        }
        let length = key.len() as u32 + 1;
        for number in [VERSION, self as u32, length] {
            into.extend_from_slice(&number.to_ne_bytes());
        }
        into.extend_from_slice(key);
        into.push(0);
        true
    }

    /// Writes the request for an id, which is sent as decimal digits.
    pub fn write_id(self, id: u32, into: &mut Vec<u8>) -> bool {
        let mut digits = [0; 10];
        let mut rest = digits.as_mut_slice();
        // No id has more digits.
        let _ = write!(rest, "{id}");
        let length = 10 - rest.len();
        self.write(digits.get(..length).unwrap_or_default(), into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numeric_ids_are_written_as_digits() {
        for id in [0, 7, 10, 20_007, 99_999, u32::MAX] {
            let (mut as_number, mut as_text) = (Vec::new(), Vec::new());
            assert!(Request::UserById.write_id(id, &mut as_number));
            assert!(Request::UserById.write(id.to_string().as_bytes(), &mut as_text));
            assert_eq!(as_number, as_text);
        }
    }

    #[test]
    fn keys_that_would_be_misread_are_not_sent() {
        let mut bytes = Vec::new();
        assert!(!Request::UserByName.write(b"a\0b", &mut bytes));
        assert!(!Request::UserByName.write(&[b'a'; KEY_MAX], &mut bytes));
        assert!(bytes.is_empty());
        assert!(Request::UserByName.write(&[b'a'; KEY_MAX - 1], &mut bytes));
        assert_eq!(bytes.len(), 12 + KEY_MAX);
    }
}
