//! Simple names of classes of other packages, by the imports of the source file or by the class file.

use crate::support::case::Case;
use crate::support::{point, unwrapped};

const DEBUGGEE: &str = r#"command: ["java", "-cp", "classes", "till.Till"]"#;

#[test]
fn simple_names_denote_the_imported_classes() {
    let case = Case::new("imported");
    let at = case.line("Till.java", "// <- A");
    let collect =
        r#"["i", "Shelf.limit", "names instanceof List", "StandardCharsets.UTF_8", "((Object) names)[0]"]"#;
    let points =
        |when: &str| format!(r#"(id: "A", at: Line("till.Till", {at}), when: "{when}", collect: {collect})"#);
    let when = "mode == RoundingMode.DOWN && rest != BigDecimal.ZERO && i > Shelf.limit";
    let check = |options: &[&str]| {
        let options = [options, &["--format=json"]].concat();
        let answer = case.replay(DEBUGGEE, &points(when), &options).is(0, &[]).answer();
        let values = &point(&answer, "A")["collected"].to_string();
        for expected in [
            "5",
            "4",
            "true",
            "write the full name: java.nio.charset.StandardCharsets",
            "((Object) names).get(0)",
        ] {
            assert!(values.contains(expected), "{expected}: {answer:#}");
        }
    };
    check(&["--backend=probe"]);
    check(&["--backend=jdwp"]);
    let members = |named: &str| {
        format!(
            r#"(id: "A", at: Line("till.Till", {at}), when: "{named} == 7",
                collect: ["max(spare, 9)", "loose"]),
               (id: "B", at: LastChange("A:spare"))"#
        )
    };
    for backend in ["--backend=probe", "--backend=jdwp"] {
        let options = [backend, "--format=json"];
        let answer = case.replay(DEBUGGEE, &members("spare"), &options).is(0, &[]).answer();
        let collected = &point(&answer, "A")["collected"];
        assert_eq!(
            (&collected["max(spare, 9)"], &collected["loose"]),
            (&"9".into(), &"3".into()),
            "{answer:#}"
        );
        let b = point(&answer, "B");
        assert_eq!((b["new"].as_str(), b["hit"].as_u64()), (Some("7"), Some(6)), "{answer:#}");
    }
    let said = unwrapped(&case.replay(DEBUGGEE, &members("depth"), &[]).said());
    let both =
        "`depth`: is ambiguous between till.stock.Crate.depth and till.stock.Shelf.depth; write the full";
    assert!(said.contains(both), "{said}");
    let formatter = points("other instanceof Formatter && i == 1");
    let run = case.replay(DEBUGGEE, &formatter, &["--backend=probe"]);
    assert!(run.said().contains("its condition was false"), "{}", run.said());
    std::fs::remove_file(case.work().join("Till.java")).unwrap();
    check(&["--backend=probe"]);
    let said = unwrapped(&case.replay(DEBUGGEE, &formatter, &[]).said());
    let both =
        "`Formatter`: is ambiguous between java.util.Formatter and java.util.logging.Formatter; write the";
    assert!(said.contains(both), "{said}");
}
