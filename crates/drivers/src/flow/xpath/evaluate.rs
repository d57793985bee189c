//! The evaluation of expressions over a document.

use super::LOOKS_MAX;
use super::function::Function;
use super::item::Item;
use super::parse::{Axis, Expression, Operator, Path, Start, Step, Test};
use super::value::{Value, number};
use roxmltree::{Document, Node, NodeType};
use std::cell::Cell;

/// What `expression` comes to at the root of `document`; nothing if that took too long, or if it asks for the nodes of
/// what has none.
pub(super) fn evaluate<'a, 'i>(
    expression: &Expression,
    document: &'a Document<'i>,
) -> Option<Value<'a, 'i>> {
    let root = Item::Node(document.root());
    let evaluation = Evaluation { root, looks: Cell::new(LOOKS_MAX) };
    evaluation.value(expression, Context { item: root, position: 1, size: 1 })
}

/// Where an expression stands.
#[derive(Clone, Copy)]
struct Context<'a, 'i> {
    item: Item<'a, 'i>,
    /// The place of the item among those that a predicate chooses from, counted from 1.
    position: usize,
    size: usize,
}

struct Evaluation<'a, 'i> {
    root: Item<'a, 'i>,
    /// How many nodes may still be looked at.
    looks: Cell<u64>,
}

impl<'a, 'i> Evaluation<'a, 'i> {
    /// Takes so many looks, if there are as many left.
    fn look(&self, count: usize) -> Option<()> {
        self.looks.set(self.looks.get().checked_sub(count as u64)?);
        Some(())
    }

    fn value(&self, expression: &Expression, at: Context<'a, 'i>) -> Option<Value<'a, 'i>> {
        self.look(1)?;
        Some(match expression {
            Expression::Number(number) => Value::Number(*number),
            Expression::Literal(text) => Value::Text(text.clone()),
            Expression::Negative(of) => Value::Number(-self.value(of, at)?.into_number()),
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
    ) -> Option<Value<'a, 'i>> {
        let left = self.value(left, at)?;
        // What decides alone leaves the other alone.
        match operator {
            Operator::Or if left.truth() => return Some(Value::Truth(true)),
            Operator::And if !left.truth() => return Some(Value::Truth(false)),
            _ => {}
        }
        let right = self.value(right, at)?;
        let numbers = |left: Value<'_, '_>, right: Value<'_, '_>, of: fn(f64, f64) -> f64| {
            Value::Number(of(left.into_number(), right.into_number()))
        };
        Some(match operator {
            Operator::Or | Operator::And => Value::Truth(right.truth()),
            Operator::Plus => numbers(left, right, |left, right| left + right),
            Operator::Minus => numbers(left, right, |left, right| left - right),
            Operator::Times => numbers(left, right, |left, right| left * right),
            Operator::Div => numbers(left, right, |left, right| left / right),
            Operator::Mod => numbers(left, right, |left, right| left % right),
            Operator::Union => match (left, right) {
                (Value::Nodes(mut nodes), Value::Nodes(others)) => {
                    nodes.extend(others);
                    Value::Nodes(ordered(nodes))
                }
                _ => return None,
            },
            _ => Value::Truth(self.compare(operator, left, right)?),
        })
    }

    /// Comparison, section 3.4: of nodes, whether it holds of any of them.
    fn compare(
        &self,
        operator: Operator,
        left: Value<'a, 'i>,
        right: Value<'a, 'i>,
    ) -> Option<bool> {
        Some(match (left, right) {
            (Value::Nodes(left), Value::Nodes(right)) => {
                self.look(left.len().saturating_mul(right.len()))?;
                let right = self.texts(&right)?;
                self.texts(&left)?
                    .iter()
                    .any(|one| right.iter().any(|other| holds_of_texts(operator, one, other)))
            }
            (nodes @ Value::Nodes(_), truth @ Value::Truth(_))
            | (truth @ Value::Truth(_), nodes @ Value::Nodes(_)) => {
                holds_of_numbers(operator, nodes.truth().into(), truth.truth().into())
            }
            (Value::Nodes(nodes), other) => {
                self.texts(&nodes)?.iter().any(|text| holds_of_text(operator, text, &other))
            }
            (other, Value::Nodes(nodes)) => {
                let turned = turned(operator);
                self.texts(&nodes)?.iter().any(|text| holds_of_text(turned, text, &other))
            }
            (left, right) => {
                let equality = matches!(operator, Operator::Equal | Operator::NotEqual);
                match (&left, &right) {
                    (Value::Truth(_), _) | (_, Value::Truth(_)) if equality => {
                        (left.truth() == right.truth()) == (operator == Operator::Equal)
                    }
                    (Value::Text(one), Value::Text(other)) => holds_of_texts(operator, one, other),
                    _ => holds_of_numbers(operator, left.into_number(), right.into_number()),
                }
            }
        })
    }

    fn texts(&self, nodes: &[Item<'a, 'i>]) -> Option<Vec<String>> {
        nodes.iter().map(|node| self.text(node)).collect()
    }

    /// The text of a node, which costs as many looks as there are nodes within.
    fn text(&self, item: &Item<'a, 'i>) -> Option<String> {
        if let Item::Node(node) = item {
            self.look(node.descendants().len())?;
        }
        Some(item.text())
    }

    fn call(
        &self,
        function: Function,
        arguments: &[Expression],
        at: Context<'a, 'i>,
    ) -> Option<Value<'a, 'i>> {
        match function {
            Function::Last => return Some(Value::Number(at.size as f64)),
            Function::Position => return Some(Value::Number(at.position as f64)),
            _ => {}
        }
        let values = arguments.iter().map(|argument| self.value(argument, at));
        let mut values: Vec<_> = values.collect::<Option<_>>()?;
        if values.is_empty() && function.is_of_context() {
            values.push(Value::Nodes(vec![at.item]));
        }
        for value in &values {
            if let Value::Nodes(nodes) = value {
                let read = if function == Function::Sum {
                    &nodes[..]
                } else {
                    nodes.get(..1).unwrap_or_default()
                };
                self.texts(read)?;
            }
        }
        Some(function.call(values))
    }

    fn path(&self, path: &Path, at: Context<'a, 'i>) -> Option<Vec<Item<'a, 'i>>> {
        let mut nodes = match &path.start {
            Start::Root => vec![self.root],
            Start::Context => vec![at.item],
            Start::Of(expression, predicates) => {
                let Value::Nodes(nodes) = self.value(expression, at)? else { return None };
                self.chosen(nodes, predicates)?
            }
        };
        for step in &path.steps {
            let mut found = Vec::new();
            for node in nodes {
                found.extend(self.step(step, node)?);
            }
            nodes = ordered(found);
        }
        Some(nodes)
    }

    /// The nodes that a step leads to from one node, in the order of its axis.
    fn step(&self, step: &Step, from: Item<'a, 'i>) -> Option<Vec<Item<'a, 'i>>> {
        let mut nodes = Vec::new();
        for item in axis(step.axis, from) {
            self.look(1)?;
            if passes(&step.test, step.axis, &item) {
                nodes.push(item);
            }
        }
        self.chosen(nodes, &step.predicates)
    }

    /// Those of `nodes` of which all predicates hold.
    fn chosen(
        &self,
        mut nodes: Vec<Item<'a, 'i>>,
        predicates: &[Expression],
    ) -> Option<Vec<Item<'a, 'i>>> {
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
        Some(nodes)
    }
}

/// The nodes of an axis, those first that are nearest.
fn axis<'a, 'i>(axis: Axis, from: Item<'a, 'i>) -> Box<dyn Iterator<Item = Item<'a, 'i>> + 'a>
where
    'i: 'a,
{
    let node = match from {
        Item::Node(node) => node,
        // Of an attribute there is little but what it belongs to.
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

/// Nodes in the order of the document, none twice.
fn ordered<'a, 'i>(mut nodes: Vec<Item<'a, 'i>>) -> Vec<Item<'a, 'i>> {
    nodes.sort_by_key(Item::key);
    nodes.dedup_by_key(|item| item.key());
    nodes
}

/// What an operator becomes where its sides change places.
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
