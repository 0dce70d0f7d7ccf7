//! Libraries that people use, as Debian packages them, with a fault put in: the first condition at a line is
//! inverted in the class file.

use crate::suggested::{Answer, asked};
use crate::support::{compiled, marked, scratch};
use std::path::{Path, PathBuf};
use std::process::Command;

const FOLDER: &str = "fixtures/omissions/libraries";
const JARS: &str = "/usr/share/java";

fn jar(name: &str) -> String {
    format!("{JARS}/{name}.jar")
}

/// The class path of the programs, with a faulty class before its library.
fn with_fault(library: &str, class: &str, line: u32) -> PathBuf {
    let jars = ["commons-csv", "commons-lang3", "javassist"].map(jar).join(":");
    let classes = compiled(FOLDER, &["-g", "-cp", &jars]);
    let faulty = tempfile::tempdir_in(scratch()).expect("a folder").keep();
    let mut put = Command::new("java");
    put.arg("-cp").arg(format!("{}:{}", classes.display(), jar("javassist"))).arg("PutFault");
    put.args([&jar(library), class, &line.to_string()]).arg(&faulty);
    assert!(put.status().expect("java").success());
    PathBuf::from(format!("{}:{}:{}", faulty.display(), classes.display(), jar(library)))
}

#[track_caller]
fn of(program: &str, what: &str, library: &str, options: &[&str], class_path: &Path) -> Answer {
    let line = marked(FOLDER, &format!("{program}.java"), "// the point");
    let scope = ["--scope", program, "--scope", library, "--confirm"];
    asked(what, &format!("{program}:{line}"), &[&scope, options].concat(), &[program], class_path)
}

#[test]
fn commons_csv_loses_the_names_of_its_columns() {
    let class_path = with_fault("commons-csv", "org.apache.commons.csv.CSVParser", 508);
    let what = "parser.headers.headerMap";
    let want = ["--want", "parser.headers.headerMap.size() == 2"];
    let answer = of("Headers", what, "org.apache.commons.csv.**", &want, &class_path);
    let lost =
        "branch org.apache.commons.csv.CSVParser.createHeaders:508 > hdrMap.put(header, i):509 certain 2/2";
    assert_eq!(answer.lines(), [lost]);
    // Both columns were lost there.
    assert_eq!(answer.verdicts(), ["right"]);
    let confirmed = &answer.suggestions()[0]["confirmation"];
    assert_eq!((&confirmed["passes"], &confirmed["flipped"]), (&"all".into(), &2.into()));
}

#[test]
fn commons_lang_finds_no_differences() {
    let class_path = with_fault("commons-lang3", "org.apache.commons.lang3.builder.DiffBuilder", 568);
    let want = ["--want", "differences.diffList.size() == 1"];
    let answer = of("People", "differences.diffList", "org.apache.commons.lang3.**", &want, &class_path);
    let first = &answer.suggestions()[0];
    assert_eq!((&first["jump"]["line"], &first["certainty"]), (&568.into(), &"certain".into()));
    assert_eq!(first["operation"]["line"], 572);
    // Of the others, a way around another comparison changes nothing.
    assert_eq!(answer.verdicts()[..2], ["right", "no-effect"]);
    assert_eq!(answer.verdicts().iter().filter(|verdict| **verdict == "right").count(), 1);
}
