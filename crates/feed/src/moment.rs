//! [`Moment`]: the present time, in a format that the user chooses.

use crate::stream::Stream;
use crate::timestamp::{Form, FormError, Timestamp};

/// The present time, written in UTC.
#[derive(Clone, Debug)]
pub struct Moment(Timestamp);

impl Moment {
    /// Parses a format: `milliseconds` and `seconds` (since 1970), `iso` (`2026-01-02T03:04:05.678Z`), `generalized`
    /// (`20260102030405.678Z`), or fields of Java's `SimpleDateFormat` such as `yyyy-MM-dd`.
    pub fn parse(form: &str) -> Result<Self, FormError> {
        let form = match form {
            "iso" => Form::parse("yyyy-MM-dd'T'HH:mm:ss.SSSX")?,
            "generalized" => Form::Generalized,
            other => Form::parse(other)?,
        };
        Ok(Self(Timestamp { between: None, form, stream: Stream::new(0, 0) }))
    }

    /// Appends the present time.
    pub fn write(&self, out: &mut Vec<u8>) {
        self.0.write(0, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn date_formats_give_the_present() {
        let written = |form: &str| {
            let mut out = Vec::new();
            Moment::parse(form).unwrap().write(&mut out);
            String::from_utf8(out).unwrap()
        };
        let year = written("yyyy");
        assert!(written("iso").starts_with(&year) && written("iso").ends_with('Z'));
        assert!(written("generalized").starts_with(&year));
        let (seconds, millis) = (written("seconds"), written("milliseconds"));
        let apart = millis.parse::<i64>().unwrap() / 1000 - seconds.parse::<i64>().unwrap();
        assert!((0..60).contains(&apart), "{seconds} {millis}");
        assert!(Moment::parse("Q").unwrap_err().to_string().contains("not known"));
    }
}
