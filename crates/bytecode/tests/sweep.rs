//! Runs every analysis on classes of the JDK and of some Debian jars: none may panic, and their results must
//! be consistent. The default is a fixed sample of java.base and of the jars; `BYTECODE_SWEEP=all` takes all.
//! The JDK's classes come from `$JAVA_HOME/jmods`, or from the first JDK under /usr/lib/jvm.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that cannot go on fails")]

use bytecode::{
    Arms, ClassFile, Code, ControlDependence, EdgeKind, Expressions, Method, Op, lines, loops, op::Kind,
    skip, stack, stores,
};
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};

fn all() -> bool {
    std::env::var("BYTECODE_SWEEP").is_ok_and(|v| v == "all")
}

fn jmods() -> Option<PathBuf> {
    let mut homes: Vec<PathBuf> = std::env::var_os("JAVA_HOME").map(PathBuf::from).into_iter().collect();
    let mut installed: Vec<PathBuf> = std::fs::read_dir("/usr/lib/jvm")
        .map(|d| d.flatten().map(|e| e.path()).collect())
        .unwrap_or_default();
    installed.sort();
    homes.extend(installed);
    homes.into_iter().map(|h| h.join("jmods")).find(|p| p.join("java.base.jmod").exists())
}

/// Analyses every `stride`th class of an archive. Returns the number of classes and of methods.
fn sweep(archive: &Path, stride: usize) -> (usize, usize) {
    let bytes = std::fs::read(archive).unwrap();
    // A jmod is a zip file after four bytes.
    let start = if bytes.starts_with(b"JM") { 4 } else { 0 };
    let mut zip = zip::ZipArchive::new(Cursor::new(&bytes[start..])).unwrap();
    let mut names: Vec<String> = zip
        .file_names()
        .filter_map(|n| Some(n.ok()?.into_owned()))
        .filter(|n| n.ends_with(".class"))
        .collect();
    names.sort();
    let (mut classes, mut methods) = (0, 0);
    for name in names.iter().step_by(stride) {
        let mut bytes = Vec::new();
        zip.by_name(name).unwrap().read_to_end(&mut bytes).unwrap();
        let class = ClassFile::parse(&bytes)
            .unwrap_or_else(|e| panic!("{name} of {} does not parse: {e}", archive.display()));
        classes += 1;
        methods += class.methods.len();
        for method in &class.methods {
            if let Some(code) = &method.code {
                analyse(&class, method, code);
            }
        }
        // A truncated file is an error, never a panic.
        for cut in [bytes.len() / 3, bytes.len() / 2, bytes.len() - 1] {
            let _ = ClassFile::parse(&bytes[..cut]);
        }
    }
    (classes, methods)
}

fn analyse(class: &ClassFile, method: &Method, code: &Code) {
    let place = format!("{}.{}{}", class.name, method.name, method.descriptor);
    let depths = stack::depths(code);
    assert!(depths.iter().flatten().all(|d| *d <= code.max_stack), "{place}: deeper than max_stack");
    let dependence = ControlDependence::new(code);
    let expressions = Expressions::new(class, method).unwrap();
    let cfg = dependence.cfg();
    for node in cfg.graph().node_indices() {
        let pc = cfg.block(node).unwrap().start_pc;
        let found = dependence.of(pc);
        for edge in &found.edges {
            let condition = expressions.condition_at(edge.branch_pc);
            assert!(condition.is_some(), "{place}: {} decides but has no condition", edge.branch_pc);
            assert!(!edge.kind.is_handler(), "{place}: a handler is no condition");
        }
    }
    for instruction in &code.instructions {
        let pc = instruction.pc;
        if let Some(condition) = expressions.condition_at(pc) {
            assert!(instruction.op.is_branch(), "{place}: {pc} is no branch");
            assert!(!condition.text.is_empty());
            let (taken, fall) =
                (condition.outcome(&EdgeKind::Taken), condition.outcome(&EdgeKind::FallThrough));
            assert_ne!(taken, fall, "{place}: both ways of {pc} are one");
        }
        let _ = expressions.call_at(pc);
        for value in expressions.stack_values(pc) {
            assert!(code.at(value.place.pc()).is_some() && !value.text.is_empty(), "{place}: {pc}");
        }
        let stored = expressions.stored_expression(pc);
        if matches!(instruction.op, Op::PutField(_) | Op::PutStatic(_) | Op::Iinc { .. })
            || matches!(instruction.op, Op::Store { kind, .. } if kind != Kind::Reference)
        {
            let reached = depths[code.index_of(pc).unwrap()].is_some();
            assert_eq!(
                stored.is_some(),
                reached || matches!(instruction.op, Op::Iinc { .. }),
                "{place}: {pc}"
            );
        }
    }
    // Huge methods have many lines, so only a sample is tested.
    let mut seen: Vec<u32> = code.lines.iter().map(|l| l.line).collect();
    seen.sort_unstable();
    seen.dedup();
    let step = 1 + seen.len() / 40;
    for line in seen.iter().step_by(step) {
        let entries = lines::entries_of_line(code, *line);
        assert!(entries.pcs.iter().all(|pc| entries.inside.contains(pc)), "{place}:{line}");
        assert_eq!(entries.pcs.is_empty(), entries.inside.is_empty(), "{place}:{line}");
        let _ = expressions.reads_on_line(*line);
    }
    for variable in code.variables.iter().take(60) {
        let found = stores::stores_to(method, &variable.name, variable.start_pc);
        if variable.length > 0 && code.at(variable.start_pc).is_some() {
            let found = found.unwrap_or_else(|e| panic!("{place}: {e}"));
            assert!(found.ranges.iter().any(|r| r.covers(variable.start_pc)), "{place} {}", variable.name);
        }
    }
    for slot in stores::slots(method).into_iter().take(20) {
        assert!(!stores::slots_stores(method, slot).is_empty(), "{place}: slot {slot} has no store");
    }
    if let Some(arms) = Arms::new(code) {
        for instruction in &code.instructions {
            let Some(found) = arms.of(instruction.pc) else { continue };
            // Code before the first entry of the line table has no line.
            let has_lines = lines::line_of(code, 0).is_some();
            assert_eq!(found.marks.is_empty(), !has_lines, "{place} {}: {found:?}", instruction.pc);
            assert!(found.marks.keys().all(|pc| code.at(*pc).is_some()), "{place}: {found:?}");
        }
    }
    for found in loops::loops(code) {
        assert!(found.holds(found.header) && code.at(found.start).is_some(), "{place}: {found:?}");
        assert!(found.lines.is_none_or(|(from, to)| from <= to), "{place}: {found:?}");
    }
    for handler in code.handlers.iter().take(20) {
        if code.at(handler.start_pc).is_some() {
            for line in skip::skipped_lines(code, handler.start_pc, handler.handler_pc) {
                assert!(skip::is_bypassed(code, handler.start_pc, handler.handler_pc, line));
            }
        }
    }
}

#[test]
fn the_jdk_goes_through_every_analysis() {
    let folder = jmods().expect("a JDK with jmods: install openjdk-17-jdk-headless");
    let mut archives: Vec<PathBuf> = std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path()).collect();
    archives.sort();
    archives
        .retain(|a| a.extension().is_some_and(|e| e == "jmod") && (all() || a.ends_with("java.base.jmod")));
    let (mut classes, mut methods) = (0, 0);
    for archive in archives {
        let (c, m) = sweep(&archive, if all() { 1 } else { 24 });
        classes += c;
        methods += m;
    }
    println!("{classes} classes, {methods} methods");
    assert!(classes > 200, "only {classes} classes found in {}", folder.display());
}

#[test]
fn debian_jars_go_through_every_analysis() {
    let names =
        ["commons-csv.jar", "commons-io.jar", "commons-lang3.jar", "guava.jar", "guice.jar", "asm.jar"];
    let found: Vec<PathBuf> =
        names.iter().map(|n| Path::new("/usr/share/java").join(n)).filter(|p| p.exists()).collect();
    testing::needs(
        !found.is_empty(),
        "there are no jars in /usr/share/java (Debian's package libcommons-csv-java)",
    );
    for jar in found {
        let (classes, methods) = sweep(&jar, if all() { 1 } else { 16 });
        println!("{}: {classes} classes, {methods} methods", jar.display());
        assert!(classes > 0);
    }
}
