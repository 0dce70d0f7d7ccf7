//! Converts one raw instruction of the reader library to an [`Op`]. Used only by `parse`.

use crate::op::{BinaryOp, Constant, Element, InvokeKind, Kind, Op, Relation, Test};
use crate::pool::Pool;
use noak::error::DecodeError;
use noak::reader::attributes::{ArrayType, RawInstruction as Raw};

/// The target of a relative jump. A sum outside the code array fails the target check of `parse`.
fn jump(pc: u32, offset: i32) -> u32 {
    pc.checked_add_signed(offset).unwrap_or(u32::MAX)
}

fn load(kind: Kind, slot: u16) -> Op {
    Op::Load { kind, slot }
}

fn store(kind: Kind, slot: u16) -> Op {
    Op::Store { kind, slot }
}

fn binary(op: BinaryOp, kind: Kind) -> Op {
    Op::Binary { op, kind }
}

fn int(value: i32) -> Op {
    Op::Const(Constant::Int(value))
}

fn branch(test: Test, pc: u32, offset: i16) -> Op {
    Op::If { test, target: jump(pc, i32::from(offset)) }
}

fn primitive(ty: ArrayType) -> &'static str {
    match ty {
        ArrayType::Boolean => "boolean",
        ArrayType::Char => "char",
        ArrayType::Float => "float",
        ArrayType::Double => "double",
        ArrayType::Byte => "byte",
        ArrayType::Short => "short",
        ArrayType::Int => "int",
        ArrayType::Long => "long",
    }
}

/// The targets of a `tableswitch`, read from the code array. The library's iterator overflows if the highest
/// key is `i32::MAX`.
fn table_keys(pc: u32, low: i32, high: i32, bytes: &[u8]) -> Vec<(i32, u32)> {
    let start = usize::try_from(pc).unwrap_or(usize::MAX).saturating_add(4) & !3;
    let targets = bytes.get(start.saturating_add(12)..).unwrap_or_default();
    (low..=high)
        .zip(targets.chunks_exact(4))
        .filter_map(|(key, chunk)| {
            let offset = i32::from_be_bytes(<[u8; 4]>::try_from(chunk).ok()?);
            Some((key, jump(pc, offset)))
        })
        .collect()
}

pub(crate) fn op(pool: &Pool<'_, '_>, pc: u32, raw: &Raw<'_>, bytes: &[u8]) -> Result<Op, DecodeError> {
    use BinaryOp as B;
    use Kind::{Double as D, Float as F, Int as I, Long as L, Reference as A};
    use Relation as R;
    let convert = |from, to| Op::Convert { from, to };
    Ok(match raw {
        Raw::Nop => Op::Nop,
        Raw::AConstNull => Op::Const(Constant::Null),
        Raw::IConstM1 => int(-1),
        Raw::IConst0 => int(0),
        Raw::IConst1 => int(1),
        Raw::IConst2 => int(2),
        Raw::IConst3 => int(3),
        Raw::IConst4 => int(4),
        Raw::IConst5 => int(5),
        Raw::BIPush { value } => int(i32::from(*value)),
        Raw::SIPush { value } => int(i32::from(*value)),
        Raw::LConst0 => Op::Const(Constant::Long(0)),
        Raw::LConst1 => Op::Const(Constant::Long(1)),
        Raw::FConst0 => Op::Const(Constant::Float(0.0)),
        Raw::FConst1 => Op::Const(Constant::Float(1.0)),
        Raw::FConst2 => Op::Const(Constant::Float(2.0)),
        Raw::DConst0 => Op::Const(Constant::Double(0.0)),
        Raw::DConst1 => Op::Const(Constant::Double(1.0)),
        Raw::LdC { index } | Raw::LdCW { index } | Raw::LdC2W { index } => {
            Op::Const(pool.constant(index.as_u16())?)
        }
        Raw::ILoad { index } => load(I, u16::from(*index)),
        Raw::ILoadW { index } => load(I, *index),
        Raw::ILoad0 => load(I, 0),
        Raw::ILoad1 => load(I, 1),
        Raw::ILoad2 => load(I, 2),
        Raw::ILoad3 => load(I, 3),
        Raw::IStore { index } => store(I, u16::from(*index)),
        Raw::IStoreW { index } => store(I, *index),
        Raw::IStore0 => store(I, 0),
        Raw::IStore1 => store(I, 1),
        Raw::IStore2 => store(I, 2),
        Raw::IStore3 => store(I, 3),
        Raw::LLoad { index } => load(L, u16::from(*index)),
        Raw::LLoadW { index } => load(L, *index),
        Raw::LLoad0 => load(L, 0),
        Raw::LLoad1 => load(L, 1),
        Raw::LLoad2 => load(L, 2),
        Raw::LLoad3 => load(L, 3),
        Raw::LStore { index } => store(L, u16::from(*index)),
        Raw::LStoreW { index } => store(L, *index),
        Raw::LStore0 => store(L, 0),
        Raw::LStore1 => store(L, 1),
        Raw::LStore2 => store(L, 2),
        Raw::LStore3 => store(L, 3),
        Raw::FLoad { index } => load(F, u16::from(*index)),
        Raw::FLoadW { index } => load(F, *index),
        Raw::FLoad0 => load(F, 0),
        Raw::FLoad1 => load(F, 1),
        Raw::FLoad2 => load(F, 2),
        Raw::FLoad3 => load(F, 3),
        Raw::FStore { index } => store(F, u16::from(*index)),
        Raw::FStoreW { index } => store(F, *index),
        Raw::FStore0 => store(F, 0),
        Raw::FStore1 => store(F, 1),
        Raw::FStore2 => store(F, 2),
        Raw::FStore3 => store(F, 3),
        Raw::DLoad { index } => load(D, u16::from(*index)),
        Raw::DLoadW { index } => load(D, *index),
        Raw::DLoad0 => load(D, 0),
        Raw::DLoad1 => load(D, 1),
        Raw::DLoad2 => load(D, 2),
        Raw::DLoad3 => load(D, 3),
        Raw::DStore { index } => store(D, u16::from(*index)),
        Raw::DStoreW { index } => store(D, *index),
        Raw::DStore0 => store(D, 0),
        Raw::DStore1 => store(D, 1),
        Raw::DStore2 => store(D, 2),
        Raw::DStore3 => store(D, 3),
        Raw::ALoad { index } => load(A, u16::from(*index)),
        Raw::ALoadW { index } => load(A, *index),
        Raw::ALoad0 => load(A, 0),
        Raw::ALoad1 => load(A, 1),
        Raw::ALoad2 => load(A, 2),
        Raw::ALoad3 => load(A, 3),
        Raw::AStore { index } => store(A, u16::from(*index)),
        Raw::AStoreW { index } => store(A, *index),
        Raw::AStore0 => store(A, 0),
        Raw::AStore1 => store(A, 1),
        Raw::AStore2 => store(A, 2),
        Raw::AStore3 => store(A, 3),
        Raw::IInc { index, value } => Op::Iinc { slot: u16::from(*index), by: i32::from(*value) },
        Raw::IIncW { index, value } => Op::Iinc { slot: *index, by: i32::from(*value) },
        Raw::AALoad => Op::ArrayLoad(Element::Reference),
        Raw::BALoad => Op::ArrayLoad(Element::ByteOrBoolean),
        Raw::CALoad => Op::ArrayLoad(Element::Char),
        Raw::SALoad => Op::ArrayLoad(Element::Short),
        Raw::IALoad => Op::ArrayLoad(Element::Int),
        Raw::LALoad => Op::ArrayLoad(Element::Long),
        Raw::FALoad => Op::ArrayLoad(Element::Float),
        Raw::DALoad => Op::ArrayLoad(Element::Double),
        Raw::AAStore => Op::ArrayStore(Element::Reference),
        Raw::BAStore => Op::ArrayStore(Element::ByteOrBoolean),
        Raw::CAStore => Op::ArrayStore(Element::Char),
        Raw::SAStore => Op::ArrayStore(Element::Short),
        Raw::IAStore => Op::ArrayStore(Element::Int),
        Raw::LAStore => Op::ArrayStore(Element::Long),
        Raw::FAStore => Op::ArrayStore(Element::Float),
        Raw::DAStore => Op::ArrayStore(Element::Double),
        Raw::Pop => Op::Pop,
        Raw::Pop2 => Op::Pop2,
        Raw::Dup => Op::Dup,
        Raw::DupX1 => Op::DupX1,
        Raw::DupX2 => Op::DupX2,
        Raw::Dup2 => Op::Dup2,
        Raw::Dup2X1 => Op::Dup2X1,
        Raw::Dup2X2 => Op::Dup2X2,
        Raw::Swap => Op::Swap,
        Raw::IAdd => binary(B::Add, I),
        Raw::ISub => binary(B::Sub, I),
        Raw::IMul => binary(B::Mul, I),
        Raw::IDiv => binary(B::Div, I),
        Raw::IRem => binary(B::Rem, I),
        Raw::INeg => Op::Negate(I),
        Raw::LAdd => binary(B::Add, L),
        Raw::LSub => binary(B::Sub, L),
        Raw::LMul => binary(B::Mul, L),
        Raw::LDiv => binary(B::Div, L),
        Raw::LRem => binary(B::Rem, L),
        Raw::LNeg => Op::Negate(L),
        Raw::FAdd => binary(B::Add, F),
        Raw::FSub => binary(B::Sub, F),
        Raw::FMul => binary(B::Mul, F),
        Raw::FDiv => binary(B::Div, F),
        Raw::FRem => binary(B::Rem, F),
        Raw::FNeg => Op::Negate(F),
        Raw::DAdd => binary(B::Add, D),
        Raw::DSub => binary(B::Sub, D),
        Raw::DMul => binary(B::Mul, D),
        Raw::DDiv => binary(B::Div, D),
        Raw::DRem => binary(B::Rem, D),
        Raw::DNeg => Op::Negate(D),
        Raw::IShL => binary(B::Shl, I),
        Raw::IShR => binary(B::Shr, I),
        Raw::IUShR => binary(B::Ushr, I),
        Raw::IAnd => binary(B::And, I),
        Raw::IOr => binary(B::Or, I),
        Raw::IXor => binary(B::Xor, I),
        Raw::LShL => binary(B::Shl, L),
        Raw::LShR => binary(B::Shr, L),
        Raw::LUShR => binary(B::Ushr, L),
        Raw::LAnd => binary(B::And, L),
        Raw::LOr => binary(B::Or, L),
        Raw::LXor => binary(B::Xor, L),
        Raw::I2L => convert(I, 'J'),
        Raw::I2F => convert(I, 'F'),
        Raw::I2D => convert(I, 'D'),
        Raw::I2B => convert(I, 'B'),
        Raw::I2C => convert(I, 'C'),
        Raw::I2S => convert(I, 'S'),
        Raw::L2I => convert(L, 'I'),
        Raw::L2F => convert(L, 'F'),
        Raw::L2D => convert(L, 'D'),
        Raw::F2I => convert(F, 'I'),
        Raw::F2L => convert(F, 'J'),
        Raw::F2D => convert(F, 'D'),
        Raw::D2I => convert(D, 'I'),
        Raw::D2L => convert(D, 'J'),
        Raw::D2F => convert(D, 'F'),
        Raw::LCmp => Op::Compare { kind: L },
        Raw::FCmpL | Raw::FCmpG => Op::Compare { kind: F },
        Raw::DCmpL | Raw::DCmpG => Op::Compare { kind: D },
        Raw::IfEq { offset } => branch(Test::Zero(R::Eq), pc, *offset),
        Raw::IfICmpEq { offset } => branch(Test::Ints(R::Eq), pc, *offset),
        Raw::IfNe { offset } => branch(Test::Zero(R::Ne), pc, *offset),
        Raw::IfICmpNe { offset } => branch(Test::Ints(R::Ne), pc, *offset),
        Raw::IfLt { offset } => branch(Test::Zero(R::Lt), pc, *offset),
        Raw::IfICmpLt { offset } => branch(Test::Ints(R::Lt), pc, *offset),
        Raw::IfGe { offset } => branch(Test::Zero(R::Ge), pc, *offset),
        Raw::IfICmpGe { offset } => branch(Test::Ints(R::Ge), pc, *offset),
        Raw::IfGt { offset } => branch(Test::Zero(R::Gt), pc, *offset),
        Raw::IfICmpGt { offset } => branch(Test::Ints(R::Gt), pc, *offset),
        Raw::IfLe { offset } => branch(Test::Zero(R::Le), pc, *offset),
        Raw::IfICmpLe { offset } => branch(Test::Ints(R::Le), pc, *offset),
        Raw::IfACmpEq { offset } => branch(Test::References(R::Eq), pc, *offset),
        Raw::IfACmpNe { offset } => branch(Test::References(R::Ne), pc, *offset),
        Raw::IfNull { offset } => branch(Test::Null(R::Eq), pc, *offset),
        Raw::IfNonNull { offset } => branch(Test::Null(R::Ne), pc, *offset),
        Raw::Goto { offset } => Op::Goto { target: jump(pc, i32::from(*offset)) },
        Raw::GotoW { offset } => Op::Goto { target: jump(pc, *offset) },
        Raw::JSr { offset } => Op::Jsr { target: jump(pc, i32::from(*offset)) },
        Raw::JSrW { offset } => Op::Jsr { target: jump(pc, *offset) },
        Raw::Ret { index } => Op::Ret { slot: u16::from(*index) },
        Raw::RetW { index } => Op::Ret { slot: *index },
        Raw::TableSwitch(table) => Op::Switch {
            keys: table_keys(pc, table.low(), table.high(), bytes),
            default: jump(pc, table.default_offset()),
        },
        Raw::LookupSwitch(lookup) => Op::Switch {
            keys: lookup.pairs().map(|pair| (pair.key(), jump(pc, pair.offset()))).collect(),
            default: jump(pc, lookup.default_offset()),
        },
        Raw::Return => Op::Return(None),
        Raw::IReturn => Op::Return(Some(I)),
        Raw::LReturn => Op::Return(Some(L)),
        Raw::FReturn => Op::Return(Some(F)),
        Raw::DReturn => Op::Return(Some(D)),
        Raw::AReturn => Op::Return(Some(A)),
        Raw::GetField { index } => Op::GetField(pool.field(index.as_u16())?),
        Raw::PutField { index } => Op::PutField(pool.field(index.as_u16())?),
        Raw::GetStatic { index } => Op::GetStatic(pool.field(index.as_u16())?),
        Raw::PutStatic { index } => Op::PutStatic(pool.field(index.as_u16())?),
        Raw::InvokeVirtual { index } => {
            Op::Invoke { kind: InvokeKind::Virtual, method: pool.method(index.as_u16())? }
        }
        Raw::InvokeSpecial { index } => {
            Op::Invoke { kind: InvokeKind::Special, method: pool.method(index.as_u16())? }
        }
        Raw::InvokeStatic { index } => {
            Op::Invoke { kind: InvokeKind::Static, method: pool.method(index.as_u16())? }
        }
        Raw::InvokeInterface { index, .. } => {
            Op::Invoke { kind: InvokeKind::Interface, method: pool.method(index.as_u16())? }
        }
        Raw::InvokeDynamic { index } => {
            let (name, descriptor, bootstrap) = pool.dynamic(index.as_u16())?;
            Op::InvokeDynamic { name, descriptor, bootstrap }
        }
        Raw::New { index } => Op::New(pool.class_at(index.as_u16())?),
        Raw::NewArray { atype } => Op::NewArray(primitive(*atype).to_owned()),
        Raw::ANewArray { index } => Op::NewArray(pool.class_at(index.as_u16())?),
        Raw::MultiANewArray { index, dimensions } => {
            Op::MultiNewArray { ty: pool.class_at(index.as_u16())?, dimensions: *dimensions }
        }
        Raw::ArrayLength => Op::ArrayLength,
        Raw::AThrow => Op::Throw,
        Raw::CheckCast { index } => Op::CheckCast(pool.class_at(index.as_u16())?),
        Raw::InstanceOf { index } => Op::InstanceOf(pool.class_at(index.as_u16())?),
        Raw::MonitorEnter => Op::MonitorEnter,
        Raw::MonitorExit => Op::MonitorExit,
    })
}
