//! The loop over instructions.

use super::{Choice, Engine, HEADER, Kind, Outcome, Raise};
use crate::arith::{binary, unary};
use crate::atoms::known;
use crate::compile::image::PredKind;
use crate::compile::{Instr, Literal, Test};
use crate::store::{Cell, Tag};

impl Engine {
    /// Runs until the query has an answer (true) or no further one (false).
    pub(crate) fn run(&mut self, resume: bool) -> Outcome {
        let mut result = if resume { self.backtrack() } else { Ok(true) };
        loop {
            result = match result {
                Ok(true) => match self.go() {
                    Ok(true) => return Ok(true),
                    Ok(false) if self.choices.is_empty() => return Ok(false),
                    other => other,
                },
                Ok(false) if self.choices.is_empty() => return Ok(false),
                Ok(false) => self.backtrack(),
                Err(raise) => self.handle(raise)?,
            };
        }
    }

    /// Runs instructions until an answer (true), a failure (false), or an error.
    fn go(&mut self) -> Outcome {
        loop {
            let instr = self.image.code[self.pc as usize];
            self.pc += 1;
            let done = match instr {
                Instr::HeadConst { arg, value } => {
                    let cell = self.store.deref(self.slot(arg));
                    if cell == value {
                        true
                    } else if cell.is_ref() {
                        self.store.bind(cell.address(), value);
                        true
                    } else {
                        false
                    }
                }
                Instr::HeadLiteral { arg, literal } => {
                    let value = self.literal(literal);
                    let cell = self.slot(arg);
                    self.store.unify(cell, value)
                }
                Instr::HeadValue { arg, slot } => {
                    let (a, b) = (self.slot(arg), self.slot(slot));
                    self.store.unify(a, b)
                }
                Instr::HeadStruct { arg, functor } => {
                    self.path.clear();
                    let cell = self.store.deref(self.slot(arg));
                    self.descend_struct(cell, functor)
                }
                Instr::HeadList { arg } => {
                    self.path.clear();
                    let cell = self.store.deref(self.slot(arg));
                    self.descend_list(cell)
                }
                Instr::UnifyFirst { slot } => {
                    let at = self.at;
                    self.at += 1;
                    if self.writing {
                        self.store.cells[at] = Cell::reference(at);
                        self.set_slot(slot, Cell::reference(at));
                    } else {
                        let cell = self.store.cells[at];
                        self.set_slot(slot, cell);
                    }
                    true
                }
                Instr::UnifyValue { slot } => {
                    let at = self.at;
                    self.at += 1;
                    let cell = self.slot(slot);
                    if self.writing {
                        self.store.cells[at] = cell;
                        true
                    } else {
                        self.store.unify(Cell::reference(at), cell)
                    }
                }
                Instr::UnifyVoid => {
                    let at = self.at;
                    self.at += 1;
                    if self.writing {
                        self.store.cells[at] = Cell::reference(at);
                    }
                    true
                }
                Instr::UnifyConst { value } => {
                    let at = self.at;
                    self.at += 1;
                    if self.writing {
                        self.store.cells[at] = value;
                        true
                    } else {
                        let cell = self.store.deref(self.store.cells[at]);
                        if cell == value {
                            true
                        } else if cell.is_ref() {
                            self.store.bind(cell.address(), value);
                            true
                        } else {
                            false
                        }
                    }
                }
                Instr::UnifyLiteral { literal } => {
                    let at = self.at;
                    self.at += 1;
                    let value = self.literal(literal);
                    if self.writing {
                        self.store.cells[at] = value;
                        true
                    } else {
                        self.store.unify(Cell::reference(at), value)
                    }
                }
                Instr::UnifyStruct { functor } => {
                    self.path.push((self.at + 1, self.writing));
                    self.inner_struct(functor)
                }
                Instr::UnifyStructLast { functor } => self.inner_struct(functor),
                Instr::UnifyList => {
                    self.path.push((self.at + 1, self.writing));
                    self.inner_list()
                }
                Instr::UnifyListLast => self.inner_list(),
                Instr::UnifyPop => {
                    if let Some((at, writing)) = self.path.pop() {
                        (self.at, self.writing) = (at, writing);
                    }
                    true
                }
                Instr::Enter => {
                    let frame = self.frame;
                    self.frames[frame] = Cell(self.cont_frame as u64);
                    self.frames[frame + 1] = Cell(u64::from(self.cont_pc));
                    self.frames[frame + 2] = Cell(self.barrier as u64);
                    true
                }
                Instr::Begin { size, args } => {
                    let top = (self.frame + HEADER + size as usize).max(self.protected);
                    self.next_args = top + HEADER;
                    self.reach(self.next_args + args as usize);
                    true
                }
                Instr::PutFirst { arg, slot } => {
                    let var = self.store.var();
                    self.set_slot(slot, var);
                    self.put(arg, var);
                    true
                }
                Instr::PutValue { arg, slot } => {
                    let cell = self.slot(slot);
                    self.put(arg, cell);
                    true
                }
                Instr::PutVoid { arg } => {
                    let var = self.store.var();
                    self.put(arg, var);
                    true
                }
                Instr::PutConst { arg, value } => {
                    self.put(arg, value);
                    true
                }
                Instr::PutLiteral { arg, literal } => {
                    let value = self.literal(literal);
                    self.put(arg, value);
                    true
                }
                Instr::PutStruct { arg, functor } => {
                    self.path.clear();
                    let cell = self.new_struct(functor);
                    self.put(arg, cell);
                    true
                }
                Instr::PutList { arg } => {
                    self.path.clear();
                    let cell = self.new_list();
                    self.put(arg, cell);
                    true
                }
                Instr::Init { slot } => {
                    let var = self.store.var();
                    self.set_slot(slot, var);
                    true
                }
                Instr::Call { pred } => {
                    self.cont_frame = self.frame;
                    self.cont_pc = self.pc;
                    self.enter(pred, self.next_args - HEADER)?
                }
                Instr::LastCall { pred } => {
                    let frame = self.frame;
                    self.cont_frame = self.frames[frame].0 as usize;
                    // A program counter was stored.
                    #[allow(clippy::cast_possible_truncation)]
                    {
                        self.cont_pc = self.frames[frame + 1].0 as u32;
                    }
                    let mut base = self.next_args - HEADER;
                    if frame >= self.protected {
                        let arity = self.image.preds[pred as usize].arity as usize;
                        let args = self.next_args;
                        for i in 0..arity {
                            self.frames[frame + HEADER + i] = self.frames[args + i];
                        }
                        base = frame;
                    }
                    self.enter(pred, base)?
                }
                Instr::Det { pred } => {
                    self.current = pred;
                    match self.image.preds[pred as usize].kind {
                        PredKind::Det(run) => {
                            let ok = run(self, self.next_args)?;
                            self.settle()?;
                            ok
                        }
                        _ => false,
                    }
                }
                Instr::Relation { pred, bounds } => {
                    self.step()?;
                    self.solve(pred, self.next_args, bounds, self.frame, self.pc)?
                }
                Instr::Unify => {
                    let (a, b) = (self.frames[self.next_args], self.frames[self.next_args + 1]);
                    self.store.unify(a, b)
                }
                Instr::Proceed => {
                    let frame = self.frame;
                    // A program counter was stored.
                    #[allow(clippy::cast_possible_truncation)]
                    {
                        self.pc = self.frames[frame + 1].0 as u32;
                    }
                    self.frame = self.frames[frame].0 as usize;
                    true
                }
                Instr::ProceedFact => {
                    self.pc = self.cont_pc;
                    self.frame = self.cont_frame;
                    true
                }
                Instr::Fail => false,
                Instr::Cut => {
                    let barrier = self.frames[self.frame + 2].0 as usize;
                    self.cut(barrier);
                    true
                }
                Instr::Save { slot } => {
                    let count = i64::try_from(self.choices.len()).unwrap_or(i64::MAX);
                    self.set_slot(slot, Cell::small(count).unwrap_or_default());
                    true
                }
                Instr::CutTo { slot, keep } => {
                    let count = usize::try_from(self.slot(slot).int()).unwrap_or(0);
                    self.cut(count + keep as usize);
                    true
                }
                Instr::SoftCut { slot } => {
                    let count = usize::try_from(self.slot(slot).int()).unwrap_or(0);
                    self.soft_cut(count);
                    true
                }
                Instr::Try { label, size } => {
                    let top = (self.frame + HEADER + size as usize).max(self.protected);
                    self.push_choice(Kind::Label { pc: label }, self.frame, 0, top);
                    true
                }
                Instr::Trust => {
                    self.pop_choice();
                    true
                }
                Instr::Jump { label } => {
                    self.pc = label;
                    true
                }
                Instr::PushInt { value } => {
                    self.numbers.push(crate::arith::Num::Int(value.int()));
                    true
                }
                Instr::PushLiteral { literal } => {
                    self.numbers.push(match self.image.literals[literal as usize] {
                        Literal::Float(value) => crate::arith::Num::Float(value),
                        Literal::Big(value) => crate::arith::Num::Int(value),
                        Literal::Str(_) => crate::arith::Num::Int(0),
                    });
                    true
                }
                Instr::PushSlot { slot } => {
                    let cell = self.store.deref(self.slot(slot));
                    let value = if cell.tag() == Tag::Int {
                        crate::arith::Num::Int(cell.int())
                    } else {
                        match self.evaluate(cell) {
                            Ok(value) => value,
                            Err(error) => return Err(self.inline_error(error)),
                        }
                    };
                    self.numbers.push(value);
                    true
                }
                Instr::Operate { op } => {
                    let b = self.number();
                    let a = if op.arity() == 1 { b } else { self.number() };
                    let value = if op.arity() == 1 { unary(op, b) } else { binary(op, a, b) };
                    match value {
                        Ok(value) => self.numbers.push(value),
                        Err(fault) => {
                            let error = self.fault(fault, a, b);
                            return Err(self.inline_error(error));
                        }
                    }
                    true
                }
                Instr::Compare { op, label } => {
                    let (b, a) = (self.number(), self.number());
                    let holds = super::evaluate::holds(op, a, b);
                    if !holds && label != 0 {
                        self.pc = label;
                        true
                    } else {
                        holds
                    }
                }
                Instr::IsFirst { slot } => {
                    let value = self.number();
                    let cell = self.number_cell(value);
                    self.set_slot(slot, cell);
                    true
                }
                Instr::IsValue { slot } => {
                    let value = self.number();
                    let cell = self.number_cell(value);
                    let slot = self.slot(slot);
                    self.store.unify(slot, cell)
                }
                Instr::TestSlot { test, slot, label } => {
                    let holds = self.test(test, self.slot(slot));
                    if !holds && label != 0 {
                        self.pc = label;
                        true
                    } else {
                        holds
                    }
                }
                Instr::Catch => {
                    let top = (self.frame + HEADER + 3).max(self.protected);
                    self.push_choice(Kind::Catch, self.frame, 0, top);
                    true
                }
                Instr::EndCatch => {
                    let newest: Option<&Choice> = self.choices.last();
                    if newest.is_some_and(|c| c.kind == Kind::Catch && c.frame == self.frame) {
                        self.pop_choice();
                    }
                    true
                }
                Instr::Answer => return Ok(true),
            };
            if !done {
                if self.store.exhausted {
                    self.settle()?;
                }
                if self.choices.is_empty() {
                    return Ok(false);
                }
                if !self.backtrack()? {
                    return Ok(false);
                }
            }
        }
    }

    #[inline]
    pub(crate) fn put(&mut self, arg: u32, value: Cell) {
        let at = self.next_args + arg as usize;
        self.frames[at] = value;
    }

    #[inline]
    fn number(&mut self) -> crate::arith::Num {
        self.numbers.pop().unwrap_or(crate::arith::Num::Int(0))
    }

    fn literal(&mut self, literal: u32) -> Cell {
        match &self.image.literals[literal as usize] {
            Literal::Float(value) => self.store.float(*value),
            Literal::Big(value) => self.store.int(*value),
            Literal::Str(text) => self.store.string(text),
        }
    }

    /// Makes room for a compound, whose arguments the next instructions write.
    #[inline]
    fn new_struct(&mut self, functor: Cell) -> Cell {
        let address = self.store.cells.len();
        let (_, arity) = functor.name_arity();
        self.store.cells.push(functor);
        self.store.cells.resize(address + 1 + arity, Cell::default());
        self.at = address + 1;
        self.writing = true;
        Cell::new(Tag::Struct, address)
    }

    #[inline]
    fn new_list(&mut self) -> Cell {
        let address = self.store.cells.len();
        self.store.cells.push(Cell::default());
        self.store.cells.push(Cell::default());
        self.at = address;
        self.writing = true;
        Cell::new(Tag::List, address)
    }

    #[inline]
    fn descend_struct(&mut self, cell: Cell, functor: Cell) -> bool {
        if cell.is_ref() {
            let value = self.new_struct(functor);
            self.store.bind(cell.address(), value);
            return true;
        }
        self.writing = false;
        self.at = cell.address() + 1;
        cell.tag() == Tag::Struct && self.store.cells[cell.address()] == functor
    }

    #[inline]
    fn descend_list(&mut self, cell: Cell) -> bool {
        if cell.is_ref() {
            let value = self.new_list();
            self.store.bind(cell.address(), value);
            return true;
        }
        self.writing = false;
        self.at = cell.address();
        cell.tag() == Tag::List
    }

    fn inner_struct(&mut self, functor: Cell) -> bool {
        let at = self.at;
        if self.writing {
            let cell = self.new_struct(functor);
            self.store.cells[at] = cell;
            return true;
        }
        let cell = self.store.deref(self.store.cells[at]);
        self.descend_struct(cell, functor)
    }

    fn inner_list(&mut self) -> bool {
        let at = self.at;
        if self.writing {
            let cell = self.new_list();
            self.store.cells[at] = cell;
            return true;
        }
        let cell = self.store.deref(self.store.cells[at]);
        self.descend_list(cell)
    }

    /// Whether a test holds for a term.
    pub(crate) fn test(&self, test: Test, cell: Cell) -> bool {
        let cell = self.store.deref(cell);
        let tag = cell.tag();
        let nil = cell == Cell::atom(known::NIL);
        let number = matches!(tag, Tag::Int | Tag::Big | Tag::Float);
        match test {
            Test::Var => tag == Tag::Ref,
            Test::NonVar => tag != Tag::Ref,
            // As in SWI-Prolog, `[]` is no atom.
            Test::Atom => tag == Tag::Atom && !nil,
            Test::Number => number,
            Test::Integer => matches!(tag, Tag::Int | Tag::Big),
            Test::Float => tag == Tag::Float,
            Test::String => tag == Tag::Str,
            Test::Atomic => number || matches!(tag, Tag::Atom | Tag::Str),
            Test::Compound => matches!(tag, Tag::Struct | Tag::List),
            Test::Callable => matches!(tag, Tag::Struct | Tag::List | Tag::Atom) && !nil,
        }
    }

    /// An error in compiled arithmetic belongs to the comparison or `is/2` that follows.
    fn inline_error(&mut self, raise: Raise) -> Raise {
        self.numbers.clear();
        let Raise::Ball(ball) = raise else { return raise };
        let mut pc = self.pc as usize;
        let name = loop {
            match self.image.code.get(pc) {
                Some(Instr::Compare { op, .. }) => break super::evaluate::comparison_name(*op),
                Some(Instr::IsFirst { .. } | Instr::IsValue { .. }) | None => break known::IS,
                _ => pc += 1,
            }
        };
        Raise::Ball(self.with_context(ball, name, 2))
    }
}
