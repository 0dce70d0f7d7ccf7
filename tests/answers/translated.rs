//! Classes that were translated from another language, with a source map (JSR 45) as Kotlin writes it: code
//! that the compiler copied has the line of its call, and is found by the line from which it was copied.

use crate::support::javac::Javac;
use crate::support::{finish, point, qp, root, said};
use serde_json::Value;
use std::path::Path;

/// `Main.java` stands for the code that a compiler makes of `Main.kt` and `Sold.kt`.
const MAIN: &str = "SMAP\nMain.kt\nKotlin\n*S Kotlin\n*F\n+ 1 Main.kt\nMain\n\
    + 2 Sold.kt\nSold\n*L\n3#1:5\n5#1:8\n6#1:9\n2#2,3:14\n7#2,2:19\n9#1:21\n11#1:23\n\
    *S KotlinDebug\n*F\n+ 1 Main.kt\nMain\n*L\n7#1:14,3\n8#1:19,2\n*E\n";
const SOLD: &str = "SMAP\nSold.kt\nKotlin\n*S Kotlin\n*F\n+ 1 Sold.kt\nSold\n*L\n2#1,2:3\n7#1,2:7\n*E\n";

/// Adds the attribute SourceDebugExtension (JVMS §4.7.11) to a class file.
fn add_source_map(file: &Path, map: &str) {
    let bytes = std::fs::read(file).expect("a class file");
    let u2 = |at: usize| usize::from(u16::from_be_bytes([bytes[at], bytes[at + 1]]));
    let (count, mut at) = (u2(8), 10);
    let mut index = 1;
    while index < count {
        let (length, slots) = match bytes[at] {
            1 => (3 + u2(at + 1), 1),
            5 | 6 => (9, 2),
            7 | 8 | 16 | 19 | 20 => (3, 1),
            15 => (4, 1),
            _ => (5, 1),
        };
        (at, index) = (at + length, index + slots);
    }
    let (pool_end, name) = (at, "SourceDebugExtension");
    at += 6;
    at += 2 + 2 * u2(at);
    let skip_attributes = |mut at: usize| {
        let number = u2(at);
        at += 2;
        for _ in 0..number {
            let length = u32::from_be_bytes([bytes[at + 2], bytes[at + 3], bytes[at + 4], bytes[at + 5]]);
            at += 6 + usize::try_from(length).expect("a length");
        }
        at
    };
    for _members in ["fields", "methods"] {
        let number = u2(at);
        at += 2;
        for _ in 0..number {
            at = skip_attributes(at + 6);
        }
    }
    let two = |number: usize| u16::try_from(number).expect("a small number").to_be_bytes();
    let mut mapped = bytes[..8].to_vec();
    mapped.extend(two(count + 1));
    mapped.extend(&bytes[10..pool_end]);
    mapped.push(1);
    mapped.extend(two(name.len()));
    mapped.extend(name.bytes());
    mapped.extend(&bytes[pool_end..at]);
    mapped.extend(two(u2(at) + 1));
    mapped.extend(&bytes[at + 2..]);
    mapped.extend(two(count));
    mapped.extend(u32::try_from(map.len()).expect("a length").to_be_bytes());
    mapped.extend(map.bytes());
    std::fs::write(file, mapped).expect("written");
}

/// A folder with the sources and the classes.
fn translated() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let fixture = root().join("tests/fixtures/translated");
    for source in ["Main.kt", "Sold.kt"] {
        std::fs::copy(fixture.join(source), folder.path().join(source)).expect("copied");
    }
    let classes = folder.path().join("classes");
    Javac::new()
        .args(["-g", "-d"])
        .arg(&classes)
        .arg(fixture.join("Main.java"))
        .arg(fixture.join("Sold.java"))
        .run();
    add_source_map(&classes.join("Main.class"), MAIN);
    add_source_map(&classes.join("Sold.class"), SOLD);
    folder
}

/// What `qp` says, as JSON.
fn asked(folder: &Path, arguments: &[&str]) -> Value {
    let mut command = qp();
    let program = ["--", "java", "-cp", "classes", "Main"];
    let output = finish(command.current_dir(folder).arg("--format=json").args(arguments).args(program));
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", said(&output)))
}

/// The file, line and text of a point.
fn place(answer: &Value, id: &str) -> (String, u64, String) {
    let point = point(answer, id);
    let text = |name: &str| point[name].as_str().unwrap_or_default().to_owned();
    (text("file"), point["line"].as_u64().unwrap_or_default(), text("text"))
}

#[test]
fn copied_code_has_the_line_of_its_call() {
    let folder = translated();
    let call = ("Main.kt".to_owned(), 8, "once(of)".to_owned());
    for backend in ["jdwp", "probe"] {
        let why = ["why", "total", "--at", "Main.kt:9", "--index", "-1", "--backend", backend];
        let answer = asked(folder.path(), &why);
        assert_eq!(place(&answer, "A"), ("Main.kt".to_owned(), 9, "println(total)".to_owned()), "{answer:#}");
        assert_eq!(
            (place(&answer, "B"), &point(&answer, "B")["new"]),
            (call.clone(), &"320".into()),
            "{backend}"
        );
        // By the name of the class too, whose line 21 is none of the source.
        let by_class =
            asked(folder.path(), &["why", "total", "--at", "Main:9", "--index", "-1", "--backend", backend]);
        assert_eq!(place(&by_class, "B"), call);
    }
    let mut command = qp();
    let output = finish(command.current_dir(folder.path()).args([
        "why",
        "total",
        "--at",
        "Main.kt:21",
        "--",
        "java",
        "-cp",
        "classes",
        "Main",
    ]));
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
}

#[test]
fn a_copied_line_is_every_place_to_which_it_was_copied() {
    let folder = translated();
    for backend in ["jdwp", "probe"] {
        let why = ["why", "total", "--at", "Sold.kt:3", "--index", "-1", "--backend", backend];
        let answer = asked(folder.path(), &why);
        assert_eq!(place(&answer, "A").1, 7, "{answer:#}");
        let copied = serde_json::json!({"file": "Sold.kt", "line": 3, "text": "total += price(of)"});
        assert_eq!(point(&answer, "A")["copied_from"], copied, "{answer:#}");
        // Of the third round; the last change before it is that of `once` in the second.
        assert_eq!((place(&answer, "B").1, &point(&answer, "B")["new"]), (8, &"208".into()), "{answer:#}");
    }
}

#[test]
fn recordings_have_the_lines_of_the_source() {
    let folder = translated();
    asked(folder.path(), &["trace", "record", "--level", "all", "--out", "t"]);
    let mut command = qp();
    let output =
        finish(command.current_dir(folder.path()).args(["--format=json", "trace", "events", "0", "t"]));
    let events: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", said(&output)));
    let lines: Vec<u64> = events["events"]
        .as_array()
        .expect("events")
        .iter()
        .filter_map(|event| event["line"].as_u64())
        .collect();
    assert!(lines.contains(&7) && lines.contains(&8) && lines.iter().all(|line| *line <= 11), "{events:#}");
    let mut command = qp();
    let why = ["--format=json", "why", "total", "--at", "Main.kt:9", "--index", "-1", "--in", "t"];
    let output = finish(command.current_dir(folder.path()).args(why));
    let answer: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", said(&output)));
    assert_eq!(place(&answer, "B"), ("Main.kt".to_owned(), 8, "once(of)".to_owned()), "{answer:#}");
}

/// A line of a recording by its file, its class, and the file of which code was copied.
#[test]
fn a_recording_says_whether_a_copied_line_ran() {
    let folder = translated();
    asked(folder.path(), &["trace", "record", "--level", "all", "--out", "t"]);
    for (line, count) in
        [("Sold.kt:3", 2), ("src/Sold.kt:8", 2), ("Sold:4", 3), ("Main.kt:9", 3), ("Main:9", 3)]
    {
        let mut command = qp();
        let output = finish(command.current_dir(folder.path()).args([
            "--format=json",
            "query",
            "did",
            "line",
            line,
            "t",
        ]));
        let answer: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}", said(&output)));
        assert_eq!(
            (&answer["yes"], &answer["rows"][0]["count"]),
            (&true.into(), &count.into()),
            "{line}: {answer:#}"
        );
    }
}
