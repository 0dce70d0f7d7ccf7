//! The kinds of values that the local variables hold before an instruction, as the verifier knows them (JVMS
//! §4.10.1). A LocalVariableTable may say something else, and inserted code that believes it is refused.

use super::error::RewriteError;
use super::frames::{self, Frame, Type};
use super::instructions::{self, ATHROW, GOTO, GOTO_W, LOOKUPSWITCH, RETURN, Raw, TABLESWITCH};
use super::method::initialised_from;
use super::reader::{ClassLayout, CodeAt, MethodAt, Reader, attributes, slice};
use super::tables;
use descriptor::Kind;
use std::collections::BTreeMap;

/// The first and last store instruction with its slot as operand, and the first and last without one (JVMS
/// §6.5).
const STORE: (u8, u8) = (0x36, 0x3a);
const STORE_N: (u8, u8) = (0x3b, 0x4e);
const WIDE: u8 = 0xc4;

/// The slots that hold a value before an instruction, with its kind. `None` if there is no such method, or if
/// its class file does not say: it has jumps but no StackMapTable.
///
/// # Errors
/// If the bytes are not a class file.
pub fn local_kinds(
    bytes: &[u8],
    name: &str,
    descriptor: &str,
    at: u32,
) -> Result<Option<BTreeMap<u16, Kind>>, RewriteError> {
    let class = ClassLayout::read(bytes)?;
    for method in &class.methods {
        if let Some(code) = method.code
            && class.is(method.name, name)
            && class.is(method.descriptor, descriptor)
        {
            return in_method(&class, method, code, at);
        }
    }
    Ok(None)
}

fn in_method(
    class: &ClassLayout<'_>,
    method: &MethodAt,
    code_at: CodeAt,
    at: u32,
) -> Result<Option<BTreeMap<u16, Kind>>, RewriteError> {
    let mut reader = Reader::at(slice(class.bytes, 0, code_at.end)?, code_at.start + 10);
    let length = reader.length()?;
    let code = reader.take(length)?;
    let handlers = tables::handlers(&mut reader)?;
    let (name, descriptor) = (class.owned(method.name)?, class.owned(method.descriptor)?);
    let initial = frames::initial(class, method.access, &name, &descriptor)?;
    let mut known: Option<Vec<Frame>> = None;
    for attribute in attributes(&mut reader)? {
        if class.is(attribute.name, "StackMapTable") {
            let contents = slice(class.bytes, attribute.start, attribute.end)?;
            known = Some(frames::read(class, &mut Reader::new(contents), &initial)?);
        }
    }
    let instructions = instructions::read(code)?;
    let is_straight = handlers.is_empty() && instructions.iter().all(|raw| raw.targets().is_empty());
    let Some(known) = known.or(is_straight.then(Vec::new)) else { return Ok(None) };
    let by_pc: BTreeMap<u32, &Frame> = known.iter().map(|frame| (frame.pc, frame)).collect();
    let mut locals = Some(slots(&initial.locals));
    for raw in &instructions {
        if let Some(frame) = by_pc.get(&raw.pc) {
            locals = Some(slots(&frame.locals));
        }
        if raw.pc == at {
            let is_whole = initialised_from(class, method, code_at)?.is_some_and(|from| from <= at);
            return Ok(locals.map(|locals| kinds(&locals, is_whole)));
        }
        if let (Some(locals), Some((slot, kind))) = (&mut locals, stored(code, raw)) {
            // A store also ends the two-slot value that it overwrites a half of.
            if let Some(before) = slot.checked_sub(1)
                && matches!(locals.get(&before), Some(Type::Long | Type::Double))
            {
                locals.remove(&before);
            }
            if kind.slots() == 2 {
                locals.remove(&(slot + 1));
            }
            locals.insert(slot, Type::of(kind));
        }
        if matches!(raw.opcode, GOTO | GOTO_W | ATHROW | TABLESWITCH | LOOKUPSWITCH | 0xac..=RETURN) {
            locals = None;
        }
    }
    Ok(None)
}

fn slots(types: &[Type]) -> BTreeMap<u16, Type> {
    let mut slot: u16 = 0;
    let mut found = BTreeMap::new();
    for one in types {
        found.insert(slot, one.clone());
        slot = slot.saturating_add(one.slots());
    }
    found
}

fn kinds(locals: &BTreeMap<u16, Type>, is_whole: bool) -> BTreeMap<u16, Kind> {
    let kind = |one: &Type| {
        Some(match one {
            Type::Int => Kind::Int,
            Type::Float => Kind::Float,
            Type::Long => Kind::Long,
            Type::Double => Kind::Double,
            Type::Null | Type::Object(_) => Kind::Reference,
            Type::UninitializedThis if is_whole => Kind::Reference,
            Type::Top | Type::UninitializedThis | Type::Uninitialized(_) => return None,
        })
    };
    locals.iter().filter_map(|(slot, one)| Some((*slot, kind(one)?))).collect()
}

/// The slot that an instruction stores to, with the kind of the value.
fn stored(code: &[u8], raw: &Raw) -> Option<(u16, Kind)> {
    let pc = usize::try_from(raw.pc).ok()?;
    let opcode = raw.opcode;
    if (STORE.0..=STORE.1).contains(&opcode) {
        return Some((u16::from(*code.get(pc + 1)?), Kind::at(opcode - STORE.0)));
    }
    if (STORE_N.0..=STORE_N.1).contains(&opcode) {
        let number = opcode - STORE_N.0;
        return Some((u16::from(number % 4), Kind::at(number / 4)));
    }
    match code.get(pc..pc + 4)? {
        [WIDE, opcode, high, low] if (STORE.0..=STORE.1).contains(opcode) => {
            Some((u16::from_be_bytes([*high, *low]), Kind::at(opcode - STORE.0)))
        }
        _ => None,
    }
}
