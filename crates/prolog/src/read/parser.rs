//! An operator precedence parser over the tokens of one clause. Its stacks are explicit: no nesting of the
//! text
//! can exhaust the native stack.

use std::collections::HashMap;
use std::sync::Arc;

use super::error::Span;
use super::operators::{Infix, Prefix, infix, prefix};
use super::tokens::{Kind, Token};
use crate::atoms::{AtomId, Atoms, known};
use crate::term::{Node, NodeId, Term};

/// A term that was read, with the names of its variables and the place of each node.
#[derive(Clone, Debug, Default)]
pub struct ReadTerm {
    /// The term; variables are numbered in the order of their first occurrence.
    pub term: Term,
    /// The place of each node, by its index.
    pub(crate) spans: Vec<Span>,
    /// Names of the variables; each `_` is one of its own.
    pub variables: Vec<String>,
    /// How often each variable occurs.
    pub(crate) occurrences: Vec<u32>,
    /// The place of the whole clause.
    pub span: Span,
}

impl ReadTerm {
    /// The place of a node in the text.
    #[must_use]
    pub fn span_of(&self, node: NodeId) -> Span {
        self.spans.get(node.0 as usize).copied().unwrap_or(self.span)
    }

    /// The first place of a variable.
    pub(crate) fn spans_of_variable(&self, name: &str) -> Span {
        let number = self.variables.iter().position(|n| n == name).unwrap_or(usize::MAX);
        let is_it = |node: &Node| matches!(node, Node::Var(n) if *n as usize == number);
        let index = self.term.nodes.iter().position(is_it).unwrap_or(usize::MAX);
        self.spans.get(index).copied().unwrap_or(self.span)
    }
}

/// An operator that waits for its right argument.
#[derive(Clone, Copy)]
enum Pending {
    Prefix(Prefix),
    Infix(Infix),
}

/// A delimiter that is still open.
enum Open {
    Clause,
    Paren,
    Curly,
    Args {
        name: AtomId,
    },
    List,
    /// After the `|` of a list.
    Tail,
}

struct Frame {
    open: Open,
    span: Span,
    /// Height of the operator stack when it was opened.
    operators: usize,
    /// The finished arguments or elements.
    items: Vec<NodeId>,
}

struct Parser<'t> {
    text: &'t str,
    tokens: &'t [Token],
    at: usize,
    atoms: &'t Arc<Atoms>,
    read: ReadTerm,
    names: HashMap<&'t str, u32>,
    frames: Vec<Frame>,
    operators: Vec<(Pending, AtomId, Span)>,
    operands: Vec<(NodeId, u16)>,
}

type Parsed<T> = Result<T, (Span, String)>;

/// Parses the tokens of a clause without its end.
pub(super) fn parse(text: &str, tokens: &[Token], whole: Span, atoms: &Arc<Atoms>) -> Parsed<ReadTerm> {
    let mut parser = Parser {
        text,
        tokens,
        at: 0,
        atoms,
        read: ReadTerm { span: whole, ..ReadTerm::default() },
        names: HashMap::new(),
        frames: vec![Frame { open: Open::Clause, span: whole, operators: 0, items: Vec::new() }],
        operators: Vec::new(),
        operands: Vec::new(),
    };
    loop {
        parser.operand()?;
        if !parser.after_operand()? {
            break;
        }
    }
    parser.read.term.root = parser.operands.pop().map(|(node, _)| node);
    Ok(parser.read)
}

impl<'t> Parser<'t> {
    fn token(&self) -> Option<&'t Token> {
        self.tokens.get(self.at)
    }

    fn source(&self, span: Span) -> &'t str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    fn push(&mut self, node: Node, span: Span) -> NodeId {
        self.read.spans.push(span);
        self.read.term.push(node)
    }

    fn compound(&mut self, name: AtomId, args: &[NodeId], span: Span) -> NodeId {
        self.read.spans.push(span);
        self.read.term.push_compound(name, args)
    }

    /// The text of a token that can be an atom.
    fn atom_of(&self, token: &'t Token) -> Option<&'t str> {
        match &token.kind {
            Kind::Name => Some(self.source(token.span)),
            Kind::Quoted(text) => Some(text),
            _ => None,
        }
    }

    fn opens_args(&self, after: &Token) -> bool {
        self.token().is_some_and(|t| t.kind == Kind::Punct(b'(') && t.span.start == after.span.end)
    }

    fn open(&mut self, open: Open, span: Span) {
        let operators = self.operators.len();
        self.frames.push(Frame { open, span, operators, items: Vec::new() });
    }

    /// Reads up to a whole operand; delimiters that open on the way become frames.
    fn operand(&mut self) -> Parsed<()> {
        loop {
            let Some(token) = self.token() else {
                return Err(self.unexpected(None, "a term"));
            };
            self.at += 1;
            let span = token.span;
            match &token.kind {
                Kind::Bad(message) => return Err((span, message.clone())),
                Kind::Variable => {
                    let node = self.variable(span);
                    self.operands.push((node, 0));
                    return Ok(());
                }
                Kind::Integer(value) => {
                    let Ok(value) = i64::try_from(*value) else {
                        return Err((span, "the integer does not fit into 64 bits".to_owned()));
                    };
                    let node = self.push(Node::Int(value), span);
                    self.operands.push((node, 0));
                    return Ok(());
                }
                Kind::Float(value) => {
                    let node = self.push(Node::Float(*value), span);
                    self.operands.push((node, 0));
                    return Ok(());
                }
                Kind::String(text) => {
                    self.read.spans.push(span);
                    let node = self.read.term.push_str(text);
                    self.operands.push((node, 0));
                    return Ok(());
                }
                Kind::Punct(b'(') => self.open(Open::Paren, span),
                Kind::Punct(open @ (b'[' | b'{')) => {
                    let close = if *open == b'[' { b']' } else { b'}' };
                    if let Some(next) = self.token().filter(|t| t.kind == Kind::Punct(close)) {
                        self.at += 1;
                        let name = if *open == b'[' { known::NIL } else { known::CURLY };
                        let name_token = Token { kind: Kind::Name, span: span.to(next.span) };
                        if self.opens_args(&name_token) {
                            self.at += 1;
                            self.open(Open::Args { name }, name_token.span);
                            continue;
                        }
                        let node = self.push(Node::Atom(name), name_token.span);
                        self.operands.push((node, 0));
                        return Ok(());
                    }
                    self.open(if *open == b'[' { Open::List } else { Open::Curly }, span);
                }
                Kind::Name | Kind::Quoted(_) => {
                    let name = self.atom_of(token).unwrap_or_default();
                    if self.name(token, name)? {
                        return Ok(());
                    }
                }
                Kind::Punct(_) | Kind::End => {
                    self.at -= 1;
                    return Err(self.unexpected(Some(token), "a term"));
                }
            }
        }
    }

    /// Handles an atom at the place of an operand. True if it is a whole operand.
    fn name(&mut self, token: &'t Token, name: &str) -> Parsed<bool> {
        let span = token.span;
        let atom = self.atoms.intern(name);
        if self.opens_args(token) {
            self.at += 1;
            self.open(Open::Args { name: atom }, span);
            return Ok(false);
        }
        if name == "-"
            && token.kind == Kind::Name
            && let Some(next) = self.token()
            && next.span.start == span.end
        {
            let node = match next.kind {
                Kind::Integer(value) => match 0_i64.checked_sub_unsigned(value) {
                    Some(value) => Node::Int(value),
                    None => return Err((span, "the integer does not fit into 64 bits".to_owned())),
                },
                Kind::Float(value) => Node::Float(-value),
                _ => Node::Atom(atom),
            };
            if !matches!(node, Node::Atom(_)) {
                self.at += 1;
                let node = self.push(node, span.to(next.span));
                self.operands.push((node, 0));
                return Ok(true);
            }
        }
        if let Some(op) = prefix(name)
            && token.kind == Kind::Name
            && self.starts_argument()
        {
            self.operators.push((Pending::Prefix(op), atom, span));
            return Ok(false);
        }
        let node = self.push(Node::Atom(atom), span);
        self.operands.push((node, 0));
        Ok(true)
    }

    /// Whether what follows a prefix operator is its argument, and not an infix operator or an end.
    fn starts_argument(&self) -> bool {
        let Some(next) = self.token() else { return false };
        let Some(name) = self.atom_of(next) else {
            return !matches!(next.kind, Kind::Punct(b')' | b']' | b'}' | b',' | b'|') | Kind::End);
        };
        if infix(name).is_none() {
            return true;
        }
        // An infix operator follows. It is an argument only if it starts a term itself.
        let Some(after) = self.tokens.get(self.at + 1) else { return true };
        if after.kind == Kind::Punct(b'(') && after.span.start == next.span.end {
            return true;
        }
        let ends = matches!(after.kind, Kind::Punct(b')' | b']' | b'}' | b',' | b'|') | Kind::End);
        ends || prefix(name).is_some()
    }

    fn variable(&mut self, span: Span) -> NodeId {
        let name = self.source(span);
        let next = u32::try_from(self.read.variables.len()).unwrap_or(u32::MAX);
        let number = if name == "_" { next } else { *self.names.entry(name).or_insert(next) };
        if number == next {
            self.read.variables.push(name.to_owned());
            self.read.occurrences.push(0);
        }
        if let Some(count) = self.read.occurrences.get_mut(number as usize) {
            *count += 1;
        }
        self.push(Node::Var(number), span)
    }

    /// Handles what follows an operand. True if another operand must follow, false at the end of the clause.
    fn after_operand(&mut self) -> Parsed<bool> {
        loop {
            let Some(token) = self.token() else {
                return match self.frames.last().map(|frame| &frame.open) {
                    Some(Open::Clause) => {
                        self.reduce(1200)?;
                        Ok(false)
                    }
                    _ => Err(self.unexpected(None, self.expected())),
                };
            };
            // As in SWI-Prolog, an argument may have any priority; only `,` ends it, and `|` in a list.
            let (in_list, in_items) = match self.frames.last().map(|frame| &frame.open) {
                Some(Open::Args { .. }) => (false, true),
                Some(Open::List) => (true, true),
                Some(Open::Tail) => (true, false),
                _ => (false, false),
            };
            let name = match &token.kind {
                Kind::Bad(message) => return Err((token.span, message.clone())),
                Kind::Punct(b',') if in_items => {
                    self.item()?;
                    self.at += 1;
                    return Ok(true);
                }
                Kind::Punct(b'|') if in_list => {
                    let Some(frame) = self.frames.last().filter(|f| matches!(f.open, Open::List)) else {
                        return Err(self.unexpected(Some(token), self.expected()));
                    };
                    let span = frame.span;
                    self.item()?;
                    self.at += 1;
                    if let Some(frame) = self.frames.last_mut() {
                        frame.open = Open::Tail;
                        frame.span = span;
                    }
                    return Ok(true);
                }
                Kind::Punct(b',') if !in_list => ",",
                Kind::Punct(b'|') => "|",
                Kind::Punct(close @ (b')' | b']' | b'}')) => {
                    self.close(*close, token)?;
                    continue;
                }
                _ => match self.atom_of(token) {
                    Some(name) => name,
                    None => return Err(self.unexpected(Some(token), self.expected())),
                },
            };
            let Some(op) = infix(name) else {
                return Err(self.unexpected(Some(token), self.expected()));
            };
            self.at += 1;
            self.reduce_before(op, token.span, name)?;
            let atom = self.atoms.intern(name);
            self.operators.push((Pending::Infix(op), atom, token.span));
            return Ok(true);
        }
    }

    /// Builds the terms that end before an infix operator.
    fn reduce_before(&mut self, op: Infix, span: Span, name: &str) -> Parsed<()> {
        let base = self.frames.last().map_or(0, |frame| frame.operators);
        while self.operators.len() > base
            && let Some(&(top, ..)) = self.operators.last()
        {
            let right = match top {
                Pending::Prefix(top) => top.right,
                Pending::Infix(top) => top.right,
            };
            if op.priority <= right {
                break;
            }
            self.apply()?;
        }
        match self.operands.last() {
            Some(&(_, priority)) if priority > op.left => Err((
                span,
                format!("the left argument of `{name}` has priority {priority}; put it in parentheses"),
            )),
            _ => Ok(()),
        }
    }

    /// Builds all terms of the innermost frame.
    fn reduce(&mut self, max: u16) -> Parsed<()> {
        let base = self.frames.last().map_or(0, |frame| frame.operators);
        while self.operators.len() > base {
            self.apply()?;
        }
        match self.operands.last() {
            Some(&(node, priority)) if priority > max => {
                let span = self.read.span_of(node);
                Err((
                    span,
                    format!("a term of priority {priority} stands where at most {max} may; add parentheses"),
                ))
            }
            _ => Ok(()),
        }
    }

    /// Builds the term of the innermost operator.
    fn apply(&mut self) -> Parsed<()> {
        let (Some((pending, name, span)), Some((right, priority))) =
            (self.operators.pop(), self.operands.pop())
        else {
            return Ok(());
        };
        let right_span = self.read.span_of(right);
        let (node, own, max) = match pending {
            Pending::Prefix(op) => {
                (self.compound(name, &[right], span.to(right_span)), op.priority, op.right)
            }
            Pending::Infix(op) => {
                let Some((left, _)) = self.operands.pop() else { return Ok(()) };
                let whole = self.read.span_of(left).to(right_span);
                (self.compound(name, &[left, right], whole), op.priority, op.right)
            }
        };
        if priority > max {
            let message = format!(
                "the right argument of `{}` has priority {priority}; put it in parentheses",
                self.atoms.text(name)
            );
            return Err((span, message));
        }
        self.operands.push((node, own));
        Ok(())
    }

    /// Ends an argument or element.
    fn item(&mut self) -> Parsed<()> {
        self.reduce(1200)?;
        if let (Some(frame), Some((node, _))) = (self.frames.last_mut(), self.operands.pop()) {
            frame.items.push(node);
        }
        Ok(())
    }

    fn close(&mut self, close: u8, token: &Token) -> Parsed<()> {
        let fits = match self.frames.last().map(|frame| &frame.open) {
            Some(Open::Paren | Open::Args { .. }) => close == b')',
            Some(Open::List | Open::Tail) => close == b']',
            Some(Open::Curly) => close == b'}',
            Some(Open::Clause) | None => false,
        };
        if !fits {
            return Err(self.unexpected(Some(token), self.expected()));
        }
        self.at += 1;
        match self.frames.last().map(|frame| &frame.open) {
            Some(Open::Args { .. } | Open::List | Open::Tail) => self.item()?,
            _ => self.reduce(1200)?,
        }
        let Some(mut frame) = self.frames.pop() else { return Ok(()) };
        let span = frame.span.to(token.span);
        let node = match frame.open {
            Open::Clause => return Ok(()),
            Open::Paren => {
                // The parentheses belong to the place of the term only for the priority.
                if let Some((_, priority)) = self.operands.last_mut() {
                    *priority = 0;
                }
                return Ok(());
            }
            Open::Curly => match self.operands.pop() {
                Some((inner, _)) => self.compound(known::CURLY, &[inner], span),
                None => return Ok(()),
            },
            Open::Args { name } => self.compound(name, &frame.items, span),
            Open::List => {
                let nil = self.push(Node::Atom(known::NIL), token.span);
                self.list(&frame.items, nil, span)
            }
            Open::Tail => match frame.items.pop() {
                Some(tail) => self.list(&frame.items, tail, span),
                None => return Ok(()),
            },
        };
        self.operands.push((node, 0));
        Ok(())
    }

    fn list(&mut self, items: &[NodeId], tail: NodeId, span: Span) -> NodeId {
        items.iter().rev().fold(tail, |tail, &item| {
            let whole = Span { start: self.read.span_of(item).start, end: span.end };
            self.compound(known::DOT, &[item, tail], whole)
        })
    }

    /// What may follow an operand in the innermost frame.
    fn expected(&self) -> String {
        let Some(frame) = self.frames.last() else { return "an operator".to_owned() };
        match &frame.open {
            Open::Clause => "an operator or `.` at the end of the clause".to_owned(),
            Open::Paren => "an operator or `)`".to_owned(),
            Open::Curly => "an operator or `}`".to_owned(),
            Open::Args { name } => format!("`)` or `,` in the arguments of `{}`", self.atoms.text(*name)),
            Open::List => "`]`, `,` or `|` in the list".to_owned(),
            Open::Tail => "`]` after the tail of the list".to_owned(),
        }
    }

    fn unexpected(&self, token: Option<&Token>, expected: impl std::fmt::Display) -> (Span, String) {
        let context = match self.frames.last().map(|frame| (&frame.open, frame.span)) {
            Some((Open::Paren, _)) if token.is_none() => " in the parentheses",
            _ => "",
        };
        match token {
            Some(token) if token.kind != Kind::End => {
                let found = self.source(token.span);
                (token.span, format!("found `{found}`, expected {expected}{context}"))
            }
            _ => {
                let end = self.read.span.end;
                let span = Span { start: end.saturating_sub(1), end };
                (span, format!("found the end of the clause, expected {expected}{context}"))
            }
        }
    }
}
