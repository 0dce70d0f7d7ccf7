//! Programs in other languages than Java: names as their sources write them, in answers and in questions; and
//! scripts, whose classes have no class files. The fixture has Java that makes such class files.

use crate::support::javac::Javac;
use crate::support::{finish, point, qp, root, said, unwrapped};
use serde_json::Value;
use std::path::Path;
use std::process::Output;

/// Gives a class file another name of its source, which has the same lines.
fn set_source(file: &Path, from: &str, to: &str) {
    let utf8 = |text: &str| {
        let length = u16::try_from(text.len()).expect("a short name").to_be_bytes();
        [&[1], length.as_slice(), text.as_bytes()].concat()
    };
    let (bytes, from) = (std::fs::read(file).expect("a class file"), utf8(from));
    let at = bytes.windows(from.len()).position(|window| window == from).expect("the SourceFile constant");
    let rest = &bytes[at + from.len()..];
    std::fs::write(file, [&bytes[..at], &utf8(to), rest].concat()).expect("written");
}

/// A folder with sources and classes of Scala and Clojure, and a script with the class that is made of it.
fn languages() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let (fixture, at) = (root().join("tests/fixtures/languages"), folder.path());
    std::fs::create_dir_all(at.join("src/shop")).expect("a folder");
    for source in ["Shop.scala", "core.clj"] {
        std::fs::copy(fixture.join("shop").join(source), at.join("src/shop").join(source)).expect("copied");
    }
    std::fs::copy(fixture.join("Till.groovy"), at.join("Till.groovy")).expect("copied");
    let compile = |into: &str, sources: &[&str]| {
        let sources = sources.iter().map(|source| fixture.join(source));
        Javac::new().args(["-g", "-d"]).arg(at.join(into)).args(sources).run();
    };
    compile("classes", &["shop/Shop.java", "shop/core$grant_BANG_.java"]);
    compile("made", &["Till.java"]);
    compile("runner", &["groovy/ui/GroovyMain.java"]);
    set_source(&at.join("classes/shop/Shop.class"), "Shop.java", "Shop.scala");
    set_source(&at.join("classes/shop/core$grant_BANG_.class"), "core$grant_BANG_.java", "core.clj");
    set_source(&at.join("made/Till.class"), "Till.java", "Till.groovy");
    std::fs::rename(at.join("made/Till.class"), at.join("Till.made")).expect("moved");
    folder
}

const SHOP: [&str; 5] = ["--", "java", "-cp", "classes", "shop.Shop"];
const TILL: [&str; 6] = ["--", "java", "-cp", "runner", "groovy.ui.GroovyMain", "Till.groovy"];

fn told(folder: &Path, arguments: &[&str]) -> Output {
    finish(qp().current_dir(folder).args(arguments))
}

fn text(folder: &Path, arguments: &[&str]) -> String {
    let output = told(folder, arguments);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    unwrapped(&said(&output))
}

fn json(folder: &Path, arguments: &[&str]) -> Value {
    let output = told(folder, &[&["--format=json"], arguments].concat());
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", said(&output)))
}

/// The line and text of a point.
fn place<'a>(answer: &'a Value, id: &str) -> (u64, &'a str) {
    let point = point(answer, id);
    (point["line"].as_u64().unwrap_or_default(), point["text"].as_str().unwrap_or_default())
}

#[test]
fn recordings_have_the_names_of_the_source() {
    let folder = languages();
    let at = folder.path();
    let recorded = told(
        at,
        &[&["trace", "record", "--level", "all", "--show-output", "--out", "t"], &SHOP[..]].concat(),
    );
    assert!(said(&recorded).contains("false 4\n"), "{}", said(&recorded));
    let tree = text(at, &["trace", "calls", "t"]);
    for call in ["Shop@4.+=(2)", "Shop@4.empty_?() = false", "core/grant!(Integer 3) = Integer 4"] {
        assert!(tree.contains(call), "{call} in {tree}");
    }
    // Either form names a method.
    for (written, shown) in [
        ("Shop.+=", "call Shop@4.+=(2)"),
        ("shop.Shop.$plus$eq", "call Shop@4.+=(2)"),
        ("empty_?", "call Shop@4.empty_?()"),
        ("core/grant!", "call core/grant!(Integer 3)"),
        ("shop.core$grant_BANG_.invokeStatic", "call core/grant!(Integer 3)"),
    ] {
        let found = text(at, &["query", "where-called", written, "t"]);
        assert!(found.contains(shown), "{written}: {found}");
    }
    let listed = text(at, &["trace", "calls", "--method", "Shop.+=", "t"]);
    assert!(listed.contains("Shop@4.+=(2)") && !listed.contains("grant!"), "{listed}");
    let missing = told(at, &["query", "where-called", "core/grant?", "t"]);
    assert!(said(&missing).contains("the nearest name is core/grant!"), "{}", said(&missing));
    // A file with folders, one without, and the forms in which stacks name it.
    for line in ["src/shop/core.clj:7", "core.clj:7", "at shop.core$grant_BANG_.invokeStatic(core.clj:7)"] {
        let why = json(at, &["why", "more", "--at", line, "--in", "t"]);
        assert_eq!(place(&why, "B"), (6, "(let [more (+ n 1)]"), "{line}: {why:#}");
    }
}

#[test]
fn points_are_asked_by_the_names_of_the_source() {
    let folder = languages();
    let at = folder.path();
    let chain = r#"(format: 1, debuggee: (command: ["java", "-cp", "classes", "shop.Shop"]), points: [
        (id: "A", at: Line("Shop.scala", 12), from: "Shop.main"),
        (id: "B", at: LastChange("A(0):credit")),
        (id: "C", at: Entry("Shop.+=")),
        (id: "D", at: Entry("shop.core/grant!")),
    ])"#;
    std::fs::write(at.join("chain.ron"), chain).expect("written");
    let answer = json(at, &["replay", "chain.ron"]);
    assert_eq!(place(&answer, "B"), (8, "credit = credit + n + 1"), "{answer:#}");
    // Answers keep the VM's names for programs, and the class file says where the source is.
    assert_eq!(point(&answer, "C")["method"], "$plus$eq");
    assert_eq!((point(&answer, "D")["file"].as_str(), place(&answer, "D").0), (Some("core.clj"), 6));
    let shown = text(at, &["replay", "chain.ron"]);
    assert!(shown.contains("shop.Shop.+= (Shop.scala:8)") && shown.contains("shop.core/grant! (core.clj:6)"));
}

#[test]
fn the_classes_of_a_script_are_own_code() {
    let folder = languages();
    let at = folder.path();
    let recorded = told(
        at,
        &[&["trace", "record", "--level", "all", "--show-output", "--out", "t"], &TILL[..]].concat(),
    );
    assert!(said(&recorded).contains("10\n"), "{}", said(&recorded));
    let whose = "Till.groovy: the classes that Groovy makes of it are own code; Groovy itself is a library";
    assert!(unwrapped(&said(&recorded)).contains(whose), "{}", said(&recorded));
    let tree = text(at, &["trace", "calls", "t"]);
    assert!(tree.ends_with("thread main #0 Till.run()"), "{tree}");
    let why = ["why", "total", "--at", "Till.groovy:5"];
    for asked in [&["--in", "t"][..], &TILL] {
        let answer = json(at, &[&why, asked].concat());
        assert_eq!(place(&answer, "B"), (4, "total = total * 2"), "{asked:?}: {answer:#}");
        assert_eq!(point(&answer, "B")["new"], "10");
    }
}
