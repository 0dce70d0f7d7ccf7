//! A recording in one file: what it says without the program, and what is refused.

use crate::support::case::Case;
use crate::support::{finish, said};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Records the program, with a password on its command line.
fn recorded(case: &Case) -> PathBuf {
    let folder = case.mark("shop.trace");
    let mut record = case.qp();
    record.args(["trace", "record", "--level=all", "--out"]).arg(&folder);
    record.args(["--", "java", "-Ddb.password=hunter2", "-cp", "classes", "Traced"]);
    case.run_command(&mut record).is(0, &["recorded in"]);
    folder
}

fn packed(case: &Case, folder: &Path) -> PathBuf {
    let run = case.run_command(case.qp().args(["trace", "pack"]).arg(folder));
    run.is(0, &["shop.qp has the recording, 1 source files and"]);
    folder.with_extension("qp")
}

/// What `qp` says about a recording: its standard output, and its exit code.
fn told(mut qp: Command, words: &[&str], recording: &Path) -> (String, Option<i32>) {
    let output = finish(qp.args(words).arg(recording));
    (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.code())
}

#[test]
fn a_file_says_what_the_recording_says_without_the_program() {
    let case = Case::new("traced");
    let folder = recorded(&case);
    let asked: [&[&str]; 4] = [
        &["trace", "calls"],
        &["trace", "history", "Traced.made", "--format=json"],
        &["trace", "events", "0"],
        &["trace", "export", "--to=/dev/stdout"],
    ];
    let before: Vec<_> = asked.iter().map(|words| told(case.qp(), words, &folder)).collect();
    let file = packed(&case, &folder);
    let bytes = std::fs::read(&file).expect("the file");
    assert!(!bytes.windows(7).any(|text| text == b"hunter2"));

    // Another machine: no recording, no program, no sources, no JDK.
    std::fs::remove_dir_all(&folder).expect("removed");
    std::fs::remove_dir_all(case.work().join("classes")).expect("removed");
    for source in std::fs::read_dir(case.work()).expect("the folder").flatten() {
        if source.path().extension().is_some_and(|extension| extension == "java") {
            std::fs::remove_file(source.path()).expect("removed");
        }
    }
    let elsewhere = || {
        let mut qp = case.qp();
        qp.env("PATH", "/nonexistent").env_remove("JAVA_HOME");
        qp
    };
    for (words, before) in asked.iter().zip(before) {
        let files = case.files();
        assert_eq!(told(elsewhere(), words, &file), before, "{words:?}");
        assert_eq!(case.files(), files, "{words:?} leaves something behind");
    }
    // It can be packed once more.
    let again = case.mark("again.qp");
    let mut pack = elsewhere();
    pack.args(["trace", "pack"]).arg(&file).arg("--to").arg(&again);
    case.run_command(&mut pack).is(0, &["1 source files"]);
    assert_eq!(told(elsewhere(), asked[0], &again), told(elsewhere(), asked[0], &file));
}

#[test]
fn what_is_no_packed_recording_is_refused() {
    let case = Case::new("traced");
    let folder = recorded(&case);
    let file = packed(&case, &folder);
    let whole = std::fs::read(&file).expect("the file");
    let changed = case.mark("changed.qp");
    let refused = |what: &str| {
        let run = case.run_command(case.qp().args(["trace", "calls"]).arg(&changed));
        assert!(matches!(run.output.status.code(), Some(2 | 4)), "{what}: {}", run.said());
        assert!(
            run.said().contains("changed.qp") && !run.said().contains("panicked"),
            "{what}: {}",
            run.said()
        );
    };
    for part in 1..8 {
        std::fs::write(&changed, &whole[..whole.len() * part / 8]).expect("written");
        refused("cut off");
    }
    // An archive of something else.
    let mut zip = Command::new("python3");
    zip.args(["-m", "zipfile", "-c"]).arg(&changed).arg(case.work().join("classes"));
    assert!(zip.status().expect("python3").success());
    refused("another archive");
    let mut link = Command::new("python3");
    let script =
        "import sys, zipfile; z = zipfile.ZipFile(sys.argv[1], 'w'); z.writestr('../x', 'x'); z.close()";
    assert!(link.args(["-c", script]).arg(&changed).status().expect("python3").success());
    refused("a name that leaves the folder");
    // A recording that was cut off is not packed.
    let about = folder.join("about.json");
    let text = std::fs::read_to_string(&about).expect("the description");
    let mut json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    json.as_object_mut().expect("an object").remove("recorded");
    std::fs::write(&about, json.to_string()).expect("written");
    let run = case.run_command(case.qp().args(["trace", "pack"]).arg(&folder));
    assert_eq!(run.output.status.code(), Some(2), "{}", said(&run.output));
}
