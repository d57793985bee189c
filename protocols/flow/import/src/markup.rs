//! Values that a page in HTML gives to the requests after it: fields of its forms (`<input name=N value=V>`) and its
//! own data for scripts (`<meta name=N content=V>`), with a regular expression that finds each.
//!
//! A tag is read only as far as its attributes. A value with a character reference (`&amp;`) is left out, because the
//! expression would find it as it is written and not as a browser sends it.

/// A value, and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Field<'a> {
    /// Its name in the page.
    pub(crate) name: &'a str,
    /// The value.
    pub(crate) value: &'a str,
    /// An expression whose first group is the value.
    pub(crate) pattern: String,
}

/// The tags that have values, and the attribute of each that is the value.
const TAGS: [(&str, &str); 2] = [("input", "value"), ("meta", "content")];
/// A tag with more attributes than this is none that a person wrote.
const ATTRIBUTES_MAX: usize = 64;

/// The values of a page.
pub(crate) fn fields(page: &str) -> Vec<Field<'_>> {
    let tags = page.split('<').skip(1);
    tags.filter_map(|tag| {
        let (word, holder) = TAGS.into_iter().find(|(word, _)| {
            let begins = tag.get(..word.len()).is_some_and(|it| it.eq_ignore_ascii_case(word));
            begins && tag[word.len()..].starts_with(|it: char| it.is_ascii_whitespace())
        })?;
        field(word, holder, &tag[word.len()..])
    })
    .collect()
}

fn field<'a>(word: &str, holder: &str, tag: &'a str) -> Option<Field<'a>> {
    let attributes = attributes(tag);
    let of = |wanted: &str| {
        let at = attributes.iter().position(|(name, _)| name.eq_ignore_ascii_case(wanted))?;
        Some((at, attributes[at].1))
    };
    let ((name_at, name), (value_at, value)) = of("name").zip(of(holder))?;
    let plain = |text: &str| !text.is_empty() && !text.contains(['&', '"', '\'', '>', '<']);
    if !plain(name) || !plain(value) || value.contains(char::is_whitespace) {
        return None;
    }
    let escaped = regex_syntax::escape(name);
    let begin = |attribute: &str| format!(r#"(?:[^>]*?\s)?{attribute}\s*=\s*["']?"#);
    let (named, held) = (begin("name"), begin(holder));
    let pattern = if name_at < value_at {
        format!(r#"(?i)<{word}\s{named}{escaped}["']?\s{held}([^"'\s>]+)"#)
    } else {
        format!(r#"(?i)<{word}\s{held}([^"'\s>]+)["']?\s{named}{escaped}["'\s/>]"#)
    };
    Some(Field { name, value, pattern })
}

/// The attributes of a tag, from behind its name to its end.
fn attributes(tag: &str) -> Vec<(&str, &str)> {
    let (mut found, mut rest) = (Vec::new(), tag);
    while found.len() < ATTRIBUTES_MAX {
        rest = rest.trim_start_matches(|it: char| it.is_ascii_whitespace() || it == '/');
        let end = rest.find(|it: char| it.is_ascii_whitespace() || "=>/".contains(it));
        let Some(end) = end.filter(|end| *end > 0) else { break };
        let name = &rest[..end];
        rest = rest[end..].trim_start();
        let Some(value) = rest.strip_prefix('=').map(str::trim_start) else {
            found.push((name, ""));
            continue;
        };
        let (value, after) = if let Some(quote @ ('"' | '\'')) = value.chars().next() {
            let Some(parts) = value[1..].split_once(quote) else { break };
            parts
        } else {
            let end = value.find(|it: char| it.is_ascii_whitespace() || it == '>');
            value.split_at(end.unwrap_or(value.len()))
        };
        found.push((name, value));
        rest = after;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(page: &str) -> Vec<(&str, &str)> {
        fields(page).into_iter().map(|field| (field.name, field.value)).collect()
    }

    #[test]
    fn inputs_and_metas_have_values_however_they_are_written() {
        let page = "<form><INPUT TYPE=hidden name=csrf value=\"b168\"><input value='x-9' disabled name='a[b]'/>\
                    <meta name=\"csrf-token\" content=\"Zz/+=\"><input name=user><inputs name=n value=v>\
                    <input name=\"t\" value=\"a&amp;b\"><input name=u value=\"two words\"><meta charset=utf-8>";
        assert_eq!(named(page), [("csrf", "b168"), ("a[b]", "x-9"), ("csrf-token", "Zz/+=")]);
        for none in [
            "",
            "<",
            "<input",
            "<input name",
            "<input name=",
            "<input name='x",
            "<input =>",
            "<meta \u{e4}",
        ] {
            assert_eq!(named(none), [], "{none}");
        }
        for Field { name, value, pattern } in fields(page) {
            let expression = regex::Regex::new(&pattern).unwrap();
            assert_eq!(
                expression.captures(page).map(|it| it[1].to_owned()),
                Some(value.to_owned()),
                "{name}: {pattern}"
            );
            // The next user's value, in a page where the other field comes first.
            let other = format!("<input name=other value=\"no\">{}", page.replace(value, "new-1"));
            assert_eq!(&expression.captures(&other).unwrap()[1], "new-1", "{name}: {pattern}");
        }
    }
}
