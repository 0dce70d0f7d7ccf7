//! The stores to a local variable (DESIGN §5.3, §5.4), from the local variable table and reaching
//! definitions.
//!
//! Many variables can share a slot, and javac gives one variable several ranges if it is not assigned on
//! every path. Ranges with the same name, slot and type belong to one variable if a store reaches both.

use crate::cfg::normal_edges;
use crate::class::{Code, CopiedLine, LocalVariable, Method};
use crate::descriptor::parameter_slots;
use crate::op::{Constant, Op};

/// How a variable gets its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StoreKind {
    /// A store instruction.
    Store,
    /// An `iinc`.
    Iinc,
    /// The call itself, which passes a parameter or `this`.
    ParameterEntry,
}

/// One definition of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Store {
    /// The storing instruction; 0 for a parameter.
    pub pc: u32,
    /// The kind of store.
    pub kind: StoreKind,
    /// The instruction before which the new value can be read; 0 for a parameter.
    pub value_pc: u32,
    /// Whether the variable has a previous value before the instruction at `pc`; false for a parameter.
    pub in_range_before: bool,
    /// Whether the variable is still valid at `value_pc`; false for a store at the end of its scope.
    pub in_range_after: bool,
}

/// A variable with its stores.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stores {
    /// Its slot in the frame.
    pub slot: u16,
    /// The field descriptor of its type.
    pub descriptor: String,
    /// Its ranges, by start.
    pub ranges: Vec<LocalVariable>,
    /// Its stores, by pc; that of a parameter comes first. Without those by which a compiler clears it.
    pub stores: Vec<Store>,
    /// Whether the compiler sets the variable to null after its last use. It may then read as null.
    pub is_cleared: bool,
}

/// Why the stores to a variable cannot be determined.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// The method has no code.
    #[error("method {method} has no code (it is abstract or native), so no variable is stored there")]
    NoCode {
        /// Name of the method.
        method: String,
    },
    /// The class was compiled without `-g`.
    #[error(
        "method {method} was compiled without local variable names, so `{name}` is unknown; slots written there: {slots:?}; compile with `javac -g`"
    )]
    NoVariableTable {
        /// Name of the method.
        method: String,
        /// The variable asked for.
        name: String,
        /// Slots of parameters, and slots that are written.
        slots: Vec<u16>,
    },
    /// No variable with this name has a value at this index.
    #[error("no local variable `{name}` has a value at index {pc} of method {method}{}", there(known))]
    NotInScope {
        /// Name of the method.
        method: String,
        /// The variable asked for.
        name: String,
        /// The code index asked for.
        pc: u32,
        /// The variables that have a value there.
        known: Vec<String>,
    },
}

/// The end of a message, which names the variables of a place.
fn there(known: &[String]) -> String {
    if known.is_empty() {
        ", which has no variables there".to_owned()
    } else {
        format!("; variables there: {}", known.join(", "))
    }
}

/// The variable with this name whose range contains `pc`: its value can be read before the instruction there
/// executes.
pub fn variable_at<'a>(code: &'a Code, name: &str, pc: u32) -> Option<&'a LocalVariable> {
    let copied = |v: &&LocalVariable| v.covers(pc) && name_in_copied(&v.name) == Some(name);
    let own = || code.variables.iter().find(|v| v.name == name && v.covers(pc));
    let of_copied = copied_at(code, pc).and_then(|_| code.variables.iter().rev().find(copied));
    of_copied.or_else(own)
}

/// The entry of the code at `pc`, if it was copied from another file.
pub fn copied_at(code: &Code, pc: u32) -> Option<&CopiedLine> {
    code.copied_lines.iter().find(|copied| (copied.start_pc..copied.end_pc).contains(&pc))
}

/// The name that a variable of copied code has in the inline function from which the code was copied:
/// Kotlin's compiler adds `$iv` to it.
pub fn name_in_copied(name: &str) -> Option<&str> {
    name.strip_suffix("$iv")
}

/// The variable in `slot` before the instruction at `pc`.
pub fn variable_in_slot(code: &Code, slot: u16, pc: u32) -> Option<&LocalVariable> {
    code.variables.iter().find(|v| v.slot == slot && v.covers(pc))
}

/// All variables that have a value at `pc`, in slot order.
pub fn variables_at(code: &Code, pc: u32) -> Vec<&LocalVariable> {
    let mut found: Vec<&LocalVariable> = code.variables.iter().filter(|v| v.covers(pc)).collect();
    found.sort_by_key(|v| v.slot);
    found
}

/// The stores to the variable that `name` denotes at `pc`.
///
/// # Errors
/// [`StoreError`] if the method has no code or no variable table, or if no such variable has a value at `pc`.
pub fn stores_to(method: &Method, name: &str, pc: u32) -> Result<Stores, StoreError> {
    let code = method.code.as_ref().ok_or_else(|| StoreError::NoCode { method: method.name.clone() })?;
    if !code.has_variable_table {
        return Err(StoreError::NoVariableTable {
            method: method.name.clone(),
            name: name.to_owned(),
            slots: slots(method),
        });
    }
    let Some(variable) = variable_at(code, name, pc) else {
        return Err(StoreError::NotInScope {
            method: method.name.clone(),
            name: name.to_owned(),
            pc,
            known: variables_at(code, pc).into_iter().map(|v| v.name.clone()).collect(),
        });
    };
    Ok(stores_of(method, code, variable))
}

/// The stores to the variable with this range in the method's table.
fn stores_of(method: &Method, code: &Code, variable: &LocalVariable) -> Stores {
    let reaching = Reaching::new(method, code, variable.slot);
    let same: Vec<&LocalVariable> = code
        .variables
        .iter()
        .filter(|v| v.slot == variable.slot && v.name == variable.name && v.descriptor == variable.descriptor)
        .collect();
    // Adds ranges reached by a store of the set, until the set no longer grows.
    let flows: Vec<Vec<bool>> = same.iter().map(|range| reaching.reaches_range(code, range)).collect();
    let mut in_set: Vec<bool> = same.iter().map(|range| *range == variable).collect();
    loop {
        let member_stores: Vec<usize> = (0..reaching.stores.len())
            .filter(|d| flows.iter().zip(&in_set).any(|(flow, is)| *is && flow.get(*d) == Some(&true)))
            .collect();
        let mut grown = false;
        for (flow, is) in flows.iter().zip(in_set.iter_mut()) {
            if !*is && member_stores.iter().any(|d| flow.get(*d) == Some(&true)) {
                *is = true;
                grown = true;
            }
        }
        if !grown {
            break;
        }
    }
    let mut ranges: Vec<LocalVariable> =
        same.into_iter().zip(&in_set).filter(|(_, is)| **is).map(|(range, _)| range.clone()).collect();
    ranges.sort_by_key(|r| r.start_pc);
    let covered = |pc: u32| ranges.iter().any(|r| r.covers(pc));
    let is_cleared = reaching.stores.iter().any(|store| covered(store.pc) && clears(code, store));
    let stores = reaching
        .stores
        .iter()
        .filter(|store| !clears(code, store))
        .map(|s| Store {
            in_range_before: s.kind != StoreKind::ParameterEntry && covered(s.pc),
            in_range_after: covered(s.value_pc),
            ..*s
        })
        .filter(|s| s.in_range_before || s.in_range_after)
        .collect();
    Stores { slot: variable.slot, descriptor: variable.descriptor.clone(), ranges, stores, is_cleared }
}

/// Whether a store only clears a variable that was just loaded for the last time: `aload x; aconst_null;
/// astore x`. No source says that.
fn clears(code: &Code, store: &Store) -> bool {
    let before = code.index_of(store.pc).and_then(|at| code.instructions.get(at.checked_sub(2)?..=at));
    let Some([load, null, last]) = before.filter(|_| code.clears_variables) else { return false };
    match (&load.op, &null.op, &last.op) {
        (Op::Load { slot, .. }, Op::Const(Constant::Null), Op::Store { slot: stored, .. }) => slot == stored,
        _ => false,
    }
}

/// The stores to a slot that may have produced its value before an instruction, whichever variable it holds.
#[derive(Debug)]
pub struct SlotStores<'a> {
    code: &'a Code,
    reaching: Reaching,
}

impl<'a> SlotStores<'a> {
    /// `None` if the method has no code.
    pub fn new(method: &'a Method, slot: u16) -> Option<SlotStores<'a>> {
        let code = method.code.as_ref()?;
        Some(SlotStores { code, reaching: Reaching::new(method, code, slot) })
    }

    /// The stores that reach the state before the instruction at `pc`.
    pub fn at(&self, pc: u32) -> Vec<Store> {
        let position = self.code.index_of(pc);
        position.map(|at| self.reaching.at(at).into_iter().copied().collect()).unwrap_or_default()
    }
}

/// All writes to a slot, whichever variable it holds; for code without a variable table.
pub fn slots_stores(method: &Method, slot: u16) -> Vec<Store> {
    method.code.as_ref().map(|code| Reaching::new(method, code, slot).stores).unwrap_or_default()
}

/// The slots of parameters and `this`, and all slots that the method writes.
pub fn slots(method: &Method) -> Vec<u16> {
    let mut found: Vec<u16> = entry_slots(method).into_iter().map(|(slot, _)| slot).collect();
    if let Some(code) = &method.code {
        found.extend(code.instructions.iter().filter_map(|i| i.op.stored_slot()).map(|(slot, _)| slot));
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The slots that have a value at the method's entry, with their width.
fn entry_slots(method: &Method) -> Vec<(u16, u16)> {
    let mut found: Vec<(u16, u16)> = parameter_slots(&method.descriptor, method.is_static())
        .into_iter()
        .map(|(slot, descriptor)| (slot, crate::descriptor::slots(&descriptor)))
        .collect();
    if !method.is_static() {
        found.insert(0, (0, 1));
    }
    found
}

/// Reaching definitions of one slot.
#[derive(Debug)]
pub(crate) struct Reaching {
    /// The definitions.
    pub(crate) stores: Vec<Store>,
    /// For each instruction, the definitions that reach the state before it, one bit each.
    before: Vec<Vec<u64>>,
}

fn bit(set: &[u64], index: usize) -> bool {
    set.get(index / 64).is_some_and(|word| word & (1 << (index % 64)) != 0)
}

fn set_bit(set: &mut [u64], index: usize) {
    if let Some(word) = set.get_mut(index / 64) {
        *word |= 1 << (index % 64);
    }
}

/// The definitions of one slot.
struct Definitions {
    stores: Vec<Store>,
    /// The effect of each instruction on the slot: none (`None`), overwritten (`Some(None)`), or a new
    /// definition.
    writes: Vec<Option<Option<usize>>>,
}

impl Definitions {
    fn of(method: &Method, code: &Code, slot: u16) -> Definitions {
        let mut stores = Vec::new();
        if entry_slots(method).iter().any(|(s, _)| *s == slot) {
            stores.push(Store {
                pc: 0,
                kind: StoreKind::ParameterEntry,
                value_pc: 0,
                in_range_before: false,
                in_range_after: true,
            });
        }
        let mut writes = Vec::with_capacity(code.instructions.len());
        for instruction in &code.instructions {
            writes.push(match instruction.op.stored_slot() {
                Some((first, _)) if first == slot => {
                    let kind = if matches!(instruction.op, Op::Iinc { .. }) {
                        StoreKind::Iinc
                    } else {
                        StoreKind::Store
                    };
                    stores.push(Store {
                        pc: instruction.pc,
                        kind,
                        value_pc: instruction.next_pc(),
                        in_range_before: true,
                        in_range_after: true,
                    });
                    Some(Some(stores.len() - 1))
                }
                Some((first, 2)) if first.checked_add(1) == Some(slot) => Some(None),
                _ => None,
            });
        }
        Definitions { stores, writes }
    }
}

/// The states before instructions, which flow along the edges until nothing changes.
struct Flow {
    /// For each instruction, the definitions that reach it, one bit each.
    before: Vec<Vec<u64>>,
    /// The instructions to look at.
    work: Vec<usize>,
    /// For each instruction, whether it is among them.
    queued: Vec<bool>,
}

impl Flow {
    fn pop(&mut self) -> Option<usize> {
        let position = self.work.pop()?;
        if let Some(queued) = self.queued.get_mut(position) {
            *queued = false;
        }
        Some(position)
    }

    /// Adds definitions to the state before an instruction, which is looked at again if that changes it.
    fn push(&mut self, to: usize, state: &[u64]) {
        let Some(target) = self.before.get_mut(to) else { return };
        let mut changed = false;
        for (old, new) in target.iter_mut().zip(state) {
            changed |= *old | new != *old;
            *old |= new;
        }
        if changed
            && let Some(queued) = self.queued.get_mut(to)
            && !*queued
        {
            *queued = true;
            self.work.push(to);
        }
    }
}

impl Reaching {
    pub(crate) fn new(method: &Method, code: &Code, slot: u16) -> Reaching {
        let Definitions { stores, writes } = Definitions::of(method, code, slot);
        let (words, count) = (stores.len().div_ceil(64), code.instructions.len());
        let before = vec![vec![0u64; words]; count];
        let mut flow = Flow { before, work: (0..count).rev().collect(), queued: vec![true; count] };
        if stores.first().is_some_and(|first| first.kind == StoreKind::ParameterEntry)
            && let Some(first) = flow.before.first_mut()
        {
            set_bit(first, 0);
        }
        let handlers: Vec<(u32, u32, usize)> = code
            .handlers
            .iter()
            .filter_map(|h| Some((h.start_pc, h.end_pc, code.index_of(h.handler_pc)?)))
            .collect();
        while let Some(position) = flow.pop() {
            let (Some(instruction), Some(state)) =
                (code.instructions.get(position), flow.before.get(position).cloned())
            else {
                continue;
            };
            let after = match writes.get(position).copied().flatten() {
                None => state.clone(),
                Some(definition) => {
                    let mut fresh = vec![0u64; words];
                    if let Some(d) = definition {
                        set_bit(&mut fresh, d);
                    }
                    fresh
                }
            };
            for (target, _) in normal_edges(code, position) {
                if let Some(to) = code.index_of(target) {
                    flow.push(to, &after);
                }
            }
            for (start, end, handler) in &handlers {
                if instruction.pc >= *start && instruction.pc < *end {
                    flow.push(*handler, &state);
                }
            }
        }
        Reaching { stores, before: flow.before }
    }

    /// The definitions that reach the state before the instruction at this position.
    pub(crate) fn at(&self, position: usize) -> Vec<&Store> {
        let Some(state) = self.before.get(position) else { return Vec::new() };
        self.stores.iter().enumerate().filter(|(d, _)| bit(state, *d)).map(|(_, s)| s).collect()
    }

    /// For each definition, whether it reaches an instruction of the range.
    fn reaches_range(&self, code: &Code, range: &LocalVariable) -> Vec<bool> {
        let mut found = vec![false; self.stores.len()];
        let from = code.instructions.partition_point(|i| i.pc < range.start_pc);
        let to = code.instructions.partition_point(|i| i.pc < range.end_pc());
        for state in self.before.get(from..to).unwrap_or_default() {
            for (definition, flows) in found.iter_mut().enumerate() {
                *flows |= bit(state, definition);
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::Kind;
    use crate::op::Instruction;

    /// `x = 5; use(x)` as Clojure compiles it: the variable is cleared when it is loaded for the last time.
    fn method(clears_variables: bool) -> Method {
        let kind = Kind::Reference;
        let ops = [
            Op::Const(Constant::Int(5)),
            Op::Store { kind, slot: 1 },
            Op::Load { kind, slot: 1 },
            Op::Const(Constant::Null),
            Op::Store { kind, slot: 1 },
            Op::Return(Some(kind)),
        ];
        let instructions = (0..).zip(ops).map(|(pc, op)| Instruction { pc, length: 1, op }).collect();
        let (name, descriptor) = ("x".to_owned(), "Ljava/lang/Object;".to_owned());
        let code = Code {
            clears_variables,
            bytes: Vec::new(),
            max_locals: 2,
            max_stack: 2,
            instructions,
            handlers: Vec::new(),
            lines: Vec::new(),
            copied_lines: Vec::new(),
            variables: vec![LocalVariable { name, descriptor, slot: 1, start_pc: 2, length: 4 }],
            has_variable_table: true,
        };
        let (name, descriptor) = ("total".to_owned(), "()Ljava/lang/Object;".to_owned());
        Method { name, descriptor, access: 8, code: Some(code), annotations: Vec::new() }
    }

    #[test]
    fn a_variable_that_the_compiler_clears_does_not_change() {
        let stores = |clears| {
            let found = stores_to(&method(clears), "x", 5).unwrap();
            (found.stores.iter().map(|store| store.pc).collect::<Vec<_>>(), found.is_cleared)
        };
        assert_eq!(stores(true), (vec![1], true));
        assert_eq!(stores(false), (vec![1, 4], false));
    }
}
