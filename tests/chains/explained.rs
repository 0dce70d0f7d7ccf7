//! Points that never hit, and unknown names: `qp` explains each with the nearest event or name (DESIGN
//! §5.20). The tests compare its messages word for word.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support::case::Case;
use crate::traps::fixture::Fixture;
use std::time::{Duration, SystemTime};

fn program() -> Fixture {
    Fixture::new("explained", "Explained")
}

/// Compares the reasons of points that were not located, on every Java; `{MARK}` is the line of a mark in
/// both texts.
fn explained(points: &[(&str, &str)]) {
    let program = program();
    let with_ids: Vec<String> =
        points.iter().enumerate().map(|(n, (point, _))| format!(r#"(id: "P{n}", {point})"#)).collect();
    for asked in program.ask(&with_ids.join(", ")) {
        for (n, (point, expected)) in points.iter().enumerate() {
            let found = asked.point(&format!("P{n}"));
            assert_eq!(found["located"], false, "{}: {point}: {found:#}", asked.java);
            assert_eq!(found["reason"], with_lines(&program, expected), "{}: {point}", asked.java);
        }
    }
}

/// Compares the error for a chain of these points, which `qp` refuses before any run; the last point is at
/// fault.
fn refused(points: &str, expected: &str) {
    let program = program();
    let said = program.refused(points);
    let expected = with_lines(&program, expected);
    assert!(said.trim_end().ends_with(&expected), "\n{said}does not end with\n{expected}");
}

fn with_lines(program: &Fixture, text: &str) -> String {
    let mut text = text.to_owned();
    // A mark begins with a letter; a brace of the program is at the end of a line.
    while let Some(open) = text.find('{').filter(|at| text[at + 1..].starts_with(char::is_alphabetic)) {
        let close = open + text[open..].find('}').expect("a closing brace");
        let line = program.line(&text[open + 1..close]).to_string();
        text.replace_range(open..=close, &line);
    }
    text
}

#[test]
fn a_class_was_not_loaded_or_not_initialised() {
    explained(&[
        (
            r#"at: Line("Explained", {unused})"#,
            "class Explained$Unused was never loaded in this run, or only named: no code of it ran",
        ),
        (
            r#"at: Entry("Explained.Unused.go")"#,
            "class Explained$Unused was never loaded in this run, or only named: no code of it ran",
        ),
        (
            r#"at: Line("Explained", {prepared})"#,
            "class Explained$Prepared was loaded by app but never initialised: no code of it ran",
        ),
        (
            r#"at: Watch("Explained$Prepared", "seed")"#,
            "class Explained$Prepared was loaded by app but never initialised: no code of it ran",
        ),
        (
            r#"at: Line("Explained", {idle})"#,
            "line {idle} of Explained.java was never reached: Explained.Twice.idle was never entered \
             (class Explained$Twice was loaded by 2 loaders, URLClassLoader and app)",
        ),
    ]);
}

#[test]
fn the_loader_of_another_class_file_is_named() {
    let case = Case::new("explained");
    let line = case.line("Explained.java", "// <- idle");
    let folder = case.work().join("other");
    std::fs::create_dir(&folder).expect("a folder");
    let text = std::fs::read_to_string(case.work().join("Explained.java")).expect("read");
    let text = text.replace("println(\"idle\")", "println(\"id\" + System.nanoTime())");
    std::fs::write(folder.join("Explained.java"), text).expect("written");
    let compiled = std::process::Command::new("javac")
        .args(["-g", "-d", "other", "other/Explained.java"])
        .current_dir(case.work())
        .output()
        .expect("javac");
    assert!(compiled.status.success(), "{}", crate::support::said(&compiled));
    let debuggee = r#"command: ["java", "-Dother=other", "-cp", "classes", "Explained"]"#;
    let run =
        case.replay(debuggee, &format!(r#"(id: "A", at: Line("Explained", {line}))"#), &["--format=json"]);
    assert_eq!(
        crate::support::point(&run.is(3, &[]).answer(), "A")["reason"],
        "classes/Explained$Twice.class is not the class that was loaded by URLClassLoader: the bytecodes of idle \
         differ; compile it again, or put the right one first on the class path (the class was loaded by 2 loaders, \
         URLClassLoader and app)"
    );
}

#[test]
fn a_method_was_not_entered_or_took_another_path() {
    explained(&[
        (
            r#"at: Line("Explained", {uncalled})"#,
            "line {uncalled} of Explained.java was never reached: Explained.uncalled was never entered \
             (class Explained was loaded by app)",
        ),
        (
            r#"at: Line("Explained", {lambda})"#,
            "line {lambda} of Explained.java was never reached: Explained.uncalled and \
             a lambda of Explained.uncalled were never entered (class Explained was loaded by app)",
        ),
        (
            r#"at: Line("Explained", {passed by})"#,
            "Explained.price was entered, but line {passed by} of Explained.java was never reached: that depends on \
             `amount > 10 && reduced % 2 == 0` on line {decides}; a `Line` there shows its values",
        ),
        (
            r#"at: Line("Explained", {after throw})"#,
            "Explained.fails was entered, but line {after throw} of Explained.java was never reached: that depends on \
             `depth > 0` on line {depth}; a `Line` there shows its values",
        ),
        (
            r#"at: Line("Explained", {unbroken})"#,
            "Explained.breaks was entered, but line {unbroken} of Explained.java was never reached: \
             IllegalStateException@1 \"deep\", thrown in Explained.fails on line {thrown}, came before it on line \
             {breaks}",
        ),
        (
            r#"at: Line("Explained", {finished})"#,
            "Explained.checked was entered, but line {finished} of Explained.java was never reached: \
             IllegalArgumentException@1 \"too many\", thrown in Explained.check on line {check}, came before it on \
             line {calls check}",
        ),
        (
            r#"at: Line("Explained", {after exit})"#,
            "Explained.exits was entered, but line {after exit} of Explained.java was never reached: `code < 1` on \
             line {exits} held, so a call that did not return came before",
        ),
    ]);
    explained(&[
        (
            r#"at: Entry("Explained.uncalled")"#,
            "Explained.uncalled was never entered (class Explained was loaded by app)",
        ),
        (
            r#"at: Exit("Explained.uncalled")"#,
            "Explained.uncalled was never entered (class Explained was loaded by app)",
        ),
        (
            r#"at: Exit("Explained.fails")"#,
            "Explained.fails was entered and never returned normally; an exceptional exit is an Exception point",
        ),
    ]);
}

#[test]
fn an_exception_that_left_the_method_skipped_its_line() {
    let points = r#"
        (id: "E", at: Line("Explained", {end})),
        (id: "S", at: SkippedLine("Explained", {finished}), before: "E"),
        (id: "C", at: Entry("Explained.checked")), (id: "T", at: SkippedLine("Explained", {finished}), after: "C"),
        (id: "G", at: SkippedLine("Explained", {got}), before: "E"),
    "#;
    for asked in program().ask(points) {
        asked.held().at("S", "calls check").at("T", "calls check").at("G", "gets");
        for id in ["S", "T"] {
            asked.place(&asked.point(id)["exception"]["thrown"], "check");
            assert_eq!(asked.point(id)["exception"]["caught"]["class"], "java.util.concurrent.FutureTask");
        }
    }
}

#[test]
fn an_overridden_method_names_those_that_override_it() {
    explained(&[
        (
            r#"at: Entry("Explained.Base.work()")"#,
            "Explained.Base.work() was never entered (class Explained$Base was loaded by app); it is overridden, so \
             perhaps another was called: ask for `Entry(\"Explained$Derived.work()\")`",
        ),
        (
            r#"at: Entry("Explained.Derived.work(String)")"#,
            "Explained.Base.work(String) was never entered (class Explained$Base was loaded by app)",
        ),
    ]);
    refused(
        r#"(id: "A", at: Entry("Explained.Shape.area"))"#,
        "Explained$Shape.area is abstract, so there is no code to stop in; name a class that implements it: \
         `Explained$Square.area()`",
    );
}

#[test]
fn fields_and_exceptions_that_were_not_touched() {
    explained(&[
        (
            r#"at: Watch("Explained", "rate")"#,
            "Explained.rate was never written: line {uncalled} of Explained.java did not run",
        ),
        (
            r#"at: Read("Explained", "rate")"#,
            "Explained.rate was never read: line {lambda} of Explained.java did not run",
        ),
        (
            r#"at: Read("Explained", "secret")"#,
            "Explained.secret was never read: no code of Explained.java reads it",
        ),
        (
            r#"at: Read("Explained", "LIMIT")"#,
            "Explained.LIMIT is a constant: its value was copied to where it is used, so no code reads it",
        ),
        (
            r#"at: Watch("Explained", "LIMIT")"#,
            "Explained.LIMIT is a constant: the class file holds its value and no code writes it",
        ),
        (
            r#"at: Exception("IllegalStateException"), caught: false"#,
            "no uncaught java.lang.IllegalStateException was thrown, but a caught one was, in \
             Explained.fails on line {thrown}: change `caught`",
        ),
        (r#"at: Exception("ArithmeticException")"#, "no java.lang.ArithmeticException was thrown"),
    ]);
}

/// Another point asks for the exceptions that the first one excludes, or for all of them.
#[test]
fn an_exception_that_another_point_wants_is_one_that_was_thrown() {
    for other in ["", ", caught: true"] {
        for asked in program().ask(&format!(
            r#"
            (id: "A", at: Exception("IllegalStateException"){other}),
            (id: "B", at: Exception("IllegalStateException"), caught: false),
            "#
        )) {
            assert_eq!(asked.point("A")["located"], true, "{}: {:#}", asked.java, asked.answer);
            let expected = "no uncaught java.lang.IllegalStateException was thrown, but a caught one was, in \
                            Explained.fails on line {thrown}: change `caught`";
            assert_eq!(asked.point("B")["reason"], with_lines(&program(), expected), "{}", asked.java);
        }
    }
}

#[test]
fn what_is_asked_from_a_point_says_what_it_lacked() {
    for asked in program().ask(
        r#"
        (id: "A", at: Entry("Explained.uncalled")), (id: "B", at: LastCondition("A")),
        (id: "C", at: Entry("Explained.guarded")), (id: "D", at: SkippedLine("Explained", {skipped}), after: "C"),
        (id: "E", at: Line("Explained", {derived})), (id: "F", at: LastChange("E:this.inherited")),
        (id: "G", at: SkippedLine("Explained", {skipped}), after: "A"),
    "#,
    ) {
        let reason = |id: &str| asked.point(id)["reason"].as_str().unwrap_or_default().to_owned();
        assert_eq!(reason("B"), "it needs the method of frame 1 at A, and A was not located");
        assert_eq!(
            reason("D"),
            "no exception bypassed the line: none that was thrown before it left Explained.guarded, or was caught there"
        );
        assert_eq!(
            reason("F"),
            "no write was seen since the class was prepared; it has its default value"
        );
        assert_eq!(reason("G"), "A, on which it depends, was not located");
    }
}

#[test]
fn a_condition_shows_its_operands_early_and_late() {
    explained(&[
        (
            r#"at: Line("Explained", {decides}), when: "reduced == 77""#,
            "it occurred 8 times, its condition was false 8 times (reduced = -1 the 1st time; reduced = 2 the 4th \
             time; reduced = 6 the 8th time)",
        ),
        (
            r#"at: Line("Explained", {decides}), when: "LIMIT == 3""#,
            "it occurred 8 times, its condition was false 8 times (LIMIT = 10 each time it was sampled)",
        ),
        (
            r#"at: Line("Explained", {decides}), when: "6 / amount == 7""#,
            "it occurred 8 times, its condition was false 7 times (6 / amount = 6 the 1st time; 6 / amount = 3 the \
             2nd time; 6 / amount = 1 the 4th time), its condition could not be evaluated once: `6 / amount`: \
             division by zero (amount = 0 the first time)",
        ),
        (
            r#"at: Line("Explained", {step}), when: "((Explained.Derived) who).inherited == count""#,
            "it occurred 3 times, its condition could not be evaluated 3 times: `(Explained.Derived) who`: an object \
             of Explained$Base cannot be cast to Explained.Derived (who = Explained.Base@1, count = 1 the first \
             time)",
        ),
        (
            r#"at: Line("Explained", {step}), index: 3"#,
            "it occurred 3 times, which is not enough for index 3",
        ),
    ]);
}

#[test]
fn other_threads_and_callers_are_named() {
    explained(&[
        (
            r#"at: Line("Explained", {step}), thread: "help""#,
            "it occurred 3 times, 3 times in another thread than help (main 2 times, helper once)",
        ),
        (
            r#"at: Line("Explained", {step}), from: "Explained.price""#,
            "it occurred 3 times, 3 times without Explained.price on the stack (called from Explained.main 2 times, \
             Explained.lambda$main$1 once)",
        ),
        (
            r#"at: Line("Explained", {step}), thread: "helper", when: "count == 3""#,
            "it occurred 3 times, 2 times in another thread than helper (main 2 times), its condition was false once \
             (count = 1)",
        ),
    ]);
}

#[test]
fn a_line_without_code_shows_what_stands_around_it() {
    let point = |line: &str| format!(r#"(id: "A", at: Line("Explained", {line}))"#);
    refused(
        &point("3"),
        "line 3 of Explained.java has no code (it is blank); the nearest line with code is 12 `public class Explained {`",
    );
    refused(
        &point("5"),
        "line 5 of Explained.java has no code (it is a comment); the nearest line with code is 12 \
         `public class Explained {`",
    );
    refused(
        &point("{rate}"),
        "line {rate} of Explained.java has no code (it is `static int rate; // <- rate`); the nearest lines with code \
         are 12 `public class Explained {` and 18 `static class Base {`",
    );
    refused(
        &point("4000"),
        "line 4000 of Explained.java has no code (the file ends with line 168); the nearest line with code is 167 `}`",
    );
    let skipped =
        r#"(id: "A", at: Entry("Explained.main")), (id: "S", at: SkippedLine("Explained", 3), after: "A")"#;
    refused(
        skipped,
        "line 3 of Explained.java has no code (it is blank); the nearest line with code is 12 `public class Explained {`",
    );
}

#[test]
fn classes_like_the_one_that_is_not_there_are_offered() {
    let point = |class: &str| format!(r#"(id: "A", at: Line("{class}", 3))"#);
    refused(&point("explained"), "no class `explained` on the class path; did you mean `Explained`?");
    refused(
        &point("shop.Explained"),
        "no class `shop.Explained` on the class path; did you mean `Explained`?",
    );
    refused(
        &point("Explained.Basis"),
        "no class `Explained.Basis` on the class path; did you mean `Explained$Base`?",
    );
    refused(
        &point("ArrayList"),
        "no class `ArrayList` on the class path; did you mean `java.util.ArrayList`?",
    );
    refused(
        &point("Elephant"),
        "no class `Elephant` on the class path; check the class path of the debuggee's command (`-cp`), and name other places of classes with --classes",
    );
    refused(
        r#"(id: "A", at: Exception("IllegalStatException"))"#,
        "no class `IllegalStatException` on the class path; did you mean `java.lang.IllegalStateException`?",
    );
}

#[test]
fn a_class_that_was_not_compiled_is_told_by_its_source() {
    let case = Case::new("explained");
    std::fs::write(case.work().join("Added.java"), "class Added {}\n").expect("written");
    case.run(&["why", "--at=Added:1", "--", "java", "-cp", "classes", "Explained"])
        .fails(2, &["no class `Added` on the class path; its source Added.java is there, so compile it"]);
}

#[test]
fn methods_like_the_one_that_is_not_there_are_offered() {
    let entry = |method: &str| format!(r#"(id: "A", at: Entry("{method}"))"#);
    refused(
        &entry("Explained.prise"),
        "class Explained has no method `prise`; did you mean `Explained.price(int)`?",
    );
    refused(
        &entry("Explained.PRICE"),
        "class Explained has no method `PRICE`; did you mean `Explained.price(int)`?",
    );
    refused(
        &entry("Explained.Derived.wurk"),
        "class Explained$Derived has no method `wurk`; did you mean `Explained$Derived.work()` or \
         `Explained$Base.work()` or `Explained$Base.work(java.lang.String)`?",
    );
    refused(
        &entry("Explained.Derived.work(int)"),
        "class Explained$Derived has no method `Explained.Derived.work(int)`; did you mean \
         `Explained$Derived.work()` or `Explained$Base.work()` or `Explained$Base.work(java.lang.String)`?",
    );
    refused(
        &entry("Explained.area"),
        "class Explained has no method `area`; did you mean `Explained$Shape.area()` or `Explained$Square.area()`?",
    );
    refused(
        &entry("Explained.Base.Base"),
        "class Explained$Base has no method `Base`; did you mean `Explained$Base.<init>()`?",
    );
    refused(
        &entry("Explained.total"),
        "class Explained has no method `total`; `total` is a field: ask for `Watch(\"Explained\", \"total\")`, or \
         `Read`",
    );
    refused(
        r#"(id: "A", at: Exit("Explained$Square.perimeter"))"#,
        "class Explained$Square has no method `perimeter`; its methods are `<init>`, `area`",
    );
    let from = |method: &str| format!(r#"(id: "A", at: Line("Explained", {{step}}), from: "{method}")"#);
    refused(&from("Explained.man"), "class Explained has no method `man`; did you mean `Explained.main`?");
    refused(
        &from("Explained$Derived.toString"),
        "class Explained$Derived has no method `toString`; did you mean `java.lang.Object.toString`?; it is \
         inherited, and a frame is in the class that declares it",
    );
}

#[test]
fn fields_like_the_one_that_is_not_there_are_offered() {
    for kind in ["Watch", "Read"] {
        let point = |class: &str, field: &str| format!(r#"(id: "A", at: {kind}("{class}", "{field}"))"#);
        refused(&point("Explained", "TOTAL"), "class Explained has no field `TOTAL`; did you mean `total`?");
        refused(
            &point("Explained$Derived", "inheritd"),
            "class Explained$Derived has no field `inheritd`; did you mean `inherited` of Explained$Base?",
        );
        refused(
            &point("Explained", "inherited"),
            "class Explained has no field `inherited`; did you mean `inherited` of Explained$Base?",
        );
        refused(
            &point("Explained", "reduced"),
            "class Explained has no field `reduced`; `reduced` is a local variable of Explained.price: ask for its \
             `LastChange` from a point there",
        );
        refused(
            &point("Explained", "price"),
            "class Explained has no field `price`; `price` is a method: ask for `Entry(\"Explained.price\")`, or `Exit`",
        );
        refused(
            &point("Explained", "elephant"),
            "class Explained has no field `elephant`; its fields are `LIMIT`, `total`, `rate`, `secret`",
        );
    }
}

#[test]
fn variables_like_the_one_that_is_not_there_are_offered() {
    refused(
        r#"(id: "A", at: Line("Explained", {decides}), when: "reducd == 3")"#,
        "`reducd`: is not a local or field here; did you mean `reduced`? (at Explained.price@4 line {decides}); in scope \
         there: `amount`, `reduced`",
    );
    refused(
        r#"(id: "A", at: Line("Explained", {reduced}), when: "reduced == 3")"#,
        "`reduced`: is not a local or field here (at Explained.price@0 line {reduced}); the variable `reduced` of this \
         method has a value only before lines {decides} to {end of price}",
    );
    refused(
        r#"(id: "A", at: Line("Explained", {decides})), (id: "B", at: LastChange("A:elephant"))"#,
        "point `B`, LastChange(A:elephant): `elephant`: is not a local or field here (at Explained.price@4 line \
         {decides}); in scope there: `amount`, `reduced`",
    );
}

#[test]
fn a_class_file_older_than_its_source_is_told_wherever_nothing_was_found() {
    let case = Case::new("explained");
    let later = SystemTime::now() + Duration::from_secs(100);
    let source = std::fs::File::options().append(true).open(case.work().join("Explained.java"));
    source.and_then(|file| file.set_modified(later)).expect("its time is set");
    const OLDER: &str =
        ". classes/Explained.class is older than Explained.java: build again, lines may have moved";
    let debuggee = r#"command: ["java", "-cp", "classes", "Explained"]"#;
    let line = |mark: &str| case.line("Explained.java", &format!("// <- {mark}"));
    for (point, said) in [
        (format!(r#"at: Line("Explained", {})"#, line("uncalled")), "(class Explained was loaded by app)"),
        (format!(r#"at: Line("Explained", {}), when: "total < 0""#, line("idle")), "URLClassLoader and app)"),
        (format!(r#"at: Line("Explained", {}), thread: "x""#, line("step")), "(main 2 times, helper once)"),
    ] {
        let run = case.replay(debuggee, &format!(r#"(id: "A", {point})"#), &["--format=json"]);
        let answer = run.is(3, &[]).answer();
        let reason = crate::support::point(&answer, "A")["reason"].as_str().expect("a reason").to_owned();
        let older = OLDER.replace(
            "Explained.class",
            if said.contains("URL") { "Explained$Twice.class" } else { "Explained.class" },
        );
        assert!(reason.ends_with(&format!("{said}{older}")), "{point}: {reason}");
    }
    for point in [
        r#"at: Line("Explained", 4000)"#.to_owned(),
        r#"at: Entry("Explained.prise")"#.to_owned(),
        r#"at: Watch("Explained", "elephant")"#.to_owned(),
        format!(r#"at: Line("Explained", {}), when: "gone == 3""#, line("decides")),
    ] {
        let run = case.replay(debuggee, &format!(r#"(id: "A", {point})"#), &[]);
        run.fails(2, &[OLDER]);
    }
}
