//! Terms outside a machine: flat, owned, and without recursion in any operation.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use crate::atoms::{AtomId, Atoms, known};
use crate::limits::{Allowance, Stopped};
use crate::read::error::SyntaxError;
use crate::write::{Style, Written};

/// A node of a [`Term`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct NodeId(pub(crate) u32);

/// What a term is, seen from outside. Compounds give their arguments by [`Cursor::arg`] or
/// [`crate::Call::arg_of`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum View<'a> {
    /// An unbound variable; equal numbers are the same variable.
    Var(usize),
    /// An atom.
    Atom(AtomId),
    /// An integer.
    Int(i64),
    /// A float.
    Float(f64),
    /// A string.
    Str(&'a str),
    /// A compound; a list cell is `'[|]'(Head, Tail)`.
    Compound {
        /// Name of the functor.
        name: AtomId,
        /// Number of arguments.
        arity: usize,
    },
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Node {
    Var(u32),
    Atom(AtomId),
    Int(i64),
    Float(f64),
    Str { start: u32, len: u32 },
    Compound { name: AtomId, first: u32, arity: u32 },
}

/// A term as an arena of nodes.
#[derive(Clone, Debug, Default)]
pub struct Term {
    pub(crate) nodes: Vec<Node>,
    pub(crate) args: Vec<NodeId>,
    pub(crate) text: String,
    pub(crate) root: Option<NodeId>,
}

impl Term {
    pub(crate) fn push(&mut self, node: Node) -> NodeId {
        let id = NodeId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.nodes.push(node);
        id
    }

    pub(crate) fn push_str(&mut self, text: &str) -> NodeId {
        let narrow = |n| u32::try_from(n).unwrap_or(u32::MAX);
        let node = Node::Str { start: narrow(self.text.len()), len: narrow(text.len()) };
        self.text.push_str(text);
        self.push(node)
    }

    pub(crate) fn push_compound(&mut self, name: AtomId, args: &[NodeId]) -> NodeId {
        let narrow = |n| u32::try_from(n).unwrap_or(u32::MAX);
        let node = Node::Compound { name, first: narrow(self.args.len()), arity: narrow(args.len()) };
        self.args.extend_from_slice(args);
        self.push(node)
    }

    /// The number of nodes.
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "a term has a node")]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The node of the whole term.
    #[must_use]
    pub fn root(&self) -> NodeId {
        self.root.unwrap_or(NodeId(0))
    }

    pub(crate) fn node(&self, id: NodeId) -> Node {
        self.nodes.get(id.0 as usize).copied().unwrap_or(Node::Atom(known::NIL))
    }

    /// What a node is.
    #[must_use]
    pub fn view(&self, id: NodeId) -> View<'_> {
        match self.node(id) {
            Node::Var(n) => View::Var(n as usize),
            Node::Atom(atom) => View::Atom(atom),
            Node::Int(value) => View::Int(value),
            Node::Float(value) => View::Float(value),
            Node::Str { start, len } => {
                View::Str(self.text.get(start as usize..(start + len) as usize).unwrap_or_default())
            }
            Node::Compound { name, arity, .. } => View::Compound { name, arity: arity as usize },
        }
    }

    /// The arguments of a compound; empty for anything else.
    #[must_use]
    pub fn args(&self, id: NodeId) -> &[NodeId] {
        match self.node(id) {
            Node::Compound { first, arity, .. } => {
                self.args.get(first as usize..(first + arity) as usize).unwrap_or_default()
            }
            _ => &[],
        }
    }

    /// The name of an atom or compound, and the number of its arguments.
    #[must_use]
    pub fn functor(&self, id: NodeId) -> Option<(AtomId, usize)> {
        match self.node(id) {
            Node::Atom(name) => Some((name, 0)),
            Node::Compound { name, arity, .. } => Some((name, arity as usize)),
            _ => None,
        }
    }

    /// The two arguments of a compound of this name.
    pub(crate) fn pair(&self, id: NodeId, name: AtomId) -> Option<(NodeId, NodeId)> {
        match (self.node(id), self.args(id)) {
            (Node::Compound { name: n, .. }, &[a, b]) if n == name => Some((a, b)),
            _ => None,
        }
    }
}

/// Terms that the writer and the comparison can walk.
pub(crate) trait Terms {
    type Ref: Copy;
    fn look(&self, term: Self::Ref) -> View<'_>;
    fn child(&self, term: Self::Ref, index: usize) -> Self::Ref;
}

impl Terms for Term {
    type Ref = NodeId;

    fn look(&self, term: NodeId) -> View<'_> {
        self.view(term)
    }

    fn child(&self, term: NodeId, index: usize) -> NodeId {
        self.args(term).get(index).copied().unwrap_or(NodeId(0))
    }
}

/// An owned term that an answer gives, with the atoms that it needs.
#[derive(Clone)]
pub struct Value {
    pub(crate) term: Arc<Term>,
    pub(crate) root: NodeId,
    pub(crate) atoms: Arc<Atoms>,
}

/// A place in a [`Value`].
#[derive(Clone, Copy)]
pub struct Cursor<'a> {
    value: &'a Value,
    node: NodeId,
}

impl Value {
    /// Reads one term; a final `.` is optional.
    ///
    /// # Errors
    /// The first syntax error of the text.
    pub fn read(text: &str, atoms: &Arc<Atoms>) -> Result<Value, SyntaxError> {
        let read = crate::read::clauses::read_term("term", text, atoms)?;
        Ok(Value { root: read.term.root(), term: Arc::new(read.term), atoms: Arc::clone(atoms) })
    }

    /// The place of the whole term.
    #[must_use]
    pub fn cursor(&self) -> Cursor<'_> {
        Cursor { value: self, node: self.root }
    }

    /// The text of an atom of this value.
    #[must_use]
    pub fn atom_text(&self, atom: AtomId) -> &str {
        self.atoms.text(atom)
    }

    /// The arena that contains the term.
    #[must_use]
    pub fn term(&self) -> &Term {
        &self.term
    }

    /// The node of the term in its arena.
    #[must_use]
    pub fn root(&self) -> NodeId {
        self.root
    }

    /// The text, as `Display` writes it, within limits.
    ///
    /// # Errors
    /// An exceeded limit.
    pub fn text_within(&self, allowance: &mut Allowance) -> Result<String, Stopped> {
        let (terms, atoms) = (&*self.term, &self.atoms);
        let mut out = Limited { text: String::new(), taken: 0, allowance, stopped: None };
        let written = Written { terms, atoms, root: self.root, style: Style::QUOTED }.write_to(&mut out);
        match (written, out.stopped) {
            (Err(_), Some(stopped)) => Err(stopped),
            _ => Ok(out.text),
        }
    }

    /// The text without quotes, as `print` would write it to a reader.
    #[must_use]
    pub fn plain(&self) -> String {
        Written { terms: &*self.term, atoms: &self.atoms, root: self.root, style: Style::PLAIN }.to_string()
    }
}

impl<'a> Cursor<'a> {
    /// What stands here.
    #[must_use]
    pub fn view(self) -> View<'a> {
        self.value.term.view(self.node)
    }

    /// An argument of the compound that stands here.
    #[must_use]
    pub fn arg(self, index: usize) -> Option<Cursor<'a>> {
        let node = *self.value.term.args(self.node).get(index)?;
        Some(Cursor { node, ..self })
    }

    /// The text of an atom or a string.
    #[must_use]
    pub fn text(self) -> Option<&'a str> {
        match self.view() {
            View::Atom(atom) => Some(self.value.atoms.text(atom)),
            View::Str(text) => Some(text),
            _ => None,
        }
    }

    /// The elements of a list, up to a tail that is no list cell.
    pub fn list(self) -> impl Iterator<Item = Cursor<'a>> {
        let mut at = self;
        std::iter::from_fn(move || {
            let (head, tail) = at.value.term.pair(at.node, known::DOT)?;
            at = Cursor { node: tail, ..at };
            Some(Cursor { node: head, ..at })
        })
    }

    /// An owned copy of what stands here.
    #[must_use]
    pub fn to_value(self) -> Value {
        Value { root: self.node, ..self.value.clone() }
    }
}

impl fmt::Display for Cursor<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let terms = &*self.value.term;
        Written { terms, atoms: &self.value.atoms, root: self.node, style: Style::QUOTED }.fmt(f)
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.cursor(), f)
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.cursor(), f)
    }
}

impl Ord for Value {
    /// The standard order of terms.
    fn cmp(&self, other: &Self) -> Ordering {
        let mut stack = vec![(self.cursor(), other.cursor())];
        while let Some((a, b)) = stack.pop() {
            let order = shallow(a, b);
            if order != Ordering::Equal {
                return order;
            }
            let arity = self.term.args(a.node).len();
            stack.extend((0..arity).rev().filter_map(|i| Some((a.arg(i)?, b.arg(i)?))));
        }
        Ordering::Equal
    }
}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Value {}

/// A text that an allowance limits.
struct Limited<'a> {
    text: String,
    /// The bytes that the allowance knows.
    taken: usize,
    allowance: &'a mut Allowance,
    stopped: Option<Stopped>,
}

impl fmt::Write for Limited<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        const BETWEEN: usize = 1 << 14;
        self.text.push_str(text);
        let more = self.text.len() - self.taken;
        if more < BETWEEN {
            return Ok(());
        }
        self.taken = self.text.len();
        self.allowance.take(more, || "while an answer was written".to_owned()).map_err(|stopped| {
            self.stopped = Some(stopped);
            fmt::Error
        })
    }
}

/// Compares two terms except for their arguments.
fn shallow(a: Cursor<'_>, b: Cursor<'_>) -> Ordering {
    let (x, y) = (a.view(), b.view());
    rank(&x).cmp(&rank(&y)).then_with(|| match (x, y) {
        (View::Var(a), View::Var(b)) => a.cmp(&b),
        (View::Atom(x), View::Atom(y)) => a.value.atoms.text(x).cmp(b.value.atoms.text(y)),
        (View::Str(a), View::Str(b)) => a.cmp(b),
        (View::Compound { name: m, arity: i }, View::Compound { name: n, arity: j }) => {
            i.cmp(&j).then_with(|| a.value.atoms.text(m).cmp(b.value.atoms.text(n)))
        }
        _ => numbers(&x, &y),
    })
}

/// The place of a kind in the standard order.
pub(crate) fn rank(view: &View<'_>) -> u8 {
    match view {
        View::Var(_) => 0,
        View::Int(_) | View::Float(_) => 1,
        View::Str(_) => 3,
        View::Atom(_) => 4,
        View::Compound { .. } => 5,
    }
}

/// Compares numbers by value, and a float before an equal integer.
pub(crate) fn numbers(x: &View<'_>, y: &View<'_>) -> Ordering {
    match (x, y) {
        (View::Int(a), View::Int(b)) => a.cmp(b),
        (View::Float(a), View::Float(b)) => a.partial_cmp(b).unwrap_or_else(|| b.is_nan().cmp(&a.is_nan())),
        (View::Int(a), View::Float(b)) => int_float(*a, *b).then(Ordering::Greater),
        (View::Float(a), View::Int(b)) => int_float(*b, *a).reverse().then(Ordering::Less),
        _ => Ordering::Equal,
    }
}

/// Compares an integer with a float exactly; NaN is below every integer.
pub(crate) fn int_float(int: i64, float: f64) -> Ordering {
    if float.is_nan() {
        return Ordering::Greater;
    }
    if float >= 9_223_372_036_854_775_808.0 {
        return Ordering::Less;
    }
    if float < -9_223_372_036_854_775_808.0 {
        return Ordering::Greater;
    }
    let whole = float.trunc();
    // The range check above makes the conversion exact.
    #[allow(clippy::cast_possible_truncation)]
    int.cmp(&(whole as i64)).then_with(|| 0.0_f64.partial_cmp(&(float - whole)).unwrap_or(Ordering::Equal))
}
