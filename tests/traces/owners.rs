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
    let lines = lines.filter(|line| line.get("Loader").is_none());
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

const CALLER: &str = "package p; public class A {
    static int caller(int n) { return new B().twice(n); }
    public static void main(String[] arguments) { System.out.println(caller(4)); }
}";

/// A version of the class `B`, compiled with its caller.
fn versions_of_b(texts: &[&str]) -> Vec<PathBuf> {
    let version = |text: &&str| {
        let folder = tempfile::tempdir_in(scratch()).expect("a folder").keep();
        let files = [("A.java", CALLER), ("B.java", text)].map(|(name, text)| {
            let file = folder.join(name);
            std::fs::write(&file, text).expect("written");
            file
        });
        Javac::new().args(["-g", "-d"]).arg(&folder).args(&files).run();
        folder
    };
    texts.iter().map(version).collect()
}

/// An older version of the program stands in a jar behind it, with a nested class more.
#[test]
fn an_older_version_in_a_library_hides_no_own_class() {
    let folders = versions_of_b(&[
        "package p; class B { int twice(int n) { return n + 2; } }",
        "package p; class B { int twice(int n) { return n * 2; } }",
        "package p; class B { int twice(int n) { return n; } static class Old { } }",
    ]);
    let jar = folders[2].join("lib.jar");
    let mut pack = std::process::Command::new("jar");
    assert!(finish(pack.arg("cf").arg(&jar).arg("-C").arg(&folders[2]).arg("p")).status.success());
    let class_path = format!("{}:{}", folders[0].display(), jar.display());
    let told = |arguments: &[&str]| {
        let mut command = qp();
        command.args(arguments).arg("--format=json").arg("--reference").arg(&folders[1]);
        let output = finish(command.args(["--", "java", "-cp", &class_path, "p.A"]));
        let last = String::from_utf8_lossy(&output.stdout).lines().last().map(str::to_owned);
        let text = said(&output);
        let all = serde_json::from_slice(&output.stdout).ok();
        let last = all.or_else(|| serde_json::from_str(&last?).ok()).unwrap_or_default();
        (output.status.code(), last, text)
    };
    let (code, found, text): (_, Value, _) = told(&["diff"]);
    assert_eq!((code, &found["parted"]["method"]), (Some(0), &"twice".into()), "{text}");
    // Only the caller is recorded, and its code is the same in both versions.
    let (code, found, text) = told(&["diff", "--scope=p.A"]);
    assert_eq!((code, &found["parted"]["method"]), (Some(0), &"caller".into()), "{text}");
    assert_eq!(found["parted"]["same_code"], true, "{text}");
    let (code, found, text) = told(&["diagnose", "--unattended", "--scope=p.A"]);
    assert_eq!((code, &found["buggy"]), (Some(1), &Value::Null), "{text}");
}

/// A Java agent with code of its own, in a jar outside of the class path.
const AGENT: &str = r#"
package tool;
public class Agent {
    static int sum;

    public static void premain(String arguments) {
        for (int i = 0; i < 3; i++) {
            sum += add(i);
        }
    }

    static int add(int n) {
        return n + 1;
    }
}
"#;

#[test]
fn the_code_of_a_java_agent_is_not_recorded() {
    let folder = tempfile::tempdir_in(scratch()).expect("a folder").keep();
    let file = folder.join("Agent.java");
    std::fs::write(&file, AGENT).expect("written");
    Javac::new().args(["-g", "-d"]).arg(folder.join("agent")).arg(&file).run();
    std::fs::write(folder.join("manifest"), "Premain-Class: tool.Agent\n").expect("written");
    let jar = folder.join("agent.jar");
    let mut pack = std::process::Command::new("jar");
    pack.arg("cfm").arg(&jar).arg(folder.join("manifest")).arg("-C").arg(folder.join("agent")).arg(".");
    assert!(finish(&mut pack).status.success());
    std::fs::write(folder.join("Main.java"), "class Main { public static void main(String[] a) {} }")
        .expect("written");
    Javac::new().args(["-g", "-d"]).arg(folder.join("classes")).arg(folder.join("Main.java")).run();
    let trace = folder.join("trace");
    let mut record = qp();
    record.args(["trace", "record", "--level=all", "--color=never", "--out"]).arg(&trace);
    record.arg("--").arg("java").arg(format!("-javaagent:{}", jar.display()));
    let output = finish(record.arg("-cp").arg(folder.join("classes")).arg("Main"));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let sites = std::fs::read_to_string(trace.join("sites.jsonl")).expect("sites");
    assert!(sites.contains(r#"{"Traced":{"class":"Main""#) && !sites.contains("tool/Agent"), "{sites}");
    let text = crate::support::unwrapped(&said(&output));
    assert!(text.contains("not recorded: the Java agent agent.jar"), "{text}");
}

#[test]
fn each_loader_has_static_fields_of_its_own() {
    let folder = tempfile::tempdir_in(scratch()).expect("a folder").keep();
    let from = crate::support::root().join("tests/fixtures/two-loaders");
    std::fs::create_dir_all(folder.join("loaded")).expect("a folder");
    for file in ["build.sh", "TwoLoaders.java", "loaded/Counted.java"] {
        std::fs::copy(from.join(file), folder.join(file)).expect("copied");
    }
    let built = std::process::Command::new("sh").arg("build.sh").current_dir(&folder).status().expect("sh");
    assert!(built.success());
    let run = |arguments: &[&str]| {
        let output = finish(qp().current_dir(&folder).args(arguments));
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        output.stdout
    };
    run(&["trace", "record", "--level=writes", "--", "java", "-cp", "classes", "TwoLoaders"]);
    let history: Value =
        serde_json::from_slice(&run(&["trace", "history", "Counted.count", "--format=json"])).expect("JSON");
    let writes = history["writes"].as_array().expect("writes").iter();
    let writes: Vec<[&Value; 3]> =
        writes.map(|w| ["declared_by", "old", "new"].map(|name| &w[name])).collect();
    assert_eq!(writes, [["Counted (URLClassLoader)", "0", "1"], ["Counted (URLClassLoader #2)", "0", "1"]]);
}
