//! `qp why v` goes on from `v = f(x)` to the `return`.

use super::fixture::Fixture;
use crate::support::{finish, point, qp, said};
use serde_json::Value;

fn why(fixture: &Fixture, arguments: &[&str]) -> Value {
    let mut command = qp();
    command.arg("why").args(arguments).args(["--format=json", "--source"]).arg(fixture.sources());
    let output = finish(command.args(["--", "java"]).args(fixture.command()));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
fn a_change_by_a_call_goes_on_to_its_return() {
    let fixture = Fixture::new("into-call", "IntoCall");
    let (end, shape, back) = (fixture.line("P"), fixture.line("F"), fixture.line("R"));
    let at = |line: u32| format!("IntoCall:{line}");
    let asked = [
        (["few", &at(end), "0", "jdwp"], Some(("one", "5"))),
        (["cost", &at(end), "0", "probe"], Some(("many", "30"))),
        (["last", &at(shape), "0", "jdwp"], Some(("square", "9"))),
        (["last", &at(shape), "1", "probe"], Some(("line", "0"))),
        (["last", &at(shape), "2", "jdwp"], None),
        (["below", &at(back), "0", "jdwp"], Some(("bottom", "100"))),
        (["below", &at(back), "1", "probe"], Some(("R", "101"))),
        (["sum", &at(end), "0", "jdwp"], None),
        (["size", &at(end), "0", "probe"], None),
    ];
    for ([name, at, index, backend], expected) in asked {
        let answer = why(&fixture, &[name, "--at", at, "--index", index, "--backend", backend]);
        let Some((mark, result)) = expected else {
            assert_eq!(answer["points"].as_array().map(Vec::len), Some(2), "{name}: {answer:#}");
            continue;
        };
        let found = point(&answer, "C");
        assert_eq!(found["line"].as_u64(), Some(fixture.line(mark).into()), "{name}: {found:#}");
        assert_eq!((&found["result"], &found["asked_from"][0]), (&result.into(), &"B".into()), "{found:#}");
    }
}
