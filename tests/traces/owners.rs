//! Whose code is recorded: own code, but neither libraries nor what runs a test.

use crate::support::javac::Javac;
use crate::support::{finish, qp, said, scratch};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const LIBRARIES: &str =
    "/usr/share/java/commons-csv.jar:/usr/share/java/junit4.jar:/usr/share/java/hamcrest-core.jar";

const TEST: &str = r#"
import static org.junit.Assert.assertEquals;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVRecord;
import org.junit.Test;

public class SumTest {
    @Test
    public void sums() throws Exception {
        assertEquals(6, Sum.of("1,2,3"));
    }
}

class Sum {
    static int of(String line) throws Exception {
        int sum = 0;
        for (CSVRecord row : CSVFormat.DEFAULT.parse(new java.io.StringReader(line))) {
            for (String cell : row) {
                sum = add(sum, cell);
            }
        }
        return sum;
    }

    static int add(int sum, String cell) {
        return sum + Integer.parseInt(cell);
    }
}
"#;

/// A folder with the test's classes, after a change of its text.
fn classes(was: &str, becomes: &str) -> PathBuf {
    let folder = tempfile::tempdir_in(scratch()).expect("a folder").keep();
    let file = folder.join("SumTest.java");
    assert!(TEST.contains(was), "{was}");
    std::fs::write(&file, TEST.replace(was, becomes)).expect("written");
    Javac::new().args(["-g", "-cp", LIBRARIES, "-d"]).arg(&folder).arg(&file).run();
    folder
}

fn command(classes: &Path) -> [String; 5] {
    let class_path = format!("{}:{LIBRARIES}", classes.display());
    ["java", "-cp", &class_path, "org.junit.runner.JUnitCore", "SumTest"].map(str::to_owned)
}

/// The packages of the recorded classes, and what `qp` says about whose code it took them for.
fn recorded(options: &[&str], classes: &Path) -> (BTreeSet<String>, String) {
    let trace = tempfile::tempdir_in(scratch()).expect("a folder").keep().join("trace");
    let mut record = qp();
    record.args(["trace", "record", "--level=calls", "--color=never"]).args(options).arg("--out").arg(&trace);
    let output = finish(record.arg("--").args(command(classes)));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let text = std::fs::read_to_string(trace.join("sites.jsonl")).expect("sites");
    let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let classes = lines.filter_map(|line| find_class(&line));
    let packages = classes.map(|class| {
        let name = class.replace('/', ".");
        name.rsplit_once('.').map_or(name.clone(), |(package, _)| package.to_owned())
    });
    (packages.collect(), crate::support::unwrapped(&said(&output)))
}

fn find_class(line: &Value) -> Option<String> {
    let class = line.get("class").or_else(|| line.as_object()?.values().find_map(|value| value.get("class")));
    class.and_then(Value::as_str).map(str::to_owned)
}

#[test]
fn of_a_test_run_own_code_is_recorded() {
    let classes = classes("sum + ", "sum + ");
    let (packages, text) = recorded(&[], &classes);
    assert_eq!(packages, ["Sum", "SumTest"].map(str::to_owned).into());
    let whose = format!(
        "own code: {}; not recorded: JUnit, Hamcrest, the libraries commons-csv.jar (--scope names more)",
        classes.display()
    );
    assert!(text.contains(&whose), "{text}");
    // A pattern names what is wanted instead.
    let (packages, text) = recorded(&["--scope=org.apache.commons.csv.*"], &classes);
    assert_eq!(packages, ["org.apache.commons.csv".to_owned()].into());
    assert!(!text.contains("own code"), "{text}");
}

#[test]
fn without_own_code_libraries_are_recorded() {
    let empty = tempfile::tempdir_in(scratch()).expect("a folder").keep();
    let jar = empty.join("sum.jar");
    let mut pack = std::process::Command::new("jar");
    pack.arg("cf").arg(&jar).arg("-C").arg(classes("sum + ", "sum + ")).arg(".");
    assert!(finish(&mut pack).status.success());
    let (packages, text) = recorded(&[], &jar);
    assert!(packages.contains("Sum") && packages.contains("org.apache.commons.csv"), "{packages:?}");
    assert!(!packages.iter().any(|package| package.starts_with("org.junit")), "{packages:?}");
    assert!(text.contains("no own code was found, so libraries are recorded"), "{text}");
}

#[test]
fn a_failing_test_is_led_to_the_method_that_differs() {
    let (wrong, right) = (classes("return sum + ", "return sum - "), classes("sum + ", "sum + "));
    let mut diff = qp();
    diff.args(["diff", "--format=json", "--reference"]).arg(&right).arg("--").args(command(&wrong));
    let output = finish(&mut diff);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&found["parted"]["class"], &found["parted"]["method"]), (&"Sum".into(), &"add".into()));
    assert!(found["whose_code"].as_str().expect("a line").contains("commons-csv.jar"), "{found:#}");
}
