//! The information of a value: the bits of a random text of its length and alphabet.
//!
//! A machine draws tokens and identifiers from an alphabet; words of people are far from random, so they count a
//! quarter, and never as much as what is taken for drawn without a further sign.

/// From here on a value is taken for drawn by a machine.
pub(super) const DRAWN: f64 = 32.0;
/// From here on it is, where drawn values are usual: hidden fields, cookies, redirects.
pub(super) const LIKELY: f64 = 16.0;
/// From here on a value that stays as it was recorded is listed.
pub(super) const LISTED: f64 = 40.0;

/// The bits of a value.
pub(super) fn bits(value: &str) -> f64 {
    let raw = length(value) * alphabet(value).log2();
    if !has_words(value) {
        return raw;
    }
    (raw / 4.0).min(DRAWN - 1.0)
}

fn length(value: &str) -> f64 {
    u32::try_from(value.chars().count()).map_or(f64::MAX, f64::from)
}

/// The number of characters that the value could have consisted of.
fn alphabet(value: &str) -> f64 {
    let any = |is: fn(char) -> bool| value.chars().any(is);
    let hexadecimal = value.chars().all(|c| c.is_ascii_hexdigit() || c == '-');
    let digits = any(|c| c.is_ascii_digit());
    let (lower, upper) = (any(|c| c.is_ascii_lowercase()), any(|c| c.is_ascii_uppercase()));
    if hexadecimal && digits && lower != upper {
        return 16.0;
    }
    let mut count = 0.0;
    for (there, size) in
        [(digits, 10.0), (lower, 26.0), (upper, 26.0), (any(|c| !c.is_ascii_alphanumeric()), 2.0)]
    {
        count += if there { size } else { 0.0 };
    }
    if count < 2.0 { 2.0 } else { count }
}

/// Whether a value consists of words as people form them, and short numbers.
fn has_words(value: &str) -> bool {
    if value.ends_with('=') {
        return false;
    }
    let (mut letters, mut parts) = (0, 0);
    for part in value.split(|c: char| !c.is_alphanumeric()) {
        let word = part.trim_end_matches(|c: char| c.is_ascii_digit());
        if part.len() - word.len() > 4 || !humps(word).all(is_word) {
            return false;
        }
        letters += word.len();
        parts += humps(word).count();
    }
    letters > 0 && (parts <= 4 || letters >= 3 * parts)
}

/// The parts of a word that begin with a capital letter.
fn humps(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let capitals = rest.chars().take_while(|c| c.is_uppercase()).count();
        let end = rest.char_indices().skip(capitals.max(1)).find(|(_, c)| c.is_uppercase());
        let (hump, after) = rest.split_at(end.map_or(rest.len(), |(at, _)| at));
        rest = after;
        Some(hump)
    })
}

/// Whether letters are a word: not long, with vowels, and without many consonants in a row.
fn is_word(letters: &str) -> bool {
    let vowel = |c: char| "aeiouyAEIOUYäöüéè".contains(c) || !c.is_ascii();
    if letters.chars().any(|c| c.is_ascii_digit()) {
        return false;
    }
    let count = letters.chars().count();
    let vowels = letters.chars().filter(|c| vowel(*c)).count();
    let run = letters.split(vowel).map(str::len).max().unwrap_or(0);
    count <= 3
        && letters
            .chars()
            .skip(1)
            .all(|c| c.is_uppercase() == letters.ends_with(char::is_uppercase))
        || (2..=20).contains(&count) && vowels * 6 >= count && run <= 4
}

/// Whether values of that name are usually given by a server.
pub(super) fn is_given_name(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    ["id", "token", "code", "csrf", "state", "nonce"].iter().any(|end| lower.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_values_are_distinguished_from_words() {
        for drawn in [
            "b168de57a757a3e6ad3e",
            "kJhGfDsAqWeRtYuIoP",
            "eyJ0eXAiOiJKV1Qi",
            "a81bc81b-dead-4e5d-abff-90865d1e13b1",
            "AQIC/w==",
            "x7Kq92pL",
            "0123456789",
            "qzxkvjwptb",
        ] {
            assert!(bits(drawn) >= DRAWN, "{drawn}: {}", bits(drawn));
        }
        for word in [
            "authorization_code",
            "application/json",
            "openid profile email",
            "user.1",
            "hello",
            "urn:ietf:params:oauth:grant-type:device_code",
            "S256",
            "en-US,en;q=0.9",
            "code",
            "query",
            "id",
            "web",
            "/realms/load/protocol/openid-connect/auth",
            "10",
            "123456",
            "createdAt",
            "IdentityProvider",
        ] {
            assert!(bits(word) < DRAWN, "{word}: {}", bits(word));
        }
        assert!(bits("hidden") < LIKELY && bits("x7Kq") >= LIKELY);
        assert!(is_given_name("userId") && is_given_name("XSRF-TOKEN") && !is_given_name("name"));
    }
}
