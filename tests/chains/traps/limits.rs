//! Programs at their limits: thousands of threads, an overflowing stack, a full heap.

use super::fixture::{Asked, Fixture};
use crate::support::processes_with;

/// Number of frames of a point's stack.
fn frames(asked: &Asked, id: &str) -> usize {
    asked.point(id)["stack"].as_array().map_or(0, Vec::len)
}

/// A number from a field of a point.
fn number(asked: &Asked, id: &str, field: &str) -> usize {
    let found = &asked.point(id)[field];
    found.as_str().and_then(|n| n.parse().ok()).unwrap_or_else(|| panic!("{}: {id}: {found}", asked.java))
}

const COUNT: &str = r#"(id: "A", at: Line("ManyThreads", {A})), (id: "B", at: LastChange("A:total.sum"), collect: ["number"]),"#;

/// In a thread of the middle group, while others pass the same lines.
const IN_A_THREAD: &str = r#"
    (id: "E", at: Line("ManyThreads", {E}), thread: "worker 1300", collect: ["number"]),
    (id: "F", at: LastChange("E:mine")), (id: "G", at: LastCondition("E")),
"#;

fn in_its_own_thread(asked: &Asked) {
    asked.held().at("E", "E").at("F", "F").at("G", "G");
    for id in ["E", "F", "G"] {
        asked.has(id, &[("thread", "worker 1300")]).certain(id);
    }
    asked.has("E", &[("collected.number", "1300")]).has("F", &[("old", "unassigned"), ("new", "1301")]);
    asked.has("G", &[("taken", "true")]);
}

#[test]
fn thousands_of_threads_write_one_field() {
    let fixture = Fixture::new("many-threads", "ManyThreads").args(&["3000", "400"]);
    for asked in fixture.ask(COUNT) {
        asked.held().at("A", "A").at("B", "B").has("B", &[("old", "2999"), ("new", "3000")]);
        // The last writer is among the last group.
        let by = asked.point("B")["collected"]["number"].as_str().expect("a number").to_owned();
        assert!(by.parse::<u32>().is_ok_and(|n| n >= 2800), "{by}");
        asked.has("B", &[("thread", &format!("worker {by}"))]).certain("B");
    }
}

#[test]
fn one_thread_of_thousands_is_asked() {
    let fixture = Fixture::new("many-threads", "ManyThreads").args(&["1500", "400"]);
    fixture.ask(IN_A_THREAD).iter().for_each(in_its_own_thread);
}

#[test]
fn thousands_of_virtual_threads_live_at_once_and_write_one_field() {
    let fixture = Fixture::new("many-threads", "ManyThreads").args(&["4000", "4000", "virtual"]);
    for asked in fixture.ask_on_new(COUNT) {
        asked.held().at("B", "B").has("B", &[("old", "3999"), ("new", "4000")]).certain("B");
        let by = asked.point("B")["collected"]["number"].as_str().expect("a number").to_owned();
        asked.has("B", &[("thread", &format!("worker {by}"))]);
    }
}

#[test]
fn one_virtual_thread_of_thousands_is_asked() {
    let fixture = Fixture::new("many-threads", "ManyThreads").args(&["1500", "1500", "virtual"]);
    fixture.ask_on_new(IN_A_THREAD).iter().for_each(in_its_own_thread);
}

#[test]
fn a_stack_overflows_and_the_program_goes_on() {
    let points = r#"
        (id: "A", at: Line("DeepStack", {A}), collect: ["DeepStack.thousands"]),
        (id: "B", at: LastChange("A:DeepStack.thousands")),
        (id: "C", at: LastChange("A:how")), (id: "D", at: LastCondition("C")),
        (id: "X", at: Exception("java.lang.StackOverflowError"), collect: ["depth"]),
    "#;
    for asked in Fixture::new("deep-stack", "DeepStack").vm("-Xss2m").ask(points) {
        asked.held().at("A", "A").at("B", "B").at("C", "C").at("D", "D");
        let thousands = number(&asked, "B", "new");
        assert!(thousands >= 5, "{thousands}");
        asked.has("A", &[("collected.DeepStack.thousands", &thousands.to_string())]);
        asked.has("B", &[("old", &(thousands - 1).to_string())]);
        assert_eq!(frames(&asked, "B"), 1000 * thousands + 1, "every caller, and main");
        asked.has("C", &[("old", "\"not yet\""), ("new", "\"overflowed\"")]);
        assert_eq!(frames(&asked, "C"), 1);
        for id in ["D", "X"] {
            let exception = &asked.point(id)["exception"];
            assert!(exception["object"].as_str().is_some_and(|o| o.starts_with("StackOverflowError")));
            asked.place(&exception["caught"], "D");
        }
        let depth = asked.point("X")["collected"]["depth"].as_str().expect("a depth").to_owned();
        let depth: usize = depth.parse().expect("a number");
        assert!(depth >= 1000 * thousands && depth < 1000 * (thousands + 1), "{depth}");
        assert_eq!(frames(&asked, "X"), depth + 1);
    }
}

#[test]
fn deep_stacks_share_what_they_have_in_common() {
    let points = |depth: u32| {
        format!(
            r#"(id: "L", at: Line("DeepStack", {{L}}), when: "depth == {depth}"), (id: "F", at: LastChange("L:twice"))"#
        )
    };
    let fixture = |depth: &str| Fixture::new("deep-stack", "DeepStack").args(&[depth]);
    let (few, many) = (fixture("20").peak_kib(&points(20)), fixture("600").peak_kib(&points(1)));
    // If each of 1,200 candidates kept its own 300 frames, that alone would be some 10 MB.
    assert!(many < few + (8 << 10), "{few} KiB, then {many} KiB");
}

#[test]
fn thousands_of_frames_down_all_are_known() {
    let points = r#"
        (id: "E", at: Line("DeepStack", {B}), when: "depth == 5000", collect: ["depth"]),
        (id: "G", at: LastChange("E(-1):how")), (id: "O", at: LastChange("E:DeepStack.thousands")),
    "#;
    for asked in Fixture::new("deep-stack", "DeepStack").vm("-Xss2m").ask(points) {
        asked.held().runs(2).at("E", "B").at("G", "G").has("E", &[("collected.depth", "5000")]);
        assert_eq!(frames(&asked, "E"), 5001);
        asked.has("G", &[("new", "\"not yet\"")]).has("O", &[("old", "3"), ("new", "4")]);
        assert_eq!((frames(&asked, "G"), frames(&asked, "O")), (1, 4001));
    }
}

#[test]
fn a_call_among_hundreds_of_one_recursion_is_told_apart() {
    let points = r#"
        (id: "L", at: Line("DeepStack", {L}), when: "depth == 100"), (id: "F", at: LastChange("L:twice")),
        (id: "H", at: LastCondition("F"), collect: ["depth"]),
    "#;
    // depth 100 adds 2 * (100 + 101 + … + 300).
    for asked in Fixture::new("deep-stack", "DeepStack").args(&["300"]).ask(points) {
        asked.held().at("L", "L").at("F", "F").at("H", "H");
        asked.has("F", &[("old", "200"), ("new", "80400")]).has("H", &[("collected.depth", "100")]);
        for id in ["L", "F", "H"] {
            assert_eq!(frames(&asked, id), 101);
            asked.certain(id);
        }
    }
}

/// The heap is small, and the dropped blocks exceed it by far: `qp` must not keep any of them alive.
fn out_of_memory(how: &str) -> Fixture {
    let label = format!("-Dquerypoint.test=memory-{how}-{}", std::process::id());
    Fixture::new("out-of-memory", "OutOfMemory").vm("-Xmx24m").vm(&label).args(&[how])
}

#[test]
fn a_full_heap_is_caught_and_asked_about() {
    let points = r#"
        (id: "A", at: Line("OutOfMemory", {A}), collect: ["keeper.kept"]), (id: "B", at: LastChange("A:keeper.kept")),
        (id: "C", at: LastCondition("A")), (id: "U", at: Exception("java.lang.OutOfMemoryError")),
        (id: "K", at: LastChange("A:keeper.block")),
    "#;
    for asked in out_of_memory("caught").ask(points) {
        asked.held().at("A", "A").at("B", "B").at("K", "L").at("U", "U");
        let kept = number(&asked, "B", "new");
        assert!(kept > 10, "{kept}");
        asked.has("A", &[("collected.keeper.kept", &kept.to_string())]);
        asked.has("B", &[("old", &(kept - 1).to_string())]).has("K", &[("new", "null")]);
        for id in ["C", "U"] {
            let exception = &asked.point(id)["exception"];
            assert!(exception["object"].as_str().is_some_and(|o| o.starts_with("OutOfMemoryError")));
            asked.place(&exception["thrown"], "U");
        }
    }
}

#[test]
fn a_full_heap_ends_the_program_or_only_a_thread() {
    let points = r#"
        (id: "Z", at: Line("OutOfMemory", {Z})), (id: "B", at: LastChange("Z:keeper.kept"), collect: []),
        (id: "U", at: Exception("java.lang.OutOfMemoryError"), caught: false),
    "#;
    for asked in out_of_memory("other").ask(points) {
        asked.held().at("Z", "Z").at("B", "B").at("U", "U").has("U", &[("thread", "other")]);
        asked.has("B", &[("thread", "other")]);
    }
    for asked in out_of_memory("uncaught").ask(points) {
        assert_eq!(asked.code, 3, "{:#}", asked.answer);
        asked.missing("Z", "the program ended with exit code 1").at("U", "U");
        let said = &asked.answer["last_output"];
        assert!(said.to_string().contains("java.lang.OutOfMemoryError"), "{said:#}");
    }
    for how in ["other", "uncaught"] {
        let mine = format!("-Dquerypoint.test=memory-{how}-{}", std::process::id());
        assert_eq!(processes_with(&mine).len(), 0, "{how}");
    }
}

#[test]
fn a_text_is_too_long_to_be_read() {
    let points = r#"
        (id: "A", at: Line("LargeText", {A}), collect: ["all", "all.length()", "all == text", "all == \"x\""]),
        (id: "B", at: LastChange("A:LargeText.steps"), collect: ["all"]),
        (id: "T", at: LastChange("A:LargeText.text")),
    "#;
    for asked in Fixture::new("large-text", "LargeText").vm("-Xmx1g").ask(points) {
        asked.held().at("A", "A").at("B", "B").at("T", "T");
        asked.has("A", &[("collected.all", "String@1"), ("collected.all.length()", "70000000")]);
        asked.has("A", &[("collected.all == text", "true"), ("collected.all == \"x\"", "false")]);
        asked.has("B", &[("collected.all", "String@1"), ("new", "70000000")]).certain("B");
        asked.has("T", &[("new", "String@1")]).certain("T");
    }
}
