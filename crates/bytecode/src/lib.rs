//! Analysis of JVM bytecode: class files to instructions, control flow, control dependence, loops, stores to
//! variables, and conditions and assignments as source-like text.
//!
//! The crate does no I/O and needs no running VM: bytes in, facts out. It uses `noak` to read class files and
//! `petgraph` for graphs. No input makes it panic.
#![forbid(unsafe_code)]

pub mod arms;
pub mod assemble;
pub mod cfg;
pub mod class;
pub mod construct;
pub mod control;
pub mod coroutine;
mod decode;
pub mod expression;
mod flow;
pub mod lines;
pub mod loops;
pub mod member;
pub mod op;
mod parse;
mod pool;
pub mod producers;
mod rethrow;
pub mod skip;
pub mod stack;
pub mod stores;
mod text;
mod throws;

pub use ::descriptor;
pub use ::descriptor::{Kind, kind};
pub use arms::{ArmLines, Arms, ValueLines};
pub use cfg::{Block, Cfg, EdgeKind};
pub use class::{ClassFile, Code, Field, Handler, InnerClass, LineEntry, LocalVariable, Method};
pub use control::{
    BranchEdge, CaughtAt, ControlDependence, Dependences, Dominance, dominators, post_dominators,
};
pub use expression::{
    CallText, Condition, ConditionOutcome, EnumTable, ExprNode, Expressions, Operand, ReadBack, SourceText,
    StackPlace, StackValue,
};
pub use member::{FieldRef, MethodRef};
pub use op::{Constant, Instruction, Op};
pub use parse::ParseError;
pub use producers::{Producer, Producers};
pub use rethrow::{Rethrow, rethrow};
pub use stores::{Store, StoreError, StoreKind, Stores};
