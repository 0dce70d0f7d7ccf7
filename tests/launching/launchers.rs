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
    let project = maven_project();
    let classes = r#"["price/target/classes", "price/target/test-classes"]"#;
    let debuggee = format!(
        r#"command: ["mvn", "-q", "-B", "test"], cwd: {:?}, jvm: "ForkedBooter", classes: {classes}"#,
        project.path(),
    );
    ask("maven", &debuggee);
    // Maven's own VM is let go without being told so.
    begins_at_the_failure(&["mvn", "-q", "-B", "-Dtest=PriceTest", "test"], project.path());
    asks_by_the_name_of_the_test(project.path());
}

/// A project of Maven with one module, `price`, which has the fixture.
fn maven_project() -> tempfile::TempDir {
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
    let own = "<modelVersion>4.0.0</modelVersion><groupId>x</groupId><version>1</version>";
    let root_pom = format!(
        "<project>{own}<artifactId>shop</artifactId><packaging>pom</packaging><modules><module>price</module>\
         </modules><properties><maven.compiler.source>8</maven.compiler.source>\
         <maven.compiler.target>8</maven.compiler.target></properties>\
         <build><plugins>{plugins}</plugins></build><dependencies><dependency><groupId>junit</groupId>\
         <artifactId>junit</artifactId><version>4.x</version><scope>test</scope></dependency></dependencies></project>"
    );
    let parent = "<groupId>x</groupId><artifactId>shop</artifactId><version>1</version>";
    let pom = format!("<project>{own}<artifactId>price</artifactId><parent>{parent}</parent></project>");
    let project = tempfile::tempdir_in(scratch()).expect("a folder");
    let write = |file: &str, text: &str| {
        let path = project.path().join(file);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, text).expect("written");
    };
    write("pom.xml", &root_pom);
    write("price/pom.xml", &pom);
    write(".mvn/maven.config", &format!("-o\n-Dmaven.repo.local={REPOSITORY}\n"));
    copy_fixture(&project.path().join("price"));
    project
}

/// Copies the fixture to the folders of sources of a module.
fn copy_fixture(module: &Path) {
    for (folder, file) in [("src/main/java", "Price.java"), ("src/test/java", "PriceTest.java")] {
        let folder = module.join(folder);
        std::fs::create_dir_all(&folder).expect("made");
        std::fs::copy(root().join("tests/fixtures/launchers").join(file), folder.join(file)).expect("copied");
    }
}

/// `qp` in a folder, with a cache of its own.
fn qp_in(folder: &Path, cache: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let mut qp = crate::support::qp();
    let output = crate::support::finish(qp.current_dir(folder).env("XDG_CACHE_HOME", cache).args(arguments));
    (output.status.code(), said(&output))
}

/// The build tool is asked once how it runs the test, and the test runs without it.
fn asks_by_the_name_of_the_test(project: &Path) {
    let cache = tempfile::tempdir_in(scratch()).expect("a folder");
    let qp = |folder: &Path, arguments: &[&str]| qp_in(folder, cache.path(), arguments);
    let (code, text) = qp(&project.join("price/src"), &["test"]);
    assert_eq!(code, Some(1), "{text}");
    for part in ["PriceTest#adds", "1 failed in 1 report of", "qp why --test 'PriceTest#adds'"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let (code, text) = qp(project, &["why", "--test", "PriceTest#adds"]);
    let text = crate::support::unwrapped(&text);
    assert_eq!(code, Some(0), "{text}");
    for part in
        ["asking Maven for the class path of the tests in", "LastChange(A(0):got)", "PriceTest.java:9"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    // The test that failed last. Maven is not asked again.
    let (code, text) = qp(&project.join("price"), &["log", "got", "--at", "PriceTest:9", "--test"]);
    assert!(code == Some(0) && text.contains("the test PriceTest#adds, which failed last"), "{text}");
    assert!(text.starts_with("-1\n") && !text.contains("asking"), "{text}");
    let (code, text) = qp(project, &["why", "got", "--test", "OtherTest"]);
    assert!(code == Some(2) && text.contains("there is no class `OtherTest`"), "{text}");
    says_what_maven_answered(project, cache.path());
}

/// If Maven is not there, its last report has the class path. If Maven fails, its answer is shown.
fn says_what_maven_answered(project: &Path, cache: &Path) {
    let programs = tempfile::tempdir_in(scratch()).expect("a folder");
    let path = std::env::var_os("PATH").expect("a path");
    for program in ["java", "sh"] {
        let found = std::env::split_paths(&path).map(|at| at.join(program)).find(|found| found.is_file());
        std::os::unix::fs::symlink(found.expect(program), programs.path().join(program)).expect("a link");
    }
    let mut qp = crate::support::qp();
    qp.current_dir(project).env("PATH", programs.path()).env("XDG_CACHE_HOME", programs.path());
    let output =
        crate::support::finish(qp.args(["log", "got", "--at", "PriceTest:9", "--test", "PriceTest"]));
    let text = crate::support::unwrapped(&said(&output));
    assert_eq!(output.status.code(), Some(0), "{text}");
    for part in ["`mvn` is not on the path", "the class path is that of the report", "TEST-PriceTest.xml"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let pom = project.join("pom.xml");
    let broken = std::fs::read_to_string(&pom).expect("a POM").replace("4.x", "4.none");
    std::fs::write(&pom, broken).expect("written");
    let (code, text) = qp_in(project, cache, &["why", "--test", "PriceTest"]);
    let text = crate::support::unwrapped(&text);
    assert_eq!(code, Some(4), "{text}");
    for part in [
        "failed with exit code 1: `mvn -B -X",
        "-pl price -am test`",
        "junit:junit:jar:4.none",
        "--classpath",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

/// Gradle takes long to start: `QP_GRADLE` has it tried, by Debian's package `gradle`.
#[test]
fn a_test_of_gradle_runs_without_gradle() {
    if std::env::var_os("QP_GRADLE").is_none() || !testing::program("gradle", "gradle") {
        return;
    }
    let project = tempfile::tempdir_in(scratch()).expect("a folder");
    let build = "subprojects { apply plugin: 'java'\n\
        dependencies { testCompile files('/usr/share/java/junit4.jar', '/usr/share/java/hamcrest-core.jar') }\n\
        test { systemProperty 'where', 'a b' } }\n\
        project(':till') { dependencies { testCompile project(':price') } }\n";
    std::fs::write(project.path().join("build.gradle"), build).expect("written");
    std::fs::write(project.path().join("settings.gradle"), "include 'price', 'till'\n").expect("written");
    copy_fixture(&project.path().join("price"));
    let test = project.path().join("price/src/test/java/PriceTest.java");
    let till = project.path().join("till/src/test/java");
    std::fs::create_dir_all(&till).expect("made");
    std::fs::rename(test, till.join("PriceTest.java")).expect("moved");
    let cache = tempfile::tempdir_in(scratch()).expect("a folder");
    let (code, text) =
        qp_in(project.path(), cache.path(), &["why", "Price.total", "--test", "PriceTest#adds"]);
    assert_eq!(code, Some(0), "{text}");
    // Also the code of another module, whose jar is on Gradle's class path, is the program's own.
    for part in ["asking Gradle", "LastChange(A(0):Price.total)", "Price.java:13"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let (code, text) = qp_in(&till, cache.path(), &["diagnose", "--unattended", "--test", "PriceTest"]);
    let text = crate::support::unwrapped(&text);
    assert!(
        text.contains("`got` is wrong") && text.contains("Price.add") && !text.contains("asking"),
        "{code:?} {text}"
    );
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
