//! Programs started by launchers: JUnit's runner, Ant and Maven with a forked test VM, a script that starts
//! several VMs.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support::{chain_file, marked, point, processes_with, replay, root, said, scratch};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

const JUNIT: &str = "/usr/share/java/junit4.jar:/usr/share/java/hamcrest-core.jar";

const REPOSITORY: &str = "/usr/share/maven-repo";

/// The fixture's classes, compiled against JUnit.
fn classes() -> &'static PathBuf {
    static CLASSES: OnceLock<PathBuf> = OnceLock::new();
    CLASSES.get_or_init(|| {
        let folder = scratch().join("launchers-classes");
        let sources =
            ["Price.java", "PriceTest.java"].map(|f| root().join("tests/fixtures/launchers").join(f));
        let mut javac = Command::new("javac");
        javac.args(["-g", "-cp", JUNIT, "-d"]).arg(&folder).args(sources);
        let output = javac.output().expect("javac");
        assert!(output.status.success(), "{}", said(&output));
        folder
    })
}

/// Asks the fixture's question about a program that is started this way.
fn ask(name: &str, debuggee: &str) {
    let line = |file, mark| marked("fixtures/launchers", file, mark);
    let text = format!(
        r#"(format: 1, debuggee: ({debuggee}, sources: [{:?}], timeout_s: 120), points: [
            (id: "A", at: Line("PriceTest", {})),
            (id: "B", at: LastChange("A:got")), (id: "C", at: LastChange("A:Price.total"))])"#,
        root().join("tests/fixtures/launchers"),
        line("PriceTest.java", "// <- A"),
    );
    let (code, answer) = replay(&chain_file(&format!("{name}.ron"), &text), &[]);
    assert_eq!(code, 0, "{name}: {answer:#}");
    assert_eq!(point(&answer, "B")["line"], line("PriceTest.java", "// <- B"), "{name}");
    let change = point(&answer, "C");
    assert_eq!(change["line"], line("Price.java", "// <- C"), "{name}");
    assert_eq!((&change["new"], &change["owner"]), (&"-1".into(), &serde_json::Value::Null), "{name}");
}

#[test]
fn a_test_is_run_by_junit() {
    let class_path = format!("{}:{JUNIT}", classes().display());
    ask(
        "junit",
        &format!(r#"command: ["java", "-cp", {class_path:?}, "org.junit.runner.JUnitCore", "PriceTest"]"#),
    );
}

#[test]
fn a_test_is_run_by_ant_in_a_vm_of_its_own() {
    let build = root().join("tests/fixtures/launchers/build.xml");
    let define = format!("-Dclasses={}", classes().display());
    let report = scratch().join("ant");
    std::fs::create_dir_all(&report).expect("a folder");
    let debuggee = format!(
        r#"command: ["ant", "-q", "-f", {build:?}, {define:?}], cwd: {report:?}, jvm: "JUnitTestRunner", classes: [{:?}]"#,
        classes(),
    );
    ask("ant", &debuggee);
    let build = build.to_str().expect("UTF-8");
    begins_at_the_failure(&["ant", "-q", "-f", build, &define, "test"], &report);

    let unforked = report.join("unforked.xml");
    let text = std::fs::read_to_string(build).expect("the build file");
    std::fs::write(&unforked, text.replace("fork=\"yes\"", "fork=\"no\"")).expect("written");
    let mut diagnose = crate::support::qp();
    diagnose.current_dir(&report).args(["diagnose", "--", "ant", "-q", "-f"]).arg(&unforked).arg(&define);
    let output = crate::support::finish(&mut diagnose);
    assert_eq!(output.status.code(), Some(4), "{}", said(&output));
    assert!(said(&output).contains("must fork them"), "{}", said(&output));
}

/// Offline, from the Maven repository of Debian's packages.
#[test]
fn a_test_is_run_by_maven_in_a_vm_of_its_own() {
    let plugin = |name: &str| {
        let versions = Path::new(REPOSITORY).join("org/apache/maven/plugins").join(name);
        let folders = std::fs::read_dir(&versions).unwrap_or_else(|e| panic!("{}: {e}", versions.display()));
        let names = folders.flatten().map(|e| e.file_name().to_string_lossy().into_owned());
        let newest = names.max_by_key(|n| n.split('.').map(|p| p.parse().unwrap_or(0)).collect::<Vec<u32>>());
        format!(
            "<plugin><artifactId>{name}</artifactId><version>{}</version></plugin>",
            newest.expect("a version")
        )
    };
    let plugins =
        ["maven-surefire-plugin", "maven-compiler-plugin", "maven-resources-plugin"].map(plugin).concat();
    let pom = format!(
        "<project><modelVersion>4.0.0</modelVersion><groupId>x</groupId><artifactId>price</artifactId>\
         <version>1</version><properties><maven.compiler.source>8</maven.compiler.source>\
         <maven.compiler.target>8</maven.compiler.target></properties>\
         <build><plugins>{plugins}</plugins></build><dependencies><dependency><groupId>junit</groupId>\
         <artifactId>junit</artifactId><version>4.x</version><scope>test</scope></dependency></dependencies></project>"
    );
    let project = tempfile::tempdir_in(scratch()).expect("a folder");
    std::fs::write(project.path().join("pom.xml"), pom).expect("written");
    for (folder, file) in [("src/main/java", "Price.java"), ("src/test/java", "PriceTest.java")] {
        let folder = project.path().join(folder);
        std::fs::create_dir_all(&folder).expect("made");
        std::fs::copy(root().join("tests/fixtures/launchers").join(file), folder.join(file)).expect("copied");
    }
    let debuggee = format!(
        r#"command: ["mvn", "-o", "-q", "-B", "-Dmaven.repo.local={REPOSITORY}", "test"], cwd: {:?},
           jvm: "ForkedBooter", classes: ["target/classes", "target/test-classes"]"#,
        project.path(),
    );
    ask("maven", &debuggee);
    // Maven's own VM is let go without being told so.
    let local = format!("-Dmaven.repo.local={REPOSITORY}");
    let mvn = ["mvn", "-o", "-q", "-B", &local, "-Dtest=PriceTest", "test"];
    begins_at_the_failure(&mvn, project.path());
    asks_by_the_name_of_the_test(project.path());
}

/// The report of the build tool says which test failed, and its class path.
fn asks_by_the_name_of_the_test(project: &Path) {
    let inside = project.join("src/test/java");
    let qp = |arguments: &[&str]| {
        let output = crate::support::finish(crate::support::qp().current_dir(&inside).args(arguments));
        (output.status.code(), said(&output))
    };
    let (code, text) = qp(&["test"]);
    assert_eq!(code, Some(1), "{text}");
    for part in ["PriceTest#adds", "1 failed in 1 report of", "qp why --test 'PriceTest#adds'"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let (code, text) = qp(&["--format=json", "why", "--test", "PriceTest#adds"]);
    assert_eq!(code, Some(0), "{text}");
    let (code, text) = qp(&["why", "got", "--test", "PriceTest#adds"]);
    assert!(code == Some(0) && text.contains("PriceTest.java:9"), "{text}");
    let (code, text) = qp(&["why", "got", "--test", "OtherTest"]);
    assert!(code == Some(2) && text.contains("there is no report of OtherTest"), "{text}");
}

/// Diagnoses the fixture's test as a build tool runs it.
fn begins_at_the_failure(command: &[&str], folder: &Path) {
    let mut diagnose = crate::support::qp();
    diagnose.current_dir(folder).args(["diagnose", "--unattended", "--format=json", "--"]).args(command);
    let output = crate::support::finish(&mut diagnose);
    let text = String::from_utf8_lossy(&output.stdout);
    let first = text.lines().find_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let first = first.unwrap_or_else(|| panic!("{}", said(&output)));
    let assumed = &first["assumed"];
    assert_eq!(
        (&assumed["method"], &assumed["wrong"]),
        (&"PriceTest.adds".into(), &"got".into()),
        "{first:#}"
    );
    // Only `Price.add` has influenced the value.
    assert_eq!(assumed["influential"], 1, "{first:#}");
    assert!(said(&output).contains("not recorded: JUnit, Hamcrest"), "{}", said(&output));
}

#[test]
fn one_of_several_vms_is_chosen_by_its_command_line() {
    let class_path = format!("{}:{JUNIT}", classes().display());
    let run =
        |n: u32| format!("java -Dlauncher.test={n} -cp {class_path} org.junit.runner.JUnitCore PriceTest");
    let script = format!("{} >/dev/null & {}; wait", run(1), run(2));
    let debuggee = format!(
        r#"command: ["sh", "-c", {script:?}], jvm: "^java -Dlauncher\\.test=2 ", classes: [{:?}]"#,
        classes()
    );
    ask("script", &debuggee);
    assert_eq!(processes_with("-Dlauncher.test="), [], "no VM is left");
}

#[test]
fn a_source_file_is_run_by_the_launcher() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = "public class One {\n    static int total;\n    public static void main(String[] args) {\n        \
                   int last = 0;\n        for (int i = 1; i < 4; i++) {\n            total += i;\n            \
                   last = i;\n        }\n        System.out.println(last + \" of \" + total);\n    }\n}\n";
    std::fs::write(folder.path().join("One.java"), program).expect("written");
    let before = temporary_folders();
    let text = format!(
        r#"(format: 1, debuggee: (command: ["java", "One.java"], cwd: {:?}), points: [
            (id: "A", at: Line("One", 9)), (id: "B", at: LastChange("A:last")), (id: "C", at: LastChange("A:One.total"))])"#,
        folder.path(),
    );
    let (code, answer) = replay(&chain_file("source-file.ron", &text), &[]);
    assert_eq!(code, 0, "{answer:#}");
    assert_eq!((&point(&answer, "B")["line"], &point(&answer, "B")["new"]), (&7.into(), &"3".into()));
    assert_eq!((&point(&answer, "C")["old"], &point(&answer, "C")["new"]), (&"3".into(), &"6".into()));
    let mut log = crate::support::qp();
    log.current_dir(folder.path()).args(["log", "total", "--at", "One:9", "--", "java", "One.java"]);
    let logged = crate::support::finish(&mut log);
    assert!(said(&logged).contains("Line(One, 9): 1 line of 1 pass"), "{}", said(&logged));
    assert_eq!(temporary_folders(), before, "the classes are gone");

    // The file may have any name.
    std::fs::write(folder.path().join("one"), format!("#!/usr/bin/java --source 17\n{program}"))
        .expect("written");
    let other =
        text.replace("\"One.java\"", "\"--source\", \"17\", \"one\"").replace("9)), (id", "10)), (id");
    let (code, answer) = replay(&chain_file("source-other.ron", &other), &[]);
    assert_eq!(code, 0, "{answer:#}");
    assert_eq!((&point(&answer, "B")["line"], &point(&answer, "B")["new"]), (&8.into(), &"3".into()));
    assert!(answer.to_string().contains("last = i;"), "the source is found: {answer:#}");

    std::fs::write(folder.path().join("One.java"), "public class One { no java }").expect("written");
    let output =
        crate::support::finish(crate::support::qp().arg("replay").arg(chain_file("source-file.ron", &text)));
    assert_eq!(output.status.code(), Some(4), "{}", said(&output));
    assert!(said(&output).contains("compiling the source file"), "{}", said(&output));
}

/// The launcher of Java 22 and later takes classes from the files beside its own, before class files; not for
/// a file that begins with `#!`. The rules are tried with the compiler that is here.
#[test]
fn a_source_file_is_compiled_with_those_beside_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |file: &str, text: &str| {
        let path = folder.path().join(file);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("created");
        std::fs::write(path, text).expect("written");
    };
    let run = |command: &mut Command| {
        let output = command.current_dir(folder.path()).output().expect("started");
        assert!(output.status.success(), "{}", said(&output));
    };
    write("a/Other.java", "package a; class Other { static final int OLD = Integer.parseInt(\"1\"); }");
    run(Command::new("javac").args(["-d", ".", "a/Other.java"]));
    let class = folder.path().join("a/Other.class");
    write("a/Other.java", "package a; class Other { static final int NEW = Integer.parseInt(\"2\"); }");
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(60);
    std::fs::File::options()
        .write(true)
        .open(&class)
        .expect("a class")
        .set_modified(later)
        .expect("the time");
    write("a/One.java", "package a; class One { int other = Other.NEW; }");
    write("a/script", "#!/usr/bin/java --source 17\npackage a; class Two { int other = Other.OLD; }");
    let rules = "package querypoint.runner; class Rules { public static void main(String[] args) \
                 throws Exception { System.exit(CompileSource.compile(args, 22)); } }";
    write("rules/Rules.java", rules);
    let runner = root().join("java/runner");
    run(Command::new("javac").arg("-cp").arg(&runner).args(["-d", "rules", "rules/Rules.java"]));
    let compile = |file: &str, to: &str| {
        std::fs::create_dir(folder.path().join(to)).expect("created");
        let class_path = std::env::join_paths([runner.clone(), "rules".into()]).expect("a class path");
        let mut java = Command::new("java");
        run(java.arg("-cp").arg(class_path).args(["querypoint.runner.Rules", file, "-cp", ".", "-d", to]));
    };
    compile("a/One.java", "one");
    assert!(
        folder.path().join("one/a/Other.class").is_file(),
        "the source comes before the newer class file"
    );
    compile("a/script", "two");
    assert!(!folder.path().join("two/a/Other.class").exists(), "only the file itself is compiled");
}

fn temporary_folders() -> usize {
    let entries = std::fs::read_dir(std::env::temp_dir()).expect("the folder").flatten();
    entries.filter(|e| e.file_name().to_string_lossy().starts_with("querypoint-source-")).count()
}
