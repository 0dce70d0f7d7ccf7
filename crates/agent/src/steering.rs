//! Inserts the code that steers a conditional jump: it replaces the operands of the jump right before it.

use crate::recorder_calls::call_of;
use bytecode::Kind;
use bytecode::rewrite::{JumpOperands, MethodPlan, Slot, StackOp, Step};
use wire::TRACE_STEERING_CLASS;

/// Inserts the code before the jump at an index, behind all other code there.
pub fn steer(code: &mut MethodPlan, pc: u32, operands: JumpOperands) {
    let steps = match operands {
        JumpOperands::Int(instead) => vec![Step::Int(instead), steering("one", "(II)I")],
        JumpOperands::Reference { is_null } => {
            vec![Step::Int(is_null.into()), steering("one", "(Ljava/lang/Object;I)Ljava/lang/Object;")]
        }
        JumpOperands::Ints(first, second) => {
            let calls = ("(II)I", "(III)I");
            two(code, Kind::Int, calls, (first, second))
        }
        JumpOperands::References { is_same } => {
            let calls =
                ("(Ljava/lang/Object;Ljava/lang/Object;)I", "(Ljava/lang/Object;II)Ljava/lang/Object;");
            // Null and null are the same, and null differs from any object.
            two(code, Kind::Reference, calls, (1, is_same.into()))
        }
    };
    code.before.entry(pc).or_default().extend(steps);
}

/// The code that replaces two operands, with the descriptors of the calls that decide and pick.
fn two(
    code: &mut MethodPlan,
    kind: Kind,
    (decides, picks): (&'static str, &'static str),
    (first, second): (i32, i32),
) -> Vec<Step> {
    let mut local = |kind: Kind| {
        code.scratch.push(kind);
        let slot = Slot::Scratch(code.scratch.len() - 1);
        [Step::Store(kind, slot), Step::Load(kind, slot)]
    };
    let ([keep, steers], [store, load]) = (local(Kind::Int), local(kind));
    let pick = |instead: i32| [Step::Int(instead), steers.clone(), steering("pick", picks)];
    let mut steps = vec![Step::Stack(StackOp::Dup2), steering("two", decides), keep];
    steps.extend(pick(second));
    steps.push(store);
    steps.extend(pick(first));
    steps.push(load);
    steps
}

fn steering(name: &'static str, descriptor: &'static str) -> Step {
    call_of(TRACE_STEERING_CLASS, name, descriptor)
}
