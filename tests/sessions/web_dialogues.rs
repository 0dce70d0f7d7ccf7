//! What a page asks of the program: diagnoses, omissions, queries, chains, and recordings that still grow.

use crate::support::case::Case;
use crate::support::root;
use crate::web::{Page, ends_without_a_trace, outermost, query_of, recorded, rows};
use serde_json::{Value, json};
use std::io::Write;
use std::time::{Duration, Instant};

/// The texts of all replies of a diagnosis.
fn texts(shown: &Value) -> String {
    let replies = shown["replies"].as_array().map(Vec::as_slice).unwrap_or_default();
    replies.iter().filter_map(|reply| reply["text"].as_str()).collect::<Vec<_>>().join("\n")
}

/// The verdicts of the tree, by the methods of its calls.
fn verdicts(page: &Page, call: &Value) -> Vec<(String, String)> {
    let tree = page.get(&format!("tree?call={call}&limit=100"));
    let marked = rows(&tree).iter().filter_map(|row| Some((row, row["verdict"].as_str()?)));
    marked.map(|(row, verdict)| (row["call"]["method"].to_string(), verdict.to_owned())).collect()
}

#[test]
fn a_diagnosis_is_led_by_answers() {
    let case = Case::of_example("mergesort");
    recorded(&case, "MergeSort");
    let page = Page::start(&case, &["all.trace"]);
    let begun = page.post("diagnosis", &json!({ "start": { "strategy": "top-down" } }));
    assert_eq!((&begun["state"], &begun["strategy"]), (&json!("asking"), &json!("top-down")));
    let mut shown = begun;
    let mut asked = Vec::new();
    // `main`, `sort` and the `merge` that loses an element are wrong; everything else is right.
    while shown["state"] == json!("asking") {
        let question = &shown["question"];
        let method = question["method"].as_str().expect("a method").to_owned();
        let is_wrong = match method.as_str() {
            "main" | "sort" => true,
            "merge" => {
                question["exit"]["ra"] == json!({ "type": "int", "value": 2 })
                    && question["exit"]["la"] == json!({ "type": "int", "value": 2 })
            }
            _ => false,
        };
        asked.push(method);
        let answer = if is_wrong { "invalid" } else { "valid" };
        assert!(asked.len() < 20, "{asked:?}");
        shown = page.post("diagnosis", &json!({ "question": question["question"], "answer": answer }));
    }
    assert_eq!(shown["state"], json!("ended"));
    assert_eq!(shown["result"]["buggy"]["method"], json!("merge"), "{shown}");
    assert_eq!(shown["selection"]["call"], shown["result"]["buggy"]["node"]);
    assert_eq!(page.get("diagnosis"), shown, "another page sees the same");
    let sort = &page.get("tree?call=0")["rows"][0]["call"]["node"];
    let marked = verdicts(&page, sort);
    assert!(marked.contains(&("\"merge\"".to_owned(), "buggy".to_owned())), "{marked:?}");
    assert!(marked.iter().any(|(_, verdict)| verdict == "valid"), "{marked:?}");
    assert!(texts(&shown).contains("the bug is in MergeSort.merge"), "{}", texts(&shown));
    assert_eq!(shown["result"]["answers"], json!(asked.len()));
    let refused = page.sent("diagnosis", &json!({ "question": 1, "answer": "valid" }));
    assert_eq!(refused.status, 422);
    let back = page.post("diagnosis", &json!({ "question": 0, "answer": "undo" }));
    assert_eq!((&back["state"], &back["result"]), (&json!("asking"), &Value::Null), "after the end too");
    assert_eq!(back["question"]["method"], json!(asked.last().expect("a question")));
    let again = page.post("diagnosis", &json!({ "start": {} }));
    let first = again["question"]["question"].clone();
    let undone = page.post("diagnosis", &json!({ "question": first, "answer": "unknown" }));
    if undone["state"] == json!("asking") {
        let number = &undone["question"]["question"];
        let back = page.post("diagnosis", &json!({ "question": number, "answer": "undo" }));
        assert_eq!(back["question"]["node"], again["question"]["node"]);
    }
    let ended = page.post("diagnosis", &json!({ "end": true }));
    assert_eq!((&ended["state"], &ended["replies"]), (&json!("none"), &json!([])));
    assert_eq!(verdicts(&page, sort), []);
}

/// A value that is pointed at leads to the calls that influenced it.
#[test]
fn a_wrong_value_is_an_answer() {
    let case = Case::of_example("mergesort");
    recorded(&case, "MergeSort");
    let page = Page::start(&case, &["all.trace"]);
    let begun = page.post("diagnosis", &json!({ "start": { "strategy": "top-down" } }));
    let sort = page.get("tree?call=0")["rows"][0]["call"]["node"].clone();
    let answer = json!({
        "question": begun["question"]["question"], "answer": "wrong", "path": "a[2]", "node": sort
    });
    let shown = page.post("diagnosis", &answer);
    assert_eq!(shown["state"], json!("asking"), "{shown}");
    assert!(shown["question"]["influential"].is_number(), "{}", texts(&shown));
    let stale = page.sent("diagnosis", &answer);
    assert_eq!(stale.status, 422, "{}", stale.body);
}

/// The paper's example: the flag is false, and so the names are never added.
#[test]
fn an_omission_hangs_at_its_jump_and_can_be_tried() {
    let case = Case::of_example("filelister");
    std::fs::create_dir(case.work().join("files")).expect("a folder");
    std::fs::write(case.work().join("files/pear.txt"), "").expect("a file");
    recorded(&case, "FileLister");
    let page = Page::start(&case, &["all.trace"]);
    let run = page.get("tree?call=0")["rows"][1]["call"]["node"].clone();
    let print = page.get(&format!("tree?call={run}"))["rows"][2]["call"]["node"].clone();
    let events = page.get(&format!("events?call={print}"));
    let local = rows(&events).iter().find(|row| row["name"] == json!("s")).expect("the variable");
    assert_eq!(page.get("omissions"), json!({ "none": true }));
    let asked = json!({ "call": print, "event": local["event"], "what": "s" });
    let found = page.post("omissions", &asked);
    let first = &found["suggestions"][0];
    assert_eq!((&first["text"], &first["outcome"]), (&json!("if (active)"), &json!("was false")), "{found}");
    assert_eq!(first["operation"]["text"], json!("d.add(n)"));
    assert_eq!(first["selection"]["call"], run);
    let at = page.get(&format!("event?{}", query_of(&first["selection"])));
    assert_eq!(at["line"], json!(20));
    // Balloons: at the event, at its call, and bundled where that is folded.
    let events = page.get(&format!("events?call={run}"));
    let hung: Vec<&Value> = rows(&events).iter().filter(|row| row["omitted"] == json!([1])).collect();
    assert_eq!(hung.len(), 1, "{events}");
    assert_eq!(hung[0]["event"], first["selection"]["event"]);
    assert_eq!(page.get("tree?call=0")["rows"][1]["balloons"], json!({ "own": 1, "below": 0 }));
    assert_eq!(page.get("tree?thread=1")["rows"][0]["balloons"], json!({ "own": 0, "below": 1 }));
    let tried = page.post("omissions/try", &json!({ "number": 1, "want": "s.size() > 0" }));
    assert_eq!(tried["suggestions"][0]["confirmation"]["verdict"], json!("right"), "{tried}");
    assert_eq!(page.get("omissions"), tried);
    let by_object = json!({ "call": print, "what": found["target"] });
    assert_eq!(page.post("omissions", &by_object)["suggestions"][0]["text"], json!("if (active)"));
    assert_eq!(page.sent("omissions/try", &json!({ "number": 1 })).status, 422);
    page.post("omissions/clear", &json!({}));
    assert_eq!(page.get("omissions"), json!({ "none": true }));
    assert_eq!(page.get("tree?thread=1")["rows"][0]["balloons"], Value::Null);
}

#[test]
fn queries_lead_to_events_and_use_no_files() {
    let case = Case::of_example("intro");
    recorded(&case, "Intro");
    let page = Page::start(&case, &["all.trace"]);
    let found = page.post("query", &json!({ "line": "where-set Rec.bar --value true" }));
    assert_eq!(found["reply"], json!("answer"), "{found}");
    let hits = rows(&found);
    assert!(!hits.is_empty());
    let is_write = |row: &&Value| row["text"].as_str().is_some_and(|text| text.contains("set Rec@"));
    assert!(hits.iter().any(|row| is_write(&row)));
    for row in hits.iter().filter(is_write) {
        let at = page.get(&format!(
            "event?call={}&place={}",
            row["selection"]["call"],
            row["place"].as_str().expect("a place")
        ));
        let part = page.get(&format!(
            "events?call={}&from={}&limit=1",
            at["call"],
            at["event"].as_u64().expect("an event") - 1
        ));
        let event = &rows(&part)[0];
        assert_eq!(
            (&event["kind"], &event["name"], &event["new"]),
            (&json!("field"), &json!("bar"), &json!("true"))
        );
    }
    let first = page.post("query", &json!({ "line": "event(Id, Thread, Event)" }));
    assert_eq!((&first["reply"], &first["waits"]), (&json!("goal"), &json!(true)), "{first}");
    let next = page.post("query", &json!({ "line": ";" }));
    assert_ne!(first["rows"], next["rows"]);
    for line in ["save answer.json", "rules rules.pl", "where-set Rec.bar --save answer.json"] {
        let refused = page.post("query", &json!({ "line": line }));
        assert_eq!(refused["reply"], json!("error"), "{line}: {refused}");
    }
    assert!(!case.work().join("answer.json").exists());
    let known = page.get("queries");
    assert!(known["queries"].as_array().is_some_and(|all| all.len() > 5), "{known}");
    assert_eq!(known["saved"][0], json!("where-set Rec.bar --value true"));
}

/// The introduction of the paper, from the assertion to the skipped line.
#[test]
fn a_chain_grows_from_question_to_question() {
    let case = Case::of_example("intro");
    let file = case.chain(
        r#"command: ["java", "-ea", "-cp", "classes", "Intro"], sources: ["."]"#,
        r#"(id: "A", at: Line("Intro", 31), when: "foo == null")"#,
    );
    let page = Page::start(&case, &["--trust", file.to_str().expect("a path")]);
    let ready = |session: &Value| session["recordings"][0]["state"] == json!("ready");
    page.until("session", ready);
    let shown = page.until("chain", |chain| chain["state"] == json!("answered"));
    assert_eq!(shown["points"][0]["question"], json!("Line(Intro, 31) when foo == null"));
    let ask = |from: &str, kind: &str, of: Option<&str>| {
        let mut question = json!({ "from": from, "kind": kind });
        if let Some(of) = of {
            question["of"] = json!(of);
        }
        page.post("chain", &json!({ "ask": question }))
    };
    ask("A", "LastChange", Some("foo"));
    page.post("chain", &json!({ "collect": { "point": "B", "expression": "record.bar" } }));
    ask("B", "LastCondition", None);
    ask("C", "LastChange", Some("record.bar"));
    let last = ask("D", "SkippedLine", Some("Intro:14"));
    let lines: Vec<&Value> =
        last["answer"]["points"].as_array().expect("points").iter().map(|p| &p["line"]).collect();
    assert_eq!(json!(lines), json!([31, 26, 24, 10, 13]));
    assert_eq!(last["answer"]["points"][1]["collected"]["record.bar"], json!("false"));
    let timeline = page.get("timeline");
    let runs = timeline["runs"].as_array().expect("runs");
    assert_eq!(runs.len(), 1 + 6, "the recording, and a run for each question: {timeline}");
    let run = runs.last().expect("a run");
    assert_eq!(run["arrows"].as_array().map(Vec::len), Some(4));
    let points = run["points"].as_array().expect("points");
    let order: Vec<f64> = points.iter().map(|point| point["at"].as_f64().expect("a time")).collect();
    assert!(
        order[3] < order[4] && order[4] < order[2] && order[2] < order[1] && order[1] < order[0],
        "{order:?}"
    );
    assert!(run["rejected"].as_array().is_some_and(|rejected| !rejected.is_empty()), "{run}");
    for point in points {
        let at = page.get(&format!("event?{}", query_of(&point["selection"])));
        assert_eq!(at["line"], point["line"], "{point}");
    }
    let refused =
        page.sent("chain", &json!({ "ask": { "from": "A", "kind": "LastChange", "of": "nobody" } }));
    assert_eq!(refused.status, 422, "{}", refused.body);
    let kept = page.get("chain");
    assert_eq!(kept["points"].as_array().map(Vec::len), Some(5), "what cannot be asked is taken back");
    let removed = page.post("chain", &json!({ "remove": "C" }));
    let ids: Vec<&Value> =
        removed["points"].as_array().expect("points").iter().map(|point| &point["id"]).collect();
    assert_eq!(json!(ids), json!(["A", "B"]));
    // The file is as if it had been saved at the prompt.
    let saved = case.work().join("saved.ron");
    std::fs::write(&saved, removed["ron"].as_str().expect("a chain")).expect("written");
    let text = std::fs::read_to_string(&saved).expect("read");
    assert!(text.contains("LastChange"), "{text}");
}

/// An event of a recording can be the beginning of a chain.
#[test]
fn a_chain_begins_at_an_event() {
    let case = Case::of_example("intro");
    recorded(&case, "Intro");
    let page = Page::start(&case, &["all.trace"]);
    let call = outermost(&page, "main");
    let foo = page.post("why", &json!({ "call": call, "variable": "foo" }));
    let begun = page.post("chain", &json!({ "start": foo["selection"] }));
    assert_eq!(begun["answer"]["outcome"], json!("held"), "{begun}");
    let last = begun["points"].as_array().and_then(|points| points.last()).expect("a point")["id"].clone();
    let asked = page.post("chain", &json!({ "ask": { "from": last, "kind": "LastCondition" } }));
    let points = asked["answer"]["points"].as_array().expect("points");
    assert_eq!(points.last().expect("a point")["line"], json!(24));
    assert_eq!(page.get("session")["chain"], json!(true));
}

/// The tree can be read while the program runs; the end of the server ends the program.
#[test]
fn a_program_is_shown_while_it_runs() {
    let case = Case::new("goes-on");
    let sources: Vec<String> = std::fs::read_dir(case.work())
        .expect("a folder")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|name| name.strip_suffix(".java").map(str::to_owned))
        .collect();
    let class = sources.first().expect("a class").clone();
    let before = case.files();
    let page = Page::start(&case, &["--", "java", "-cp", "classes", &class]);
    let mut stream = page.stream();
    assert_eq!(stream.next().expect("an event").0, "doing");
    let growing = page.until("session", |session| session["recordings"][0]["calls"].as_u64() > Some(0));
    assert_eq!(growing["recordings"][0]["state"], json!("recording"), "{growing}");
    let thread = growing["recordings"][0]["threads"][0]["number"].clone();
    assert!(!rows(&page.get(&format!("tree?thread={thread}"))).is_empty());
    assert!(stream.any(|(name, _)| name == "session"), "the page is told of what was recorded");
    let refused = page.sent("omissions", &json!({ "call": 0, "what": "this" }));
    assert_eq!(refused.status, 422, "{}", refused.body);
    // What there is can be asked about when the run is cancelled.
    page.post("cancel", &json!({}));
    page.until("session", |session| session["recordings"][0]["state"] == json!("ready"));
    let found = page.post("query", &json!({ "line": "threads" }));
    assert_eq!(found["reply"], json!("answer"), "{found}");
    ends_without_a_trace(page, &case, &before);
}

#[test]
fn work_can_be_cancelled() {
    let case = Case::of_example("intro");
    recorded(&case, "Intro");
    let page = Page::start(&case, &["all.trace"]);
    let endless = json!({ "line": "repeat, fail" });
    std::thread::scope(|scope| {
        let asked = scope.spawn(|| page.sent("query", &endless));
        let end = Instant::now() + Duration::from_secs(60);
        while !asked.is_finished() && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(200));
            // The views answer meanwhile.
            assert!(!rows(&page.get("tree?thread=1")).is_empty());
            page.post("cancel", &json!({}));
        }
        let answer = asked.join().expect("an answer");
        assert!(
            answer.status == 409 || answer.body.contains("interrupt"),
            "{} {}",
            answer.status,
            answer.body
        );
    });
    assert_eq!(page.post("query", &json!({ "line": "threads" }))["reply"], json!("answer"));
}

/// `qp diagnose --web` asks in the browser, while the program runs. What assertions answer is shown.
#[test]
fn a_diagnosis_begins_in_the_browser() {
    let case = Case::new("goes-on");
    let before = case.files();
    let mut command = case.qp();
    let page = Page::of(command.args(["diagnose", "--web", "--", "java", "-cp", "classes", "GoesOn"]));
    let mut shown = page.until("diagnosis", |shown| shown["state"] == json!("asking"));
    assert_eq!(page.get("session")["recordings"][0]["state"], json!("recording"));
    // `add` adds what `twice` returns; `twice(7)` is wrong.
    while shown["state"] == json!("asking") {
        let question = &shown["question"];
        let is_seven = question["entry"]["n"]["value"] == json!(7);
        let answer = if is_seven { "invalid" } else { "valid" };
        shown = page.post("diagnosis", &json!({ "question": question["question"], "answer": answer }));
    }
    assert_eq!(shown["result"]["buggy"]["method"], json!("twice"), "{shown}");
    ends_without_a_trace(page, &case, &before);
}

#[test]
fn the_page_shows_what_assertions_answered() {
    let case = Case::of_example("mergesort");
    let asserts = std::fs::read_to_string(root().join("examples/mergesort/asserts.ron")).expect("assertions");
    std::fs::write(case.work().join("asserts.ron"), asserts).expect("written");
    recorded(&case, "MergeSort");
    let mut command = case.qp();
    let page = Page::of(command.args(["diagnose", "--web", "--assert", "asserts.ron", "all.trace"]));
    let shown = page
        .until("diagnosis", |shown| shown["state"] != json!("working") && shown["state"] != json!("none"));
    let by_assertion = |reply: &Value| reply["by_assertion"].is_object() || reply["assertions"].is_object();
    assert!(shown["replies"].as_array().is_some_and(|all| all.iter().any(by_assertion)), "{shown}");
    assert!(shown["result"]["answered_by_assertion"].as_u64() > Some(0) || shown["state"] == json!("asking"));
}

/// Others on this machine can connect, but not keep the page from working.
#[test]
fn idle_connections_do_no_harm() {
    let case = Case::of_example("mergesort");
    recorded(&case, "MergeSort");
    let page = Page::start(&case, &["all.trace"]);
    let idle: Vec<_> =
        (0..40).map(|_| std::net::TcpStream::connect(&page.host).expect("a connection")).collect();
    for _ in 0..20 {
        assert_eq!(page.get("session")["recordings"][0]["calls"], json!(7));
    }
    drop(idle);
    // Neither do more than there are places for, silent or in the middle of a header.
    let slow: Vec<_> = (0..150)
        .map(|at| {
            let mut stream = std::net::TcpStream::connect(&page.host).expect("a connection");
            if at % 2 == 0 {
                stream.write_all(b"G").expect("a byte");
            }
            stream
        })
        .collect();
    let began = std::time::Instant::now();
    assert_eq!(page.get("session")["recordings"][0]["calls"], json!(7));
    assert!(began.elapsed() < std::time::Duration::from_secs(5), "{:?}", began.elapsed());
    drop(slow);
}

#[test]
fn a_served_program_gets_its_input() {
    let case = Case::new("reads-stdin");
    std::fs::write(case.mark("input"), "one\nthree words, longest\ntwo\n").expect("written");
    let qp = case.qp();
    let mut fed = std::process::Command::new("sh");
    fed.args(["-c", "exec \"$0\" serve -- java -cp classes ReadsStdin <\"$MARKS/input\""]);
    fed.arg(qp.get_program()).current_dir(case.work());
    fed.envs(qp.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let before = case.files();
    let page = Page::of(&mut fed);
    page.until("session", |session| session["recordings"][0]["state"] == json!("ready"));
    let events = page.get("events?call=0").to_string();
    assert!(events.contains("three words, longest"), "{events}");
    ends_without_a_trace(page, &case, &before);
}
