//! Objects that no `new` of the program made: clones, copies, deserialised objects, and results of the JDK.

use crate::suggested::{Answer, asked};
use crate::support::{compiled, finish, marked, qp, said, scratch};

const FOLDER: &str = "fixtures/omissions/made";

#[track_caller]
fn of(what: &str, made: &str, options: &[&str]) -> Answer {
    let classes = compiled(FOLDER, &["-g"]);
    let marker = match what {
        "list" => "// the list",
        "numbers" => "// the array",
        _ => "// the cart",
    };
    let at = format!("Made:{}", marked(FOLDER, "Made.java", marker));
    asked(what, &at, options, &["Made", made], &classes)
}

#[test]
fn collections_of_the_jdk() {
    for made in ["cloned-list", "read-list", "collected"] {
        let answer = of("list", made, &["--want", "list.size() == 2", "--confirm"]);
        assert_eq!(answer.lines(), ["branch Made.fill:32 > list.add(\"more\"):33 certain 1/1"], "{made}");
        assert_eq!(answer.verdicts(), ["right"], "{made}");
    }
    // The contents of a part of a list are not recorded, so nothing can be said about them.
    let part = of("list", "sub", &["--confirm"]);
    assert_eq!(part.verdicts(), ["no-change-seen"]);
    assert_eq!(part.lines(), ["branch Made.fill:32 > list.add(\"more\"):33 certain 1/1"]);
}

#[test]
fn clones_and_deserialised_objects() {
    for made in ["cloned-cart", "read-cart"] {
        let answer = of("cart", made, &["--confirm"]);
        let lost = "branch Made.fill:38 > total++:22 certain 1/1";
        assert_eq!(answer.lines(), [lost], "{made}");
        assert_eq!(answer.verdicts(), ["changed"], "{made}");
    }
    for made in ["cloned-array", "copied-array"] {
        let answer = of("numbers", made, &["--confirm"]);
        assert_eq!(answer.lines(), ["branch Made.fill:44 > numbers[0] = 1:45 certain 1/1"], "{made}");
        assert_eq!(answer.verdicts(), ["changed"], "{made}");
    }
}

/// The fields of such objects have values that nothing recorded wrote.
#[test]
fn an_object_in_an_unrecorded_field_is_refused() {
    let classes = compiled(FOLDER, &["-g"]);
    let at = format!("Made:{}", marked(FOLDER, "Made.java", "// the cart"));
    let work = tempfile::tempdir_in(scratch()).expect("a folder");
    let mut command = qp();
    command.current_dir(work.path()).args(["omitted", "cart.items", "--at", &at, "--", "java", "-cp"]);
    let output = finish(command.arg(&classes).args(["Made", "read-cart"]));
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("`items` may have been written by"), "{}", said(&output));
}

/// No operation on the object is in the program. What is done to others of its class may be what is missing.
#[test]
fn silence_names_what_is_done_to_other_objects() {
    let folder = "fixtures/omissions/elsewhere";
    let classes = compiled(folder, &["-g"]);
    let at = format!("Shelves:{}", marked(folder, "Shelves.java", "// the point"));
    let answer = asked("second", &at, &[], &["Shelves"], &classes);
    assert_eq!((answer.lines(), answer.code), (vec![], Some(1)));
    let reasons = answer.reasons();
    assert!(
        reasons.contains("called elsewhere on such objects: shelf.add(\\\"book\\\") at Shelves:8"),
        "{reasons}"
    );
}
