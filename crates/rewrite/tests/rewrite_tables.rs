//! Tests of the tables of a rewritten class, and of the index from which `this` is initialised.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that cannot go on fails")]

mod support;

use bytecode::op::Kind;
use bytecode::{ClassFile, Code, LocalVariable, Op};
use rewrite::{Kept, MethodPlan, NotRewritten, Plan, Slot, Step, initialised_from, rewrite};
use std::path::Path;
use std::process::Command;
use support::rewriting::{class_of_module, compile, counted, everything, generated, plan, probes, run};

/// Compiles one class.
fn class_of(text: &str, options: &[&str]) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("A.java");
    std::fs::write(&file, text).unwrap();
    support::compile_to_bytes(&support::javac(17).unwrap(), &[&file], options).remove(0)
}

fn kept(kind: Kind, name: &str) -> Kept {
    Kept { kind, name: name.into() }
}

/// Keeps one local of each of three kinds.
fn keeps_all() -> MethodPlan {
    MethodPlan {
        kept: vec![kept(Kind::Long, "qp:serial"), kept(Kind::Int, "qp:i"), kept(Kind::Reference, "qp:who")],
        entry: vec![
            Step::Long(1 << 40),
            Step::Store(Kind::Long, Slot::Kept(0)),
            Step::Int(5),
            Step::Store(Kind::Int, Slot::Kept(1)),
            Step::Null,
            Step::Store(Kind::Reference, Slot::Kept(2)),
        ],
        ..MethodPlan::default()
    }
}

fn with(bytes: &[u8], name: &str, descriptor: &str, plan: MethodPlan) -> rewrite::Rewritten {
    let methods = [((name.to_owned(), descriptor.to_owned()), plan)].into();
    rewrite(bytes, &Plan { methods }).unwrap()
}

const ADDS: &str = "class A { static int f(int x) { long a = x; return (int) a + 1; } }";

#[test]
fn a_kept_local_has_a_row_for_the_whole_code() {
    let bytes = class_of(ADDS, &["-g"]);
    let rewritten = with(&bytes, "f", "(I)I", keeps_all());
    let class = ClassFile::parse(&rewritten.bytes).unwrap();
    let code = class.method("f", "(I)I").unwrap().code.clone().unwrap();
    let row = |name: &str| code.variables.iter().find(|v| v.name == name).cloned().unwrap();
    let last = code.instructions.last().unwrap();
    let end = last.pc + last.length;
    assert!(rewritten.methods[0].now(0).unwrap() > 0, "what a call begins with stands before");
    let expected = |name: &str, slot, descriptor: &str| LocalVariable {
        name: name.into(),
        slot,
        descriptor: descriptor.into(),
        start_pc: 0,
        length: end,
    };
    // Only `x` and the long `a` are variables of the original method.
    assert_eq!(row("qp:serial"), expected("qp:serial", 3, "J"));
    assert_eq!(row("qp:i"), expected("qp:i", 5, "I"));
    assert_eq!(row("qp:who"), expected("qp:who", 6, "Ljava/lang/Object;"));
    assert_eq!(row("x").start_pc, 0, "a parameter has its value before");
    assert_eq!(code.variables.len(), 5);
}

#[test]
fn a_method_without_a_table_gets_none() {
    let bytes = class_of(ADDS, &["-g:none"]);
    let rewritten = with(&bytes, "f", "(I)I", keeps_all());
    let class = ClassFile::parse(&rewritten.bytes).unwrap();
    assert!(class.method("f", "(I)I").unwrap().code.as_ref().unwrap().variables.is_empty());
    let text = String::from_utf8_lossy(&rewritten.bytes).into_owned();
    assert!(!text.contains("qp:") && !text.contains("LocalVariableTable"));
}

#[test]
fn an_invalid_name_is_reported() {
    let bytes = class_of(ADDS, &["-g"]);
    for name in ["", "a.b", "a;", "[a", "a/b", "a b", "\u{e4}"] {
        let plan = MethodPlan { kept: vec![kept(Kind::Int, name)], ..keeps_all() };
        let rewritten = with(&bytes, "f", "(I)I", plan);
        assert_eq!(rewritten.not_rewritten[0].2, NotRewritten::BadName(name.into()));
        assert_eq!(rewritten.bytes, bytes);
    }
}

#[test]
fn this_is_initialised_after_the_call_of_another_constructor() {
    let text = "class A extends Exception {
        final int x;
        A(int x) { super(new Exception(x > 3 ? \"a\" : \"b\", new A())); this.x = x; }
        A() { this(1); }
        int f() { return 1; }
    }";
    let bytes = class_of(text, &["-g"]);
    let class = ClassFile::parse(&bytes).unwrap();
    let behind_call = |descriptor: &str, nth_special: usize| {
        let code = class.method("<init>", descriptor).unwrap().code.clone().unwrap();
        let mut calls = code
            .instructions
            .iter()
            .filter(|i| matches!(&i.op, Op::Invoke { method, .. } if method.name == "<init>"));
        let call = calls.nth(nth_special).unwrap();
        Some(call.pc + call.length)
    };
    let told = |name: &str, descriptor: &str| initialised_from(&bytes, name, descriptor).unwrap();
    assert_eq!(told("<init>", "(I)V"), behind_call("(I)V", 2), "two other objects are made before");
    assert_eq!(told("<init>", "()V"), behind_call("()V", 0));
    assert_eq!(told("f", "()I"), Some(0));
    assert_eq!(told("g", "()I"), None, "there is no such method");
    assert!(initialised_from(b"A", "f", "()I").is_err());
}

#[test]
fn a_constructor_with_reordered_code_has_no_known_index() {
    let folder = tempfile::tempdir().unwrap();
    let Some((bytes, _)) = generated(folder.path(), "Shuffled", "Jumps.class") else { return };
    assert_eq!(initialised_from(&bytes, "<init>", "()V").unwrap(), None);
    let unwinds = MethodPlan { unwind: counted("unwind"), ..MethodPlan::default() };
    assert_eq!(with(&bytes, "<init>", "()V", unwinds).not_rewritten[0].2, NotRewritten::NoSuperCall);
}

#[test]
fn the_constructor_of_object_gets_no_handler() {
    let bytes = class_of_module("java.base.jmod", "java/lang/Object.class");
    let entry = MethodPlan { entry: counted("enter"), ..MethodPlan::default() };
    assert_eq!(with(&bytes, "<init>", "()V", entry.clone()).not_rewritten, []);
    let unwinds = MethodPlan { unwind: counted("unwind"), ..entry };
    assert_eq!(
        with(&bytes, "<init>", "()V", unwinds.clone()).not_rewritten[0].2,
        NotRewritten::ObjectConstructor
    );
    assert_eq!(with(&bytes, "toString", "()Ljava/lang/String;", unwinds).not_rewritten, []);
}

/// A type annotation inside a method's code, as `javap` prints it.
#[derive(Clone, Debug, PartialEq)]
struct Annotation {
    /// Its target, type path and values.
    says: String,
    /// The instruction to which it belongs.
    offset: Option<u32>,
    /// The ranges of the variable to which it belongs: starts and ends.
    ranges: Vec<(u32, u32)>,
}

/// The annotations of each method's code, in order, with the number of the method.
fn annotations(listing: &str) -> Vec<(usize, Annotation)> {
    let (mut found, mut method, mut is_inside) = (Vec::<(usize, Annotation)>::new(), 0, false);
    for line in listing.lines() {
        let text = line.trim();
        let depth = line.len() - line.trim_start().len();
        if text == "Code:" {
            method += 1;
        } else if text.ends_with("TypeAnnotations:") {
            // The annotations of the class, its fields and signatures have less indentation.
            is_inside = depth == 6;
        } else if depth <= 6 {
            is_inside = false;
        } else if is_inside && text.starts_with(|c: char| c.is_ascii_digit()) {
            found.push((method, annotation(text)));
        } else if is_inside {
            found.last_mut().unwrap().1.says += text;
        }
    }
    found
}

/// `0: #9(#10=s#11): LOCAL_VARIABLE, {start_pc=3, length=6, index=1; start_pc=..}, location=[..]`.
fn annotation(text: &str) -> Annotation {
    let mut parsed = Annotation { says: String::new(), offset: None, ranges: Vec::new() };
    let mut start = 0;
    for word in text.split_inclusive([' ', ',', ';', '{', '}']) {
        let number = |prefix: &str| -> Option<u32> {
            word.strip_prefix(prefix)?.trim_end_matches([',', ';', '}', ' ']).parse().ok()
        };
        if let Some(at) = number("offset=") {
            parsed.offset = Some(at);
        } else if let Some(at) = number("start_pc=") {
            start = at;
        } else if let Some(length) = number("length=") {
            parsed.ranges.push((start, start + length));
        } else {
            parsed.says += word;
        }
    }
    parsed
}

fn javap(file: &Path) -> String {
    let output = Command::new("javap").args(["-v", "-p"]).arg(file).output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn type_annotations_in_code_stay_with_their_instructions() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    probes(folder);
    compile(folder, "Annotated.java", ".");
    let class_path = folder.display().to_string();
    let file = folder.join("Annotated.class");
    let (before, did) = (javap(&file), run(folder, &["Annotated"], &class_path));
    let bytes = std::fs::read(&file).unwrap();
    let class = ClassFile::parse(&bytes).unwrap();
    let rewritten = rewrite(&bytes, &plan(&class, at_every_instruction)).unwrap();
    assert!(rewritten.not_rewritten.is_empty(), "{:?}", rewritten.not_rewritten);
    std::fs::write(&file, &rewritten.bytes).unwrap();
    assert_eq!(run(folder, &["Annotated"], &class_path), did);
    let (before, after) = (annotations(&before), annotations(&javap(&file)));
    assert_eq!(before.len(), after.len());
    let again = ClassFile::parse(&rewritten.bytes).unwrap();
    let with_code: Vec<_> = class.methods.iter().filter_map(|m| Some((m, m.code.as_ref()?))).collect();
    for ((method, was), (of, now)) in before.iter().zip(&after) {
        assert_eq!((method, &was.says), (of, &now.says));
        let (method, code) = with_code[method - 1];
        let new = again.method(&method.name, &method.descriptor).unwrap().code.clone().unwrap();
        let key = (&method.name, &method.descriptor);
        let moved = rewritten.methods.iter().find(|m| (&m.name, &m.descriptor) == key).unwrap();
        assert_eq!(was.offset.and_then(|at| moved.now(at)), now.offset, "{was:?}");
        if let (Some(old), Some(at)) = (was.offset, now.offset) {
            let shape = |op: &Op| format!("{op:?}").split([' ', '(']).next().unwrap().to_owned();
            assert_eq!(shape(&code.at(old).unwrap().op), shape(&new.at(at).unwrap().op), "{was:?}");
        }
        assert_eq!(was.ranges.len(), now.ranges.len(), "{was:?}");
        for ((start, end), (from, to)) in was.ranges.iter().zip(&now.ranges) {
            for instruction in &code.instructions {
                let place = moved.now(instruction.pc).unwrap();
                assert!(place > instruction.pc, "everything is moved by what a call begins with");
                let was_in = (*start..*end).contains(&instruction.pc);
                assert_eq!(was_in, (*from..*to).contains(&place), "{was:?} {now:?} at {}", instruction.pc);
            }
        }
    }
    // Every kind of target occurs.
    let kinds = [
        "LOCAL_VARIABLE",
        "RESOURCE_VARIABLE",
        "EXCEPTION_PARAMETER",
        "INSTANCEOF",
        "NEW",
        "CONSTRUCTOR_REFERENCE,",
        "METHOD_REFERENCE,",
        "CAST",
        "CONSTRUCTOR_INVOCATION_TYPE_ARGUMENT",
        "METHOD_INVOCATION_TYPE_ARGUMENT",
        "CONSTRUCTOR_REFERENCE_TYPE_ARGUMENT",
        "METHOD_REFERENCE_TYPE_ARGUMENT",
    ];
    for kind in kinds {
        assert!(before.iter().any(|(_, a)| a.says.contains(&format!(": {kind}"))), "no {kind}: {before:#?}");
    }
    assert!(before.iter().any(|(_, a)| a.ranges.len() > 1), "a variable in two ranges");
}

/// Inserts code before every instruction, and after each that completes.
fn at_every_instruction(is_constructor: bool, code: &Code) -> MethodPlan {
    let mut plan = everything(is_constructor, code);
    for instruction in &code.instructions {
        plan.before.entry(instruction.pc).or_insert_with(|| counted("branch"));
        if !instruction.op.ends_flow() {
            plan.after.entry(instruction.pc).or_insert_with(|| counted("branch"));
        }
    }
    plan
}
