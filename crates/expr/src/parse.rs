//! Parses text into a tree, with the grammar of `java.pest` and pest's Pratt parser for operator precedence.

use super::literal;
use super::tree::{BinaryOperator, ElementName, EventPart, Literal, Node, TypeName, UnaryOperator};
use super::types::Primitive;
use super::{Expr, ParseError, Reference};
use pest::Parser as _;
use pest::error::{ErrorVariant, InputLocation};
use pest::iterators::{Pair, Pairs};
use pest::pratt_parser::{Assoc, Op, PrattParser};
use std::sync::{Arc, LazyLock};

// The derive macro generates public items without documentation.
#[allow(missing_docs)]
mod grammar {
    #[derive(pest_derive::Parser)]
    #[grammar = "java.pest"]
    pub(super) struct JavaParser;
}
use grammar::{JavaParser, Rule};

/// Maximum length of an expression in bytes. A longer text is probably not an expression.
const LONGEST: usize = 10_000;
/// Maximum number of brackets, conditionals and signs in an expression, and maximum height of its tree.
/// Parser and evaluator are recursive, so this bounds their stack use.
const DEEPEST: usize = 100;

static PRATT: LazyLock<PrattParser<Rule>> = LazyLock::new(|| {
    let left = |rule| Op::infix(rule, Assoc::Left);
    PrattParser::new()
        .op(left(Rule::or))
        .op(left(Rule::and))
        .op(left(Rule::bit_or))
        .op(left(Rule::bit_xor))
        .op(left(Rule::bit_and))
        .op(left(Rule::equal) | left(Rule::not_equal))
        .op(left(Rule::less)
            | left(Rule::less_equal)
            | left(Rule::greater)
            | left(Rule::greater_equal)
            | Op::postfix(Rule::instance_of))
        .op(left(Rule::shift_left) | left(Rule::shift_right) | left(Rule::unsigned_shift_right))
        .op(left(Rule::add) | left(Rule::subtract))
        .op(left(Rule::multiply) | left(Rule::divide) | left(Rule::remainder))
});

/// A problem and its byte offset in the text.
type Problem = (usize, String);

pub(super) fn expression(text: &str) -> Result<Expr, ParseError> {
    let mut pairs = parse(Rule::expression_text, text)?;
    let node = pairs.next().map_or_else(|| Err(missing()), expr).and_then(not_too_high);
    Ok(Expr { text: text.trim().into(), node: Arc::new(node.map_err(|p| at(text, p))?) })
}

impl Reference {
    /// Parses a reference.
    ///
    /// # Errors
    /// The column and what was expected there.
    pub fn parse(text: &str) -> Result<Reference, ParseError> {
        let mut pairs = parse(Rule::reference_text, text)?.peekable();
        let point = pairs.next_if(|p| p.as_rule() == Rule::point);
        let (point, frame) = point.map_or(Ok((None, 0)), point_and_frame).map_err(|p| at(text, p))?;
        let pair = pairs.next();
        let source = pair.as_ref().map_or("", Pair::as_str).trim();
        let node =
            pair.map_or_else(|| Err(missing()), expr).and_then(not_too_high).map_err(|p| at(text, p))?;
        Ok(Reference { point, frame, expr: Expr { text: source.into(), node: Arc::new(node) } })
    }
}

fn missing() -> Problem {
    (0, "expected an expression".to_owned())
}

fn at(text: &str, (offset, problem): Problem) -> ParseError {
    let column = 1 + text.get(..offset).unwrap_or(text).chars().count();
    ParseError { text: text.to_owned(), column, problem }
}

fn not_too_high(node: Node) -> Result<Node, Problem> {
    if node.height() > DEEPEST { Err((0, format!("nested deeper than {DEEPEST}"))) } else { Ok(node) }
}

fn parse(rule: Rule, text: &str) -> Result<Pairs<'_, Rule>, ParseError> {
    if text.len() > LONGEST {
        let shown: String = text.chars().take(40).collect();
        let problem = format!("an expression of {} bytes; the maximum is {LONGEST}", text.len());
        return Err(ParseError { text: format!("{shown}…"), column: 1, problem });
    }
    if let Some(offset) = too_deep(text) {
        return Err(at(text, (offset, format!("more than {DEEPEST} brackets, signs and conditionals"))));
    }
    JavaParser::parse(rule, text).map_err(|error| {
        let offset = match error.location {
            InputLocation::Pos(offset) | InputLocation::Span((offset, _)) => offset,
        };
        let wanted = match &error.variant {
            ErrorVariant::ParsingError { positives, .. } => expected(positives),
            ErrorVariant::CustomError { message } => message.clone(),
        };
        at(text, (offset, format!("expected {wanted}, found {}", found(text, offset))))
    })
}

/// The offset of the first bracket, sign or `?` beyond the limit. Counts everything that makes the parser
/// recurse.
fn too_deep(text: &str) -> Option<usize> {
    let mut quote = None;
    let mut escaped = false;
    let mut count = 0;
    for (offset, c) in text.char_indices() {
        match quote {
            Some(_) if escaped => escaped = false,
            Some(_) if c == '\\' => escaped = true,
            Some(q) if c == q => quote = None,
            Some(_) => {}
            None if c == '"' || c == '\'' => quote = Some(c),
            None if "([?!~+-".contains(c) => count += 1,
            None => {}
        }
        if count > DEEPEST {
            return Some(offset);
        }
    }
    None
}

/// Describes what the grammar expected, in words for the user.
fn expected(rules: &[Rule]) -> String {
    let mut words: Vec<&str> = Vec::new();
    for rule in rules {
        let word = match rule {
            Rule::EOI => "the end",
            Rule::point | Rule::point_id => continue,
            Rule::frame => "a frame number",
            Rule::identifier | Rule::qualified => "a name",
            Rule::arguments => "arguments",
            Rule::type_name | Rule::reference_type | Rule::primitive | Rule::dimension => "a type",
            Rule::index | Rule::mapped | Rule::call_member | Rule::outer_this | Rule::member => "a member",
            Rule::unary
            | Rule::negate
            | Rule::plus
            | Rule::not
            | Rule::complement
            | Rule::cast
            | Rule::postfix
            | Rule::expr
            | Rule::binary
            | Rule::parentheses
            | Rule::call
            | Rule::name
            | Rule::event
            | Rule::floating
            | Rule::integer
            | Rule::character
            | Rule::string
            | Rule::true_word
            | Rule::false_word
            | Rule::null_word
            | Rule::this_word
            | Rule::super_word => "an expression",
            _ => "an operator",
        };
        if !words.contains(&word) {
            words.push(word);
        }
    }
    match words.split_last() {
        None => "an expression".to_owned(),
        Some((only, [])) => (*only).to_owned(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
    }
}

/// Describes the text at the offset, with a hint if it is not part of the language.
fn found(text: &str, offset: usize) -> String {
    let rest = text.get(offset..).unwrap_or_default().trim_start();
    let before = text.get(..offset).unwrap_or_default().trim_end();
    let Some(first) = rest.chars().next() else { return "the end".to_owned() };
    let word: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_' || *c == '$').collect();
    let token = if word.is_empty() { first.to_string() } else { word };
    let hint = if rest.starts_with("++") || rest.starts_with("--") || before.ends_with("++") {
        "; expressions cannot change variables"
    } else if rest.starts_with("->") || rest.starts_with("::") {
        "; expressions have no lambdas"
    } else if rest.starts_with('=') || rest.chars().nth(1) == Some('=') {
        "; expressions cannot assign; use `==` to compare"
    } else if token == "new" {
        "; expressions cannot create objects"
    } else if token == "class" {
        "; expressions have no class literals"
    } else {
        ""
    };
    format!("`{token}`{hint}")
}

fn point_and_frame(pair: Pair<'_, Rule>) -> Result<(Option<String>, i32), Problem> {
    let mut point = None;
    let mut frame = 0;
    for part in pair.into_inner() {
        match part.as_rule() {
            Rule::frame => {
                let offset = part.as_span().start();
                frame = part
                    .as_str()
                    .parse()
                    .map_err(|_| (offset, format!("no stack has a frame {}", part.as_str())))?;
            }
            _ => point = Some(part.as_str().to_owned()),
        }
    }
    Ok((point, frame))
}

/// Takes the next child. The grammar guarantees that it exists; otherwise the error says where it is missing.
fn next<'a>(pairs: &mut Pairs<'a, Rule>, offset: usize) -> Result<Pair<'a, Rule>, Problem> {
    pairs.next().ok_or((offset, "expected an expression".to_owned()))
}

fn expr(pair: Pair<'_, Rule>) -> Result<Node, Problem> {
    let offset = pair.as_span().start();
    let mut inner = pair.into_inner();
    let condition = binary(next(&mut inner, offset)?)?;
    match (inner.next(), inner.next()) {
        (Some(yes), Some(no)) => Ok(Node::Conditional {
            condition: Box::new(condition),
            yes: Box::new(expr(yes)?),
            no: Box::new(expr(no)?),
        }),
        _ => Ok(condition),
    }
}

fn binary(pair: Pair<'_, Rule>) -> Result<Node, Problem> {
    PRATT
        .map_primary(unary)
        .map_infix(|left, operator, right| {
            Ok(Node::Binary {
                operator: infix(operator.as_rule()),
                left: Box::new(left?),
                right: Box::new(right?),
            })
        })
        .map_postfix(|operand, operator| {
            let offset = operator.as_span().start();
            let class = operator.into_inner().find(|p| p.as_rule() == Rule::type_name);
            let class = class.and_then(type_name).ok_or((offset, "expected a type".to_owned()))?;
            Ok(Node::InstanceOf { operand: Box::new(operand?), class })
        })
        .parse(pair.into_inner())
}

fn infix(rule: Rule) -> BinaryOperator {
    match rule {
        Rule::or => BinaryOperator::Or,
        Rule::and => BinaryOperator::And,
        Rule::bit_or => BinaryOperator::BitOr,
        Rule::bit_xor => BinaryOperator::BitXor,
        Rule::bit_and => BinaryOperator::BitAnd,
        Rule::equal => BinaryOperator::Equal,
        Rule::not_equal => BinaryOperator::NotEqual,
        Rule::less => BinaryOperator::Less,
        Rule::less_equal => BinaryOperator::LessEqual,
        Rule::greater => BinaryOperator::Greater,
        Rule::greater_equal => BinaryOperator::GreaterEqual,
        Rule::shift_left => BinaryOperator::ShiftLeft,
        Rule::shift_right => BinaryOperator::ShiftRight,
        Rule::unsigned_shift_right => BinaryOperator::UnsignedShiftRight,
        Rule::add => BinaryOperator::Add,
        Rule::subtract => BinaryOperator::Subtract,
        Rule::multiply => BinaryOperator::Multiply,
        Rule::divide => BinaryOperator::Divide,
        // The Pratt parser passes only operators of its table, and this is the last of them.
        _ => BinaryOperator::Remainder,
    }
}

fn unary(pair: Pair<'_, Rule>) -> Result<Node, Problem> {
    let offset = pair.as_span().start();
    let mut inner = pair.into_inner();
    let first = next(&mut inner, offset)?;
    let operator = match first.as_rule() {
        Rule::negate => UnaryOperator::Negate,
        Rule::plus => UnaryOperator::Plus,
        Rule::not => UnaryOperator::Not,
        Rule::complement => UnaryOperator::Complement,
        Rule::cast => return cast(first),
        _ => return postfix(first),
    };
    let operand = next(&mut inner, offset)?;
    // -2147483648 is one literal, because its magnitude alone does not fit (JLS §3.10.1).
    let magnitude = operand.as_str().trim_end();
    let plain = magnitude.replace('_', "").to_ascii_uppercase();
    let smallest = matches!(plain.as_str(), "2147483648" | "9223372036854775808L");
    if operator == UnaryOperator::Negate && smallest {
        let literal = literal::integer(magnitude, true).map_err(|p| (offset, p))?;
        return Ok(Node::Literal(literal));
    }
    Ok(Node::Unary { operator, operand: Box::new(unary(operand)?) })
}

fn cast(pair: Pair<'_, Rule>) -> Result<Node, Problem> {
    let offset = pair.as_span().start();
    let mut inner = pair.into_inner();
    let to = next(&mut inner, offset)?;
    let to = if to.as_rule() == Rule::primitive { primitive(&to) } else { type_name(to) };
    let to = to.ok_or((offset, "expected a type".to_owned()))?;
    let operand = Box::new(unary(next(&mut inner, offset)?)?);
    Ok(Node::Cast { to, operand })
}

fn primitive(pair: &Pair<'_, Rule>) -> Option<TypeName> {
    let element = ElementName::Primitive(Primitive::from_keyword(pair.as_str())?);
    Some(TypeName { element, dimensions: 0 })
}

fn type_name(pair: Pair<'_, Rule>) -> Option<TypeName> {
    let mut inner = pair.into_inner();
    let element = inner.next()?;
    let dimensions = inner.filter(|p| p.as_rule() == Rule::dimension).count();
    let element = match element.as_rule() {
        Rule::primitive => ElementName::Primitive(Primitive::from_keyword(element.as_str())?),
        _ => {
            let parts: Vec<_> = element.into_inner().map(|p| p.as_str()).collect();
            ElementName::Class(parts.join("."))
        }
    };
    Some(TypeName { element, dimensions })
}

fn postfix(pair: Pair<'_, Rule>) -> Result<Node, Problem> {
    let offset = pair.as_span().start();
    let mut inner = pair.into_inner();
    let mut node = primary(next(&mut inner, offset)?)?;
    for selector in inner {
        let offset = selector.as_span().start();
        let rule = selector.as_rule();
        let mut parts = selector.into_inner();
        let part = next(&mut parts, offset)?;
        if node == Node::Super && !matches!(rule, Rule::member | Rule::call_member) {
            return Err((offset, "expected a member of `super`".to_owned()));
        }
        node = match rule {
            Rule::index => Node::Index { array: Box::new(node), index: Box::new(expr(part)?) },
            Rule::mapped => Node::Mapped { map: Box::new(node), key: Box::new(expr(part)?) },
            Rule::outer_this => match node.dotted() {
                Some(class) => Node::OuterThis(class.join(".")),
                None => return Err((offset, "`.this` must follow the name of a class".to_owned())),
            },
            Rule::call_member => Node::Call {
                owner: Some(Box::new(node)),
                name: part.as_str().to_owned(),
                arguments: arguments(next(&mut parts, offset)?)?,
            },
            _ => Node::Field { owner: Box::new(node), name: part.as_str().to_owned() },
        };
    }
    match node {
        Node::Super => Err((offset, "expected a member of `super`".to_owned())),
        node => Ok(node),
    }
}

fn arguments(pair: Pair<'_, Rule>) -> Result<Vec<Node>, Problem> {
    pair.into_inner().map(expr).collect()
}

fn primary(pair: Pair<'_, Rule>) -> Result<Node, Problem> {
    let offset = pair.as_span().start();
    let text = pair.as_str();
    let literal = |found: Result<Literal, String>| found.map(Node::Literal).map_err(|p| (offset, p));
    match pair.as_rule() {
        Rule::floating => literal(literal::floating(text)),
        Rule::integer => literal(literal::integer(text, false)),
        Rule::character => literal(literal::character(text)),
        Rule::string => Ok(Node::Literal(literal::string(text))),
        Rule::true_word => Ok(Node::Literal(Literal::Boolean(true))),
        Rule::false_word => Ok(Node::Literal(Literal::Boolean(false))),
        Rule::null_word => Ok(Node::Literal(Literal::Null)),
        Rule::this_word => Ok(Node::This),
        Rule::super_word => Ok(Node::Super),
        Rule::event => {
            let part = EventPart::ALL.into_iter().find(|p| text.get(1..) == Some(p.word()));
            part.map(Node::Event).ok_or((offset, "expected an expression".to_owned()))
        }
        Rule::parentheses => expr(next(&mut pair.into_inner(), offset)?),
        Rule::call => {
            let mut parts = pair.into_inner();
            let name = next(&mut parts, offset)?.as_str().to_owned();
            Ok(Node::Call { owner: None, name, arguments: arguments(next(&mut parts, offset)?)? })
        }
        _ => Ok(Node::Name(text.trim_end().to_owned())),
    }
}
