//! Random programs that read everything that differs from run to run, and whose control flow depends on it.
//! Pinned runs of one command do the same, call by call; `qp diff` compares them.
//!
//! `QP_PINNED=100 cargo test --release --test random pinned:: -- --nocapture` tries a hundred programs, and
//! tells how many of them repeat without pins.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::dice::Dice;
use crate::support::javac::Javac;
use crate::support::{finish, javas_in_turn, qp, said, scratch};
use serde_json::Value;
use std::fmt::Write;
use std::path::Path;

/// Number of programs by default.
const FEW: u64 = 3;
/// Number of methods of a program, without those that read something.
const METHODS: usize = 5;

/// What differs from run to run, as a `long`.
const READS: [&str; 20] = [
    "new java.util.Random().nextInt(1000)",
    "(long) (Math.random() * 1000)",
    "new java.util.Random().ints(3, 0, 50).sum()",
    "java.util.concurrent.ThreadLocalRandom.current().nextInt(1000)",
    "new java.util.SplittableRandom().nextInt(1000)",
    "new java.security.SecureRandom().nextInt(1000)",
    "java.util.UUID.randomUUID().hashCode() % 1000",
    "shuffled()",
    "order(java.util.Set.of(\"a\", \"bc\", \"d\", \"ef\", \"g\"))",
    "order(java.util.Map.of(\"x\", 1, \"yy\", 2, \"z\", 3, \"w\", 4).keySet())",
    "order(java.util.Set.of(1, 2))",
    "new Object().hashCode() % 1000",
    "identities()",
    "ProcessHandle.current().pid() % 1000",
    "order(java.util.Arrays.asList(new java.io.File(folder).list()))",
    "temporary()",
    "System.currentTimeMillis() / 86_400_000",
    "java.time.LocalDate.now().hashCode()",
    "System.nanoTime() / 1_000_000_000_000L",
    "inThread()",
];

const HELPERS: &str = r#"
    static String folder;

    static long mix(long one, long other) {
        return one * 31 + other;
    }

    static long order(java.util.Collection<?> all) {
        long order = 7;
        for (Object each : all) {
            order = mix(order, String.valueOf(each).hashCode());
        }
        return order;
    }

    static long shuffled() {
        java.util.List<Integer> numbers = new java.util.ArrayList<>(java.util.List.of(1, 2, 3, 4, 5, 6));
        java.util.Collections.shuffle(numbers);
        return order(numbers);
    }

    /** The order in which a hash table has objects without a hash code of their own. */
    static long identities() {
        java.util.Map<Object, Integer> places = new java.util.HashMap<>();
        for (int place = 0; place < 20; place++) {
            places.put(new Object(), place);
        }
        return order(places.values());
    }

    static long temporary() {
        try {
            java.io.File file = java.io.File.createTempFile("qp", null);
            file.delete();
            return file.getName().hashCode();
        } catch (java.io.IOException broken) {
            throw new java.io.UncheckedIOException(broken);
        }
    }

    static long inThread() {
        long[] read = new long[1];
        Thread thread = new Thread(() -> {
            read[0] = java.util.concurrent.ThreadLocalRandom.current().nextInt(99);
        });
        thread.start();
        try {
            thread.join();
        } catch (InterruptedException never) {
            throw new IllegalStateException(never);
        }
        return read[0];
    }
"#;

/// The source of a program.
fn program(name: &str, seed: u64) -> String {
    let mut dice = Dice::new(seed);
    let mut source = format!("public class {name} {{{HELPERS}");
    for method in 0..METHODS {
        let _ = writeln!(source, "\n    static long use{method}(long x) {{");
        statements(&mut source, &mut dice, method, 2);
        source.push_str("        return x;\n    }\n");
    }
    source.push_str("\n    public static void main(String[] arguments) {\n        folder = arguments[0];\n");
    source.push_str("        long x = 1;\n");
    for method in 0..METHODS {
        let _ = writeln!(source, "        x = mix(x, use{method}(x));\n        System.out.println(x);");
    }
    source.push_str("    }\n}\n");
    source
}

/// Statements of a method that calls those before it.
fn statements(source: &mut String, dice: &mut Dice, method: usize, depth: usize) {
    for _ in 0..2 + dice.roll(3) {
        let read = dice.one(&READS);
        match dice.roll(5) {
            0 if depth > 0 => {
                let _ = writeln!(source, "        if (Math.floorMod({read}, 2) == 0) {{");
                statements(source, dice, method, depth - 1);
                source.push_str("        } else {\n");
                statements(source, dice, method, depth - 1);
                source.push_str("        }\n");
            }
            1 if depth > 0 => {
                let each = format!("i{depth}");
                let until = format!("Math.floorMod({read}, 3)");
                let _ = writeln!(
                    source,
                    "        for (int {each} = 0, n = 1 + (int) {until}; {each} < n; {each}++) {{"
                );
                statements(source, dice, method, 0);
                source.push_str("        }\n");
            }
            2 if method > 0 => {
                let called = dice.roll(method);
                let _ = writeln!(source, "        x = mix(x, use{called}({read}));");
            }
            _ => {
                let _ = writeln!(source, "        x = mix(x, {read});");
            }
        }
    }
}

/// What `qp diff` says of two runs of one version of a program.
fn compared(java: &str, classes: &Path, name: &str, files: &Path, pin: &[&str]) -> Value {
    let mut command = qp();
    command.args(["diff", "--format=json", "--reference"]).arg(classes).args(pin);
    command.args(["--", java, "-cp"]).arg(classes).arg(name).arg(files);
    let output = finish(&mut command);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{name}: {}", said(&output));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// Whether nothing differs, and nothing varies from run to run.
fn repeats(parting: &Value) -> bool {
    parting["parted"].is_null() && parting["varies"].is_null() && parting["runs"] == 1
}

#[test]
fn pinned_programs_repeat_call_by_call() {
    let many = std::env::var("QP_PINNED").ok().and_then(|many| many.parse().ok()).unwrap_or(FEW);
    let folder = tempfile::tempdir_in(scratch()).unwrap();
    let files = folder.path().join("files");
    std::fs::create_dir(&files).unwrap();
    for file in ["zeta", "b", "q", "alpha", "m", "c", "x", "kappa"] {
        std::fs::write(files.join(file), "").unwrap();
    }
    let (mut unpinned, mut wrong) = (0, Vec::new());
    for seed in 1..=many {
        let name = format!("Pinned{seed}");
        let source = folder.path().join(format!("{name}.java"));
        std::fs::write(&source, program(&name, seed * 7919)).unwrap();
        let classes = folder.path().join(&name);
        Javac::new().args(["-g", "-d"]).arg(&classes).arg(&source).run();
        for java in javas_in_turn(usize::try_from(seed).unwrap()) {
            let pinned = compared(&java, &classes, &name, &files, &["--pin"]);
            if !repeats(&pinned) {
                wrong.push(format!("{java} {name}: {pinned:#}"));
            }
        }
        unpinned += u64::from(repeats(&compared("java", &classes, &name, &files, &[])));
    }
    println!(
        "of {many} programs, {} repeat with pins, {unpinned} without",
        many - u64::try_from(wrong.len()).unwrap()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(unpinned < many, "the programs read what differs");
}
