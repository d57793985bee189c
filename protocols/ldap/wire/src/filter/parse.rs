//! Parses filters in the notation of RFC 4515, from text that may contain slots.
//!
//! A slot may be all or part of a value, an attribute description or a matching rule. If it could affect the structure
//! of the filter (a whole filter, a list, an operator), parsing fails with [`FilterError::Structural`], and the caller
//! renders the text first and parses the result.
//!
//! In two respects it accepts more than the RFC allows, because `ldapsearch` does: the outermost parentheses may be
//! omitted, and spaces are allowed around parentheses and operators of lists.

use std::error::Error;
use std::fmt;

use super::{DEPTH_MAX, Filter};
use crate::ber::{Piece, Text};

/// A position in the text of a filter: the numbers of static bytes and slots before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// Static bytes before.
    pub bytes: usize,
    /// Slots before.
    pub slots: usize,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "character {}", self.bytes + 1)?;
        match self.slots {
            0 => Ok(()),
            1 => f.write_str(" (not counting the placeholder before it)"),
            slots => write!(f, " (not counting the {slots} placeholders before it)"),
        }
    }
}

/// Why a text is not a filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilterError {
    /// The text contains no filter.
    Empty,
    /// A slot could affect the structure of the filter.
    Structural {
        /// The number of the slot.
        slot: usize,
        /// Its position.
        position: Position,
    },
    /// Something other than what is required here.
    Expected {
        /// What is required.
        what: &'static str,
        /// The position.
        position: Position,
    },
    /// A filter without an operator after its attribute.
    Operator {
        /// Where it should be.
        position: Position,
    },
    /// A character that is not allowed in an attribute description or a matching rule.
    Attribute {
        /// Its position.
        position: Position,
    },
    /// A filter without an attribute before its operator.
    NoAttribute {
        /// Where it should be.
        position: Position,
    },
    /// A backslash without two hexadecimal digits after it.
    Escape {
        /// The position of the backslash.
        position: Position,
    },
    /// A character that must be escaped in a value.
    Unescaped {
        /// The character.
        character: char,
        /// Its position.
        position: Position,
    },
    /// Filters nested deeper than [`DEPTH_MAX`].
    TooDeep {
        /// Where the filter that exceeds the depth begins.
        position: Position,
    },
}

impl fmt::Display for FilterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the filter is empty; write for example (uid=user.1)"),
            Self::Structural { slot, position } => write!(
                f,
                "placeholder {} at {position} stands where it decides the shape of the filter",
                slot + 1
            ),
            Self::Expected { what, position } => write!(f, "{what} is missing at {position}"),
            Self::Operator { position } => {
                write!(
                    f,
                    "no operator up to {position}; write one of = >= <= ~= := after the attribute"
                )
            }
            Self::Attribute { position } => write!(
                f,
                "the character at {position} cannot be part of an attribute name; \
                 letters, digits and - . ; _ can"
            ),
            Self::NoAttribute { position } => {
                write!(f, "no attribute before the operator at {position}")
            }
            Self::Escape { position } => write!(
                f,
                "the backslash at {position} is not followed by two hexadecimal digits; \
                 write \\5c for a backslash itself"
            ),
            Self::Unescaped { character, position } => write!(
                f,
                "the {character} at {position} must be escaped inside a value; write \\{:02x}",
                u32::from(*character)
            ),
            Self::TooDeep { position } => {
                write!(f, "the filter at {position} is nested deeper than {DEPTH_MAX} levels")
            }
        }
    }
}

impl Error for FilterError {}

impl Filter<Text> {
    /// Parses a filter without slots.
    pub fn parse(text: &str) -> Result<Self, FilterError> {
        Self::parse_text(&Text::from(text))
    }

    /// Parses a filter with slots.
    pub fn parse_text(text: &Text) -> Result<Self, FilterError> {
        let mut parser = Parser { pieces: text.pieces(), byte: 0, position: Position::default() };
        parser.skip_spaces();
        let filter = match parser.peek() {
            None => return Err(FilterError::Empty),
            Some(Symbol::Byte(b'(')) => parser.enclosed(1)?,
            Some(_) => parser.comparison(false)?,
        };
        parser.skip_spaces();
        match parser.peek() {
            None => Ok(filter),
            Some(Symbol::Slot(slot)) => {
                Err(FilterError::Structural { slot, position: parser.position })
            }
            Some(Symbol::Byte(_)) => Err(FilterError::Expected {
                what: "the end of the filter",
                position: parser.position,
            }),
        }
    }
}

/// The symbols of a text, one at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Symbol {
    Byte(u8),
    Slot(usize),
}

struct Parser<'a> {
    pieces: &'a [Piece],
    /// How much of the first piece has been read.
    byte: usize,
    position: Position,
}

/// How a comparison continues after its attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Equal,
    GreaterOrEqual,
    LessOrEqual,
    Approximate,
    Extensible,
}

impl Parser<'_> {
    fn peek(&self) -> Option<Symbol> {
        match self.pieces.first()? {
            Piece::Static(bytes) => bytes.get(self.byte).copied().map(Symbol::Byte),
            Piece::Slot(slot) => Some(Symbol::Slot(*slot)),
        }
    }

    fn next(&mut self) -> Option<Symbol> {
        let symbol = self.peek()?;
        let ended = if let Some(Piece::Static(bytes)) = self.pieces.first() {
            self.position.bytes += 1;
            self.byte += 1;
            self.byte == bytes.len()
        } else {
            self.position.slots += 1;
            true
        };
        if ended {
            self.pieces = self.pieces.split_first().map_or(&[], |(_, rest)| rest);
            self.byte = 0;
        }
        Some(symbol)
    }

    fn take(&mut self, byte: u8) -> bool {
        let there = self.peek() == Some(Symbol::Byte(byte));
        if there {
            self.next();
        }
        there
    }

    fn skip_spaces(&mut self) {
        while matches!(self.peek(), Some(Symbol::Byte(b' ' | b'\t' | b'\r' | b'\n'))) {
            self.next();
        }
    }

    /// Requires a literal byte of the structure: a slot here is a separate error.
    fn demand(&mut self, byte: u8, what: &'static str) -> Result<(), FilterError> {
        let position = self.position;
        match self.peek() {
            Some(Symbol::Slot(slot)) => Err(FilterError::Structural { slot, position }),
            _ if self.take(byte) => Ok(()),
            _ => Err(FilterError::Expected { what, position }),
        }
    }

    /// A filter in parentheses, whose opening one comes next.
    fn enclosed(&mut self, depth: usize) -> Result<Filter<Text>, FilterError> {
        if depth > DEPTH_MAX {
            return Err(FilterError::TooDeep { position: self.position });
        }
        self.demand(b'(', "an opening parenthesis")?;
        self.skip_spaces();
        let filter = match self.peek() {
            Some(Symbol::Byte(b'&')) => Filter::And(self.list(depth)?),
            Some(Symbol::Byte(b'|')) => Filter::Or(self.list(depth)?),
            Some(Symbol::Byte(b'!')) => {
                self.next();
                self.skip_spaces();
                let inner = self.enclosed(depth + 1)?;
                self.skip_spaces();
                Filter::Not(Box::new(inner))
            }
            // Doubled parentheses are an error, although nothing else may be wrong with the filter.
            Some(Symbol::Byte(b'(')) => {
                return Err(FilterError::Expected {
                    what: "one of & | ! or an attribute",
                    position: self.position,
                });
            }
            _ => self.comparison(true)?,
        };
        self.demand(b')', "a closing parenthesis")?;
        Ok(filter)
    }

    fn list(&mut self, depth: usize) -> Result<Vec<Filter<Text>>, FilterError> {
        self.next();
        self.skip_spaces();
        let mut filters = Vec::new();
        while !matches!(self.peek(), None | Some(Symbol::Byte(b')'))) {
            filters.push(self.enclosed(depth + 1)?);
            self.skip_spaces();
        }
        Ok(filters)
    }

    fn comparison(&mut self, enclosed: bool) -> Result<Filter<Text>, FilterError> {
        let start = self.position;
        let mut names = vec![Text::new()];
        let operator = self.names(&mut names)?;
        if operator == Operator::Extensible {
            return self.extensible(names, enclosed, start);
        }
        // A colon before a plain operator does not belong to an attribute.
        let [attribute] =
            <[Text; 1]>::try_from(names).map_err(|_| FilterError::Attribute { position: start })?;
        if attribute.is_empty() {
            return Err(FilterError::NoAttribute { position: start });
        }
        if operator == Operator::Equal {
            return self.equal(attribute, enclosed);
        }
        let value = self.value(enclosed)?;
        Ok(match operator {
            Operator::GreaterOrEqual => Filter::GreaterOrEqual { attribute, value },
            Operator::LessOrEqual => Filter::LessOrEqual { attribute, value },
            _ => Filter::Approximate { attribute, value },
        })
    }

    /// Reads the names before the operator, split at colons, and the operator.
    fn names(&mut self, names: &mut Vec<Text>) -> Result<Operator, FilterError> {
        let mut first_slot = None;
        loop {
            let position = self.position;
            let Some(symbol) = self.peek() else {
                return Err(Self::no_operator(first_slot, position));
            };
            if symbol == Symbol::Byte(b')') {
                return Err(Self::no_operator(first_slot, position));
            }
            self.next();
            let Some(name) = names.last_mut() else {
                return Err(FilterError::NoAttribute { position });
            };
            match symbol {
                Symbol::Slot(slot) => {
                    first_slot = first_slot.or(Some((slot, position)));
                    name.push_slot(slot);
                }
                Symbol::Byte(b'=') => return Ok(Operator::Equal),
                Symbol::Byte(b':') if self.take(b'=') => return Ok(Operator::Extensible),
                Symbol::Byte(b'>') if self.take(b'=') => return Ok(Operator::GreaterOrEqual),
                Symbol::Byte(b'<') if self.take(b'=') => return Ok(Operator::LessOrEqual),
                Symbol::Byte(b'~') if self.take(b'=') => return Ok(Operator::Approximate),
                Symbol::Byte(b':') => names.push(Text::new()),
                Symbol::Byte(byte) if byte.is_ascii_alphanumeric() || b"-.;_".contains(&byte) => {
                    name.push_bytes(&[byte]);
                }
                Symbol::Byte(_) => return Err(FilterError::Attribute { position }),
            }
        }
    }

    /// The error for a missing operator. A slot before it may contain the operator and would then affect the structure.
    fn no_operator(first_slot: Option<(usize, Position)>, position: Position) -> FilterError {
        match first_slot {
            Some((slot, position)) => FilterError::Structural { slot, position },
            None => FilterError::Operator { position },
        }
    }

    /// `attribute[:dn][:rule]:=value` or `[:dn]:rule:=value`.
    fn extensible(
        &mut self,
        names: Vec<Text>,
        enclosed: bool,
        start: Position,
    ) -> Result<Filter<Text>, FilterError> {
        let mut names = names.into_iter();
        let attribute = names.next().filter(|name| !name.is_empty());
        let mut rest: Vec<Text> = names.collect();
        let is_dn =
            |name: &Text| name.as_static().is_some_and(|bytes| bytes.eq_ignore_ascii_case(b"dn"));
        let dn_attributes = rest.first().is_some_and(is_dn);
        if dn_attributes {
            rest.remove(0);
        }
        if rest.len() > 1 || rest.iter().any(Text::is_empty) {
            return Err(FilterError::Attribute { position: start });
        }
        let rule = rest.pop();
        if attribute.is_none() && rule.is_none() {
            return Err(FilterError::NoAttribute { position: start });
        }
        let value = self.value(enclosed)?;
        Ok(Filter::Extensible { rule, attribute, value, dn_attributes })
    }

    /// A comparison that begins with `=`: presence, substrings or equality, depending on its asterisks.
    fn equal(&mut self, attribute: Text, enclosed: bool) -> Result<Filter<Text>, FilterError> {
        let initial = self.part(enclosed)?;
        if !self.take(b'*') {
            return Ok(Filter::Equality { attribute, value: initial });
        }
        let mut any = Vec::new();
        let last = loop {
            let part = self.part(enclosed)?;
            if !self.take(b'*') {
                break part;
            }
            if !part.is_empty() {
                any.push(part);
            }
        };
        if initial.is_empty() && any.is_empty() && last.is_empty() {
            return Ok(Filter::Present(attribute));
        }
        let some = |text: Text| Some(text).filter(|text| !text.is_empty());
        Ok(Filter::Substrings { attribute, initial: some(initial), any, last: some(last) })
    }

    /// A value that extends to the end of the comparison.
    fn value(&mut self, enclosed: bool) -> Result<Text, FilterError> {
        let value = self.part(enclosed)?;
        if self.peek() == Some(Symbol::Byte(b'*')) {
            return Err(FilterError::Unescaped { character: '*', position: self.position });
        }
        Ok(value)
    }

    /// A value up to an asterisk or the end of the comparison, with its escapes removed.
    fn part(&mut self, enclosed: bool) -> Result<Text, FilterError> {
        let mut text = Text::new();
        while let Some(symbol) = self.peek() {
            let position = self.position;
            match symbol {
                Symbol::Byte(b'*') => break,
                Symbol::Byte(b')') if enclosed => break,
                Symbol::Byte(byte @ (b'(' | b')')) => {
                    return Err(FilterError::Unescaped { character: char::from(byte), position });
                }
                Symbol::Byte(b'\\') => {
                    self.next();
                    let high = self.digit(position)?;
                    let low = self.digit(position)?;
                    text.push_bytes(&[high << 4 | low]);
                }
                Symbol::Byte(byte) => {
                    self.next();
                    text.push_bytes(&[byte]);
                }
                Symbol::Slot(slot) => {
                    self.next();
                    text.push_slot(slot);
                }
            }
        }
        Ok(text)
    }

    /// A hexadecimal digit of the escape that began at `backslash`.
    fn digit(&mut self, backslash: Position) -> Result<u8, FilterError> {
        let position = self.position;
        match self.next() {
            Some(Symbol::Byte(byte)) => match char::from(byte).to_digit(16) {
                Some(digit) => Ok(digit as u8),
                None => Err(FilterError::Escape { position: backslash }),
            },
            Some(Symbol::Slot(slot)) => Err(FilterError::Structural { slot, position }),
            None => Err(FilterError::Escape { position: backslash }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Filter<Text> {
        Filter::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    /// A text in which `{n}` means slot n, counted from 1.
    fn template(text: &str) -> Text {
        let mut made = Text::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            let (number, after) = after.split_once('}').unwrap();
            made.push_bytes(before.as_bytes());
            made.push_slot(number.parse::<usize>().unwrap() - 1);
            rest = after;
        }
        made.push_bytes(rest.as_bytes());
        made
    }

    #[test]
    fn filter_examples_of_rfc_4515_are_parsed() {
        for text in [
            "(cn=Babs Jensen)",
            "(!(cn=Tim Howes))",
            "(&(objectClass=Person)(|(sn=Jensen)(cn=Babs J*)))",
            "(o=univ*of*mich*)",
            "(seeAlso=)",
            "(cn:caseExactMatch:=Fred Flintstone)",
            "(cn:=Betty Rubble)",
            "(sn:dn:2.4.6.8.10:=Barney Rubble)",
            "(o:dn:=Ace Industry)",
            "(:1.2.3:=Wilma Flintstone)",
            "(:dn:2.4.6.8.10:=Dino)",
            "(o=Parens R Us \\28for all your parenthetical needs\\29)",
            "(cn=*\\2a*)",
            "(filename=C:\\5cMyFile)",
            "(bin=\\00\\00\\00\\04)",
            "(sn=Lu\u{10d}i\u{107})",
            "(&)",
            "(|)",
        ] {
            assert_eq!(parsed(text).to_string(), text);
        }
        let value = |text| match parsed(text) {
            Filter::Equality { value, .. } => value.as_static().unwrap().to_vec(),
            other => panic!("{other:?}"),
        };
        assert_eq!(value("(sn=Lu\\c4\\8di\\c4\\87)"), "Lu\u{10d}i\u{107}".as_bytes());
        assert_eq!(value("(1.3.6.1.4.1.1466.0=\\04\\02\\48\\69)"), [4, 2, 0x48, 0x69]);
        assert_eq!(
            parsed("(o=univ*of*mich*)"),
            Filter::Substrings {
                attribute: "o".into(),
                initial: Some("univ".into()),
                any: vec!["of".into(), "mich".into()],
                last: None
            }
        );
    }

    #[test]
    fn filter_accepts_what_ldapsearch_accepts() {
        assert_eq!(parsed("uid=user.1"), parsed("(uid=user.1)"));
        assert_eq!(parsed(" ( & (a=b) ( | (c=d) (e=*) ) ) ").to_string(), "(&(a=b)(|(c=d)(e=*)))");
        assert_eq!(parsed("(cn=a**b)").to_string(), "(cn=a*b)");
        assert_eq!(parsed("cn;lang-de>=a=b").to_string(), "(cn;lang-de>=a=b)");
        assert_eq!(parsed("(cn= spaces count )").to_string(), "(cn= spaces count )");
    }

    #[test]
    fn filter_slots_may_be_names_values_and_rules() {
        for text in [
            "(uid={1})",
            "(uid=user.{2}@{1})",
            "({1}=x)",
            "(cn;lang-{1}=x)",
            "(cn={1}*a{2}*{3})",
            "(cn:{1}:={2})",
            "(&(a>={1})(!(b~={2})))",
        ] {
            assert_eq!(Filter::parse_text(&template(text)).unwrap().to_string(), text);
        }
        assert_eq!(Filter::parse_text(&template("uid={1}")).unwrap().to_string(), "(uid={1})");
    }

    #[test]
    fn filter_slots_that_decide_the_structure_are_refused() {
        for (text, slot, bytes, slots) in [
            ("{1}", 0, 0, 0),
            ("({2})", 1, 1, 0),
            ("(&{1})", 0, 2, 0),
            ("(&(a=b){1})", 0, 7, 0),
            ("(&(a={1}){2}(c=d))", 1, 6, 1),
            ("(!{1})", 0, 2, 0),
            ("(uid{1})", 0, 4, 0),
            ("(uid=\\{1})", 0, 6, 0),
            ("(uid=\\a{1})", 0, 7, 0),
            ("(a=b){1}", 0, 5, 0),
        ] {
            let position = Position { bytes, slots };
            let error = Filter::parse_text(&template(text)).unwrap_err();
            assert_eq!(error, FilterError::Structural { slot, position }, "{text}");
        }
    }

    #[test]
    fn filter_errors_name_place_and_remedy() {
        for (text, words) in [
            ("", "(uid=user.1)"),
            ("  ", "empty"),
            ("(uid=a", "closing parenthesis is missing at character 7"),
            ("uid=a)", "\\29"),
            ("(uid=a)(b=c)", "end of the filter is missing at character 8"),
            ("(uid)", "character 5; write one of ="),
            ("uid", "operator up to character 4"),
            ("(=a)", "no attribute before the operator at character 2"),
            ("(u id=a)", "character 3 cannot be part of an attribute"),
            ("(cn=a(b)", "\\28"),
            ("(cn=a\\b)", "backslash at character 6"),
            ("(cn=\\zz)", "\\5c"),
            ("(cn>=a*)", "\\2a"),
            ("((cn=a))", "character 2"),
            ("(!(a=b)(c=d))", "closing parenthesis is missing at character 8"),
            ("(a:b:c:d:=e)", "character 2"),
            (":=e", "no attribute"),
            ("(a:b=c)", "character 2"),
        ] {
            let error = Filter::parse(text).unwrap_err().to_string();
            assert!(error.contains(words), "{text}: {error}");
        }
        let position = Position { bytes: 3, slots: 2 };
        assert!(FilterError::Operator { position }.to_string().contains("2 placeholders"));
    }

    #[test]
    fn filter_depth_is_limited() {
        let nested = |depth: usize| "(!".repeat(depth - 1) + "(a=b)" + &")".repeat(depth - 1);
        assert!(Filter::parse(&nested(DEPTH_MAX)).is_ok());
        assert!(matches!(Filter::parse(&nested(DEPTH_MAX + 1)), Err(FilterError::TooDeep { .. })));
        assert!(matches!(Filter::parse(&nested(100_000)), Err(FilterError::TooDeep { .. })));
    }
}
