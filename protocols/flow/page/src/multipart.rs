//! [`FormParts`]: the body of a form that may contain files (RFC 7578), whether a page or a plan fills it.
//!
//! The line between parts occurs in none of them (RFC 2046 section 5.1.1). The parts are written once, and a second
//! time only if one of them contains the usual line: then the smallest number is taken that none of them has.

use memchr::memmem;
use std::collections::BTreeSet;

/// The content type, before the line between parts.
pub const MULTIPART: &str = "multipart/form-data; boundary=";
/// How each line between parts begins; a number follows.
const LINE: &str = "----brunt-form-";
/// How many hexadecimal digits the number has.
const DIGITS: usize = 8;

/// The headers of a part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PartHead<'a> {
    /// The name of the field.
    pub name: &'a [u8],
    /// The name of the file, if it is one.
    pub file: Option<&'a [u8]>,
    /// The type of the content.
    pub content_type: Option<&'a [u8]>,
}

/// A body that is written part by part.
#[derive(Debug)]
pub struct FormParts<'o> {
    out: &'o mut Vec<u8>,
    line: String,
    /// The numbers whose lines parts contain.
    taken: BTreeSet<u32>,
}

impl FormParts<'_> {
    /// Appends the body whose parts `parts` writes, and returns the line between them. Called twice, `parts` must write
    /// the same.
    pub fn write<E>(
        out: &mut Vec<u8>,
        parts: impl Fn(&mut FormParts<'_>) -> Result<(), E>,
    ) -> Result<String, E> {
        let start = out.len();
        let taken = Self::between(&line(0), out, &parts)?;
        if !taken.contains(&0) {
            return Ok(line(0));
        }
        let free = (0..=u32::MAX).find(|number| !taken.contains(number)).unwrap_or_default();
        out.truncate(start);
        Self::between(&line(free), out, &parts)?;
        Ok(line(free))
    }

    /// Appends the body with this line between its parts, whatever is in them. Returns the numbers of the lines that
    /// they contain.
    pub fn between<E>(
        line: &str,
        out: &mut Vec<u8>,
        parts: impl Fn(&mut FormParts<'_>) -> Result<(), E>,
    ) -> Result<BTreeSet<u32>, E> {
        let mut all = FormParts { out, line: line.to_owned(), taken: BTreeSet::new() };
        parts(&mut all)?;
        all.out.extend_from_slice(format!("--{line}--\r\n").as_bytes());
        Ok(all.taken)
    }

    /// Adds a part, whose content `content` appends.
    pub fn part<E>(
        &mut self,
        head: PartHead<'_>,
        content: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.out.extend_from_slice(format!("--{}\r\n", self.line).as_bytes());
        let start = self.out.len();
        self.out.extend_from_slice(b"Content-Disposition: form-data; name=\"");
        quoted(head.name, self.out);
        self.out.push(b'"');
        if let Some(file) = head.file {
            self.out.extend_from_slice(b"; filename=\"");
            quoted(file, self.out);
            self.out.push(b'"');
        }
        if let Some(content_type) = head.content_type {
            self.out.extend_from_slice(b"\r\nContent-Type: ");
            // No value of a variable begins another field.
            let kept = content_type.iter().filter(|byte| !byte.is_ascii_control());
            self.out.extend(kept);
        }
        self.out.extend_from_slice(b"\r\n\r\n");
        content(self.out)?;
        self.taken.extend(numbers(&self.out[start..]));
        self.out.extend_from_slice(b"\r\n");
        Ok(())
    }
}

/// The line with a number.
fn line(number: u32) -> String {
    format!("{LINE}{number:0DIGITS$x}")
}

/// The numbers of the lines that occur in these bytes.
fn numbers(bytes: &[u8]) -> impl Iterator<Item = u32> {
    memmem::find_iter(bytes, LINE).filter_map(|at| {
        let digits = bytes.get(at + LINE.len()..)?.get(..DIGITS)?;
        let lower = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let text = std::str::from_utf8(digits).ok().filter(|_| digits.iter().all(lower))?;
        u32::from_str_radix(text, 16).ok()
    })
}

/// A name as browsers write it: a quote or a line break is percent-encoded (HTML, multipart/form-data encoding).
fn quoted(name: &[u8], out: &mut Vec<u8>) {
    for byte in name {
        match byte {
            b'"' => out.extend_from_slice(b"%22"),
            b'\r' => out.extend_from_slice(b"%0D"),
            b'\n' => out.extend_from_slice(b"%0A"),
            byte => out.push(*byte),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    fn written(parts: &[(PartHead<'_>, &[u8])]) -> (String, String) {
        let mut out = Vec::new();
        let Ok(line) = FormParts::write(&mut out, |all| {
            parts.iter().try_for_each(|(head, content)| {
                all.part(*head, |out| {
                    out.extend_from_slice(content);
                    Ok::<(), Infallible>(())
                })
            })
        });
        (line, String::from_utf8_lossy(&out).into_owned())
    }

    #[test]
    fn multipart_boundary_is_in_none_of_the_parts() {
        let text = PartHead { name: b"a\"b\n", ..PartHead::default() };
        let file = PartHead {
            name: b"f",
            file: Some(b"f\".txt"),
            content_type: Some(b"text/plain\r\nX: y"),
        };
        let both = [
            (text, &b"x ----brunt-form-00000000 ----brunt-form-00000002"[..]),
            (file, b"z ----brunt-form-0000000A ----brunt-form-1"),
        ];
        let (line, body) = written(&both);
        assert_eq!(line, "----brunt-form-00000001");
        assert_eq!(
            body,
            "------brunt-form-00000001\r\nContent-Disposition: form-data; name=\"a%22b%0A\"\r\n\r\n\
             x ----brunt-form-00000000 ----brunt-form-00000002\r\n\
             ------brunt-form-00000001\r\nContent-Disposition: form-data; name=\"f\"; filename=\"f%22.txt\"\r\n\
             Content-Type: text/plainX: y\r\n\r\n\
             z ----brunt-form-0000000A ----brunt-form-1\r\n------brunt-form-00000001--\r\n"
        );
        assert_eq!(written(&both[1..]).0, "----brunt-form-00000000");
        assert_eq!(written(&[]).1, "------brunt-form-00000000--\r\n");
        // A name is before the line, too.
        let named = PartHead { name: b"----brunt-form-00000000", ..PartHead::default() };
        assert_eq!(written(&[(named, b"")]).0, "----brunt-form-00000001");
    }
}
