//! The examples of the paper: Figures 2, 6 and 8, and the lists of Ant that pass through one method.

use crate::suggested::asked;
use crate::support::compiled;

/// Figure 2: for the list at line 31, the only balloon is that of `add` in `addItem`, at line 12's jump.
#[test]
fn figure_2_has_one_balloon() {
    let classes = compiled("fixtures/omissions/figure2", &["-g"]);
    for options in [&[] as &[&str], &["--reads"]] {
        let answer = asked("s", "FileLister:31", options, &["FileLister", "x"], &classes);
        assert_eq!(answer.lines(), ["branch FileLister.run:12 > d.add(n):27 certain 1/1"], "{options:?}");
    }
}

/// Figure 8 (b): of four executed conditional jumps, two dominate the calls of the methods with use sites.
#[test]
fn figure_8_has_two_dominant_jumps_of_four() {
    let classes = compiled("fixtures/omissions/figure8", &["-g"]);
    let answer = asked("list", "Jumps:12", &[], &["Jumps"], &classes);
    let mut lines = answer.lines();
    lines.sort();
    assert_eq!(
        lines,
        [
            "branch Jumps.flow:23 > list.add(1):38 certain 1/1",
            "branch Jumps.flow:26 > list.add(2):42 certain 1/1",
        ]
    );
}

/// In Ant four lists pass through one `addPatternToList(Vector)`. The paper takes objects of one `new` for
/// one; the recorded values tell them apart.
#[test]
fn lists_that_pass_through_one_method_are_told_apart() {
    let classes = compiled("fixtures/omissions/patterns", &["-g"]);
    let answer = asked("set.excludes", "Patterns:48", &[], &["Patterns"], &classes);
    assert_eq!(answer.lines(), ["branch Patterns.configure:37 > list.add(pattern):31 certain 1/1"]);
    let answer = asked("set.includes", "Patterns:48", &[], &["Patterns"], &classes);
    assert_eq!(answer.lines(), Vec::<String>::new());
}
