//! Shapes of programs: static fields, another object in a loop, many cases before a condition, counters, and
//! programs that look at the folder they run in.

use crate::suggested::{Answer, asked};
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

/// What is not known is never the default of the type.
#[test]
fn a_static_field_that_may_have_another_value_is_refused() {
    let classes = compiled(FOLDER, &["-g"]);
    let refused = |what: &str, scope: &str| {
        let mut command = qp();
        command.args(["omitted", what, "--at", &at("Unset"), "--scope", scope]);
        let output = finish(command.args(["--", "java", "-cp"]).arg(&classes).arg("Unset"));
        let said = unwrapped(&said(&output));
        (output.status.code() == Some(2)).then_some(said)
    };
    let late = refused("Late.begins", "Unset").expect("a class that is never initialised");
    assert!(late.contains("the value of `Unset$Late.begins` was not recorded"), "{late}");
    assert_eq!(refused("Late.plain", "Unset"), None);
    let outside = refused("value", "Unset$In").expect("code that is not recorded writes it");
    assert!(outside.contains("the value of `Unset$In.value` was not recorded"), "{outside}");
    // The point is in a class that is left out.
    let point = refused("value", "Unset$Outside").expect("no execution");
    assert!(point.contains("Unset$In is not among the classes that are recorded"), "{point}");
    assert!(point.contains("--scope"), "{point}");
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
