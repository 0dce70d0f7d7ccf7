//! Values of the operand stack: what the agent keeps for branches and stores, and what a stopped thread has
//! kept.

use super::plan::in_method;
use super::values::value_of;
use crate::error::RunError;
use crate::stop::Stop;
use crate::vm::bci;
use crate::watched::Watched;
use bytecode::{Code, Expressions, Op, StackPlace};
use classes::ClassPool;
use jdwp::Tag;
use jdwp::commands::stack_frame;
use model::{Site, StackValue, Value};
use std::collections::{BTreeMap, BTreeSet};
use wire::{KeptStackValue, MethodSites, UsedStackValue};

/// Maximum number of values that one method keeps. Each takes a local variable.
const MOST: usize = 200;

/// The values that methods keep for these branches and stores.
pub fn planned(users: &BTreeSet<Site>, pool: &ClassPool) -> Vec<MethodSites> {
    let mut by_method: BTreeMap<_, Vec<u32>> = BTreeMap::new();
    for user in users {
        by_method.entry(&user.method).or_default().push(user.bci);
    }
    let mut methods = Vec::new();
    for (name, users) in by_method {
        let Ok(Some(class)) = pool.find(&name.class) else { continue };
        let Some(method) = class.file.method(&name.name, &name.descriptor) else { continue };
        let (Some(code), Some(expressions)) = (&method.code, Expressions::new(&class.file, method)) else {
            continue;
        };
        let values = users.into_iter().flat_map(|user| kept(code, &expressions, user));
        let stack_values: Vec<KeptStackValue> = values.take(MOST).collect();
        if let Ok(planned) = in_method(name, pool, false, |_| Vec::new())
            && !stack_values.is_empty()
        {
            methods.push(MethodSites { stack_values, ..planned });
        }
    }
    methods
}

/// The values to keep for the instruction at `user`.
fn kept(code: &Code, expressions: &Expressions<'_>, user: u32) -> Vec<KeptStackValue> {
    let op = code.at(user).map(|instruction| &instruction.op);
    let is_branch = matches!(op, Some(Op::If { .. } | Op::Switch { .. }));
    let keep = |value: bytecode::StackValue| {
        let (pc, is_before) = match value.place {
            StackPlace::Before(pc) => (pc, true),
            StackPlace::After(pc) => (pc, false),
        };
        let mut forget_before: Vec<u32> = value.forget_before.into_iter().collect();
        if value.letter == 'L' {
            let caught = code.handlers.iter().filter(|row| (row.start_pc..row.end_pc).contains(&pc));
            forget_before.extend(caught.map(|row| row.handler_pc));
            forget_before.sort_unstable();
            forget_before.dedup();
        }
        KeptStackValue {
            value: UsedStackValue { user, pc, is_before, letter: value.letter },
            is_branch,
            is_optional: value.forget_before.is_some(),
            forget_before,
        }
    };
    expressions.stack_values(user).into_iter().map(keep).collect()
}

/// The values that the newest activation of a stopped thread has kept for the instruction there.
pub async fn kept_values(watched: &mut Watched, stop: &mut Stop) -> Result<Vec<StackValue>, RunError> {
    let at = stop.location;
    let Some(method) = watched.vm.rewritten(at.class, at.method).await? else { return Ok(Vec::new()) };
    let user = bci(at.index);
    let of_user = method.kept.iter().filter_map(|(name, slot)| {
        let value = UsedStackValue::named(name).filter(|value| value.user == user)?;
        Some((value, *slot, method.slot(&value.presence_name())))
    });
    let wanted: Vec<(UsedStackValue, u16, Option<u16>)> = of_user.collect();
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let Some(frame) = stop.frames(&mut watched.vm).await?.first().map(|frame| frame.frame_id) else {
        return Ok(Vec::new());
    };
    let slot = |slot: u16, sigbyte: Tag| stack_frame::Slot { slot: slot.into(), sigbyte };
    let kept = wanted.iter().map(|(value, at, _)| slot(*at, tag(value.letter)));
    let present = wanted.iter().filter_map(|(.., present)| Some(slot((*present)?, Tag::Int)));
    let ask = stack_frame::GetValues { thread: stop.thread, frame, slots: kept.chain(present).collect() };
    let raw = match watched.vm.conn().send(ask).await {
        Ok(raw) => raw,
        Err(e) if e.is_fatal() => return Err(e.into()),
        Err(_) => return Ok(Vec::new()),
    };
    let (kept, present) = raw.split_at(wanted.len().min(raw.len()));
    let mut present = present.iter();
    let mut values = Vec::new();
    for ((value, _, has_presence), raw) in wanted.iter().zip(kept) {
        let is_present = has_presence.is_none() || present.next() == Some(&jdwp::Value::Int(1));
        if is_present {
            let UsedStackValue { pc, is_before, letter, .. } = *value;
            values.push(StackValue { pc, is_before, value: converted(watched, letter, *raw).await? });
        }
    }
    Ok(values)
}

/// The type of the added local that keeps a value.
fn tag(letter: char) -> Tag {
    match letter {
        'J' => Tag::Long,
        'F' => Tag::Float,
        'D' => Tag::Double,
        'L' => Tag::Object,
        _ => Tag::Int,
    }
}

/// A value of the type with this letter. An added local keeps all small types as `int`.
async fn converted(watched: &mut Watched, letter: char, raw: jdwp::Value) -> Result<Value, RunError> {
    match raw {
        jdwp::Value::Int(bits) => value_of(watched, &letter.to_string(), bits.into(), raw).await,
        raw => watched.vm.value(&mut watched.tables, raw).await,
    }
}
