//! The evaluation of expressions over a document.

use super::function::Function;
use super::item::Item;
use super::parse::{Axis, Expression, Operator, Path, Start, Step, Test};
use super::value::{Value, number};
use crate::unexamined::Unexamined;
use crate::work::Work;
use roxmltree::{Document, Node, NodeType};

type Result<T> = std::result::Result<T, Unexamined>;

/// The value of `expression` at the root of `document`.
pub(super) fn evaluate<'a, 'i>(
    expression: &Expression,
    document: &'a Document<'i>,
    work: &Work,
) -> Result<Value<'a, 'i>> {
    let root = Item::Node(document.root());
    let evaluation = Evaluation { root, work };
    evaluation.value(expression, Context { item: root, position: 1, size: 1 })
}

/// The text of a node.
pub(super) fn text(item: &Item<'_, '_>, work: &Work) -> Result<String> {
    let node = match item {
        Item::Node(node) if matches!(node.node_type(), NodeType::Root | NodeType::Element) => node,
        other => {
            let text = other.text();
            work.read(text.len())?;
            return Ok(text);
        }
    };
    let mut all = String::new();
    for below in node.descendants() {
        work.visit(1)?;
        if let Some(text) = below.text().filter(|_| below.is_text()) {
            work.read(text.len())?;
            all.push_str(text);
        }
    }
    Ok(all)
}

/// The context of an expression.
#[derive(Clone, Copy)]
struct Context<'a, 'i> {
    item: Item<'a, 'i>,
    /// The position of the item among those that a predicate selects from, counted from 1.
    position: usize,
    size: usize,
}

struct Evaluation<'a, 'i, 'w> {
    root: Item<'a, 'i>,
    work: &'w Work,
}

impl<'a, 'i> Evaluation<'a, 'i, '_> {
    fn value(&self, expression: &Expression, at: Context<'a, 'i>) -> Result<Value<'a, 'i>> {
        self.work.visit(1)?;
        Ok(match expression {
            Expression::Number(number) => Value::Number(*number),
            Expression::Literal(text) => {
                self.work.read(text.len())?;
                Value::Text(text.clone())
            }
            Expression::Negative(of) => Value::Number(-self.number(self.value(of, at)?)?),
            Expression::Binary(operator, left, right) => self.binary(*operator, left, right, at)?,
            Expression::Call(function, arguments) => self.call(*function, arguments, at)?,
            Expression::Path(path) => Value::Nodes(self.path(path, at)?),
        })
    }

    fn binary(
        &self,
        operator: Operator,
        left: &Expression,
        right: &Expression,
        at: Context<'a, 'i>,
    ) -> Result<Value<'a, 'i>> {
        let left = self.value(left, at)?;
        // If the left side decides the result, the right side is not evaluated.
        match operator {
            Operator::Or if left.truth() => return Ok(Value::Truth(true)),
            Operator::And if !left.truth() => return Ok(Value::Truth(false)),
            _ => {}
        }
        let right = self.value(right, at)?;
        let numbers = |left, right, of: fn(f64, f64) -> f64| {
            Ok(Value::Number(of(self.number(left)?, self.number(right)?)))
        };
        match operator {
            Operator::Or | Operator::And => Ok(Value::Truth(right.truth())),
            Operator::Plus => numbers(left, right, |left, right| left + right),
            Operator::Minus => numbers(left, right, |left, right| left - right),
            Operator::Times => numbers(left, right, |left, right| left * right),
            Operator::Div => numbers(left, right, |left, right| left / right),
            Operator::Mod => numbers(left, right, |left, right| left % right),
            Operator::Union => match (left, right) {
                (Value::Nodes(mut nodes), Value::Nodes(others)) => {
                    nodes.extend(others);
                    Ok(Value::Nodes(self.ordered(nodes)?))
                }
                _ => Err(Unexamined::NoNodes),
            },
            _ => Ok(Value::Truth(self.compare(operator, left, right)?)),
        }
    }

    /// Comparison, section 3.4: for nodes, whether it holds for any of them.
    fn compare(
        &self,
        operator: Operator,
        left: Value<'a, 'i>,
        right: Value<'a, 'i>,
    ) -> Result<bool> {
        Ok(match (left, right) {
            (Value::Nodes(left), Value::Nodes(right)) => {
                self.work.visit(left.len().saturating_mul(right.len()))?;
                let right = self.texts(&right)?;
                let left = self.texts(&left)?;
                let bytes: usize = right.iter().map(String::len).sum();
                self.work.read(left.len().saturating_mul(bytes))?;
                left.iter()
                    .any(|one| right.iter().any(|other| holds_of_texts(operator, one, other)))
            }
            (nodes @ Value::Nodes(_), truth @ Value::Truth(_))
            | (truth @ Value::Truth(_), nodes @ Value::Nodes(_)) => {
                holds_of_numbers(operator, nodes.truth().into(), truth.truth().into())
            }
            (Value::Nodes(nodes), other) => self.any_of(&nodes, operator, &other)?,
            (other, Value::Nodes(nodes)) => self.any_of(&nodes, turned(operator), &other)?,
            (left, right) => {
                let equality = matches!(operator, Operator::Equal | Operator::NotEqual);
                match (&left, &right) {
                    (Value::Truth(_), _) | (_, Value::Truth(_)) if equality => {
                        (left.truth() == right.truth()) == (operator == Operator::Equal)
                    }
                    (Value::Text(one), Value::Text(other)) => {
                        self.work.read(one.len().saturating_add(other.len()))?;
                        holds_of_texts(operator, one, other)
                    }
                    _ => holds_of_numbers(operator, self.number(left)?, self.number(right)?),
                }
            }
        })
    }

    /// Whether a comparison with one text or number holds for any of these nodes.
    fn any_of(
        &self,
        nodes: &[Item<'a, 'i>],
        operator: Operator,
        other: &Value<'a, 'i>,
    ) -> Result<bool> {
        if let Value::Text(text) = other {
            self.work.read(nodes.len().saturating_mul(text.len()))?;
        }
        Ok(self.texts(nodes)?.iter().any(|text| holds_of_text(operator, text, other)))
    }

    fn texts(&self, nodes: &[Item<'a, 'i>]) -> Result<Vec<String>> {
        nodes.iter().map(|node| text(node, self.work)).collect()
    }

    /// A value as text: for nodes, the text of the first.
    fn text(&self, value: Value<'a, 'i>) -> Result<Value<'a, 'i>> {
        Ok(match value {
            Value::Nodes(nodes) => Value::Text(match nodes.first() {
                Some(first) => text(first, self.work)?,
                None => String::new(),
            }),
            other => other,
        })
    }

    fn number(&self, value: Value<'a, 'i>) -> Result<f64> {
        let value = self.text(value)?;
        if let Value::Text(text) = &value {
            self.work.read(text.len())?;
        }
        Ok(value.into_number())
    }

    fn call(
        &self,
        function: Function,
        arguments: &[Expression],
        at: Context<'a, 'i>,
    ) -> Result<Value<'a, 'i>> {
        match function {
            Function::Last => return Ok(Value::Number(at.size as f64)),
            Function::Position => return Ok(Value::Number(at.position as f64)),
            _ => {}
        }
        let mut values = Vec::with_capacity(arguments.len().max(1));
        for argument in arguments {
            values.push(self.value(argument, at)?);
        }
        if values.is_empty() && function.is_of_context() {
            values.push(Value::Nodes(vec![at.item]));
        }
        if let (Function::Name, Some(Value::Nodes(nodes))) = (function, values.first()) {
            self.work.visit(nodes.first().map_or(0, Item::namespaces))?;
        }
        if let (Function::Sum, Some(Value::Nodes(nodes))) = (function, values.first()) {
            let texts = self.texts(nodes)?;
            return Ok(Value::Number(texts.iter().map(|text| number(text)).sum()));
        }
        if function.reads_text() {
            for value in &mut values {
                let taken = std::mem::replace(value, Value::Truth(false));
                *value = self.text(taken)?;
            }
        }
        let lengths: Vec<usize> = values.iter().map(Value::length).collect();
        self.work.read(lengths.iter().sum())?;
        if let (Function::Translate, [text, from, to]) = (function, &lengths[..]) {
            self.work.read(text.saturating_mul(from + to))?;
        }
        Ok(function.call(values))
    }

    fn path(&self, path: &Path, at: Context<'a, 'i>) -> Result<Vec<Item<'a, 'i>>> {
        let mut nodes = match &path.start {
            Start::Root => vec![self.root],
            Start::Context => vec![at.item],
            Start::Of(expression, predicates) => {
                let Value::Nodes(nodes) = self.value(expression, at)? else {
                    return Err(Unexamined::NoNodes);
                };
                self.chosen(nodes, predicates)?
            }
        };
        for step in &path.steps {
            let mut found = Vec::new();
            for node in nodes {
                found.extend(self.step(step, node)?);
            }
            nodes = self.ordered(found)?;
        }
        Ok(nodes)
    }

    /// The nodes that a step leads to from one node, in the order of its axis.
    fn step(&self, step: &Step, from: Item<'a, 'i>) -> Result<Vec<Item<'a, 'i>>> {
        if matches!(step.axis, Axis::Following | Axis::Preceding) {
            // The path to the root, which costs work even if it selects nothing.
            self.work.visit(from.element().ancestors().count())?;
        }
        let prefixed =
            matches!(&step.test, Test::Name { prefix: Some(_), .. } | Test::AnyOf { .. });
        let mut nodes = Vec::new();
        for item in axis(step.axis, from) {
            self.work.visit(if prefixed { 1 + item.namespaces() } else { 1 })?;
            if passes(&step.test, step.axis, &item) {
                nodes.push(item);
            }
        }
        self.chosen(nodes, &step.predicates)
    }

    /// The nodes among `nodes` for which all predicates hold.
    fn chosen(
        &self,
        mut nodes: Vec<Item<'a, 'i>>,
        predicates: &[Expression],
    ) -> Result<Vec<Item<'a, 'i>>> {
        for predicate in predicates {
            let size = nodes.len();
            let mut kept = Vec::new();
            for (item, position) in nodes.into_iter().zip(1..) {
                let holds = match self.value(predicate, Context { item, position, size })? {
                    Value::Number(number) => {
                        holds_of_numbers(Operator::Equal, number, position as f64)
                    }
                    other => other.truth(),
                };
                if holds {
                    kept.push(item);
                }
            }
            nodes = kept;
        }
        Ok(nodes)
    }

    /// Nodes in document order, without duplicates.
    fn ordered(&self, mut nodes: Vec<Item<'a, 'i>>) -> Result<Vec<Item<'a, 'i>>> {
        self.work.visit(nodes.len())?;
        nodes.sort_by_key(Item::key);
        nodes.dedup_by_key(|item| item.key());
        Ok(nodes)
    }
}

/// The nodes of an axis, beginning with the nearest.
fn axis<'a, 'i>(axis: Axis, from: Item<'a, 'i>) -> Box<dyn Iterator<Item = Item<'a, 'i>> + 'a>
where
    'i: 'a,
{
    let node = match from {
        Item::Node(node) => node,
        // An attribute has few axes other than that of its element.
        Item::Attribute(node, _) => {
            return match axis {
                Axis::Own | Axis::DescendantOrSelf => Box::new(std::iter::once(from)),
                Axis::Parent => Box::new(std::iter::once(Item::Node(node))),
                Axis::Ancestor => Box::new(node.ancestors().map(Item::Node)),
                Axis::AncestorOrSelf => {
                    Box::new(std::iter::once(from).chain(node.ancestors().map(Item::Node)))
                }
                Axis::Following => {
                    Box::new(node.descendants().skip(1).chain(following(node)).map(Item::Node))
                }
                Axis::Preceding => Box::new(preceding(node).map(Item::Node)),
                _ => Box::new(std::iter::empty()),
            };
        }
    };
    match axis {
        Axis::Child => Box::new(node.children().map(Item::Node)),
        Axis::Attribute => Box::new(from.attributes()),
        Axis::Own => Box::new(std::iter::once(from)),
        Axis::Parent => Box::new(node.parent().into_iter().map(Item::Node)),
        Axis::Descendant => Box::new(node.descendants().skip(1).map(Item::Node)),
        Axis::DescendantOrSelf => Box::new(node.descendants().map(Item::Node)),
        Axis::Ancestor => Box::new(node.ancestors().skip(1).map(Item::Node)),
        Axis::AncestorOrSelf => Box::new(node.ancestors().map(Item::Node)),
        Axis::Following => Box::new(following(node).map(Item::Node)),
        Axis::FollowingSibling => Box::new(node.next_siblings().skip(1).map(Item::Node)),
        Axis::Preceding => Box::new(preceding(node).map(Item::Node)),
        Axis::PrecedingSibling => Box::new(node.prev_siblings().skip(1).map(Item::Node)),
    }
}

fn following<'a, 'i: 'a>(node: Node<'a, 'i>) -> impl Iterator<Item = Node<'a, 'i>> + 'a {
    let later = node.ancestors().flat_map(|above| above.next_siblings().skip(1));
    later.flat_map(|sibling| sibling.descendants())
}

fn preceding<'a, 'i: 'a>(node: Node<'a, 'i>) -> impl Iterator<Item = Node<'a, 'i>> + 'a {
    let earlier = node.ancestors().flat_map(|above| above.prev_siblings().skip(1));
    earlier.flat_map(|sibling| sibling.descendants().rev())
}

fn passes(test: &Test, axis: Axis, item: &Item<'_, '_>) -> bool {
    let principal = match item {
        Item::Attribute(..) => axis == Axis::Attribute,
        Item::Node(node) => node.is_element() && axis != Axis::Attribute,
    };
    let kind = match item {
        Item::Node(node) => Some(node.node_type()),
        Item::Attribute(..) => None,
    };
    match test {
        Test::Any => principal,
        Test::Name { prefix, local } => {
            let named = principal && item.local_name() == local;
            named && prefix.as_ref().is_none_or(|prefix| item.is_of(prefix))
        }
        Test::AnyOf { prefix } => principal && item.is_of(prefix),
        Test::Node => true,
        Test::Text => kind == Some(NodeType::Text),
        Test::Comment => kind == Some(NodeType::Comment),
        Test::Instruction => kind == Some(NodeType::PI),
    }
}

/// The operator to use when its sides are swapped.
fn turned(operator: Operator) -> Operator {
    match operator {
        Operator::Less => Operator::Greater,
        Operator::LessOrEqual => Operator::GreaterOrEqual,
        Operator::Greater => Operator::Less,
        Operator::GreaterOrEqual => Operator::LessOrEqual,
        other => other,
    }
}

fn holds_of_text(operator: Operator, text: &str, other: &Value<'_, '_>) -> bool {
    match other {
        Value::Text(other) => holds_of_texts(operator, text, other),
        other => holds_of_numbers(operator, number(text), other.clone().into_number()),
    }
}

fn holds_of_texts(operator: Operator, left: &str, right: &str) -> bool {
    match operator {
        Operator::Equal => left == right,
        Operator::NotEqual => left != right,
        _ => holds_of_numbers(operator, number(left), number(right)),
    }
}

#[expect(clippy::float_cmp, reason = "it is the equality that expressions speak of")]
fn holds_of_numbers(operator: Operator, left: f64, right: f64) -> bool {
    match operator {
        Operator::Equal => left == right,
        Operator::NotEqual => left != right,
        Operator::Less => left < right,
        Operator::LessOrEqual => left <= right,
        Operator::Greater => left > right,
        Operator::GreaterOrEqual => left >= right,
        _ => false,
    }
}
