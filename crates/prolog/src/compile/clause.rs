//! Compiles one clause: its head, and the arguments of its goals.

use std::sync::Arc;

use super::image::{ClauseSource, Image, index};
use super::{Instr, Literal};
use crate::atoms::{AtomId, Atoms, known};
use crate::store::{Cell, cell::MAX_ARITY};
use crate::term::{Node, NodeId, Term};

/// Why a clause cannot be compiled, and where.
pub(crate) type Refused = (NodeId, String);

/// A goal that becomes a predicate of its own.
pub(super) struct Helper {
    pub name: AtomId,
    pub variables: Vec<u32>,
    pub goal: NodeId,
}

/// State while one clause is compiled.
pub(super) struct Compiler<'a> {
    pub image: &'a mut Image,
    pub atoms: &'a Arc<Atoms>,
    pub term: &'a Term,
    /// Slot of each variable of the term.
    pub slots: Vec<Option<u32>>,
    /// Whether the slot of a variable is written yet.
    pub ready: Vec<bool>,
    /// How often each variable occurs in the clause.
    pub total: Vec<u32>,
    pub size: u32,
    pub helpers: Vec<Helper>,
    /// Instructions that need the final size of the frame.
    pub sized: Vec<usize>,
}

/// Where the compiled instructions go.
#[derive(Clone, Copy)]
enum Place {
    Head(u32),
    Body(u32),
    Inside { last: bool },
}

/// Compiles a clause to the end of the image. Its code and that of helpers gets a source.
pub(crate) fn compile_clause(
    image: &mut Image,
    atoms: &Arc<Atoms>,
    term: &Term,
    head: NodeId,
    body: Option<NodeId>,
    source: ClauseSource,
) -> Result<(), Refused> {
    let args: Vec<NodeId> = term.args(head).to_vec();
    let (clause, helpers) = compile(image, atoms, term, &args, body, None, source)?;
    compile_helpers(image, atoms, term, helpers, source)?;
    image.clauses.push(clause);
    Ok(())
}

/// Compiles a query. Its variables take the first slots of the frame. Returns the code and the size of the
/// frame.
pub(crate) fn compile_query(
    image: &mut Image,
    atoms: &Arc<Atoms>,
    term: &Term,
    variables: usize,
    source: ClauseSource,
) -> Result<(u32, u32), Refused> {
    let all: Vec<u32> = (0..index(variables)).collect();
    let given = GivenVariables { variables: &all, is_query: true };
    let (clause, helpers) = compile(image, atoms, term, &[], Some(term.root()), Some(given), source)?;
    compile_helpers(image, atoms, term, helpers, source)?;
    Ok((clause.pc, clause.size))
}

/// Compiles the helpers of a clause, and those of the helpers.
fn compile_helpers(
    image: &mut Image,
    atoms: &Arc<Atoms>,
    term: &Term,
    mut helpers: Vec<Helper>,
    source: ClauseSource,
) -> Result<(), Refused> {
    while let Some(helper) = helpers.pop() {
        let pred = image.pred(helper.name, helper.variables.len());
        let body = Some(helper.goal);
        let given = GivenVariables { variables: &helper.variables, is_query: false };
        let (clause, more) = compile(image, atoms, term, &[], body, Some(given), source)?;
        let first = image.clauses.len();
        image.clauses.push(clause);
        image.define(pred, first, false);
        helpers.extend(more);
    }
    Ok(())
}

/// The variables of a helper or query, which take the first slots of the frame.
struct GivenVariables<'a> {
    variables: &'a [u32],
    is_query: bool,
}

type Compiled = Result<(super::image::ClauseCode, Vec<Helper>), Refused>;

fn compile(
    image: &mut Image,
    atoms: &Arc<Atoms>,
    term: &Term,
    args: &[NodeId],
    body: Option<NodeId>,
    given: Option<GivenVariables<'_>>,
    source: ClauseSource,
) -> Compiled {
    let pc = index(image.code.len());
    image.sources.push(super::image::Source { pc, clause: source });
    let mut compiler = Compiler {
        image,
        atoms,
        term,
        slots: Vec::new(),
        ready: Vec::new(),
        total: Vec::new(),
        size: 0,
        helpers: Vec::new(),
        sized: Vec::new(),
    };
    for &arg in args {
        compiler.count(arg);
    }
    if let Some(body) = body {
        compiler.count(body);
    }
    let mut key = 0;
    let mut query = false;
    if let Some(GivenVariables { variables, is_query }) = given {
        query = is_query;
        compiler.size = index(variables.len());
        for (slot, &variable) in variables.iter().enumerate() {
            compiler.touch(variable);
            compiler.slots[variable as usize] = Some(index(slot));
            compiler.ready[variable as usize] = true;
        }
    } else {
        compiler.size = index(args.len());
        key = compiler.head(args)?;
    }
    match body {
        Some(body) => {
            compiler.emit(Instr::Enter);
            compiler.body(body, query)?;
        }
        None => compiler.emit(Instr::ProceedFact),
    }
    let size = compiler.size;
    let (sized, helpers) = (std::mem::take(&mut compiler.sized), std::mem::take(&mut compiler.helpers));
    for at in sized {
        if let Some(Instr::Begin { size: s, .. } | Instr::Try { size: s, .. }) = image.code.get_mut(at) {
            *s = size
        }
    }
    Ok((super::image::ClauseCode { key, pc, size }, helpers))
}

impl Compiler<'_> {
    pub(super) fn emit(&mut self, instr: Instr) {
        if matches!(instr, Instr::Begin { .. } | Instr::Try { .. }) {
            self.sized.push(self.image.code.len());
        }
        self.image.code.push(instr);
    }

    /// Makes room for a variable.
    pub(super) fn touch(&mut self, variable: u32) {
        let needed = variable as usize + 1;
        if self.slots.len() < needed {
            self.slots.resize(needed, None);
            self.ready.resize(needed, false);
            self.total.resize(needed, 0);
        }
    }

    fn count(&mut self, node: NodeId) {
        let mut work = vec![node];
        while let Some(node) = work.pop() {
            if let Node::Var(variable) = self.term.node(node) {
                self.touch(variable);
                self.total[variable as usize] += 1;
            }
            work.extend_from_slice(self.term.args(node));
        }
    }

    /// The slot of a variable, and whether it was written before.
    pub(super) fn slot(&mut self, variable: u32) -> (u32, bool) {
        self.touch(variable);
        let variable = variable as usize;
        let slot = match self.slots[variable] {
            Some(slot) => slot,
            None => {
                let slot = self.fresh();
                self.slots[variable] = Some(slot);
                slot
            }
        };
        (slot, std::mem::replace(&mut self.ready[variable], true))
    }

    pub(super) fn fresh(&mut self) -> u32 {
        self.size += 1;
        self.size - 1
    }

    /// Whether a variable occurs only once in the clause.
    fn is_void(&self, variable: u32) -> bool {
        self.total.get(variable as usize).is_none_or(|&total| total <= 1)
            && self.slots.get(variable as usize).is_none_or(Option::is_none)
    }

    /// Compiles the head and returns the key of the first argument.
    fn head(&mut self, args: &[NodeId]) -> Result<u64, Refused> {
        // A variable that is an argument lives in the slot of that argument.
        let mut duplicates = Vec::new();
        for (i, &arg) in args.iter().enumerate() {
            if let Node::Var(variable) = self.term.node(arg) {
                let slot = index(i);
                match self.slots[variable as usize] {
                    None => {
                        self.slots[variable as usize] = Some(slot);
                        self.ready[variable as usize] = true;
                    }
                    Some(first) => duplicates.push(Instr::HeadValue { arg: slot, slot: first }),
                }
            }
        }
        for (i, &arg) in args.iter().enumerate() {
            if !matches!(self.term.node(arg), Node::Var(_)) {
                self.argument(arg, Place::Head(index(i)))?;
            }
        }
        for instr in duplicates {
            self.emit(instr);
        }
        Ok(args.first().map_or(0, |&first| match self.term.node(first) {
            Node::Atom(atom) => Cell::atom(atom).0,
            Node::Int(value) => Cell::small(value).map_or(0, |cell| cell.0),
            Node::Compound { name, arity, .. } => Cell::functor(name, arity as usize).0,
            _ => 0,
        }))
    }

    /// Compiles an argument of a goal.
    pub(super) fn put(&mut self, node: NodeId, arg: usize) -> Result<(), Refused> {
        self.argument(node, Place::Body(index(arg)))
    }

    fn argument(&mut self, node: NodeId, place: Place) -> Result<(), Refused> {
        let mut work = vec![Some((node, place))];
        while let Some(item) = work.pop() {
            let Some((node, place)) = item else {
                self.emit(Instr::UnifyPop);
                continue;
            };
            match self.term.node(node) {
                Node::Var(variable) => self.variable(variable, place),
                Node::Atom(atom) => self.constant(Cell::atom(atom), place),
                Node::Int(value) => match Cell::small(value) {
                    Some(cell) => self.constant(cell, place),
                    None => self.literal(Literal::Big(value), place),
                },
                Node::Float(value) => self.literal(Literal::Float(value), place),
                Node::Str { .. } => {
                    let text = match self.term.view(node) {
                        crate::term::View::Str(text) => text,
                        _ => "",
                    };
                    self.literal(Literal::Str(text.into()), place);
                }
                Node::Compound { name, arity, .. } => {
                    if arity as usize > MAX_ARITY {
                        return Err((node, "the term has too many arguments".to_owned()));
                    }
                    self.descend(name, arity as usize, place);
                    if let Place::Inside { last: false } = place {
                        work.push(None);
                    }
                    let args = self.term.args(node);
                    for (i, &arg) in args.iter().enumerate().rev() {
                        work.push(Some((arg, Place::Inside { last: i + 1 == args.len() })));
                    }
                }
            }
        }
        Ok(())
    }

    fn descend(&mut self, name: AtomId, arity: usize, place: Place) {
        let functor = Cell::functor(name, arity);
        let list = name == known::DOT && arity == 2;
        self.emit(match (place, list) {
            (Place::Head(arg), true) => Instr::HeadList { arg },
            (Place::Head(arg), false) => Instr::HeadStruct { arg, functor },
            (Place::Body(arg), true) => Instr::PutList { arg },
            (Place::Body(arg), false) => Instr::PutStruct { arg, functor },
            // Without arguments nothing follows that could use the way back.
            (Place::Inside { last: false }, true) => Instr::UnifyList,
            (Place::Inside { last: true }, true) => Instr::UnifyListLast,
            (Place::Inside { last: false }, false) => Instr::UnifyStruct { functor },
            (Place::Inside { last: true }, false) => Instr::UnifyStructLast { functor },
        });
    }

    fn variable(&mut self, variable: u32, place: Place) {
        if self.is_void(variable) {
            match place {
                Place::Inside { .. } => self.emit(Instr::UnifyVoid),
                Place::Body(arg) => self.emit(Instr::PutVoid { arg }),
                Place::Head(_) => {}
            }
            return;
        }
        let (slot, ready) = self.slot(variable);
        self.emit(match (place, ready) {
            (Place::Head(arg), _) => Instr::HeadValue { arg, slot },
            (Place::Body(arg), true) => Instr::PutValue { arg, slot },
            (Place::Body(arg), false) => Instr::PutFirst { arg, slot },
            (Place::Inside { .. }, true) => Instr::UnifyValue { slot },
            (Place::Inside { .. }, false) => Instr::UnifyFirst { slot },
        });
    }

    fn constant(&mut self, value: Cell, place: Place) {
        self.emit(match place {
            Place::Head(arg) => Instr::HeadConst { arg, value },
            Place::Body(arg) => Instr::PutConst { arg, value },
            Place::Inside { .. } => Instr::UnifyConst { value },
        });
    }

    fn literal(&mut self, literal: Literal, place: Place) {
        let literal = self.image.literal(literal);
        self.emit(match place {
            Place::Head(arg) => Instr::HeadLiteral { arg, literal },
            Place::Body(arg) => Instr::PutLiteral { arg, literal },
            Place::Inside { .. } => Instr::UnifyLiteral { literal },
        });
    }
}
