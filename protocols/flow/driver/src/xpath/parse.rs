//! The grammar of expressions, XPath 1.0 sections 2 and 3.

use super::error::{DEPTH_MAX, XPathError};
use super::function::Function;
use super::token::Token;

/// An expression.
#[derive(Clone, Debug)]
pub(super) enum Expression {
    Number(f64),
    Literal(String),
    Negative(Box<Self>),
    Binary(Operator, Box<Self>, Box<Self>),
    Call(Function, Vec<Self>),
    Path(Path),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Or,
    And,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Plus,
    Minus,
    Times,
    Div,
    Mod,
    Union,
}

/// Steps from a starting point.
#[derive(Clone, Debug)]
pub(super) struct Path {
    pub(super) start: Start,
    pub(super) steps: Vec<Step>,
}

#[derive(Clone, Debug)]
pub(super) enum Start {
    Root,
    Context,
    /// The nodes of another expression for which these predicates hold.
    Of(Box<Expression>, Vec<Expression>),
}

#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) axis: Axis,
    pub(super) test: Test,
    pub(super) predicates: Vec<Expression>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Axis {
    Child,
    Attribute,
    Own,
    Parent,
    Descendant,
    DescendantOrSelf,
    Ancestor,
    AncestorOrSelf,
    Following,
    FollowingSibling,
    Preceding,
    PrecedingSibling,
}

/// Which nodes of an axis are selected.
#[derive(Clone, Debug)]
pub(super) enum Test {
    Any,
    Name { prefix: Option<String>, local: String },
    AnyOf { prefix: String },
    Node,
    Text,
    Comment,
    Instruction,
}

/// Operators by precedence, from the lowest to the highest.
const LEVELS: [&[(&str, Operator)]; 7] = [
    &[("or", Operator::Or)],
    &[("and", Operator::And)],
    &[("=", Operator::Equal), ("!=", Operator::NotEqual)],
    &[
        ("<", Operator::Less),
        ("<=", Operator::LessOrEqual),
        (">", Operator::Greater),
        (">=", Operator::GreaterOrEqual),
    ],
    &[("+", Operator::Plus), ("-", Operator::Minus)],
    &[("*", Operator::Times), ("div", Operator::Div), ("mod", Operator::Mod)],
    &[("|", Operator::Union)],
];

/// The precedence of a `-` before an operand: lower than that of `|`, higher than the others.
const NEGATIVE_LEVEL: usize = 6;

/// Parses these tokens as an expression.
pub(super) fn parse(tokens: &[Token]) -> Result<Expression, XPathError> {
    let mut parser = Parser { tokens, at: 0, depth: 0 };
    let expression = parser.expression()?;
    match parser.tokens.get(parser.at) {
        None => Ok(expression),
        Some(token) => Err(XPathError::NoEnd(shown(Some(token)))),
    }
}

struct Parser<'a> {
    tokens: &'a [Token],
    at: usize,
    depth: u32,
}

impl Parser<'_> {
    fn expression(&mut self) -> Result<Expression, XPathError> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(XPathError::Deep);
        }
        let expression = self.level(0);
        self.depth -= 1;
        expression
    }

    /// An expression of operators of one level and those with higher precedence.
    fn level(&mut self, level: usize) -> Result<Expression, XPathError> {
        if level == NEGATIVE_LEVEL {
            let mut count = 0;
            while self.take("-") {
                count += 1;
            }
            let mut operand = self.operators(level)?;
            // A double minus is not the same as none: it converts a text to a number.
            for _ in 0..count.min(2 - count % 2) {
                operand = Expression::Negative(Box::new(operand));
            }
            return Ok(operand);
        }
        self.operators(level)
    }

    fn operators(&mut self, level: usize) -> Result<Expression, XPathError> {
        let Some(operators) = LEVELS.get(level) else { return self.path() };
        let mut left = self.level(level + 1)?;
        while let Some((_, operator)) = operators.iter().find(|(mark, _)| self.is(mark)) {
            self.at += 1;
            let right = self.level(level + 1)?;
            left = Expression::Binary(*operator, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    /// A path, or another kind of operand.
    fn path(&mut self) -> Result<Expression, XPathError> {
        let start = match self.tokens.get(self.at) {
            Some(Token::Mark("/")) => {
                self.at += 1;
                let mut path = Path { start: Start::Root, steps: Vec::new() };
                if self.begins_step() {
                    self.steps(&mut path)?;
                }
                return Ok(Expression::Path(path));
            }
            Some(Token::Mark("//")) => Start::Root,
            Some(_) if self.begins_step() => {
                let mut path = Path { start: Start::Context, steps: Vec::new() };
                self.steps(&mut path)?;
                return Ok(Expression::Path(path));
            }
            _ => {
                let primary = self.primary()?;
                let predicates = self.predicates()?;
                if predicates.is_empty() && !self.is("/") && !self.is("//") {
                    return Ok(primary);
                }
                Start::Of(Box::new(primary), predicates)
            }
        };
        let mut path = Path { start, steps: Vec::new() };
        self.more_steps(&mut path)?;
        Ok(Expression::Path(path))
    }

    fn steps(&mut self, path: &mut Path) -> Result<(), XPathError> {
        path.steps.push(self.step()?);
        self.more_steps(path)
    }

    fn more_steps(&mut self, path: &mut Path) -> Result<(), XPathError> {
        loop {
            if self.take("//") {
                path.steps.push(plain(Axis::DescendantOrSelf));
            } else if !self.take("/") {
                return Ok(());
            }
            path.steps.push(self.step()?);
        }
    }

    fn step(&mut self) -> Result<Step, XPathError> {
        for (mark, axis) in [(".", Axis::Own), ("..", Axis::Parent)] {
            if self.take(mark) {
                return Ok(plain(axis));
            }
        }
        let axis = self.axis()?;
        let test = self.test()?;
        Ok(Step { axis, test, predicates: self.predicates()? })
    }

    fn axis(&mut self) -> Result<Axis, XPathError> {
        if self.take("@") {
            return Ok(Axis::Attribute);
        }
        let (Some(Token::Name { prefix: None, local }), Some(Token::Mark("::"))) =
            (self.tokens.get(self.at), self.tokens.get(self.at + 1))
        else {
            return Ok(Axis::Child);
        };
        self.at += 2;
        Ok(match local.as_str() {
            "child" => Axis::Child,
            "attribute" => Axis::Attribute,
            "self" => Axis::Own,
            "parent" => Axis::Parent,
            "descendant" => Axis::Descendant,
            "descendant-or-self" => Axis::DescendantOrSelf,
            "ancestor" => Axis::Ancestor,
            "ancestor-or-self" => Axis::AncestorOrSelf,
            "following" => Axis::Following,
            "following-sibling" => Axis::FollowingSibling,
            "preceding" => Axis::Preceding,
            "preceding-sibling" => Axis::PrecedingSibling,
            other => return Err(XPathError::Axis(other.to_owned())),
        })
    }

    fn test(&mut self) -> Result<Test, XPathError> {
        let token = self.tokens.get(self.at);
        self.at += 1;
        match token {
            Some(Token::Any) => Ok(Test::Any),
            Some(Token::Name { prefix: Some(prefix), local }) if local == "*" => {
                Ok(Test::AnyOf { prefix: prefix.clone() })
            }
            Some(Token::Name { prefix: None, local }) if self.is("(") => {
                let test = match local.as_str() {
                    "node" => Test::Node,
                    "text" => Test::Text,
                    "comment" => Test::Comment,
                    "processing-instruction" => Test::Instruction,
                    other => return Err(XPathError::Step(other.to_owned())),
                };
                self.at += 1;
                self.expect(")").map(|()| test)
            }
            Some(Token::Name { prefix, local }) => {
                Ok(Test::Name { prefix: prefix.clone(), local: local.clone() })
            }
            other => Err(XPathError::NoName(shown(other))),
        }
    }

    fn predicates(&mut self) -> Result<Vec<Expression>, XPathError> {
        let mut predicates = Vec::new();
        while self.take("[") {
            predicates.push(self.expression()?);
            self.expect("]")?;
        }
        Ok(predicates)
    }

    fn primary(&mut self) -> Result<Expression, XPathError> {
        let token = self.tokens.get(self.at);
        self.at += 1;
        match token {
            Some(Token::Number(number)) => Ok(Expression::Number(*number)),
            Some(Token::Literal(text)) => Ok(Expression::Literal(text.clone())),
            Some(Token::Mark("(")) => {
                let inside = self.expression()?;
                self.expect(")").map(|()| inside)
            }
            Some(Token::Name { prefix: None, local }) => {
                self.expect("(")?;
                let mut arguments = Vec::new();
                while !self.take(")") {
                    if !arguments.is_empty() {
                        self.expect(",")?;
                    }
                    arguments.push(self.expression()?);
                }
                Ok(Expression::Call(Function::named(local, arguments.len())?, arguments))
            }
            other => Err(XPathError::NoValue(shown(other))),
        }
    }

    /// Whether the next tokens are a step of a path and not a value or a function call.
    fn begins_step(&self) -> bool {
        match self.tokens.get(self.at) {
            Some(
                Token::Any | Token::Mark("." | ".." | "@") | Token::Name { prefix: Some(_), .. },
            ) => true,
            Some(Token::Name { local, .. }) => {
                let kinds = ["node", "text", "comment", "processing-instruction"];
                let call = self.tokens.get(self.at + 1) == Some(&Token::Mark("("));
                !call || kinds.contains(&local.as_str())
            }
            _ => false,
        }
    }

    fn is(&self, mark: &str) -> bool {
        matches!(self.tokens.get(self.at), Some(Token::Mark(known)) if *known == mark)
    }

    fn take(&mut self, mark: &str) -> bool {
        let taken = self.is(mark);
        self.at += usize::from(taken);
        taken
    }

    fn expect(&mut self, mark: &'static str) -> Result<(), XPathError> {
        if self.take(mark) {
            return Ok(());
        }
        Err(XPathError::NoMark { found: shown(self.tokens.get(self.at)), mark })
    }
}

/// A step to every node of an axis.
fn plain(axis: Axis) -> Step {
    Step { axis, test: Test::Node, predicates: Vec::new() }
}

fn shown(token: Option<&Token>) -> String {
    match token {
        None => "the end".to_owned(),
        Some(Token::Number(number)) => format!("the number {number}"),
        Some(Token::Literal(text)) => format!("the text '{text}'"),
        Some(Token::Name { prefix: None, local }) => format!("the name '{local}'"),
        Some(Token::Name { prefix: Some(prefix), local }) => format!("the name '{prefix}:{local}'"),
        Some(Token::Any) => "'*'".to_owned(),
        Some(Token::Mark(mark)) => format!("'{mark}'"),
    }
}
