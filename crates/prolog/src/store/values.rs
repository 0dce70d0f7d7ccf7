//! Terms that leave the heap as [`Term`]s, and those that come back.

use std::collections::HashMap;

use super::cell::{Cell, Tag};
use super::heap::Store;
use crate::atoms::known;
use crate::term::{Node, NodeId, Term};

impl Store {
    /// An owned copy of a term. `None` if it has more than `limit` nodes, which a cyclic term has.
    pub(crate) fn export(&self, term: Cell, limit: usize) -> Option<Term> {
        let mut result = Term::default();
        let mut variables: HashMap<usize, u32, foldhash::fast::FixedState> = HashMap::default();
        result.root = Some(result.push(Node::Atom(known::NIL)));
        let mut work = vec![(self.deref(term), NodeId(0))];
        while let Some((cell, at)) = work.pop() {
            let node = match cell.tag() {
                Tag::Ref | Tag::Forward | Tag::Functor => {
                    let next = u32::try_from(variables.len()).unwrap_or(u32::MAX);
                    Node::Var(*variables.entry(cell.address()).or_insert(next))
                }
                Tag::Atom => Node::Atom(cell.atom_id()),
                Tag::Int => Node::Int(cell.int()),
                Tag::Big => Node::Int(self.big(cell)),
                Tag::Float => Node::Float(self.float_of(cell)),
                Tag::Str => {
                    let text = self.str_of(cell);
                    let narrow = |n| u32::try_from(n).unwrap_or(u32::MAX);
                    let node = Node::Str { start: narrow(result.text.len()), len: narrow(text.len()) };
                    result.text.push_str(text);
                    node
                }
                Tag::Struct | Tag::List => {
                    let (name, arity, from) = self.shape(cell)?;
                    if result.nodes.len() + arity > limit {
                        return None;
                    }
                    let first = u32::try_from(result.args.len()).ok()?;
                    let planned = work.len();
                    for i in 0..arity {
                        let id = result.push(Node::Atom(known::NIL));
                        result.args.push(id);
                        work.push((self.deref(self.cells[from + i]), id));
                    }
                    // Variables are numbered from left to right.
                    work[planned..].reverse();
                    Node::Compound { name, first, arity: u32::try_from(arity).ok()? }
                }
            };
            *result.nodes.get_mut(at.0 as usize)? = node;
        }
        Some(result)
    }

    /// Builds a term on the heap. `variables` holds the cells of its variables and grows as needed.
    pub(crate) fn import(&mut self, term: &Term, root: NodeId, variables: &mut Vec<Option<Cell>>) -> Cell {
        let start = self.cells.len();
        self.cells.push(Cell::reference(start));
        let mut work = vec![(root, start)];
        while let Some((node, at)) = work.pop() {
            self.cells[at] = match term.node(node) {
                Node::Var(n) => {
                    let n = n as usize;
                    if variables.len() <= n {
                        variables.resize(n + 1, None);
                    }
                    match variables.get(n).copied().flatten() {
                        Some(cell) => cell,
                        None => {
                            let cell = Cell::reference(at);
                            variables[n] = Some(cell);
                            cell
                        }
                    }
                }
                Node::Atom(atom) => Cell::atom(atom),
                Node::Int(value) => self.int(value),
                Node::Float(value) => self.float(value),
                Node::Str { start, len } => {
                    let text = term.text.get(start as usize..(start + len) as usize).unwrap_or_default();
                    self.string(text)
                }
                Node::Compound { name, .. } => {
                    let args = term.args(node);
                    let list = name == known::DOT && args.len() == 2;
                    let address = self.cells.len();
                    if !list {
                        self.cells.push(Cell::functor(name, args.len()));
                    }
                    for &arg in args {
                        work.push((arg, self.cells.len()));
                        self.cells.push(Cell::reference(self.cells.len()));
                    }
                    Cell::new(if list { Tag::List } else { Tag::Struct }, address)
                }
            };
        }
        self.deref(Cell::reference(start))
    }
}
