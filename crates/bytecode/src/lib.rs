//! What JVM bytecode says: class files to instructions, control flow, control dependence, stores to variables, and
//! conditions and assignments as source-like text.
//!
//! This crate does no I/O and knows no running VM: bytes in, facts out. It depends on `noak` to read class files and
//! on `petgraph` for graphs, and panics on no input.
#![forbid(unsafe_code)]

pub mod cfg;
pub mod class;
pub mod control;
mod decode;
pub mod descriptor;
pub mod expression;
mod flow;
pub mod lines;
pub mod op;
mod parse;
mod pool;
mod rethrow;
pub mod rewrite;
pub mod skip;
pub mod stack;
pub mod stores;

pub use cfg::{Block, Cfg, EdgeKind};
pub use class::{
    ClassFile, Code, Field, FieldRef, Handler, InnerClass, LineEntry, LocalVariable, Method, MethodRef,
};
pub use control::{BranchEdge, CaughtAt, ControlDependence, Dependences, dominators, post_dominators};
pub use expression::{
    CallText, Condition, EnumTable, ExprNode, Expressions, Operand, ReadBack, SourceText, Way,
};
pub use op::{Constant, Instruction, Op};
pub use parse::ParseError;
pub use rethrow::{Rethrow, rethrow};
pub use stores::{Store, StoreError, StoreKind, Stores};
