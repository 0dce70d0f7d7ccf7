//! The instruction set as data: one [`Op`] per JVM instruction (JVMS §6.5), with constants resolved and
//! absolute branch targets. Independent of class files and graphs.

pub use crate::kind::Kind;
use crate::member::{FieldRef, MethodRef};

/// One instruction of a method's code array.
#[derive(Debug, Clone, PartialEq)]
pub struct Instruction {
    /// Index of the opcode in the code array (the JDWP code index).
    pub pc: u32,
    /// Length of the instruction in bytes, including padding.
    pub length: u32,
    /// What it does.
    pub op: Op,
}

impl Instruction {
    /// Code index of the next instruction in the code array; can lie past the end.
    pub fn next_pc(&self) -> u32 {
        self.pc.saturating_add(self.length)
    }
}

/// A constant operand.
#[derive(Debug, Clone, PartialEq)]
pub enum Constant {
    /// `null`.
    Null,
    /// An `int`, a smaller integer type, or a `boolean`.
    Int(i32),
    /// `long`.
    Long(i64),
    /// `float`.
    Float(f32),
    /// `double`.
    Double(f64),
    /// A string, with unpaired surrogates replaced.
    String(String),
    /// A class literal, as its Java type name (`java.lang.String`, `int[]`).
    Class(String),
    /// A method handle.
    MethodHandle(MethodRef),
    /// A method type, as a descriptor.
    MethodType(String),
    /// A dynamically computed constant.
    Dynamic {
        /// Name given to the bootstrap method.
        name: String,
        /// Field descriptor of the value.
        descriptor: String,
    },
}

/// Binary operators: first those of the instruction set, then those that exist only in source text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are the operators")]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
    Ushr,
    And,
    Or,
    Xor,
    Eq,
    Ne,
    Lt,
    Ge,
    Gt,
    Le,
    AndAnd,
    OrOr,
    /// `lcmp`, `fcmpl`, `dcmpg`…: -1, 0 or 1. Java has no such operator; a following `if` absorbs it.
    Compare,
}

/// How a conditional branch compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Relation {
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `>=`
    Ge,
    /// `>`
    Gt,
    /// `<=`
    Le,
}

impl Relation {
    /// The relation that holds exactly if this one does not (for integers and references).
    pub fn negated(self) -> Relation {
        match self {
            Relation::Eq => Relation::Ne,
            Relation::Ne => Relation::Eq,
            Relation::Lt => Relation::Ge,
            Relation::Ge => Relation::Lt,
            Relation::Gt => Relation::Le,
            Relation::Le => Relation::Gt,
        }
    }

    /// The operator in source text.
    pub fn operator(self) -> BinaryOp {
        match self {
            Relation::Eq => BinaryOp::Eq,
            Relation::Ne => BinaryOp::Ne,
            Relation::Lt => BinaryOp::Lt,
            Relation::Ge => BinaryOp::Ge,
            Relation::Gt => BinaryOp::Gt,
            Relation::Le => BinaryOp::Le,
        }
    }

    fn suffix(self) -> &'static str {
        match self {
            Relation::Eq => "eq",
            Relation::Ne => "ne",
            Relation::Lt => "lt",
            Relation::Ge => "ge",
            Relation::Gt => "gt",
            Relation::Le => "le",
        }
    }
}

/// What a conditional branch compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Test {
    /// One `int` (or `boolean`) with zero: `ifeq`…
    Zero(Relation),
    /// Two `int`s: `if_icmpeq`…
    Ints(Relation),
    /// Two references, `==` or `!=` only: `if_acmpeq`, `if_acmpne`.
    References(Relation),
    /// One reference with null, `==` or `!=` only: `ifnull`, `ifnonnull`.
    Null(Relation),
}

impl Test {
    /// The mnemonic of the instruction.
    pub fn mnemonic(self) -> String {
        match self {
            Test::Zero(r) => format!("if{}", r.suffix()),
            Test::Ints(r) => format!("if_icmp{}", r.suffix()),
            Test::References(r) => format!("if_acmp{}", r.suffix()),
            Test::Null(Relation::Eq) => "ifnull".to_owned(),
            Test::Null(_) => "ifnonnull".to_owned(),
        }
    }
}

/// The element type of an array access instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are the types")]
pub enum Element {
    Int,
    Long,
    Float,
    Double,
    Reference,
    /// `byte` or `boolean`: the instruction does not distinguish them.
    ByteOrBoolean,
    Char,
    Short,
}

impl Element {
    /// The computational type of the element on the operand stack.
    pub fn kind(self) -> Kind {
        match self {
            Element::Long => Kind::Long,
            Element::Float => Kind::Float,
            Element::Double => Kind::Double,
            Element::Reference => Kind::Reference,
            _ => Kind::Int,
        }
    }
}

/// How a method is invoked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are the instructions")]
pub enum InvokeKind {
    Virtual,
    Special,
    Static,
    Interface,
}

/// The bootstrap method of an `invokedynamic` and its static arguments.
#[derive(Debug, Clone, PartialEq)]
pub struct Bootstrap {
    /// The bootstrap method (`LambdaMetafactory.metafactory`, `StringConcatFactory.…`).
    pub method: MethodRef,
    /// Its static arguments.
    pub arguments: Vec<Constant>,
}

/// The operation of an instruction. Targets are absolute code indices.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "fields repeat the operand's name in JVMS §6.5")]
pub enum Op {
    Nop,
    Const(Constant),
    Load {
        kind: Kind,
        slot: u16,
    },
    Store {
        kind: Kind,
        slot: u16,
    },
    Iinc {
        slot: u16,
        by: i32,
    },
    ArrayLoad(Element),
    ArrayStore(Element),
    Pop,
    Pop2,
    Dup,
    DupX1,
    DupX2,
    Dup2,
    Dup2X1,
    Dup2X2,
    Swap,
    Binary {
        op: BinaryOp,
        kind: Kind,
    },
    Negate(Kind),
    /// Conversion from a kind to a primitive type, given by its descriptor character (`I2B` is `(Int, 'B')`).
    Convert {
        from: Kind,
        to: char,
    },
    /// `lcmp`, `fcmpl`, `fcmpg`, `dcmpl`, `dcmpg`.
    Compare {
        kind: Kind,
    },
    If {
        test: Test,
        target: u32,
    },
    Goto {
        target: u32,
    },
    Jsr {
        target: u32,
    },
    Ret {
        slot: u16,
    },
    /// `tableswitch` or `lookupswitch`; `keys` are in table order.
    Switch {
        keys: Vec<(i32, u32)>,
        default: u32,
    },
    Return(Option<Kind>),
    GetField(FieldRef),
    PutField(FieldRef),
    GetStatic(FieldRef),
    PutStatic(FieldRef),
    Invoke {
        kind: InvokeKind,
        method: MethodRef,
    },
    InvokeDynamic {
        name: String,
        descriptor: String,
        bootstrap: Option<Bootstrap>,
    },
    /// `new`, with the class's binary name.
    New(String),
    /// `newarray` and `anewarray`, with the Java type name of the elements.
    NewArray(String),
    /// `multianewarray`, with the Java type name of the whole array.
    MultiNewArray {
        ty: String,
        dimensions: u8,
    },
    ArrayLength,
    Throw,
    /// `checkcast`, with a Java type name.
    CheckCast(String),
    /// `instanceof`, with a Java type name.
    InstanceOf(String),
    MonitorEnter,
    MonitorExit,
}

impl Op {
    /// Whether control never continues with the next instruction in the code array.
    pub fn ends_flow(&self) -> bool {
        matches!(self, Op::Goto { .. } | Op::Ret { .. } | Op::Switch { .. } | Op::Return(_) | Op::Throw)
    }

    /// Whether executing the instruction can throw (JVMS §6.5), other than by Thread.stop.
    pub fn can_throw(&self) -> bool {
        match self {
            Op::Const(constant) => matches!(
                constant,
                Constant::Class(_)
                    | Constant::MethodHandle(_)
                    | Constant::MethodType(_)
                    | Constant::Dynamic { .. }
            ),
            Op::Binary { op, kind } => {
                matches!(op, BinaryOp::Div | BinaryOp::Rem) && matches!(kind, Kind::Int | Kind::Long)
            }
            Op::ArrayLoad(_)
            | Op::ArrayStore(_)
            | Op::GetField(_)
            | Op::PutField(_)
            | Op::GetStatic(_)
            | Op::PutStatic(_)
            | Op::Invoke { .. }
            | Op::InvokeDynamic { .. }
            | Op::New(_)
            | Op::NewArray(_)
            | Op::MultiNewArray { .. }
            | Op::ArrayLength
            | Op::Throw
            | Op::CheckCast(_)
            | Op::InstanceOf(_)
            | Op::MonitorEnter
            | Op::MonitorExit
            | Op::Return(_) => true,
            _ => false,
        }
    }

    /// The field that the instruction accesses, and whether it writes it.
    pub fn field_access(&self) -> Option<(&FieldRef, bool)> {
        match self {
            Op::PutField(field) | Op::PutStatic(field) => Some((field, true)),
            Op::GetField(field) | Op::GetStatic(field) => Some((field, false)),
            _ => None,
        }
    }

    /// Whether the instruction selects between several normal successors.
    pub fn is_branch(&self) -> bool {
        matches!(self, Op::If { .. } | Op::Switch { .. })
    }

    /// The slot that the instruction writes, and its width in slots (2 for `long` and `double`).
    pub fn stored_slot(&self) -> Option<(u16, u16)> {
        match self {
            Op::Store { kind, slot } => Some((*slot, kind.slots())),
            Op::Iinc { slot, .. } => Some((*slot, 1)),
            _ => None,
        }
    }

    /// The absolute targets of the instruction's jumps; empty if it only falls through.
    pub fn targets(&self) -> Vec<u32> {
        match self {
            Op::If { target, .. } | Op::Goto { target } | Op::Jsr { target } => vec![*target],
            Op::Switch { keys, default } => {
                let mut all: Vec<u32> = keys.iter().map(|(_, target)| *target).collect();
                all.push(*default);
                all
            }
            _ => Vec::new(),
        }
    }
}
