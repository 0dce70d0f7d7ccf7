//! Near the end of the stack a call that was put in may throw: it is told, and the method goes on as if it
//! had thrown itself.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that cannot go on fails")]

mod support;

use bytecode::op::Kind;
use bytecode::rewrite::{MethodPlan, Step, rewrite};
use bytecode::{ClassFile, Code, Op};
use support::rewriting::{PROBE, compile, counted, plan, probes, run};

/// A call that may throw at each instruction that writes a field, in front of it and behind it, and on all
/// ways of branches.
fn may_fail(_: bool, code: &Code) -> MethodPlan {
    let mut plan = MethodPlan { guard: counted("guard"), ..MethodPlan::default() };
    for instruction in &code.instructions {
        let pc = instruction.pc;
        match &instruction.op {
            Op::PutField(field) if field.name == "value" => {
                plan.before.insert(pc, counted("fail"));
                plan.after.insert(pc, counted("fail"));
            }
            Op::If { target, .. } => {
                plan.taken.insert((pc, *target), counted("fail"));
                plan.after.insert(pc, counted("fail"));
            }
            _ => {}
        }
    }
    plan
}

/// What the program prints whose methods all have such calls, after a change of what goes into each.
fn guarded(change: impl Fn(&mut MethodPlan)) -> String {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    probes(folder);
    let class_path = folder.display().to_string();
    compile(folder, "Guarded.java", &class_path);
    let file = folder.join("Guarded.class");
    let bytes = std::fs::read(&file).unwrap();
    let mut plan = plan(&ClassFile::parse(&bytes).unwrap(), may_fail);
    plan.methods.retain(|(name, _), _| name != "main");
    plan.methods.values_mut().for_each(change);
    let rewritten = rewrite(&bytes, &plan).unwrap();
    assert!(rewritten.left_alone.is_empty(), "{:?}", rewritten.left_alone);
    std::fs::write(&file, &rewritten.bytes).unwrap();
    run(folder, &["Guarded"], &class_path)
}

#[test]
fn handlers_of_the_method_run_when_what_was_put_in_throws() {
    // Puts, each with a call before and one behind, and ways: in `nested` value = x, +=, ++ twice, --; x > 3
    // and i < 2 three times. In `catches` two puts and x > 2.
    let expected = (5 * 2 + 4) + (2 * 2 + 1);
    assert_eq!(guarded(|_| {}), format!("failed {expected}"));
}

#[test]
fn a_guard_can_set_a_static_field() {
    let sets = |method: &mut MethodPlan| {
        let (class, name) = (PROBE.into(), "guarded".into());
        method.guard = vec![Step::Int(1), Step::Set { class, name, kind: Kind::Int, descriptor: "I".into() }];
    };
    assert_eq!(guarded(sets), "failed 19");
}
