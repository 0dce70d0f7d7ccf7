//! `qp dap`: breakpoints of each kind, questions and targets, over one program whose values are known.

use crate::editor::Editor;
use crate::support::case::Case;
use crate::support::processes_with;
use serde_json::{Value, json};

const SHOP: &str = "import java.util.*;
public class Shop {
    static int sold;
    int total;
    List<String> names = new ArrayList<>();
    int[] cells = new int[1250];
    int price(int n) {
        return n * 3;
    }
    void sell(int n) {
        int cost = price(n);
        total += cost;
        sold++;
        names.add(\"item \" + n);
        cells[n] = cost;
        try {
            if (n % 8 == 7) throw new IllegalStateException(\"odd \" + n);
        } catch (IllegalStateException e) {
            total--;
        }
    }
    public static void main(String[] args) {
        Shop shop = new Shop();
        for (int i = 0; i < 20; i++)
            shop.sell(i);
        String text = shop.names.get(3);
        System.out.println(text + shop.total);
        throw new NoSuchElementException(\"none of \" + sold);
    }
}
";

/// The session stands where the program has ended.
fn shop() -> (Case, Editor) {
    let case = Case::new("traced");
    std::fs::write(case.work().join("Shop.java"), SHOP).expect("written");
    let mut javac = std::process::Command::new("javac");
    let javac = javac.args(["-g", "-d", "classes", "Shop.java"]).current_dir(case.work()).status();
    assert!(javac.expect("javac").success());
    let mut editor = Editor::start(&case);
    let stopped = editor.launch(json!({"command": ["java", "-cp", "classes", "Shop"], "sources": ["."]}));
    assert_eq!(
        (&stopped["reason"], editor.place(&stopped)),
        (&json!("exception"), "Shop.main:28".to_owned())
    );
    (case, editor)
}

fn set(editor: &mut Editor, breakpoints: Value) -> Value {
    let arguments = json!({"source": {"path": "/anywhere/Shop.java"}, "breakpoints": breakpoints});
    editor.ask("setBreakpoints", arguments)["breakpoints"].clone()
}

/// The values of an expression at each stop in a direction, until an end of the recording.
fn each_stop(editor: &mut Editor, direction: &str, expression: &str) -> Vec<String> {
    let mut values = Vec::new();
    loop {
        let stopped = editor.go(direction);
        if stopped["description"].as_str().is_some_and(|text| text.contains("of the recording")) {
            return values;
        }
        values.push(editor.says(expression));
    }
}

#[test]
fn a_line_stops_where_its_condition_and_its_count_hold_in_both_directions() {
    let (_case, mut editor) = shop();
    let numbers = |all: &[i32]| all.iter().map(ToString::to_string).collect::<Vec<_>>();
    for (breakpoint, expected) in [
        (json!({"line": 12, "condition": "n > 16"}), numbers(&[17, 18, 19])),
        (json!({"line": 12, "condition": "cost == 3 * n && total < 10"}), numbers(&[0, 1, 2, 3])),
        (json!({"line": 12, "condition": "names.size() == 5"}), numbers(&[5])),
        (json!({"line": 12, "hitCondition": "% 7"}), numbers(&[6, 13])),
        (json!({"line": 12, "hitCondition": ">= 19"}), numbers(&[18, 19])),
        (json!({"line": 12, "condition": "n % 2 == 1", "hitCondition": "3"}), numbers(&[5])),
    ] {
        let states = set(&mut editor, json!([breakpoint]));
        assert_eq!(states[0]["verified"], true, "{states:#}");
        let backwards = each_stop(&mut editor, "reverseContinue", "n");
        assert_eq!(backwards, expected.iter().rev().cloned().collect::<Vec<_>>(), "{breakpoint}");
        assert_eq!(each_stop(&mut editor, "continue", "n"), expected, "{breakpoint}");
    }
    let wrong =
        set(&mut editor, json!([{"line": 12, "condition": "n >"}, {"line": 12, "hitCondition": "x"}]));
    assert!(
        wrong[0]["message"].as_str().is_some_and(|text| text.contains("no Java expression")),
        "{wrong:#}"
    );
    assert!(wrong[1]["message"].as_str().is_some_and(|text| text.contains("no hit count")), "{wrong:#}");
    // A condition without a value stops, and says why.
    set(&mut editor, json!([{"line": 12, "condition": "nothing > 3"}]));
    let stopped = editor.go("reverseContinue");
    assert!(stopped["text"].as_str().is_some_and(|text| text.contains("nothing")), "{stopped:#}");
    assert_eq!(editor.says("n"), "19");
}

#[test]
fn a_step_over_a_call_ends_at_a_breakpoint_in_it() {
    let (_case, mut editor) = shop();
    set(&mut editor, json!([{"line": 25, "condition": "i == 4"}, {"line": 8}]));
    let stopped = loop {
        let stopped = editor.go("reverseContinue");
        if editor.place(&stopped) == "Shop.main:25" {
            break stopped;
        }
    };
    assert_eq!(stopped["reason"], "breakpoint");
    let stopped = editor.go("next");
    assert_eq!((editor.place(&stopped), editor.says("n")), ("Shop.price:8".to_owned(), "4".to_owned()));
    set(&mut editor, json!([]));
    let stopped = editor.go("stepOut");
    assert_eq!(editor.place(&stopped), "Shop.sell:12");
    assert_eq!(editor.scope(1, "Returned"), ["Shop.price() = 12"]);
}

#[test]
fn a_log_point_prints_its_past_at_once_and_does_not_stop() {
    let (_case, mut editor) = shop();
    set(
        &mut editor,
        json!([{"line": 12, "condition": "n < 3", "logMessage": "sold {n} for {cost}, {total}"}]),
    );
    let printed = editor.go("reverseContinue");
    assert_eq!(printed["description"], "beginning of the recording");
    let lines: Vec<String> = editor.outputs().into_iter().filter(|line| line.starts_with("sold ")).collect();
    assert_eq!(lines, ["sold 0 for 0, 0", "sold 1 for 3, 0", "sold 2 for 6, 3"]);
}

#[test]
fn methods_exceptions_and_variables_have_breakpoints() {
    let (_case, mut editor) = shop();
    let methods = json!({"breakpoints": [{"name": "Shop.price", "condition": "n == 11"}, {"name": "none"}]});
    let states = editor.ask("setFunctionBreakpoints", methods)["breakpoints"].clone();
    assert_eq!((&states[0]["verified"], &states[1]["verified"]), (&json!(true), &json!(false)));
    let stopped = editor.go("reverseContinue");
    assert_eq!(stopped["reason"], "function breakpoint");
    // Standing at the entry, it shows the line that the method executes first.
    let place = editor.place(&stopped);
    assert!(place.starts_with("Shop.price:") && !place.ends_with(":0"), "{place}");
    assert_eq!(editor.scope(1, "Arguments"), ["n = 11"]);
    editor.ask("setFunctionBreakpoints", json!({"breakpoints": []}));

    let caught =
        json!({"filters": [], "filterOptions": [{"filterId": "caught", "condition": "RuntimeException"}]});
    editor.ask("setExceptionBreakpoints", caught);
    let stopped = editor.go("reverseContinue");
    assert_eq!(stopped["reason"], "exception");
    assert!(stopped["text"].as_str().is_some_and(|text| text.contains("odd 7")), "{stopped:#}");
    let thrown = editor.ask("exceptionInfo", json!({"threadId": stopped["threadId"]}));
    assert_eq!(thrown["exceptionId"], "java.lang.IllegalStateException");
    assert_eq!(thrown["breakMode"], "always");
    assert!(
        thrown["details"]["stackTrace"].as_str().is_some_and(|text| text.contains("Shop.sell(Shop.java:17)"))
    );
    let stopped = editor.go("continue");
    assert!(stopped["text"].as_str().is_some_and(|text| text.contains("odd 15")), "{stopped:#}");
    let filtered = |condition: &str| {
        let option = json!({"filterId": "caught", "condition": condition});
        json!({"filters": [], "filterOptions": [option]})
    };
    for (condition, expected) in [("java.io.*", "none of 20"), ("Illegal* if n == 7", "odd 7")] {
        editor.ask("setExceptionBreakpoints", filtered(condition));
        editor.go("reverseContinue");
        editor.go("reverseContinue");
        let stopped = editor.go("continue");
        assert!(stopped["text"].as_str().is_some_and(|text| text.contains(expected)), "{stopped:#}");
    }
    editor.ask("setExceptionBreakpoints", json!({"filters": ["uncaught"]}));
    editor.go("reverseContinue");
    let stopped = editor.go("continue");
    assert!(stopped["text"].as_str().is_some_and(|text| text.contains("none of 20")), "{stopped:#}");
    editor.ask("setExceptionBreakpoints", json!({"filters": []}));

    // The last write to a field, from the end backwards.
    let shop = editor.variable("shop");
    let asked = json!({"variablesReference": shop["variablesReference"], "name": "total"});
    let info = editor.ask("dataBreakpointInfo", asked);
    assert!(info["description"].as_str().is_some_and(|text| text.contains("total")), "{info:#}");
    let watch = |id: &Value, more: Value| {
        let mut one = json!({"dataId": id, "accessType": "write"});
        one.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({"breakpoints": [one]})
    };
    editor.ask("setDataBreakpoints", watch(&info["dataId"], json!({})));
    let stopped = editor.go("reverseContinue");
    assert_eq!(
        (&stopped["reason"], editor.place(&stopped)),
        (&json!("data breakpoint"), "Shop.sell:12".to_owned())
    );
    assert_eq!(editor.says("n"), "19");
    editor.ask("setDataBreakpoints", watch(&info["dataId"], json!({"condition": "n == 15"})));
    let stopped = editor.go("reverseContinue");
    assert_eq!((editor.place(&stopped), editor.says("total")), ("Shop.sell:19".to_owned(), "359".to_owned()));
    // The collection that a field refers to.
    let names = editor.ask("dataBreakpointInfo", json!({"name": "names", "frameId": null}));
    editor.ask("setDataBreakpoints", watch(&names["dataId"], json!({})));
    let stopped = editor.go("reverseContinue");
    assert_eq!((editor.place(&stopped), editor.says("n")), ("Shop.sell:14".to_owned(), "15".to_owned()));
    // An element of an array, and a local variable of one call.
    let element = editor.ask("dataBreakpointInfo", json!({"name": "cells[9]"}));
    editor.ask("setDataBreakpoints", watch(&element["dataId"], json!({})));
    let stopped = editor.go("reverseContinue");
    assert_eq!((editor.place(&stopped), editor.says("n")), ("Shop.sell:15".to_owned(), "9".to_owned()));
    let stopped = editor.go("reverseContinue");
    assert_eq!(stopped["description"], "beginning of the recording", "it is written once");
    let stopped = editor.go("continue");
    assert_eq!((&stopped["reason"], editor.says("n")), (&json!("data breakpoint"), "9".to_owned()));
    let local = editor.ask("dataBreakpointInfo", json!({"name": "cost"}));
    editor.ask("setDataBreakpoints", watch(&local["dataId"], json!({})));
    let stopped = editor.go("reverseContinue");
    assert_eq!((editor.place(&stopped), editor.says("n")), ("Shop.sell:11".to_owned(), "9".to_owned()));
    let read = json!({"breakpoints": [{"dataId": names["dataId"], "accessType": "read"}]});
    let refused = editor.ask("setDataBreakpoints", read)["breakpoints"][0].clone();
    assert_eq!(refused["verified"], false);
}

#[test]
fn questions_in_the_console_lead_back() {
    let (_case, mut editor) = shop();
    assert_eq!(editor.says("shop.total + 1"), "569");
    assert_eq!(editor.says("shop.names.get(2).length()"), "6");
    let why = editor.says("why shop.total");
    assert!(why.contains("511") && why.contains("568") && why.contains("Shop.java:12"), "{why}");
    let history = editor.says("history shop.total");
    assert!(history.contains("568") && history.contains("359"), "{history}");
    editor.says("back shop.total");
    assert_eq!(editor.says("total"), "511");
    assert_eq!(editor.says("n"), "19");
    editor.says("previous");
    assert_eq!((editor.says("n"), editor.says("total")), ("18".to_owned(), "457".to_owned()));
    editor.says("following");
    assert_eq!(editor.says("n"), "19");
    let origin = editor.says("origin cost");
    assert!(origin.contains("Shop.price:8") && origin.contains("Shop.sell:11"), "{origin}");
    editor.says("into");
    let frame = editor.frame(1);
    assert_eq!(editor.ask("evaluate", json!({"expression": "n", "frameId": frame}))["result"], "19");
    editor.says("out");
    editor.says("out");
    assert_eq!(editor.says("i"), "19");
    let goal = editor.says("?- findall(I, event(I, _, exception(_, _, _, uncaught)), Is), length(Is, N)");
    assert!(goal.contains("N = 1"), "{goal}");
    // The exception that led into the handler, the condition that led to the throw, and the loop's.
    set(&mut editor, json!([{"line": 17, "condition": "n == 15"}]));
    editor.go("reverseContinue");
    let caught = editor.go("next");
    assert_eq!(editor.place(&caught), "Shop.sell:18");
    let exception = editor.says("why");
    assert!(exception.contains("odd 15") && exception.contains("Shop.java:17"), "{exception}");
    editor.ask("setExceptionBreakpoints", json!({"filters": ["caught"]}));
    // The step back ends at the throw, which has a breakpoint.
    let thrown = editor.go("stepBack");
    assert_eq!(thrown["reason"], "exception", "{thrown:#}");
    let condition = editor.says("why");
    assert!(condition.contains("n % 8") && condition.contains("true"), "{condition}");
    set(&mut editor, json!([]));
    editor.says("out");
    let condition = editor.says("why");
    assert!(condition.contains("i < 20") && condition.contains("Shop.java:24"), "{condition}");
    assert!(editor.says("help").contains("back VARIABLE"));
    let frame = editor.frame(1);
    let unknown = json!({"expression": "why nothing", "frameId": frame, "context": "repl"});
    assert!(editor.refused("evaluate", unknown).contains("nothing"));
}

#[test]
fn an_editor_can_go_to_lines_calls_and_frames() {
    let (_case, mut editor) = shop();
    let file = json!({"name": "Shop.java"});
    let targets = editor.ask("gotoTargets", json!({"source": file, "line": 11}))["targets"].clone();
    let labels: Vec<&str> =
        targets.as_array().unwrap().iter().map(|target| target["label"].as_str().unwrap()).collect();
    assert_eq!(labels, ["previous and last execution", "first execution"]);
    editor.ask("goto", json!({"threadId": 1, "targetId": targets[1]["id"]}));
    let stopped = editor.event("stopped");
    assert_eq!((&stopped["reason"], editor.place(&stopped)), (&json!("goto"), "Shop.sell:11".to_owned()));
    assert_eq!(editor.says("n"), "0");
    let frame = editor.frame(1);
    let calls = editor.ask("stepInTargets", json!({"frameId": frame}))["targets"].clone();
    assert!(calls[0]["label"].as_str().is_some_and(|label| label.starts_with("Shop.price")), "{calls:#}");
    editor.ask("stepIn", json!({"threadId": 1, "targetId": calls[0]["id"]}));
    let stopped = editor.event("stopped");
    assert_eq!(editor.place(&stopped), "Shop.price:8");
    let outer = editor.frame(2);
    editor.ask("restartFrame", json!({"frameId": outer}));
    let stopped = editor.event("stopped");
    assert_eq!((&stopped["reason"], editor.place(&stopped)), (&json!("restart"), "Shop.sell:11".to_owned()));
    let lines = editor.ask("breakpointLocations", json!({"source": file, "line": 7, "endLine": 15}));
    let lines: Vec<&Value> =
        lines["breakpoints"].as_array().unwrap().iter().map(|one| &one["line"]).collect();
    assert_eq!(lines, [8, 11, 12, 13, 14, 15]);
    let sources = editor.ask("loadedSources", json!({}))["sources"].clone();
    assert_eq!(sources[0]["name"], "Shop.java");
    // What was known before the move is out of date.
    let frame = editor.frame(1);
    let scopes = editor.ask("scopes", json!({"frameId": frame}));
    editor.go("next");
    let old = json!({"variablesReference": scopes["scopes"][0]["variablesReference"]});
    assert!(editor.refused("variables", old).contains("out of date"));
    assert!(editor.refused("scopes", json!({"frameId": frame})).contains("no such frame"));
}

#[test]
fn long_lists_are_paged_or_grouped_and_scopes_tell_of_changes() {
    let (_case, mut editor) = shop();
    set(&mut editor, json!([{"line": 17, "condition": "n == 9"}]));
    editor.go("reverseContinue");
    let this = editor.variable("this");
    let fields = editor.ask("variables", json!({"variablesReference": this["variablesReference"]}));
    let cells =
        fields["variables"].as_array().unwrap().iter().find(|one| one["name"] == "cells").unwrap().clone();
    // This editor has not said that it pages.
    assert_eq!(cells["indexedVariables"], Value::Null);
    let groups = editor.ask("variables", json!({"variablesReference": cells["variablesReference"]}));
    let groups = groups["variables"].as_array().unwrap().clone();
    assert_eq!((groups.len(), &groups[12]["name"]), (13, &json!("[1200 … 1249]")));
    let elements = editor.variables(&groups[0]["variablesReference"]);
    assert_eq!(
        (elements.len(), &elements[8], &elements[10]),
        (100, &"[8] = 24".to_owned(), &"[10] = 0".to_owned())
    );
    let page = json!({"variablesReference": cells["variablesReference"], "start": 5, "count": 2});
    let page = editor.ask("variables", page)["variables"].clone();
    assert_eq!(
        (&page[0]["name"], &page[0]["value"], page.as_array().unwrap().len()),
        (&json!("[5]"), &json!("15"), 2)
    );
    assert_eq!(editor.scope(1, "Statics"), ["sold = 10  (changed in this call)"]);
    let changed = editor.scope(1, "Changed in this call").join("; ");
    for expected in [".total = 134", "(was 107)", "Shop.sold = 10", "[9] = 27"] {
        assert!(changed.contains(expected), "{expected}: {changed}");
    }
    let typed = editor.ask("completions", json!({"text": "this.na", "column": 8}));
    assert_eq!(typed["targets"][0]["label"], "names");
    let typed = editor.ask("completions", json!({"text": "co", "column": 3}));
    assert_eq!(typed["targets"][0]["label"], "cost");
}

#[test]
fn requests_for_extensions_and_another_run() {
    let (case, mut editor) = shop();
    let frame = editor.frame(1);
    let why = editor.ask("qp/why", json!({"frameId": frame, "expression": "shop.total"}));
    assert_eq!((&why["line"], &why["source"]["name"]), (&json!(12), &json!("Shop.java")));
    editor.ask("goto", json!({"threadId": 1, "targetId": why["target"]}));
    let stopped = editor.event("stopped");
    assert_eq!((editor.place(&stopped), editor.says("n")), ("Shop.sell:12".to_owned(), "19".to_owned()));
    editor.ask("qp/stepBackOut", json!({"threadId": 1}));
    let stopped = editor.event("stopped");
    assert_eq!(editor.place(&stopped), "Shop.main:25");
    editor.ask("qp/stepBackInto", json!({"threadId": 1}));
    let stopped = editor.event("stopped");
    assert_eq!(editor.place(&stopped), "Shop.main:24");
    let history = editor.ask("qp/history", json!({"expression": "shop.total"}));
    assert_eq!(history["writes"].as_array().map(Vec::len), Some(21), "{history:#}");
    let diagnosed = editor.ask("qp/diagnose", json!({}));
    assert!(diagnosed["text"].as_str().is_some_and(|text| text.contains("question 1")), "{diagnosed:#}");
    assert_eq!(diagnosed["ended"], false);
    let diagnosed = editor.ask("qp/diagnose", json!({"answer": "valid"}));
    assert!(diagnosed["text"].as_str().is_some_and(|text| !text.is_empty()), "{diagnosed:#}");
    assert!(editor.refused("qp/dance", json!({})).contains("unknown"));
    // The breakpoints hold in the next run too.
    set(&mut editor, json!([{"line": 12, "condition": "n == 3"}]));
    editor.send("restart", json!({}));
    let stopped = editor.event("stopped");
    assert_eq!(stopped["reason"], "exception");
    let stopped = editor.go("reverseContinue");
    assert_eq!((editor.place(&stopped), editor.says("n")), ("Shop.sell:12".to_owned(), "3".to_owned()));
    assert_eq!(editor.disconnect(), Some(0));
    assert!(processes_with(&case.name()).is_empty());
}
