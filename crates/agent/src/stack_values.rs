//! Inserts code that keeps values of the operand stack in added locals. It copies a value when it is pushed,
//! and calls nothing.

use crate::sites::Name;
use crate::steps::kind_of;
use descriptor::Kind;
use rewrite::{Kept, MethodPlan, Plan, RewriteError, Rewritten, Slot, StackOp, Step};
use std::collections::BTreeMap;
use wire::KeptStackValue;

/// The values to keep, by method.
pub type StackValues = BTreeMap<Name, Vec<KeptStackValue>>;

/// Rewrites a class by its plan, in which methods also keep these values. A method that this makes too long
/// keeps none. Returns the plan that was carried out.
///
/// # Errors
/// As [`rewrite::rewrite`].
pub fn rewrite(bytes: &[u8], plan: Plan, values: &StackValues) -> Result<(Rewritten, Plan), RewriteError> {
    if values.is_empty() {
        return Ok((rewrite::rewrite(bytes, &plan)?, plan));
    }
    let mut full = plan.clone();
    for (name, values) in values {
        keep(full.methods.entry(name.clone()).or_default(), values);
    }
    let rewritten = rewrite::rewrite(bytes, &full)?;
    let failed =
        rewritten.not_rewritten.iter().map(|(name, descriptor, _)| (name.clone(), descriptor.clone()));
    let failed: Vec<Name> = failed.filter(|name| values.contains_key(name)).collect();
    if failed.is_empty() {
        return Ok((rewritten, full));
    }
    for name in failed {
        match plan.methods.get(&name) {
            Some(without) => full.methods.insert(name, without.clone()),
            None => full.methods.remove(&name),
        };
    }
    Ok((rewrite::rewrite(bytes, &full)?, full))
}

/// Adds the code that keeps values to that of a method.
fn keep(plan: &mut MethodPlan, values: &[KeptStackValue]) {
    for kept in values {
        let kind = kind_of(kept.value.letter);
        let slot = local(plan, kind, kept.value.name());
        let present = kept.is_optional.then(|| local(plan, Kind::Int, kept.value.presence_name()));
        let dup = if kind.slots() == 2 { StackOp::Dup2 } else { StackOp::Dup };
        let mut steps = vec![Step::Stack(dup), Step::Store(kind, slot)];
        steps.extend(present.into_iter().flat_map(|slot| [Step::Int(1), Step::Store(Kind::Int, slot)]));
        // Precedes code that may stop there, and that of a recorder that looks at a call's effects.
        let places = if kept.value.is_before { &mut plan.before } else { &mut plan.after };
        places.entry(kept.value.pc).or_default().splice(0..0, steps);
        let forget = forget(kind, slot, present);
        for pc in &kept.forget_before {
            plan.before.entry(*pc).or_default().splice(0..0, forget.clone());
        }
        if kind == Kind::Reference {
            forget_after(plan, kept, &forget);
        }
    }
}

/// Adds a local that is set to 0 or `null` on entry.
fn local(plan: &mut MethodPlan, kind: Kind, name: String) -> Slot {
    plan.kept.push(Kept { kind, name });
    let slot = Slot::Kept(plan.kept.len() - 1);
    plan.entry.splice(0..0, [Step::Zero(kind), Step::Store(kind, slot)]);
    slot
}

/// Forgets a value, so that no object is kept alive.
fn forget(kind: Kind, slot: Slot, present: Option<Slot>) -> Vec<Step> {
    let mut steps = Vec::new();
    if kind == Kind::Reference {
        steps.extend([Step::Null, Step::Store(kind, slot)]);
    }
    steps.extend(present.into_iter().flat_map(|slot| [Step::Int(0), Step::Store(Kind::Int, slot)]));
    steps
}

/// Forgets a value after the instruction that uses it, behind code that may stop there.
fn forget_after(plan: &mut MethodPlan, kept: &KeptStackValue, forget: &[Step]) {
    let user = kept.value.user;
    for ((branch, _), steps) in &mut plan.taken {
        if *branch == user {
            steps.extend(forget.iter().cloned());
        }
    }
    match plan.after.get_mut(&user) {
        Some(steps) => steps.extend(forget.iter().cloned()),
        None if kept.is_branch => {}
        None => {
            plan.after.insert(user, forget.to_vec());
        }
    }
}
