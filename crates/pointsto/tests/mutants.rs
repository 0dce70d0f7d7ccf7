//! Parses class files with random damage: the result is an error or a class, never a panic. Whatever parses
//! can be analysed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that cannot go on fails")]

mod support;

use bytecode::{ClassFile, ControlDependence, Expressions, Method, lines, skip, stack, stores};
use pointsto::{Entry, Limits, PointsTo};
use proptest::prelude::*;
use std::path::PathBuf;
use std::sync::OnceLock;
use support::library::TestProgram;

/// The class files of two golden programs with loops, switches, handlers and lambdas.
fn originals() -> &'static Vec<Vec<u8>> {
    static FILES: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    FILES.get_or_init(|| {
        let golden = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../bytecode/tests/golden");
        let sources: Vec<PathBuf> =
            ["Switches", "TryFinally", "Lambdas"].iter().map(|n| golden.join(format!("{n}.java"))).collect();
        let paths: Vec<_> = sources.iter().map(PathBuf::as_path).collect();
        let javac = support::javac(17).expect("a JDK of 17 or newer: install openjdk-17-jdk-headless");
        support::compile_to_bytes(&javac, &paths, &["-g"])
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damage_is_an_error_or_a_class(
        which in any::<prop::sample::Index>(),
        damage in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut bytes = which.get(originals()).clone();
        for (at, value) in damage {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        let Ok(class) = ClassFile::parse(&bytes) else { return Ok(()) };
        let entry = |m: &Method| Entry {
            class: class.name.clone(),
            name: m.name.clone(),
            descriptor: m.descriptor.clone(),
        };
        let entries: Vec<Entry> = class.methods.iter().map(entry).collect();
        let program = TestProgram::without_jdk(std::slice::from_ref(&class));
        let _ = PointsTo::solve(&program, &entries, Limits::default());
        for method in &class.methods {
            let Some(code) = &method.code else { continue };
            let dependence = ControlDependence::new(code);
            let expressions = Expressions::new(&class, method).unwrap();
            prop_assert_eq!(stack::depths(code).len(), code.instructions.len());
            for instruction in &code.instructions {
                let _ = dependence.of(instruction.pc);
                let _ = expressions.condition_at(instruction.pc);
                let _ = expressions.stored_expression(instruction.pc);
                let _ = expressions.stack_values(instruction.pc);
                let _ = expressions.call_at(instruction.pc);
            }
            for entry in &code.lines {
                let _ = lines::entries_of_line(code, entry.line);
                let _ = expressions.reads_on_line(entry.line);
            }
            for variable in &code.variables {
                let _ = stores::stores_to(method, &variable.name, variable.start_pc);
            }
            for handler in &code.handlers {
                let _ = skip::skipped_lines(code, handler.start_pc, handler.handler_pc);
            }
        }
    }
}
