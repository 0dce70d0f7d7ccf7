//! Near the end of the stack an inserted call may throw. The guard reports it, and the method continues as if
//! it had thrown the exception itself.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that cannot go on fails")]

mod support;

use bytecode::op::Kind;
use bytecode::{ClassFile, Code, Op};
use rewrite::{MethodPlan, Step, rewrite};
use support::rewriting::{PROBE, compile, counted, plan, probes, run};

/// Inserts a call that may throw before and after each instruction that writes a field, and on all branch
/// edges.
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

/// Runs the program with such calls in all its methods and returns its output. `change` modifies the plan of
/// each method.
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
    assert!(rewritten.not_rewritten.is_empty(), "{:?}", rewritten.not_rewritten);
    std::fs::write(&file, &rewritten.bytes).unwrap();
    run(folder, &["Guarded"], &class_path)
}

#[test]
fn handlers_of_the_method_run_when_an_inserted_call_throws() {
    // Puts have a call before and after, branch edges have one. In `nested`: value = x, +=, ++ twice, --; x >
    // 3 and i < 2 three times. In `catches`: two puts and x > 2.
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
