//! The files of a recorded run, read by a foreign engine: pyarrow, if `QP_TEST_PYARROW` names a Python that
//! has it. `./run test` sets that.

#![allow(clippy::expect_used, reason = "a test's helpers fail as the test does")]

use crate::support::case::Case;
use crate::support::{finish, said};
use serde_json::Value;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Command;

/// Prints a Parquet file as rows without absent values, and an Arrow IPC table as columns.
const SCRIPT: &str = r#"
import json, sys
import pyarrow.ipc, pyarrow.parquet
table = pyarrow.parquet.read_table(sys.argv[1])
rows = [{k: v for k, v in row.items() if v is not None} for row in table.to_pylist()]
tables = {name: pyarrow.ipc.open_file(pyarrow.memory_map(sys.argv[2] + "/" + name + ".arrow")).read_all().to_pydict()
          for name in ["calls", "born", "methods", "by_method", "objects", "presets", "writes/writes", "chunks"]}
json.dump({"rows": rows, "tables": tables}, sys.stdout)
"#;

fn read_by_pyarrow(parquet: &Path, columns: &Path) -> Option<Value> {
    let python = testing::named("QP_TEST_PYARROW")?;
    let output = finish(Command::new(python).args(["-c", SCRIPT]).arg(parquet).arg(columns));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    Some(serde_json::from_slice(&output.stdout).expect("JSON"))
}

#[test]
fn what_is_exported_and_derived_is_read_by_others() {
    let case = Case::new("traced");
    let folder = case.mark("trace");
    let mut record = case.qp();
    record.args(["trace", "record", "--level=all", "--trust=Log", "--out"]).arg(&folder);
    case.run_command(record.args(["--", "java", "-cp", "classes", "Traced"])).is(0, &["recorded in"]);
    let [lines, parquet] = ["jsonl", "parquet"].map(|extension| {
        let file = folder.with_extension(extension);
        let output =
            finish(crate::support::qp().args(["trace", "export"]).arg(&folder).arg("--to").arg(&file));
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        file
    });
    let text = std::fs::read_to_string(lines).expect("the lines");
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert!(lines.len() > 500, "{}", lines.len());
    // The table of writes is made when a question needs it.
    let history = finish(crate::support::qp().args(["trace", "history", "Traced.made"]).arg(&folder));
    assert_eq!(history.status.code(), Some(0), "{}", said(&history));
    let Some(read) = read_by_pyarrow(&parquet, &folder.join("columns")) else { return };
    let rows = read["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), lines.len());
    for (row, line) in rows.iter().zip(&lines) {
        assert_eq!(row, line);
    }
    let column = |table: &str, column: &str| -> Vec<u64> {
        let numbers = read["tables"][table][column].as_array().expect("a column");
        numbers.iter().map(|number| number.as_u64().expect("a number")).collect()
    };
    // The tree, from the columns as docs/trace-format.md defines them: a call's parent is the last entered
    // call that has not ended.
    let (parents, sizes) = (column("calls", "parent"), column("calls", "size"));
    let mut open: Vec<(u64, &str)> = Vec::new();
    let mut known = 0;
    for line in lines.iter().filter(|line| line["event"] != "end") {
        let thread = line["thread"].as_str().expect("a thread");
        let node = line["node"].as_u64().expect("a call");
        let at = usize::try_from(node).expect("a row");
        match line["event"].as_str().expect("a word") {
            "enter" => {
                let around = open.iter().rfind(|(_, of)| *of == thread).map(|(node, _)| *node);
                assert_eq!(parents[at], around.unwrap_or(u64::from(u32::MAX)), "#{node}");
                open.push((node, thread));
                known += 1;
            }
            "return" | "leave" => open.retain(|(of, by)| !(*by == thread && *of >= node)),
            _ => {}
        }
    }
    assert_eq!(parents.len(), known);
    let (of_calls, by_method) = (column("calls", "method"), column("by_method", "node"));
    let mut rows = 0;
    for (method, (from, count)) in column("methods", "method")
        .into_iter()
        .zip(column("methods", "from").iter().zip(column("methods", "count")))
    {
        assert_eq!(rows, *from);
        rows += count;
        let [from, end] = [*from, rows].map(|row| usize::try_from(row).expect("a row"));
        let all = (0..).zip(&of_calls).filter(|(_, of)| **of == method).map(|(node, _)| node);
        assert_eq!(by_method[from..end], all.collect::<Vec<u64>>(), "of method {method}");
    }
    assert_eq!((rows, by_method.len()), (known as u64, known));
    let constructors = lines.iter().filter(|line| line["event"] == "enter" && line["method"] == "<init>");
    let mut constructors: Vec<_> = constructors.filter_map(|line| line["node"].as_u64()).collect();
    constructors.sort_unstable();
    assert!(constructors.len() > 1);
    assert_eq!(column("born", "node"), constructors);
    assert!(column("born", "object").iter().any(|object| *object != 0));
    let mut with_all_below = vec![1; parents.len()];
    for node in (0..parents.len()).rev() {
        if let Some(parent) = usize::try_from(parents[node]).ok().filter(|parent| *parent < node) {
            with_all_below[parent] += with_all_below[node];
        }
    }
    assert_eq!(sizes, with_all_below);
    let count = |words: &[&str]| {
        lines.iter().filter(|line| words.contains(&line["event"].as_str().expect("a word"))).count() as u64
    };
    // Rows with this part are creations of arrays and objects.
    let made = u64::from(u32::MAX - 1);
    let (parts, counts) = (column("writes/writes", "part"), column("writes/writes", "count"));
    let of = |is_made: bool| {
        parts
            .iter()
            .zip(&counts)
            .filter(|(part, _)| (**part == made) == is_made)
            .map(|(_, count)| count)
            .sum::<u64>()
    };
    assert_eq!(of(false), count(&["field", "element", "contents", "text"]));
    assert!(of(true) >= count(&["array"]) && of(true) > 0);
    let objects = column("objects", "object");
    assert!(objects.windows(2).all(|two| two[0] < two[1]) && objects.len() > 20);
}

#[test]
fn parameters_have_the_names_that_the_class_file_has() {
    let case = Case::new("traced");
    let folder = case.mark("trace");
    let mut record = case.qp();
    record.args(["trace", "record", "--trust=Log", "--out"]).arg(&folder);
    case.run_command(record.args(["--", "java", "-cp", "classes", "Traced"])).is(0, &["recorded in"]);
    for (method, names) in [
        ("Traced.mix", vec!["l", "f", "d", "text"]),
        ("Traced.add", vec!["b", "s", "c", "z", "i"]),
        ("Traced.fib", vec!["n"]),
    ] {
        let arguments = ["trace", "calls", "--format=json", "--method", method];
        let output = finish(crate::support::qp().args(arguments).arg(&folder));
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        let tree: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let call = &tree["threads"][0]["calls"][0];
        let found: Vec<&str> =
            call["parameters"].as_array().expect("names").iter().filter_map(Value::as_str).collect();
        assert_eq!((found, call["arguments"].as_array().map(Vec::len)), (names.clone(), Some(names.len())));
    }
}

/// Each further call takes the bytes that docs/trace-format.md gives for its two events: site and three
/// numbers, and the site of the return. So it repeats nothing about the objects.
#[test]
fn what_texts_boxes_and_constants_are_is_recorded_once() {
    let case = Case::new("passed-on");
    let bytes = |calls: &str| {
        let mut record = case.qp();
        record.args(["trace", "record", "--level=calls", "--format=json", "--out"]).arg(case.mark(calls));
        let run = case.run_command(record.args(["--", "java", "-cp", "classes", "PassedOn", calls]));
        run.answer()["bytes"].as_u64().expect("a number")
    };
    assert_eq!(bytes("10001") - bytes("1"), 10_000 * (4 + 3 * 4 + 4));
}

/// Walks through the chunks by their lengths, as docs/trace-format.md defines them.
#[test]
fn events_are_compressed_when_the_program_has_ended() {
    let case = Case::new("traced");
    let folder = case.mark("trace");
    let mut record = case.qp();
    record.args(["trace", "record", "--level=all", "--format=json", "--out"]).arg(&folder);
    let run = case.run_command(record.args(["--", "java", "-cp", "classes", "Traced"]));
    let told = run.answer();
    let file = std::fs::read(folder.join("events")).expect("the events");
    let (mut at, mut bytes, mut chunks) = (0, 0, 0);
    while at < file.len() {
        let word = |place: usize| {
            let word = file.get(at + place..at + place + 4).and_then(|word| word.try_into().ok());
            usize::try_from(u32::from_le_bytes(word.expect("a word"))).expect("a length")
        };
        assert_eq!(file.get(at..at + 4), Some(&b"QPC1"[..]));
        let (length, stored) = (word(16), word(20));
        assert!(stored < length || length < 200, "{length} bytes of events take {stored}");
        (at, bytes, chunks) = (at + 32 + stored, bytes + length, chunks + 1);
    }
    assert_eq!(at, file.len());
    assert!(chunks > 0);
    assert_eq!(told["bytes"].as_u64(), u64::try_from(bytes).ok());
    assert_eq!(told["stored"].as_u64(), u64::try_from(file.len()).ok());
    let left: Vec<_> =
        std::fs::read_dir(&folder).expect("the folder").flatten().map(|e| e.file_name()).collect();
    let known = ["about.json", "events", "sites.jsonl"];
    assert!(left.iter().all(|name| known.iter().any(|known| name == known)), "{left:?}");
    let ask = |arguments: &[&str]| {
        let output = finish(crate::support::qp().args(arguments).arg(&folder));
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    };
    // A table is made when a question needs it.
    let writes = folder.join("columns/writes/summary.json");
    ask(&["trace", "info"]);
    assert!(folder.join("columns/summary.json").is_file() && !writes.exists());
    ask(&["trace", "history", "Traced.made"]);
    assert!(writes.is_file());
    // Chunks of a few bytes do not shrink; reading must not rewrite the file and its tables each time for
    // that.
    let made = |name: &str| {
        let file = std::fs::metadata(folder.join(name)).expect("a file");
        // A rewritten file may have the same time as the old one.
        (file.ino(), file.modified().expect("a time"))
    };
    let files = ["events", "columns/summary.json", "columns/writes/summary.json"];
    let before = files.map(made);
    ask(&["trace", "history", "Traced.made"]);
    assert_eq!(files.map(made), before);
}
