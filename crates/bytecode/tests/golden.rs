//! Golden tests: each Java program in `tests/golden/` is compiled, and the `.snap` beside it holds the
//! crate's analysis. To add a test, add a Java file. A first line `// javac: …` sets compiler options
//! (default `-g`), `// release: N` requires a JDK of at least N.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

use bytecode::{
    Arms, ClassFile, Code, ControlDependence, EdgeKind, Expressions, Method, Op, StackPlace, StoreKind,
    descriptor, lines, loops, stores,
};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

#[test]
fn golden_programs() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut sources: Vec<_> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "java"))
        .collect();
    sources.sort();
    assert!(sources.len() >= 20, "the golden programs are gone");
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(&folder);
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let mut groups: BTreeMap<(PathBuf, String), Vec<(PathBuf, String)>> = BTreeMap::new();
    let mut failed = Vec::new();
    for source in sources {
        let text = std::fs::read_to_string(&source).unwrap();
        let header = |key: &str| {
            text.lines()
                .take(3)
                .find_map(|l| Some(l.strip_prefix("// ")?.strip_prefix(key)?.trim().to_owned()))
        };
        let release = header("release:").map_or(17, |r| r.parse().unwrap());
        let options = header("javac:").unwrap_or_else(|| "-g".to_owned());
        let Some(javac) = support::javac(release) else {
            assert!(release > 17, "a JDK of 17 or newer is needed: install openjdk-17-jdk-headless");
            println!("skipped {}: needs a JDK of {release} or newer", source.display());
            continue;
        };
        groups.entry((javac, options)).or_default().push((source, text));
    }
    for ((javac, options), programs) in groups {
        let options: Vec<&str> = options.split_whitespace().collect();
        let paths: Vec<_> = programs.iter().map(|(path, _)| path.as_path()).collect();
        let classes = support::compile(&javac, &paths, &options);
        for (source, text) in &programs {
            let name = source.file_stem().unwrap().to_string_lossy().into_owned();
            let mut out = String::new();
            for class in classes.iter().filter(|c| c.name.split('$').next() == Some(&name)) {
                describe_class(&mut out, class, text);
            }
            assert!(!out.is_empty(), "{name} has no class of its own name");
            // All programs are compared before the test fails, so that one run shows every difference.
            let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                settings.bind(|| insta::assert_snapshot!(name.clone(), out));
            }));
            if outcome.is_err() {
                failed.push(name);
            }
        }
    }
    assert!(failed.is_empty(), "these programs are described differently now: {failed:?}");
}

fn describe_class(out: &mut String, class: &ClassFile, source: &str) {
    writeln!(out, "class {}", class.name).unwrap();
    for method in &class.methods {
        let Some(code) = &method.code else { continue };
        // Constructors that only call the superclass constructor are left out.
        if method.name == "<init>" && code.instructions.len() <= 3 {
            continue;
        }
        writeln!(out, "  {}", descriptor::readable_method(&method.name, &method.descriptor)).unwrap();
        describe_method(out, class, method, code, source);
    }
}

fn way(condition: &bytecode::Condition, kind: &EdgeKind) -> String {
    condition.outcome(kind).to_string()
}

fn describe_method(out: &mut String, class: &ClassFile, method: &Method, code: &Code, source: &str) {
    let expressions = Expressions::new(class, method).unwrap();
    let dependence = ControlDependence::new(code);
    let mut seen = Vec::new();
    for entry in &code.lines {
        if !seen.contains(&entry.line) {
            seen.push(entry.line);
        }
    }
    seen.sort_unstable();
    if seen.is_empty() {
        for instruction in &code.instructions {
            describe_instruction(out, code, &expressions, &dependence, instruction.pc);
        }
    }
    for line in seen {
        let text = source.lines().nth(line as usize - 1).unwrap_or("").trim();
        let entries = lines::entries_of_line(code, line);
        writeln!(out, "    {line}: {text}").unwrap();
        for pc in &entries.pcs {
            writeln!(out, "        enter {pc} if {}", depends(&expressions, &dependence, *pc)).unwrap();
        }
        for pc in &entries.inside {
            describe_instruction(out, code, &expressions, &dependence, *pc);
        }
    }
    for found in loops::loops(code) {
        let lines = found
            .lines
            .map_or_else(|| "without lines".to_owned(), |(from, to)| format!("at lines {from} to {to}"));
        writeln!(out, "    loop {lines} at {}..{} turns at {}", found.start, found.end, found.header)
            .unwrap();
    }
    describe_variables(out, method, code);
}

fn depends(expressions: &Expressions<'_>, dependence: &ControlDependence, pc: u32) -> String {
    let found = dependence.of(pc);
    let mut words: Vec<String> = found
        .edges
        .iter()
        .map(|edge| {
            let condition = expressions.condition_at(edge.branch_pc).unwrap();
            format!("({}) is {}", condition.text, way(&condition, &edge.kind))
        })
        .collect();
    words.extend(found.handlers.iter().map(|h| format!("caught at {} of {:?}", h.handler_pc, h.thrown_at)));
    if found.from_entry {
        words.push("called".to_owned());
    }
    words.join(", or ")
}

fn describe_instruction(
    out: &mut String,
    code: &Code,
    expressions: &Expressions<'_>,
    dependence: &ControlDependence,
    pc: u32,
) {
    let operands = |list: &[bytecode::Operand]| {
        list.iter()
            .map(|o| match &o.readable {
                Some(read) if read.to_string() == o.text => o.text.clone(),
                Some(read) => format!("{} as {read}", o.text),
                None => format!("{} unreadable", o.text),
            })
            .collect::<Vec<_>>()
            .join(", ")
    };
    if let Some(condition) = expressions.condition_at(pc) {
        let edges: Vec<String> = dependence
            .edges_of(pc)
            .iter()
            .map(|e| format!("{}→{}", way(&condition, &e.kind), e.target_pc))
            .collect();
        writeln!(
            out,
            "        branch@{pc} {} \"{}\" of \"{}\" operands [{}]",
            edges.join(" "),
            condition.text,
            condition.whole.as_deref().unwrap_or("?"),
            operands(&condition.operands)
        )
        .unwrap();
    } else if let Some(stored) = expressions.stored_expression(pc) {
        let or = stored.alternative.map(|a| format!(" (or {a})")).unwrap_or_default();
        writeln!(out, "        @{pc} {}{or} from [{}]", stored.text, operands(&stored.operands)).unwrap();
    }
    describe_stack_values(out, expressions, pc);
    if let Some(Op::Invoke { method, .. }) = code.at(pc).map(|i| &i.op)
        && method.descriptor.ends_with(")V")
    {
        writeln!(out, "        @{pc} {}", expressions.call_at(pc).unwrap().text).unwrap();
    }
    describe_arms(out, code, pc);
}

/// Lists the values on the operand stack that a branch or store uses, with the index before or after which
/// each is on top, its type, and where an earlier one is forgotten.
fn describe_stack_values(out: &mut String, expressions: &Expressions<'_>, pc: u32) {
    let values = expressions.stack_values(pc).into_iter().map(|value| {
        let place = match value.place {
            StackPlace::Before(pc) => format!("before {pc}"),
            StackPlace::After(pc) => format!("after {pc}"),
        };
        let forgotten = value.forget_before.map(|pc| format!(", forgotten at {pc}")).unwrap_or_default();
        format!("{} {place} as {}{forgotten}", value.text, value.letter)
    });
    let values: Vec<String> = values.collect();
    if !values.is_empty() {
        writeln!(out, "        stack@{pc} [{}]", values.join("; ")).unwrap();
    }
}

/// Lists the arms that can produce the value of a store or `return`, if they are on several lines.
fn describe_arms(out: &mut String, code: &Code, pc: u32) {
    let uses = |op: &Op| {
        matches!(
            op,
            Op::Store { .. } | Op::PutField(_) | Op::PutStatic(_) | Op::ArrayStore(_) | Op::Return(Some(_))
        )
    };
    if !code.at(pc).is_some_and(|i| uses(&i.op)) {
        return;
    }
    let Some(arms) = Arms::new(code).and_then(|arms| arms.of(pc)) else { return };
    let statement = arms.statement.unwrap();
    if arms.is_open() || statement != lines::line_of(code, pc).unwrap() {
        let marks: Vec<String> = arms.marks.iter().map(|(pc, line)| format!("{line}@{pc}")).collect();
        writeln!(out, "        value@{pc} by {} of the statement at {statement}", marks.join(" ")).unwrap();
    }
}

fn describe_variables(out: &mut String, method: &Method, code: &Code) {
    let mut done: Vec<(u16, u32)> = Vec::new();
    let mut ranges: Vec<_> = code.variables.iter().filter(|v| v.name != "this").collect();
    ranges.sort_by_key(|v| (v.slot, v.start_pc));
    for variable in ranges {
        if done.contains(&(variable.slot, variable.start_pc)) {
            continue;
        }
        let Ok(found) = stores::stores_to(method, &variable.name, variable.start_pc) else { continue };
        done.extend(found.ranges.iter().map(|r| (r.slot, r.start_pc)));
        let stores: Vec<String> = found
            .stores
            .iter()
            .map(|s| match s.kind {
                StoreKind::ParameterEntry => "entry".to_owned(),
                StoreKind::Iinc => format!("iinc@{}", s.pc),
                StoreKind::Store if s.in_range_before => format!("@{}", s.pc),
                StoreKind::Store => format!("@{} (first)", s.pc),
            })
            .collect();
        writeln!(
            out,
            "    {} {}: {}",
            descriptor::short_type(&found.descriptor),
            variable.name,
            stores.join(" ")
        )
        .unwrap();
    }
    if code.variables.is_empty() {
        for slot in stores::slots(method) {
            let pcs: Vec<String> =
                stores::slots_stores(method, slot).iter().map(|s| s.pc.to_string()).collect();
            writeln!(out, "    slot {slot}: {}", pcs.join(" ")).unwrap();
        }
    }
}
