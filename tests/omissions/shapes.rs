//! Shapes of programs: static fields, another object in a loop, many cases before a condition, counters, and
//! programs that look at the folder they run in.

use crate::suggested::{Answer, asked};
use crate::support::case::Case;
use crate::support::{compiled, finish, marked, qp, said, scratch, unwrapped};

const FOLDER: &str = "fixtures/omissions/shapes";

fn at(program: &str) -> String {
    format!("{program}:{}", marked(FOLDER, &format!("{program}.java"), "// the point"))
}

#[track_caller]
fn of(what: &str, program: &str, options: &[&str]) -> Answer {
    asked(what, &at(program), options, &[program], &compiled(FOLDER, &["-g"]))
}

#[test]
fn static_fields_have_omissions() {
    let lines = |what: &str| of(what, "Statics", &[]).lines();
    assert_eq!(lines("level"), ["branch Statics.mark:21 > level = 5:22 certain 1/1"]);
    // The most typical one: nothing ever writes the field.
    assert_eq!(lines("Statics.never"), ["branch Statics.mark:21 > never = 6:23 certain 1/1"]);
    assert_eq!(lines("name"), ["branch Statics.mark:21 > name = \"set\":24 certain 1/1"]);
    let inherited = ["branch Statics$Below.set:14 > inherited = 3:15 certain 1/1"];
    assert_eq!(lines("Below.inherited"), inherited);
    let answer = of("never", "Statics", &["--want", "never == 6", "--confirm"]);
    assert_eq!(answer.verdicts(), ["right"]);
}

/// What is not known is never the default of the type. The field is known all the same.
#[test]
fn a_static_field_whose_value_is_not_known_has_omissions() {
    let of = |what: &str, scope: &[&str]| of(what, "Unset", scope);
    let late = of("Late.begins", &["--scope", "Unset"]);
    assert!(late.json["value"].is_null(), "a class that is never initialised: {:#}", late.json);
    let notes = late.json["notes"].to_string();
    assert!(notes.contains("the value of `Unset$Late.begins` was not recorded"), "{notes}");
    assert_eq!(of("Late.plain", &["--scope", "Unset"]).json["value"], "0");
    let outside = of("value", &["--scope", "Unset$In", "--want", "value == 8", "--confirm"]);
    assert!(outside.json["value"].is_null(), "code that is not recorded writes it: {:#}", outside.json);
    let line = marked(FOLDER, "Unset.java", "// the point") - 3;
    let lines = outside.lines();
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].starts_with(&format!("branch Unset$In.show:{line} > value = ")), "{lines:?}");
    // The point is in a class that is left out.
    let mut command = qp();
    command.args(["omitted", "value", "--at", &at("Unset"), "--scope", "Unset$Outside"]);
    let output = finish(command.args(["--", "java", "-cp"]).arg(compiled(FOLDER, &["-g"])).arg("Unset"));
    let point = unwrapped(&said(&output));
    assert!(point.contains("Unset$In is not among the classes that are recorded"), "{point}");
    assert!(point.contains("--scope"), "{point}");
}

#[test]
fn an_exception_skips_the_rest_of_its_line() {
    let line = |marker: &str| marked(FOLDER, "Rest.java", marker);
    let lines = |what: &str| of(what, "Rest", &[]).lines();
    let counted = line("// counted");
    assert_eq!(
        lines("parsed")[0],
        format!("exception Rest.count:{counted} > parsed = parsed + 1:{counted} certain 1/1")
    );
    let (added, called) = (line("// added"), line("// called"));
    let numbers = lines("rest.numbers");
    for expected in [
        format!("exception Rest.add:{added} > numbers.add(Integer.parseInt(text)):{added}"),
        format!("exception Rest.main:{called} > "),
    ] {
        assert!(numbers.iter().any(|line| line.starts_with(&expected)), "{expected}\n{numbers:#?}");
    }
}

/// A key reads as `get` does. Where its value cannot change, the map is what should have been changed.
#[test]
fn an_entry_of_a_map_is_named_by_its_key() {
    let lines = |what: &str| of(what, "Keys", &[]).lines();
    let list = lines("LISTS{\"a\"}");
    assert_eq!(list, ["branch Keys.main:15 > LISTS.get(\"a\").add(\"one\"):16 by-type 1/1"]);
    assert_eq!(list, lines("LISTS.get(\"a\")"));
    let answer = of("COUNTS{\"a\"}", "Keys", &["--want", "COUNTS{\"a\"} == 1", "--confirm"]);
    assert_eq!((answer.lines().len(), answer.verdicts()), (1, vec!["right"]));
    assert!(
        answer.lines()[0].starts_with("branch Keys.main:15 > COUNTS.put(\"a\", "),
        "{:?}",
        answer.lines()
    );
}

/// The file has no condition.
#[test]
fn the_code_that_a_java_agent_has_made_is_looked_at() {
    let case = Case::new("unwilling");
    let from = crate::support::root().join("tests/fixtures/redefined-class");
    std::fs::create_dir_all(case.work().join("v2")).expect("a folder");
    for file in ["build.sh", "Redefined.java"] {
        std::fs::copy(from.join(file), case.work().join(file)).expect("copied");
    }
    let program = |condition: &str| {
        format!(
            "public class Target {{ static boolean isOn; static final java.util.List<String> LIST = new \
             java.util.ArrayList<>();\n static int measure(int n) {{\n {condition}\n LIST.add(\"one\");\n \
             return LIST.size();\n }} }}"
        )
    };
    for (file, condition) in [("Target.java", ""), ("v2/Target.java", "if (isOn)")] {
        std::fs::write(case.work().join(file), program(condition)).expect("written");
    }
    let build =
        std::process::Command::new("sh").arg("build.sh").current_dir(case.work()).output().expect("sh");
    assert!(build.status.success(), "{}", said(&build));
    let java = ["java", "-javaagent:classes/redefiner.jar=load", "-cp", "classes", "Redefined", "never"];
    let ask = ["omitted", "LIST", "--at", "Target:5", "--confirm", "--want", "LIST.size() == 1", "--"];
    case.run(&[&ask[..], &java].concat()).is(
        0,
        &["Target.measure:3 if (isOn) was false, 1 of 1 pass", "would run LIST.add(\"one\")", ": right:"],
    );
}

#[test]
fn another_object_is_excluded_in_a_loop() {
    for list in ["good", "bad"] {
        let answer = of(list, "Loops", &[]);
        let other = if list == "good" { "bad.add" } else { "good.add" };
        assert!(answer.lines().iter().all(|line| !line.contains(other)), "{:?}", answer.lines());
        assert!(!answer.suggestions().is_empty());
    }
}

#[test]
fn one_of_each_branch_is_tried_before_all_cases_of_one() {
    let answer = of("out", "Cases", &["--want", "out.contains(\"end\")", "--confirm"]);
    assert_eq!(answer.verdicts()[0], "right");
    assert_eq!(answer.lines()[0], "branch Cases.main:88 > out.add(\"end\"):89 certain 1/1");
}

/// The read of `counter++` stands behind the same jump, and is not told a second time.
#[test]
fn an_operation_is_told_once_and_with_its_text() {
    let answer = of("counter", "Lines", &["--want", "counter == 1", "--confirm"]);
    let lines = answer.lines();
    assert_eq!(answer.verdicts(), vec!["right"; lines.len()]);
    assert!(lines.iter().all(|line| line.contains("> counter++:")), "{lines:?}");
    let reads = of("counter", "Lines", &["--reads"]).lines();
    assert!(reads.iter().any(|line| line.contains("> counter:")), "{reads:?}");
}

/// The text of a builder is compared as the one that it shows.
#[test]
fn a_text_that_was_built_can_be_wanted() {
    let answer = of("text", "Lines", &["--want", "text.toString().contains(\"|\")", "--confirm"]);
    assert_eq!(answer.verdicts(), vec!["right"; answer.lines().len()]);
    let answer = of("text", "Lines", &["--want", "text.length() == 5", "--confirm"]);
    assert_eq!(answer.verdicts(), vec!["changed-not-right"; answer.lines().len()]);
}

/// The method is recorded, though an interface of the JDK is nearer than the class that declares it.
#[test]
fn a_method_behind_an_interface_of_the_jdk_is_known_to_be_recorded() {
    let lines = of("this.parts", "Parts", &[]).lines();
    assert_eq!(lines, ["branch Parts.build:26 > parts.add(door):27 certain 1/1"]);
    assert_eq!(of("this.name", "Parts", &[]).lines(), Vec::<String>::new());
}

/// Without the commands for a mount, the copy has another path.
#[test]
fn altered_code_runs_in_place_where_that_is_allowed_and_its_files_are_put_back() {
    let work = tempfile::tempdir_in(scratch()).expect("a folder");
    let (bin, project) = (work.path().join("bin"), work.path().join("project"));
    std::fs::create_dir_all(project.join("empty")).expect("folders");
    std::fs::create_dir(&bin).expect("a folder");
    for program in ["java", "sh"] {
        let path = std::env::var_os("PATH").expect("a path");
        let found =
            std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file());
        std::os::unix::fs::symlink(found.expect("a program"), bin.join(program)).expect("linked");
    }
    let asked = |more: &[&str]| {
        std::fs::write(project.join("written"), "before").expect("written");
        let mut command = qp();
        command.current_dir(&project).env("PATH", &bin);
        command.args(["omitted", "orders", "--at", &at("Place"), "--confirm"]).args(more);
        command.args(["--want", "orders.size() == 1", "--", "java", "-cp"]);
        let said = unwrapped(&said(&finish(command.arg(compiled(FOLDER, &["-g"])).arg("Place"))));
        let written = std::fs::read_to_string(project.join("written")).expect("the file");
        // The recorded run wrote it.
        assert_eq!((written.as_str(), project.join("empty").is_dir()), ("[]", true), "{said}");
        said
    };
    let copy = asked(&[]);
    assert!(copy.contains("which has another path, or what it does varies"), "{copy}");
    assert!(copy.contains("with `--in-place` it runs in the folder itself"), "{copy}");
    let in_place = asked(&["--in-place"]);
    assert!(in_place.contains("project itself, and files that it changes there are put back"), "{in_place}");
    assert!(in_place.contains("taken the other way: right"), "{in_place}");
    assert!(in_place.contains("changed by altered code, and put back: written"), "{in_place}");
}

#[test]
fn a_program_that_looks_at_its_folder_does_the_same_in_the_copy() {
    let work = tempfile::tempdir_in(scratch()).expect("a folder");
    let kept = std::fs::File::create(work.path().join("kept")).expect("a file");
    let old = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000);
    kept.set_modified(old).expect("the time");
    let mut command = qp();
    command.current_dir(work.path()).args(["omitted", "orders", "--at", &at("Place"), "--confirm"]);
    command.args(["--want", "orders.size() == 1", "--", "java", "-cp"]);
    let output = finish(command.arg(compiled(FOLDER, &["-g"])).arg("Place"));
    let said = unwrapped(&said(&output));
    // Where no mount is allowed, the other path is what is told.
    let is_right = said.contains("taken the other way: right");
    assert!(is_right || said.contains("the copy of its folder, which has another path"), "{said}");
    let written = std::fs::read_to_string(work.path().join("written")).expect("the file");
    assert_eq!(written, "[]", "altered code changed the copy only");
}
