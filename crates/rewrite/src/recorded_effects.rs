//! The effects of a method that a recording contains: writes, array creations, calls, throws, locks,
//! lines and branches.

use super::error::RewriteError;
use super::instructions::{self, ATHROW, DUP, GOTO, GOTO_W, JSR, JSR_W, JumpTargets, NEW, Raw};
use super::reader::{ClassLayout, CodeAt, MethodAt, Reader, attributes, slice};
use super::scan::Scan;
use super::tables;
use super::uninitialised::{Reference, References};
use descriptor::Kind;
use descriptor::written::{Language, write_variables};
use std::borrow::Cow;
use std::collections::HashSet;

const WIDE: u8 = 0xc4;
const IINC: u8 = 0x84;
const RET: u8 = 0xa9;
const PUTSTATIC: u8 = 0xb3;
const PUTFIELD: u8 = 0xb5;
const MULTIANEWARRAY: u8 = 0xc5;

/// An instruction whose effect is recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedEffect {
    /// The code index of the instruction.
    pub pc: u32,
    /// The recorded effect.
    pub what: Effect,
}

/// The effect of an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It is the first instruction of a line.
    Line(u16),
    /// It writes a field.
    Put {
        /// The class named by the instruction, with slashes.
        class: String,
        /// The field.
        name: String,
        /// Its descriptor.
        descriptor: String,
        /// For a static field: the index of the class file's own constant that names it.
        constant: Option<u16>,
        /// The object, for a field of one.
        owner: Reference,
    },
    /// It stores into an array. The letter is the first of the element's descriptor, with `B` also for
    /// `boolean`, and `L` for all references.
    Element(char),
    /// It creates an array, together with this many levels of arrays inside it.
    Array(u8),
    /// It calls a method.
    Call {
        /// The class named by the instruction, with slashes; for an array, its descriptor.
        class: String,
        /// The method.
        name: String,
        /// Its descriptor.
        descriptor: String,
    },
    /// It writes a local variable.
    Local {
        /// The variable's slot.
        slot: u16,
        /// The kind of the value written.
        kind: Kind,
        /// The value written, if it is a reference.
        value: Reference,
        /// Its name and descriptor, if the class file has them.
        named: Option<(String, String)>,
    },
    /// It is a conditional branch or switch.
    Branch {
        /// The branch targets.
        to: Vec<u32>,
        /// The next instruction if the branch is not taken; `None` for a switch.
        or: Option<u32>,
    },
    /// It throws the exception on top of the stack.
    Throw,
    /// It locks the object on top of the stack.
    Lock,
    /// It unlocks the object on top of the stack.
    Unlock,
}

impl Scan<'_> {
    /// The names of a method's parameters, without `this`, as far as the class file has them (JVMS §4.7.13).
    ///
    /// # Errors
    /// If the class file is invalid.
    pub fn parameters(
        &self,
        name: &str,
        descriptor: &str,
        is_static: bool,
    ) -> Result<Vec<Option<String>>, RewriteError> {
        let class = self.layout();
        let is = |m: &&MethodAt| class.is(m.name, name) && class.is(m.descriptor, descriptor);
        let code = class.methods.iter().find(is).and_then(|method| method.code);
        let parts = descriptor::parse_method(descriptor);
        let (Some(CodeAt { start, end }), Some(parts)) = (code, parts) else { return Ok(Vec::new()) };
        let mut reader = Reader::at(slice(class.bytes, 0, end)?, start + 10);
        let length = reader.length()?;
        reader.take(length)?;
        tables::handlers(&mut reader)?;
        let variables = Tables::read(class, &mut reader)?.variables;
        let mut slot = u16::from(!is_static);
        let mut found = Vec::new();
        for descriptor in parts.parameters {
            let named = variables.iter().find(|variable| variable.slot == slot && variable.start == 0);
            found.push(named.map(|variable| variable.name.clone()));
            slot += if matches!(descriptor.as_str(), "J" | "D") { 2 } else { 1 };
        }
        Ok(found)
    }

    /// The recorded effects of a method in code order. Each line precedes the effects of its instructions.
    ///
    /// # Errors
    /// If the class file is invalid.
    pub fn recorded_effects(
        &self,
        name: &str,
        descriptor: &str,
    ) -> Result<Vec<RecordedEffect>, RewriteError> {
        let class = self.layout();
        let is = |m: &&MethodAt| class.is(m.name, name) && class.is(m.descriptor, descriptor);
        let Some(method) = class.methods.iter().find(is) else { return Ok(Vec::new()) };
        method.code.map_or_else(|| Ok(Vec::new()), |at| read_effects(class, method, at))
    }
}

fn read_effects(
    class: &ClassLayout<'_>,
    method: &MethodAt,
    at: CodeAt,
) -> Result<Vec<RecordedEffect>, RewriteError> {
    let mut reader = Reader::at(slice(class.bytes, 0, at.end)?, at.start + 10);
    let length = reader.length()?;
    let code = reader.take(length)?;
    let instructions = instructions::read(code)?;
    tables::handlers(&mut reader)?;
    let Tables { lines: mut found, variables, hidden } = Tables::read(class, &mut reader)?;
    // With subroutines, a variable may hold a return address.
    let has_subroutines = instructions.iter().any(|raw| matches!(raw.opcode, JSR | JSR_W | RET));
    let references = super::method::references(class, method, at)?;
    let mut before: [u8; 2] = [0; 2];
    let is_cleared = Language::of(class.source_file.as_deref()) == Some(Language::Clojure);
    for raw in &instructions {
        let is_new = before[1] == NEW || before == [NEW, DUP];
        before = [before[1], raw.opcode];
        let what = match effect_of(class, code, raw, &references)? {
            // An object that no constructor has initialised cannot be passed on.
            Some(Effect::Local { kind: Kind::Reference, .. }) if is_new || has_subroutines => None,
            // The compiler clears a variable after its last use, which no source says.
            Some(Effect::Local { slot, .. }) if is_cleared && clears(code, raw.pc, slot) => None,
            Some(Effect::Local { slot, kind, value, .. }) => {
                // The range of a variable begins after its first store.
                let at = raw.pc + raw.length;
                let is = |v: &&Variable| v.slot == slot && (v.start..v.end).contains(&at);
                let named = variables.iter().find(is).map(|v| (v.name.clone(), v.descriptor.clone()));
                let is_hidden = named.is_none() && hidden.iter().any(|v| is(&v));
                (!is_hidden).then_some(Effect::Local { slot, kind, value, named })
            }
            what => what,
        };
        found.extend(what.map(|what| RecordedEffect { pc: raw.pc, what }));
    }
    found.sort_by_key(|effect| effect.pc);
    Ok(found)
}

/// Whether the store at `pc` follows `aload slot; aconst_null`.
fn clears(code: &[u8], pc: u32, slot: u16) -> bool {
    let before = code.get(..pc as usize).unwrap_or_default();
    let short = u8::try_from(slot).ok().filter(|slot| *slot < 4).map(|slot| 0x2a + slot);
    match before {
        [.., load, 1] if Some(*load) == short => true,
        [.., 0x19, load, 1] => slot > 3 && u16::from(*load) == slot,
        _ => false,
    }
}

/// A row of a LocalVariableTable (JVMS §4.7.13).
#[derive(Clone)]
struct Variable {
    slot: u16,
    start: u32,
    end: u32,
    name: String,
    descriptor: String,
}

/// The debug tables of a method.
struct Tables {
    /// The first instructions of lines, ascending.
    lines: Vec<RecordedEffect>,
    variables: Vec<Variable>,
    /// Those that only the compiler knows.
    hidden: Vec<Variable>,
}

impl Tables {
    fn read(class: &ClassLayout<'_>, reader: &mut Reader<'_>) -> Result<Tables, RewriteError> {
        let mut tables = Tables { lines: Vec::new(), variables: Vec::new(), hidden: Vec::new() };
        for attribute in attributes(reader)? {
            let mut rows = Reader::at(slice(class.bytes, 0, attribute.end)?, attribute.start);
            if class.is(attribute.name, "LineNumberTable") {
                for _ in 0..rows.u2()? {
                    let (pc, line) = (u32::from(rows.u2()?), rows.u2()?);
                    let line = match &class.source_map {
                        Some(map) => map.line(line.into()).and_then(|line| u16::try_from(line).ok()),
                        None => Some(line),
                    };
                    tables.lines.extend(line.map(|line| RecordedEffect { pc, what: Effect::Line(line) }));
                }
            } else if class.is(attribute.name, "LocalVariableTable") {
                for _ in 0..rows.u2()? {
                    let (start, length) = (u32::from(rows.u2()?), u32::from(rows.u2()?));
                    let (name, descriptor) = (class.owned(rows.u2()?)?, class.owned(rows.u2()?)?);
                    let (slot, end) = (rows.u2()?, start + length);
                    tables.variables.push(Variable { slot, start, end, name, descriptor });
                }
            }
        }
        tables.lines.sort_by_key(|effect| effect.pc);
        tables.lines.dedup_by_key(|effect| effect.pc);
        if let Some(language) = Language::of(class.source_file.as_deref()) {
            tables.hidden.clone_from(&tables.variables);
            write_variables(Some(language), &mut tables.variables, |variable| &mut variable.name);
            let shown: HashSet<(u16, u32)> = tables.variables.iter().map(|v| (v.slot, v.start)).collect();
            tables.hidden.retain(|v| !shown.contains(&(v.slot, v.start)));
        }
        Ok(tables)
    }
}

fn effect_of(
    class: &ClassLayout<'_>,
    code: &[u8],
    raw: &Raw,
    references: &References,
) -> Result<Option<Effect>, RewriteError> {
    let mut operand = Reader::at(code, raw.pc as usize + 1);
    let reference = references.at(raw.pc);
    let local = |slot, kind| Effect::Local { slot, kind, value: reference, named: None };
    Ok(Some(match raw.opcode {
        opcode @ (PUTSTATIC | PUTFIELD) => {
            let constant = operand.u2()?;
            let [class, name, descriptor] = class.field_ref(constant)?.map(Cow::into_owned);
            let constant = (opcode == PUTSTATIC).then_some(constant);
            Effect::Put { class, name, descriptor, constant, owner: reference }
        }
        opcode @ 0x4f..=0x56 => Effect::Element(
            ['I', 'J', 'F', 'D', 'L', 'B', 'C', 'S'].get(usize::from(opcode - 0x4f)).copied().unwrap_or('L'),
        ),
        0xbc | 0xbd => Effect::Array(0),
        MULTIANEWARRAY => {
            operand.u2()?;
            Effect::Array(operand.u1()?.saturating_sub(1))
        }
        0xb6..=0xb9 => {
            let [class, name, descriptor] = class.method_ref(operand.u2()?)?.map(Cow::into_owned);
            Effect::Call { class, name, descriptor }
        }
        ATHROW => Effect::Throw,
        0xc2 => Effect::Lock,
        0xc3 => Effect::Unlock,
        opcode @ 0x36..=0x3a => local(operand.u1()?.into(), Kind::at(opcode - 0x36)),
        opcode @ 0x3b..=0x4e => {
            let number = opcode - 0x3b;
            local(u16::from(number % 4), Kind::at(number / 4))
        }
        IINC => local(operand.u1()?.into(), Kind::Int),
        WIDE => match operand.u1()? {
            opcode @ 0x36..=0x3a => local(operand.u2()?, Kind::at(opcode - 0x36)),
            IINC => local(operand.u2()?, Kind::Int),
            _ => return Ok(None),
        },
        GOTO | GOTO_W | JSR | JSR_W => return Ok(None),
        _ => {
            let mut to = raw.targets();
            to.sort_unstable();
            to.dedup();
            match raw.targets {
                JumpTargets::None => return Ok(None),
                JumpTargets::To(_) => Effect::Branch { to, or: Some(raw.pc + raw.length) },
                JumpTargets::Table { .. } | JumpTargets::Lookup { .. } => Effect::Branch { to, or: None },
            }
        }
    }))
}

#[cfg(test)]
mod tests {
    use super::clears;

    #[test]
    fn a_variable_is_cleared_behind_its_last_load() {
        // `aload_2; aconst_null; astore_2`, and the same of slot 7.
        assert!(clears(&[0x2c, 1, 0x4d], 2, 2));
        assert!(clears(&[0x19, 7, 1, 0x3a, 7], 3, 7));
        assert!(!clears(&[0x2b, 1, 0x4d], 2, 2));
        assert!(!clears(&[0x19, 2, 1, 0x4d], 3, 7));
        assert!(!clears(&[1, 0x4d], 1, 2));
    }
}
