//! Compiles clauses into instructions for the machine.
//!
//! Each activation of a clause has a frame with one slot per variable; the caller writes the arguments into
//! the
//! first slots. A slot is written at the first occurrence of its variable and never again, so that
//! backtracking
//! need not restore it. Unbound variables always live on the heap.

mod arith;
mod body;
mod bounds;
mod clause;
mod goals;
pub(crate) mod image;

pub(crate) use bounds::{BoundSpec, Operand};
pub(crate) use clause::{compile_clause, compile_query};

use crate::arith::Op;
use crate::store::Cell;

/// A number or text that does not fit into a cell.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Literal {
    Float(f64),
    Big(i64),
    Str(Box<str>),
}

/// An arithmetic comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// `<`
    Lt,
    /// `=<`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `=:=`, or `=` with a number
    Eq,
    /// `=\=`
    Ne,
}

/// A test that binds nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Test {
    Var,
    NonVar,
    Atom,
    Number,
    Integer,
    Float,
    String,
    Atomic,
    Compound,
    Callable,
}

/// An instruction. `arg` counts the arguments of the goal that is being built or, in a head, those of the
/// frame.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Instr {
    HeadConst {
        arg: u32,
        value: Cell,
    },
    HeadLiteral {
        arg: u32,
        literal: u32,
    },
    HeadStruct {
        arg: u32,
        functor: Cell,
    },
    HeadList {
        arg: u32,
    },
    HeadValue {
        arg: u32,
        slot: u32,
    },
    /// The following instructions work on the arguments of the current compound, reading or writing it.
    UnifyFirst {
        slot: u32,
    },
    UnifyValue {
        slot: u32,
    },
    UnifyVoid,
    UnifyConst {
        value: Cell,
    },
    UnifyLiteral {
        literal: u32,
    },
    /// Descends into an argument; `last` if nothing follows it, so that there is no way back.
    UnifyStruct {
        functor: Cell,
    },
    UnifyStructLast {
        functor: Cell,
    },
    UnifyList,
    UnifyListLast,
    UnifyPop,
    /// Ends the head of a clause with a body: keeps the frame.
    Enter,
    /// Starts a goal: its arguments are written above the frame.
    Begin {
        size: u32,
        args: u32,
    },
    PutFirst {
        arg: u32,
        slot: u32,
    },
    PutValue {
        arg: u32,
        slot: u32,
    },
    PutVoid {
        arg: u32,
    },
    PutConst {
        arg: u32,
        value: Cell,
    },
    PutLiteral {
        arg: u32,
        literal: u32,
    },
    PutStruct {
        arg: u32,
        functor: Cell,
    },
    PutList {
        arg: u32,
    },
    /// Makes a variable that more than one branch uses.
    Init {
        slot: u32,
    },
    Call {
        pred: u32,
    },
    LastCall {
        pred: u32,
    },
    /// Calls a native predicate without choice points.
    Det {
        pred: u32,
    },
    /// Calls a relation; `bounds` is the index of comparisons further right.
    Relation {
        pred: u32,
        bounds: u32,
    },
    Unify,
    /// Ends a clause with a frame, or a fact.
    Proceed,
    ProceedFact,
    Fail,
    Cut,
    /// Keeps the number of choice points.
    Save {
        slot: u32,
    },
    /// Removes choice points made since `Save`, except for the first `keep`.
    CutTo {
        slot: u32,
        keep: u32,
    },
    /// Disables the choice point made after `Save`, and keeps younger ones.
    SoftCut {
        slot: u32,
    },
    /// Makes a choice point that goes on at a label.
    Try {
        label: u32,
        size: u32,
    },
    /// Goes on at the newest choice point, which is used up.
    Trust,
    Jump {
        label: u32,
    },
    PushInt {
        value: Cell,
    },
    PushLiteral {
        literal: u32,
    },
    PushSlot {
        slot: u32,
    },
    Operate {
        op: Op,
    },
    Compare {
        op: Comparison,
        label: u32,
    },
    IsFirst {
        slot: u32,
    },
    IsValue {
        slot: u32,
    },
    TestSlot {
        test: Test,
        slot: u32,
        label: u32,
    },
    /// Marks the frame of catch/3.
    Catch,
    /// Removes the mark of catch/3 if the goal left no choice point.
    EndCatch,
    /// Ends a query with a solution.
    Answer,
}
