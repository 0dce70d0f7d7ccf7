//! What the solver knows of calls: those of the program, those that lambdas make, and those of the library.

use super::MethodId;
use super::nodes::NodeId;
use super::types::{Found, TypeId};
use bytecode::member::MethodRef;
use bytecode::op::InvokeKind;
use std::collections::{HashMap, HashSet};
use std::ops::Deref;

/// An instruction of a reached method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct InstructionAt {
    pub(super) method: MethodId,
    pub(super) pc: u32,
}

impl InstructionAt {
    /// As a key: the number of the method, and the code index.
    pub(super) fn key(self) -> (u32, u32) {
        (self.method.0, self.pc)
    }
}

/// A call instruction of a reached method, or the call that a lambda or method reference makes.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) method: MethodId,
    pub(super) pc: u32,
    /// Whether the call is made by a lambda or method reference, not by the instruction itself.
    pub(super) is_lambda: bool,
    pub(super) kind: InvokeKind,
    /// The class that the call names.
    pub(super) class: TypeId,
    pub(super) name: String,
    pub(super) descriptor: String,
    /// The receiver (if any) and the arguments.
    pub(super) arguments: Vec<NodeId>,
    pub(super) result: NodeId,
}

impl Call {
    /// Its instruction, or the one that creates its lambda or method reference.
    pub(super) fn at(&self) -> InstructionAt {
        InstructionAt { method: self.method, pc: self.pc }
    }
}

/// A call with the methods that it was found to execute.
#[derive(Debug)]
pub(super) struct CallSite {
    pub(super) call: Call,
    pub(super) targets: Vec<MethodId>,
    pub(super) connected: HashSet<MethodId>,
    /// For a lambda: the calls that call it.
    pub(super) called_from: Vec<InstructionAt>,
    /// The calls of other lambdas that this call executes.
    pub(super) inner: Vec<u32>,
    /// What objects of exactly this class execute.
    pub(super) found: HashMap<TypeId, Found>,
}

impl Deref for CallSite {
    type Target = Call;

    fn deref(&self) -> &Call {
        &self.call
    }
}

/// A call site with a method that is not analysed.
#[derive(Debug, Clone)]
pub(super) struct LibraryCall {
    pub(super) site: u32,
    /// The receivers that execute this method.
    pub(super) receiver: NodeId,
    /// What the functions return that it calls.
    pub(super) results: NodeId,
    /// The declared type of its result.
    pub(super) result_type: TypeId,
    /// What `equals` and `compareTo` of its arguments may get.
    pub(super) peers: NodeId,
    /// The class of the method.
    pub(super) class: TypeId,
    /// What the methods return that program objects override; see `Solver::inherits`.
    pub(super) returned: NodeId,
}

/// Functions that a library calls.
#[derive(Debug, Clone, Copy)]
pub(super) struct Callback {
    pub(super) site: u32,
    /// What their parameters may be.
    pub(super) given: NodeId,
    /// Where their results go.
    pub(super) results: NodeId,
    /// The functions that library objects among them hold.
    pub(super) inner: NodeId,
}

/// Class objects of which a library makes objects.
#[derive(Debug, Clone, Copy)]
pub(super) struct Instantiation {
    pub(super) site: u32,
    /// What the parameters of a constructor may be.
    pub(super) given: NodeId,
}

/// The object of a lambda expression or method reference.
#[derive(Debug, Clone)]
pub(super) struct Lambda {
    /// The method of the interface.
    pub(super) name: String,
    /// The number of its parameters.
    pub(super) count: usize,
    /// The nodes of its parameters, after the captured values.
    pub(super) parameters: Vec<NodeId>,
    /// The node of its result.
    pub(super) result: NodeId,
    /// The call that it makes, once something calls it.
    pub(super) site: Option<u32>,
    /// Where it is created.
    pub(super) at: InstructionAt,
    pub(super) captured: Vec<NodeId>,
    pub(super) target: MethodRef,
}
