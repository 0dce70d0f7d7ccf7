//! Analysis of JVM bytecode: class files to instructions, control flow, control dependence, loops, stores to
//! variables, and conditions and assignments as source-like text.
//!
//! The crate does no I/O and needs no running VM: bytes in, facts out. It uses `noak` to read class files and
//! `petgraph` for graphs. No input makes it panic.
//!
//! Without the feature `analysis` it contains only [`rewrite`] and its dependencies, and uses neither `noak`
//! nor `petgraph`: code that runs inside a VM should be small.
#![forbid(unsafe_code)]

#[cfg(feature = "analysis")]
pub mod arms;
#[cfg(feature = "analysis")]
pub mod assemble;
#[cfg(feature = "analysis")]
pub mod cfg;
#[cfg(feature = "analysis")]
pub mod class;
#[cfg(feature = "analysis")]
pub mod construct;
#[cfg(feature = "analysis")]
pub mod control;
#[cfg(feature = "analysis")]
mod decode;
pub mod descriptor;
#[cfg(feature = "analysis")]
pub mod expression;
#[cfg(feature = "analysis")]
mod flow;
pub mod kind;
#[cfg(feature = "analysis")]
pub mod lines;
#[cfg(feature = "analysis")]
pub mod loops;
#[cfg(feature = "analysis")]
pub mod member;
#[cfg(feature = "analysis")]
pub mod op;
#[cfg(feature = "analysis")]
mod parse;
#[cfg(feature = "analysis")]
pub mod pointsto;
#[cfg(feature = "analysis")]
mod pool;
#[cfg(feature = "analysis")]
pub mod producers;
#[cfg(feature = "analysis")]
mod rethrow;
pub mod rewrite;
#[cfg(feature = "analysis")]
pub mod skip;
#[cfg(feature = "analysis")]
pub mod stack;
#[cfg(feature = "analysis")]
pub mod stores;
#[cfg(feature = "analysis")]
mod text;
#[cfg(feature = "analysis")]
mod throws;

#[cfg(feature = "analysis")]
pub use arms::{ArmLines, Arms, ValueLines};
#[cfg(feature = "analysis")]
pub use cfg::{Block, Cfg, EdgeKind};
#[cfg(feature = "analysis")]
pub use class::{ClassFile, Code, Field, Handler, InnerClass, LineEntry, LocalVariable, Method};
#[cfg(feature = "analysis")]
pub use control::{
    BranchEdge, CaughtAt, ControlDependence, Dependences, Dominance, dominators, post_dominators,
};
#[cfg(feature = "analysis")]
pub use expression::{
    CallText, Condition, ConditionOutcome, EnumTable, ExprNode, Expressions, Operand, ReadBack, SourceText,
    StackPlace, StackValue,
};
pub use kind::Kind;
#[cfg(feature = "analysis")]
pub use member::{FieldRef, MethodRef};
#[cfg(feature = "analysis")]
pub use op::{Constant, Instruction, Op};
#[cfg(feature = "analysis")]
pub use parse::ParseError;
#[cfg(feature = "analysis")]
pub use pointsto::PointsTo;
#[cfg(feature = "analysis")]
pub use producers::{Producer, Producers};
#[cfg(feature = "analysis")]
pub use rethrow::{Rethrow, rethrow};
#[cfg(feature = "analysis")]
pub use stores::{Store, StoreError, StoreKind, Stores};
