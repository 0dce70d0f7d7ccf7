//! Inserts the code that steers a conditional jump: it replaces the operands of the jump right before it.

use crate::recorder_calls::call_of;
use descriptor::Kind;
use rewrite::{JumpOperands, Kept, LoopCondition, MethodPlan, Slot, StackOp, Step};
use wire::TRACE_STEERING_CLASS;

/// Inserts the code before the jump at an index, behind all other code there.
pub fn steer(code: &mut MethodPlan, pc: u32, operands: JumpOperands) {
    let steps = match operands {
        JumpOperands::Int(instead) => vec![Step::Int(instead), steering("one", "(II)I")],
        JumpOperands::Reference { is_null } => {
            vec![Step::Int(is_null.into()), steering("one", "(Ljava/lang/Object;I)Ljava/lang/Object;")]
        }
        JumpOperands::Ints(first, second) => two(code, Kind::Int, "(II)I", INTS, first, second),
        JumpOperands::References { is_same } => {
            let decide = "(Ljava/lang/Object;Ljava/lang/Object;)I";
            let (first, second) = instead_of_references(is_same);
            two(code, Kind::Reference, decide, REFERENCES, first, second)
        }
    };
    code.before.entry(pc).or_default().extend(steps);
}

/// Inserts the code that counts the executions of an inverted jump.
pub fn count_inverted(code: &mut MethodPlan, pc: u32) {
    code.before.entry(pc).or_default().push(steering("inverted", "()V"));
}

/// Inserts the code that gives a loop one more turn each time it would end. A kept local variable says
/// whether the loop has had its turn.
pub fn steer_loop(code: &mut MethodPlan, pc: u32, condition: LoopCondition) {
    let LoopCondition { operands, test, end } = condition;
    code.kept.push(Kept { kind: Kind::Int, name: "qp:turn".to_owned() });
    let turn = Slot::Kept(code.kept.len() - 1);
    let none_yet = [Step::Int(0), Step::Store(Kind::Int, turn)];
    code.entry.extend(none_yet.clone());
    // A `break` leaves the loop without its condition.
    code.before.entry(end).or_default().extend(none_yet);
    let state = Step::Load(Kind::Int, turn);
    let decide = |copy, descriptor| {
        let call = steering("turn", descriptor);
        [Step::Stack(copy), Step::Int(test), state.clone(), call, Step::Store(Kind::Int, turn)]
    };
    let pick = |instead, descriptor| [Step::Int(instead), state.clone(), steering("pick", descriptor)];
    let steps: Vec<Step> = match operands {
        JumpOperands::Int(instead) => {
            decide(StackOp::Dup, "(III)I").into_iter().chain(pick(instead, INTS)).collect()
        }
        JumpOperands::Reference { is_null } => {
            let decide = decide(StackOp::Dup, "(Ljava/lang/Object;II)I");
            decide.into_iter().chain(pick(is_null.into(), REFERENCES)).collect()
        }
        JumpOperands::Ints(first, second) => {
            let picks = picks(code, Kind::Int, &state, INTS, first, second);
            decide(StackOp::Dup2, "(IIII)I").into_iter().chain(picks).collect()
        }
        JumpOperands::References { is_same } => {
            let (first, second) = instead_of_references(is_same);
            let picks = picks(code, Kind::Reference, &state, REFERENCES, first, second);
            let decide = decide(StackOp::Dup2, "(Ljava/lang/Object;Ljava/lang/Object;II)I");
            decide.into_iter().chain(picks).collect()
        }
    };
    code.before.entry(pc).or_default().extend(steps);
}

/// What stands for two references: null and null are the same, and null differs from any object.
fn instead_of_references(is_same: bool) -> (i32, i32) {
    (1, is_same.into())
}

/// The descriptors of the calls that pick an operand.
const INTS: &str = "(III)I";
const REFERENCES: &str = "(Ljava/lang/Object;II)Ljava/lang/Object;";

/// The code that replaces two operands by `first` and `second`, with the descriptors of the calls that decide
/// and pick.
fn two(
    code: &mut MethodPlan,
    kind: Kind,
    decide: &'static str,
    pick: &'static str,
    first: i32,
    second: i32,
) -> Vec<Step> {
    let [keep, steers] = scratch(code, Kind::Int);
    let mut steps = vec![Step::Stack(StackOp::Dup2), steering("two", decide), keep];
    steps.extend(picks(code, kind, &steers, pick, first, second));
    steps
}

/// The code that picks both operands, by the `int` that the step `steers` pushes.
fn picks(
    code: &mut MethodPlan,
    kind: Kind,
    steers: &Step,
    descriptor: &'static str,
    first: i32,
    second: i32,
) -> Vec<Step> {
    let [store, load] = scratch(code, kind);
    let pick = |instead: i32| [Step::Int(instead), steers.clone(), steering("pick", descriptor)];
    let mut steps = pick(second).to_vec();
    steps.push(store);
    steps.extend(pick(first));
    steps.push(load);
    steps
}

/// A new local variable: the steps that store and load it.
fn scratch(code: &mut MethodPlan, kind: Kind) -> [Step; 2] {
    code.scratch.push(kind);
    let slot = Slot::Scratch(code.scratch.len() - 1);
    [Step::Store(kind, slot), Step::Load(kind, slot)]
}

fn steering(name: &'static str, descriptor: &'static str) -> Step {
    call_of(TRACE_STEERING_CLASS, name, descriptor)
}
