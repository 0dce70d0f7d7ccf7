//! Shared by the tests of rewriting: plans that insert calls everywhere, and a VM with the called probe
//! class.

use bytecode::op::Kind;
use bytecode::{ClassFile, Code, Expressions, Op, StackPlace};
use rewrite::{Kept, MethodPlan, Plan, Slot, StackOp, Step};
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The class that rewritten classes call.
pub const PROBE: &str = "java/lang/QpProbe";

/// A call of a probe.
pub fn call(name: &str, descriptor: &str) -> Step {
    Step::Call { class: PROBE.into(), name: name.to_owned().into(), descriptor: descriptor.to_owned().into() }
}

/// Calls a probe that counts its calls.
pub fn counted(name: &str) -> Vec<Step> {
    vec![Step::Int(70_000), call(name, "(I)V")]
}

/// Passes the owner and the value of a put to the probe and leaves them on the stack.
pub fn put(kind: Kind) -> Vec<Step> {
    let call = call("put", &format!("(Ljava/lang/Object;{}I)V", kind.descriptor()));
    if kind.slots() == 1 {
        return vec![Step::Stack(StackOp::Dup2), Step::Load(Kind::Int, Slot::Kept(0)), call];
    }
    let scratch = Slot::Scratch(if kind == Kind::Long { 1 } else { 2 });
    vec![
        Step::Store(kind, scratch),
        Step::Stack(StackOp::Dup),
        Step::Load(kind, scratch),
        Step::Int(3),
        call,
        Step::Load(kind, scratch),
    ]
}

/// Passes the array, the index and the value of a store to the probe and leaves them on the stack.
pub fn store(kind: Kind) -> Vec<Step> {
    let scratch = Slot::Scratch(match kind {
        Kind::Int => 0,
        Kind::Long => 1,
        Kind::Double => 2,
        Kind::Float => 3,
        Kind::Reference => 4,
    });
    vec![
        Step::Store(kind, scratch),
        Step::Stack(StackOp::Dup2),
        Step::Load(kind, scratch),
        Step::Int(-3),
        call("store", &format!("(Ljava/lang/Object;I{}I)V", kind.descriptor())),
        Step::Load(kind, scratch),
    ]
}

/// Inserts steps at every kind of place.
pub fn everything(is_constructor: bool, code: &Code) -> MethodPlan {
    let mut plan = MethodPlan {
        kept: vec![Kept { kind: Kind::Int, name: "qp:serial".into() }],
        scratch: vec![Kind::Int, Kind::Long, Kind::Double, Kind::Float, Kind::Reference],
        entry: [vec![Step::Int(7), Step::Store(Kind::Int, Slot::Kept(0))], counted("enter")].concat(),
        guard: counted("guard"),
        unwind: counted("unwind"),
        ..MethodPlan::default()
    };
    for instruction in &code.instructions {
        let pc = instruction.pc;
        match &instruction.op {
            Op::Return(_) => drop(plan.before.insert(pc, counted("leave"))),
            // Before the superclass constructor has run, `this` cannot be passed as an argument.
            Op::PutField(field) if !is_constructor => {
                plan.before.insert(pc, put(Kind::of_descriptor(&field.descriptor)));
            }
            Op::PutField(_) | Op::PutStatic(_) => drop(plan.after.insert(pc, counted("put"))),
            Op::ArrayStore(element) => drop(plan.before.insert(pc, store(element.kind()))),
            Op::If { target, .. } => {
                plan.taken.insert((pc, *target), counted("branch"));
                plan.after.insert(pc, counted("branch"));
            }
            Op::Switch { keys, default } => {
                for target in keys.iter().map(|(_, target)| target).chain([default]) {
                    plan.taken.insert((pc, *target), counted("branch"));
                }
            }
            _ => {}
        }
    }
    plan
}

/// Keeps every value of the operand stack that a branch or store uses in a local of its own.
pub fn keeping(class: &ClassFile) -> Plan {
    let mut plan = Plan::default();
    for method in &class.methods {
        let (Some(code), Some(expressions)) = (&method.code, Expressions::new(class, method)) else {
            continue;
        };
        let mut planned = MethodPlan::default();
        let values =
            code.instructions.iter().flat_map(|instruction| expressions.stack_values(instruction.pc));
        for (slot, value) in values.take(100).enumerate() {
            let kind = Kind::of_descriptor(&value.letter.to_string());
            let store = Step::Store(kind, Slot::Kept(slot));
            planned.kept.push(Kept { kind, name: format!("qp:{slot}") });
            planned.entry.extend([Step::Zero(kind), store.clone()]);
            let dup = if kind.slots() == 2 { StackOp::Dup2 } else { StackOp::Dup };
            let (places, pc) = match value.place {
                StackPlace::Before(pc) => (&mut planned.before, pc),
                StackPlace::After(pc) => (&mut planned.after, pc),
            };
            places.entry(pc).or_default().extend([Step::Stack(dup), store.clone()]);
            if let Some(pc) = value.forget_before {
                planned.before.entry(pc).or_default().splice(0..0, [Step::Zero(kind), store.clone()]);
            }
        }
        plan.methods.insert((method.name.clone(), method.descriptor.clone()), planned);
    }
    plan
}

/// A plan for a class. `of_method` plans each method; its first argument says whether it is a constructor.
pub fn plan(class: &ClassFile, of_method: impl Fn(bool, &Code) -> MethodPlan) -> Plan {
    let mut plan = Plan::default();
    for method in &class.methods {
        if let Some(code) = &method.code {
            let key = (method.name.clone(), method.descriptor.clone());
            plan.methods.insert(key, of_method(method.name == "<init>", code));
        }
    }
    plan
}

/// Inserts empty sequences everywhere, so that every method is decoded and encoded again.
pub fn nothing(_: bool, code: &Code) -> MethodPlan {
    let pcs = code.instructions.iter().map(|i| (i.pc, Vec::new()));
    MethodPlan { before: pcs.clone().collect(), after: pcs.collect(), ..MethodPlan::default() }
}

/// Prepares a folder with `QpProbe` as a patch of java.base, and `LoadAll`.
pub fn probes(folder: &Path) {
    let javac = super::javac(17).expect("javac 17");
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rewrite");
    let patch = folder.join("java.base");
    std::fs::create_dir_all(&patch).unwrap();
    let run = |command: &mut Command| {
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    let source = format!("java.base={}", here.display());
    run(Command::new(&javac)
        .args(["--patch-module", &source, "-d"])
        .arg(&patch)
        .arg(here.join("QpProbe.java")));
    run(Command::new(&javac).arg("-d").arg(folder).arg(here.join("LoadAll.java")));
}

/// Compiles a Java file of `tests/rewrite` into a folder.
pub fn compile(folder: &Path, file: &str, class_path: &str) {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rewrite");
    let patch = format!("java.base={}", folder.join("java.base").display());
    let output = Command::new(super::javac(17).expect("javac 17"))
        .args(["-g", "--patch-module", &patch, "-cp", class_path, "-d"])
        .arg(folder)
        .arg(here.join(file))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Runs a class with the probe class in place.
pub fn run(folder: &Path, class: &[&str], class_path: &str) -> String {
    let patch = format!("java.base={}", folder.join("java.base").display());
    let output = Command::new("java")
        .args(["-XX:+UnlockDiagnosticVMOptions", "-XX:+BytecodeVerificationRemote", "--patch-module", &patch])
        .args(["-cp", class_path])
        .args(class)
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A class written by a generator of `tests/rewrite` with the ASM library. The probe class is beside it, and
/// the class path is returned too. `None` if ASM is not installed.
pub fn generated(folder: &Path, generator: &str, class: &str) -> Option<(Vec<u8>, String)> {
    let asm = Path::new("/usr/share/java/asm.jar");
    if !asm.exists() {
        println!("skipped: install libasm-java");
        return None;
    }
    probes(folder);
    let class_path = format!("{}:{}", folder.display(), asm.display());
    compile(folder, &format!("{generator}.java"), &class_path);
    run(folder, &[generator, class], &class_path);
    Some((std::fs::read(folder.join(class)).unwrap(), class_path))
}

/// Opens an archive. A jmod is a zip file after four bytes.
fn open(archive: &Path) -> zip::ZipArchive<Cursor<Vec<u8>>> {
    let mut bytes = std::fs::read(archive).unwrap();
    if bytes.starts_with(b"JM") {
        bytes.drain(..4);
    }
    zip::ZipArchive::new(Cursor::new(bytes)).unwrap()
}

fn read(zip: &mut zip::ZipArchive<Cursor<Vec<u8>>>, name: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    zip.by_name(name).unwrap().read_to_end(&mut bytes).unwrap();
    bytes
}

/// A class of a module, by its file name.
pub fn class_of_module(module: &str, name: &str) -> Vec<u8> {
    read(&mut open(&jmods().join(module)), &format!("classes/{name}"))
}

/// Every `stride`th class of an archive, by its file name.
pub fn classes(archive: &Path, stride: usize) -> Vec<(String, Vec<u8>)> {
    let mut zip = open(archive);
    let mut names: Vec<String> = zip
        .file_names()
        .filter_map(|n| Some(n.ok()?.into_owned()))
        .filter(|n| n.ends_with(".class") && !n.starts_with("META-INF/") && !n.ends_with("-info.class"))
        .collect();
    names.sort();
    let named = |name: String| {
        let bytes = read(&mut zip, &name);
        (name.strip_prefix("classes/").unwrap_or(&name).to_owned(), bytes)
    };
    names.into_iter().step_by(stride).map(named).collect()
}

/// The directory of the modules of a JDK.
pub fn jmods() -> PathBuf {
    let mut homes: Vec<PathBuf> = std::env::var_os("JAVA_HOME").map(PathBuf::from).into_iter().collect();
    let mut installed: Vec<PathBuf> =
        std::fs::read_dir("/usr/lib/jvm").unwrap().map(|e| e.unwrap().path()).collect();
    installed.sort();
    homes.extend(installed);
    let found = homes.into_iter().map(|h| h.join("jmods")).find(|p| p.join("java.base.jmod").exists());
    found.expect("a JDK with jmods: install openjdk-17-jdk-headless")
}
