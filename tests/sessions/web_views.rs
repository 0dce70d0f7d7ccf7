//! What the views of a page show, compared with the command line.

use crate::support::case::Case;
use crate::support::{finish, said, unwrapped};
use crate::web::{Page, ends_without_a_trace, outermost, query_of, recorded, rows};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The result of a command as JSON.
fn told(case: &Case, arguments: &[&str]) -> Value {
    let output = finish(case.qp().args(["--format", "json"]).args(arguments));
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", said(&output)))
}

/// The calls of a tree, without those below them, in their order.
fn flattened(calls: &Value, into: &mut Vec<Value>) {
    for call in calls.as_array().map(Vec::as_slice).unwrap_or_default() {
        let mut own = call.clone();
        let below = own.as_object_mut().and_then(|call| call.remove("calls"));
        into.push(own);
        flattened(&below.unwrap_or_default(), into);
    }
}

/// All calls of a recording, as the tree of the page shows them when everything is unfolded, with their rows.
fn unfolded(page: &Page, list: &str, into: &mut Vec<Value>) {
    let mut from = 0;
    loop {
        let part = page.get(&format!("tree?{list}&from={from}&limit=7"));
        for row in rows(&part) {
            assert_eq!(row["row"], json!(from), "{part}");
            from += 1;
            match row["group"].as_str() {
                Some(group) => {
                    let parent = list.split('&').next().expect("whose calls");
                    unfolded(page, &format!("{parent}&group={group}"), into);
                }
                None => {
                    into.push(row["call"].clone());
                    unfolded(page, &format!("call={}", row["call"]["node"]), into);
                }
            }
        }
        if json!(from) == part["count"] {
            return;
        }
        assert!(!rows(&part).is_empty(), "{list} from {from}: {part}");
    }
}

#[test]
fn the_tree_has_the_calls_of_the_command_line() {
    for (name, class) in [("crowded", "Crowded"), ("recursion", "Recursion"), ("many-threads", "ManyThreads")]
    {
        let case = Case::new(name);
        recorded(&case, class);
        let page = Page::start(&case, &["all.trace"]);
        let known = told(&case, &["trace", "calls", "all.trace", "--all", "--depth", "500"]);
        let session = page.get("session");
        let mut seen = 0;
        for thread in session["recordings"][0]["threads"].as_array().expect("threads") {
            let mut found = Vec::new();
            unfolded(&page, &format!("thread={}", thread["number"]), &mut found);
            seen += found.len();
            let named = |of: &&Value| of["thread"] == thread["name"];
            let of_name: Vec<&Value> =
                known["threads"].as_array().expect("them").iter().filter(named).collect();
            let mut all = Vec::new();
            of_name.iter().for_each(|of| flattened(&of["calls"], &mut all));
            let numbers = |calls: &[Value]| -> BTreeMap<u64, Value> {
                calls.iter().map(|call| (call["node"].as_u64().expect("a number"), call.clone())).collect()
            };
            let (found, all) = (numbers(&found), numbers(&all));
            assert!(!found.is_empty());
            for (number, call) in &found {
                assert_eq!(all.get(number), Some(call), "{name}");
            }
        }
        assert_eq!(json!(seen), session["recordings"][0]["calls"], "{name}");
    }
}

#[test]
fn the_path_to_a_call_names_the_rows_that_show_it() {
    let case = Case::new("crowded");
    recorded(&case, "Crowded");
    let page = Page::start(&case, &["all.trace"]);
    let calls = page.get("session")["recordings"][0]["calls"].as_u64().expect("a number");
    for call in (0..calls).step_by(1 + usize::try_from(calls / 40).expect("small")) {
        let path = page.get(&format!("path?call={call}"));
        let mut list = format!("thread={}", path["thread"]);
        for step in path["path"].as_array().expect("a path") {
            let row_of = |list: &str, row: &Value| {
                let part = page.get(&format!("tree?{list}&from={row}&limit=1"));
                rows(&part)[0].clone()
            };
            let mut row = row_of(&list, &step["row"]);
            if let Some(group) = step["group"].as_str() {
                assert_eq!(row["group"], json!(group));
                row = row_of(&format!("{list}&group={group}"), &step["row_in_group"]);
            }
            assert_eq!(row["call"]["node"], step["call"]);
            list = format!("call={}", step["call"]);
        }
        assert_eq!(list, format!("call={call}"));
    }
}

/// The events of each call by row number, and each by its place.
#[test]
fn events_are_those_of_the_command_line() {
    let case = Case::of_example("intro");
    recorded(&case, "Intro");
    let page = Page::start(&case, &["all.trace"]);
    let calls = page.get("session")["recordings"][0]["calls"].as_u64().expect("a number");
    let mut all = 0;
    for call in 0..calls {
        let limit = "100000";
        let known = told(&case, &["trace", "events", &call.to_string(), "--limit", limit, "all.trace"]);
        let known = known["events"].as_array().expect("events");
        let mut in_words = case.qp();
        in_words.args(["trace", "events", &call.to_string(), "--limit", limit, "all.trace"]);
        let in_words = unwrapped(&said(&finish(&mut in_words)));
        for (number, event) in (1..).zip(known) {
            let part = page.get(&format!("events?call={call}&from={}&limit=1", number - 1));
            assert_eq!((&part["count"], &part["complete"]), (&json!(known.len()), &json!(true)));
            let mut found = rows(&part)[0].clone();
            let fields = found.as_object_mut().expect("an event");
            assert_eq!(fields.remove("event"), Some(json!(number)));
            let kind = fields.remove("kind").expect("a kind");
            let is_call = kind == json!("call");
            let text = fields.remove("text").expect("a text");
            let text = unwrapped(text.as_str().expect("a text"));
            assert!(is_call || in_words.contains(&text), "#{call}.{number}: {text}\n{in_words}");
            fields.insert("event".to_owned(), kind);
            if is_call {
                // The page also shows where it is made.
                let line = fields.remove("line").and_then(|line| line.as_u64());
                assert!(line.is_some() || call == 0, "#{call}.{number}");
            }
            assert_eq!(&found, event, "#{call}.{number}");
            all += 1;
        }
        let part = page.get(&format!("events?call={call}&limit=500"));
        assert_eq!(part["count"], json!(known.len()));
        assert_eq!(rows(&part).len(), known.len());
    }
    assert!(all > 200, "only {all} events");
}

/// JHyde §3: the upper bound of the node view is the selected event, and a chosen variable marks the events
/// that change it, and the calls below which it changes.
#[test]
fn an_event_bounds_the_node_view_and_a_variable_marks_events() {
    let case = Case::of_example("mergesort");
    recorded(&case, "MergeSort");
    let page = Page::start(&case, &["all.trace"]);
    let sort = &page.get("tree?call=0")["rows"][0]["call"]["node"];
    let events = page.get(&format!("events?call={sort}&limit=500&mark=a%5B2%5D"));
    let changes = |name: &str| -> Vec<u64> {
        let marked = rows(&events).iter().filter(|row| row[name] == json!(true));
        marked.map(|row| row["event"].as_u64().expect("a number")).collect()
    };
    assert_eq!(changes("changes"), Vec::<u64>::new(), "`sort` itself writes no element");
    let below = changes("changes_below");
    assert!(below.len() > 1, "{events}");
    // What the node view says before and after each marked call differs.
    let mut changed = BTreeSet::new();
    for row in rows(&events).iter().filter(|row| row["kind"] == json!("call")) {
        let event = row["event"].as_u64().expect("a number");
        let value = |event: u64| {
            let view = page.get(&format!("node?call={sort}&event={event}"));
            view["question"]["exit"]["a"]["elements"][2]["value"].clone()
        };
        let call = page.get(&format!("node?call={}", row["call"]["node"]));
        let writes = call["question"]["changed"].as_array().expect("changes");
        let is_written = writes.iter().any(|change| change["path"] == json!("c[2]"));
        if value(event - 1) != value(event) {
            assert!(below.contains(&event), "{event}");
            changed.insert(event);
        } else if is_written {
            assert!(below.contains(&event), "{event}");
        }
    }
    assert!(!changed.is_empty());
    // At the end of the call, the view is that of the whole call.
    let whole = page.get(&format!("node?call={sort}"));
    let last = events["count"].as_u64().expect("a number");
    let at_last = page.get(&format!("node?call={sort}&event={last}"));
    assert_eq!(whole["question"]["exit"]["a"], at_last["question"]["exit"]["a"]);
    assert_eq!(whole["question"]["entry"], at_last["question"]["entry"]);
    let array = format!("@{}", whole["question"]["exit"]["a"]["object"]);
    let question = told(&case, &["trace", "state", &sort.to_string(), "--object", &array, "all.trace"]);
    let parts = question["parts"].as_array().expect("parts");
    for part in parts {
        let index = usize::try_from(part["index"].as_u64().expect("an index")).expect("small");
        let shown = &whole["question"]["exit"]["a"]["elements"][index]["value"];
        assert_eq!(json!(shown.to_string()), part["exit"]);
    }
}

#[test]
fn a_row_of_the_history_leads_to_its_event() {
    let case = Case::of_example("mergesort");
    recorded(&case, "MergeSort");
    let page = Page::start(&case, &["all.trace"]);
    let sort = &page.get("tree?call=0")["rows"][0]["call"]["node"];
    let history = page.get(&format!("history?call={sort}&variable=a%5B2%5D"));
    let array = page.get(&format!("node?call={sort}"))["question"]["exit"]["a"]["object"].clone();
    let known = told(&case, &["trace", "history", &format!("@{array}[2]"), "all.trace"]);
    let (writes, known) =
        (history["writes"].as_array().expect("writes"), known["writes"].as_array().expect("writes"));
    assert_eq!(writes.len(), known.len());
    let mut checked = 0;
    for (write, known) in writes.iter().zip(known) {
        assert_eq!(
            (&write["new"], &write["line"], &write["call"]),
            (&known["new"], &known["line"], &known["node"])
        );
        let Some(place) = write["place"].as_str() else { continue };
        let at = page.get(&format!("event?call={}&place={place}", write["call"]));
        let event = at["event"].as_u64().expect("an event");
        let part = page.get(&format!("events?call={}&from={}&limit=1", at["call"], event - 1));
        let row = &rows(&part)[0];
        assert_eq!((&row["new"], &row["kind"], &row["index"]), (&known["new"], &json!("element"), &json!(2)));
        // Right after it, the element has the value.
        let view = page.get(&format!("node?{}", query_of(&at)));
        let values = view["question"]["exit"].as_object().expect("values");
        // The elements of a new array are written before a variable has it.
        let Some(of_array) = values.values().find(|value| value["object"] == array) else { continue };
        checked += 1;
        assert_eq!(json!(of_array["elements"][2]["value"].to_string()), known["new"]);
    }
    assert!(checked > 1);
}

#[test]
fn lines_show_what_they_did_and_lead_to_other_executions() {
    let case = Case::of_example("intro");
    recorded(&case, "Intro");
    let page = Page::start(&case, &["all.trace"]);
    let call = outermost(&page, "main").as_u64().expect("a number");
    let lines = page.get(&format!("lines?call={call}"));
    assert_eq!((&lines["class"], &lines["file"]), (&json!("Intro"), &json!("Intro.java")));
    let line = |number: u32| {
        let all = lines["lines"].as_array().expect("lines");
        all.iter().find(|line| line["line"] == json!(number)).cloned().unwrap_or_default()
    };
    // Eight records; for three of them, `stmt2` throws.
    assert_eq!([line(10), line(13)].map(|of| of["count"].clone()), [json!(8), json!(8)]);
    let events = told(&case, &["trace", "events", &call.to_string(), "--limit", "9999", "all.trace"]);
    let all = events["events"].as_array().expect("events");
    let passes = |number: u32| {
        all.iter().filter(|event| event["event"] == json!("line") && event["line"] == json!(number)).count()
    };
    for shown in lines["lines"].as_array().expect("lines") {
        let number = u32::try_from(shown["line"].as_u64().expect("a line")).expect("small");
        assert_eq!(shown["count"], json!(passes(number)), "line {number}");
    }
    let foo = line(26)["values"].as_array().cloned().unwrap_or_default();
    assert!(foo.iter().any(|value| value["name"] == json!("foo")), "{foo:?}");
    // From execution to execution of a line.
    let of = |which: &str, from: &Value| {
        page.get(&format!("execution?{}&class=Intro&line=13&which={which}", query_of(from)))
    };
    let start = json!({ "call": call });
    let mut at = of("first", &start);
    let mut found = vec![at.clone()];
    loop {
        let next = of("next", &at);
        if next["none"].is_string() {
            break;
        }
        assert_eq!(of("previous", &next), at);
        found.push(next.clone());
        at = next;
    }
    assert_eq!(found.len(), 8);
    assert_eq!(of("last", &start), at);
    let source = page.get("source?class=Intro&file=Intro.java");
    let text = std::fs::read_to_string(case.work().join("Intro.java")).expect("the source");
    let shown: Vec<&str> =
        source["lines"].as_array().expect("lines").iter().filter_map(Value::as_str).collect();
    assert_eq!(shown, text.lines().collect::<Vec<_>>());
    let none = page.get("source?class=Nobody");
    assert!(none["why"].as_str().is_some_and(|why| why.contains("--source")), "{none}");
}

/// Each cause is the one that `qp trace step` and a chain of the command line find.
#[test]
fn causes_lead_back_and_stand_in_the_timeline() {
    let case = Case::of_example("intro");
    recorded(&case, "Intro");
    let page = Page::start(&case, &["all.trace"]);
    let call = outermost(&page, "main");
    // The page begins where the exception was thrown that nobody caught.
    let start = &page.get("session")["recordings"][0]["start"];
    let at = page.get(&format!("event?{}", query_of(start)));
    assert_eq!((&at["call"], &at["line"]), (&call, &json!(31)), "{start}");
    let foo = page.post("why", &json!({ "call": call, "variable": "foo" }));
    assert_eq!((&foo["line"], &foo["kind"]), (&json!(26), &json!("written")), "{foo}");
    let condition = page.post("why", &json!({ "call": call, "event": foo["selection"]["event"] }));
    assert_eq!((&condition["line"], &condition["kind"]), (&json!(24), &json!("decided")), "{condition}");
    assert_eq!(condition["condition"], json!("record.bar || cond"));
    let bar = page.post(
        "why",
        &json!({
            "call": call, "event": condition["selection"]["event"], "variable": "record.bar"
        }),
    );
    assert_eq!((&bar["line"], &bar["event"]["new"]), (&json!(10), &json!("true")), "{bar}");
    let timeline = page.get(&format!("timeline?call={call}"));
    let run = &timeline["runs"][0];
    assert_eq!(
        run["arrows"],
        json!([
            { "from": "effect 1", "to": "cause 1" },
            { "from": "cause 1", "to": "cause 2" },
            { "from": "cause 2", "to": "cause 3" },
        ])
    );
    let at = |id: &str| {
        let points = run["points"].as_array().expect("points");
        let point =
            points.iter().find(|point| point["id"] == json!(id)).unwrap_or_else(|| panic!("{id}: {run}"));
        point["at"].as_f64().expect("a time")
    };
    assert!(
        at("cause 3") < at("cause 2") && at("cause 2") < at("cause 1") && at("cause 1") <= at("effect 1")
    );
    assert!(timeline["selection_at"].as_f64().is_some_and(|end| end >= at("effect 1")), "{timeline}");
    page.post("forget", &json!({ "asked": 3 }));
    let points = page.get("timeline")["runs"][0]["points"].as_array().map(Vec::len);
    assert_eq!(points, Some(3));
}

/// The bars of a window are calls that ran in it, and each lies inside its caller.
#[test]
fn the_timeline_zooms_from_the_run_to_a_call() {
    let case = Case::new("recursion");
    recorded(&case, "Recursion");
    let page = Page::start(&case, &["all.trace"]);
    let (mut from, mut to) = (0.0, 1.0);
    let mut deepest = 0;
    for _ in 0..6 {
        let drawn = page.get(&format!("timeline?from={from}&to={to}&width=200"));
        let lanes = drawn["runs"][0]["lanes"].as_array().expect("lanes");
        let threads = page.get("session")["recordings"][0]["threads"].as_array().map(Vec::len);
        assert_eq!(Some(lanes.len()), threads);
        let mut narrowest: Option<(f64, f64)> = None;
        for lane in lanes {
            let bars = lane["bars"].as_array().map(Vec::as_slice).unwrap_or_default();
            for bar in bars {
                let (begins, ends) =
                    (bar["from"].as_f64().expect("a time"), bar["to"].as_f64().expect("a time"));
                assert!(begins <= ends && begins <= to && ends >= from, "{from} {to}: {bar}");
                let path = page.get(&format!("path?call={}", bar["call"]));
                let path = path["path"].as_array().expect("a path");
                deepest = deepest.max(path.len());
                let inside = path.iter().any(|step| {
                    bars.iter()
                        .filter(|of| of["call"] == step["call"])
                        .all(|of| of["from"].as_f64() <= Some(begins) && of["to"].as_f64() >= Some(ends))
                });
                assert!(inside, "{bar}");
                if ends > begins && narrowest.is_none_or(|(a, b)| ends - begins < b - a) {
                    narrowest = Some((begins, ends));
                }
            }
        }
        let Some((a, b)) = narrowest else { break };
        if (a, b) == (from, to) {
            break;
        }
        (from, to) = (a, b);
    }
    assert!(deepest > 1, "{deepest}");
    // A narrow window shows the events themselves, and each leads to its place.
    let windows = (1..30).map(|step| 0.5_f64.powi(step));
    let drawn = windows.map(|width| page.get(&format!("timeline?from=0.5&to={}", 0.5 + width / 2.0)));
    let few = drawn.map(|drawn| drawn["runs"][0]["lanes"][0]["events"].clone()).find(Value::is_array);
    let few = few.expect("a window with few events");
    let ticks = few.as_array().expect("events");
    assert!((1..=200).contains(&ticks.len()), "{}", ticks.len());
    for tick in ticks {
        let at = page.get(&format!(
            "event?call={}&place={}",
            tick["call"],
            tick["place"].as_str().expect("a place")
        ));
        assert_eq!(at["call"], tick["call"]);
        let drawn = page.get(&format!("timeline?width=1&{}", query_of(&at)));
        assert_eq!(drawn["selection_at"], tick["at"], "{tick}");
    }
}

/// Values of the program are data, wherever they are shown.
#[test]
fn a_hostile_value_is_text() {
    let case = Case::new("hostile");
    let page = {
        std::fs::write(
            case.work().join("Evil.java"),
            "class Evil { static String held; public static void main(String[] a) { \
             held = \"<img src=x onerror=alert(1)>\\u0000\\u001b[2J</script><script>alert(2)</script>\"; } }",
        )
        .expect("written");
        let mut javac = std::process::Command::new("javac");
        javac.args(["-g", "-d", "classes", "Evil.java"]).current_dir(case.work());
        assert!(javac.status().expect("javac").success());
        recorded(&case, "Evil");
        Page::start(&case, &["all.trace"])
    };
    let response = page.asked("node?call=0");
    assert_eq!(response.header("content-type"), Some("application/json"));
    assert_eq!(response.header("x-content-type-options"), Some("nosniff"));
    let value = &response.json()["question"]["changed"][0]["new"]["value"];
    assert!(value.as_str().is_some_and(|text| text.contains("<img src=x onerror=alert(1)>")), "{value}");
}

/// The time axis of the picture has the calls of all threads in the order in which they were entered.
#[test]
fn the_time_axis_orders_the_calls_of_all_threads() {
    let case = Case::new("taking-turns");
    recorded(&case, "TakingTurns");
    let page = Page::start(&case, &["all.trace"]);
    let file = case.work().join("all.jsonl");
    let output = finish(case.qp().args(["trace", "export", "--to", "all.jsonl", "all.trace"]));
    assert!(output.status.success(), "{}", said(&output));
    let text = std::fs::read_to_string(file).expect("the events");
    let events = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let mut entered: Vec<Value> = events.filter(|event| event["event"] == json!("enter")).collect();
    // The turns order the events of all threads.
    entered.sort_by_key(|event| event["turn"].as_u64());
    let steps =
        entered.iter().filter(|event| event["method"].as_str().is_some_and(|name| name.contains("step")));
    let threads: Vec<&str> = steps.filter_map(|event| event["thread"].as_str()).collect();
    let in_turn: Vec<String> = (0..120).map(|number| format!("turns-{}", number % 3)).collect();
    assert_eq!(threads, in_turn);
    let mut last = (0.0, json!(null));
    for call in entered.iter().map(|event| event["node"].clone()) {
        let at = page.get(&format!("timeline?width=1&call={call}&event=0"))["selection_at"].as_f64();
        let at = at.expect("a time");
        assert!(at >= last.0, "#{call} is at {at}, before {} of #{}", last.0, last.1);
        last = (at, call);
    }
    assert!(last.0 > 0.3, "{last:?}");
}

/// What is shown of a packed recording is what is shown of its folder, without the program and its JDK.
#[test]
fn a_packed_recording_is_served_without_its_program() {
    let case = Case::new("traced");
    recorded(&case, "Traced");
    let output = finish(case.qp().args(["trace", "pack", "all.trace"]));
    assert!(output.status.success(), "{}", said(&output));
    let seen = |page: &Page| {
        let main = outermost(page, "main");
        let requests = ["tree?thread=1&from=0&limit=50", "source?class=Traced&file=Traced.java"];
        let of_main = ["events", "node", "lines"].map(|what| format!("{what}?call={main}"));
        let all = requests.iter().map(|&request| request.to_owned()).chain(of_main);
        all.map(|request| page.get(&request)).collect::<Vec<_>>()
    };
    let page = Page::start(&case, &["all.trace"]);
    let of_folder = seen(&page);
    page.end();
    for folder in ["all.trace", "classes"] {
        std::fs::remove_dir_all(case.work().join(folder)).expect("removed");
    }
    let before = case.files();
    let mut serve = case.qp();
    serve.args(["serve", "all.qp"]).env("PATH", "/nonexistent");
    let page = Page::of(&mut serve);
    let of_file = seen(&page);
    assert_eq!(of_file, of_folder);
    assert!(of_file[1]["lines"].as_array().is_some_and(|lines| lines.len() > 20), "{}", of_file[1]);
    ends_without_a_trace(page, &case, &before);
}
