//! Ten programs with what the doors to the past once told in different ways. At random moments the prompt of
//! `qp trace step`, an editor and the page give the same variables, writes and causes; the command line,
//! logic queries and agents give the same histories; and a recording gives the same `qp why` as a run.
//!
//! `QP_DOORS=1000 cargo test --test sessions doors_agree::` tries a thousand moments of each program instead
//! of a hundred.

use crate::agent::Agent;
use crate::doors::{of_editor, of_step, stepped, write};
use crate::editor::Editor;
use crate::support::case::Case;
use crate::support::rng::Rng;
use crate::support::{compiled, finish, root, said};
use crate::web::Page;
use serde_json::{Value, json};

/// Moments per program, unless `QP_DOORS` says otherwise.
const USUAL: usize = 100;

/// A program with expressions that are asked about everywhere, and those asked about at its end, by their
/// last change.
struct Program {
    class: &'static str,
    everywhere: &'static [&'static str],
    at_end: &'static [&'static str],
    code: i32,
}

const PROGRAMS: [Program; 10] = [
    Program {
        class: "Hiding",
        everywhere: &["n", "super.n", "this.label"],
        at_end: &["low.n", "((Mid) low).n", "((Base) low).n", "seen"],
        code: 0,
    },
    Program { class: "Loaders", everywhere: &["number", "made"], at_end: &["length"], code: 0 },
    Program {
        class: "Statics",
        everywhere: &["Statics.total", "Statics.last", "hits"],
        at_end: &["total", "last", "Counter.hits", "Counter.times[2]", "both"],
        code: 0,
    },
    Program {
        class: "Constants",
        everywhere: &["Constants.LIMIT", "Constants.NAME", "fixed", "mark", "weight"],
        at_end: &["sum", "box.size", "box.open"],
        code: 0,
    },
    Program {
        class: "Arrays2",
        everywhere: &["Arrays2.grid", "Arrays2.grid[1]", "Arrays2.grid[1][2]"],
        at_end: &["grid[1][1]", "grid[2]", "names[0][0]", "flags[1]"],
        code: 0,
    },
    Program {
        class: "Collected",
        everywhere: &["words", "counts", "lengths", "last", "words.size()"],
        at_end: &[
            "contents(all.words)",
            "all.words[1]",
            "all.counts{\"one\"}",
            "contents(all.lengths)",
            "size",
        ],
        code: 0,
    },
    Program {
        class: "Built",
        everywhere: &["text", "other", "text.length()"],
        at_end: &["whole", "other"],
        code: 0,
    },
    Program { class: "Namesakes", everywhere: &["turn", "sum"], at_end: &["sum", "turn"], code: 0 },
    Program {
        class: "Generated",
        everywhere: &["kept", "factor", "found"],
        at_end: &["found", "all.kept", "other.kept"],
        code: 0,
    },
    Program {
        class: "CutOff",
        everywhere: &["CutOff.depth", "left", "left[2]"],
        at_end: &["depth", "left[3]"],
        code: 3,
    },
];

/// The end of a program, by the number of the marked line.
fn end_of(class: &str) -> usize {
    let file = root().join("tests/fixtures/doors").join(format!("{class}.java"));
    let text = std::fs::read_to_string(file).expect("a source");
    1 + text.lines().position(|line| line.ends_with("// <- end")).expect("a mark")
}

/// A recording of a program, as `doors.trace`, and its command.
fn recorded(program: &Program) -> (Case, Vec<String>) {
    let case = Case::new("traced");
    let classes = compiled("fixtures/doors", &["-g", "-nowarn"]).display().to_string();
    let command = ["java", "-cp", &classes, program.class].map(str::to_owned).to_vec();
    let mut record = case.qp();
    record.args(["trace", "record", "--level", "all", "--out", "doors.trace", "--"]).args(&command);
    let output = finish(&mut record);
    let expected = if program.code == 0 { 0 } else { 1 };
    assert!(matches!(output.status.code(), Some(code) if code == 0 || code == expected), "{}", said(&output));
    assert!(said(&output).contains(&format!("exit code {}", program.code)), "{}", said(&output));
    (case, command)
}

fn moments() -> usize {
    std::env::var("QP_DOORS").ok().and_then(|number| number.parse().ok()).unwrap_or(USUAL)
}

/// A moment, and an expression that is asked about there.
struct Asked {
    call: u64,
    event: u64,
    name: String,
}

/// Random moments. The names are those of the variables there, and those of the program.
fn asked(program: &Program, page: &Page, editor: &mut Editor, rng: &mut Rng) -> Vec<Asked> {
    let calls = page.get("session")["recordings"][0]["calls"].as_u64().expect("a number");
    let small = |number: u64| usize::try_from(number).expect("small");
    let mut all = Vec::new();
    while all.len() < moments() {
        let call = u64::try_from(rng.below(small(calls))).expect("small");
        let count = page.get(&format!("events?call={call}&from=0&limit=1"))["count"].as_u64().unwrap_or(0);
        let event = u64::try_from(rng.below(small(count) + 1)).expect("small");
        editor.says(&format!("go {call}.{event}"));
        let variables = [editor.scope(1, "Arguments"), editor.locals(1)].concat();
        let name = |shown: &String| shown.split(" = ").next().map(str::to_owned);
        let mut names: Vec<String> = variables.iter().filter_map(name).collect();
        names.extend(program.everywhere.iter().map(|name| (*name).to_owned()));
        all.push(Asked { call, event, name: rng.pick(&names).clone() });
    }
    all
}

/// The prompt, the editor and the page at random moments. Returns how many values were known.
fn moments_agree(program: &Program, case: &Case, page: &Page, rng: &mut Rng) -> usize {
    let mut editor = Editor::start(case);
    editor.launch(json!({
        "mode": "trace", "trace": "doors.trace", "cwd": case.work(),
        "sources": [root().join("tests/fixtures/doors")],
    }));
    let asked = asked(program, page, &mut editor, rng);
    let lines: Vec<String> = asked
        .iter()
        .flat_map(|Asked { call, event, name }| {
            [
                format!("go {call}.{event}"),
                format!("show {name}"),
                format!("why {name}"),
                format!("history {name}"),
            ]
        })
        .collect();
    let replies = stepped(case, &lines);
    let mut known = 0;
    for (Asked { call, event, name }, replies) in asked.iter().zip(replies.chunks(4)) {
        let place = format!("{} at {call}.{event} of {}", name, program.class);
        let (shown, cause, history) = (&replies[1], &replies[2], &replies[3]);
        editor.says(&format!("go {call}.{event}"));
        assert_eq!(of_editor(&mut editor, name), of_step(shown), "{place}: {shown:#}");
        known += usize::from(of_step(shown).is_some());
        let frame = editor.frame(1);
        let seq = editor.send("qp/why", json!({"expression": name, "frameId": frame}));
        let told = editor.response(seq);
        assert_eq!(told["success"], json!(cause["reply"] != "error"), "{place}: {cause:#}\n{told:#}");
        // The page stands behind an event, the others stand before it.
        let Some(before) = event.checked_sub(1) else { continue };
        let asked = json!({"call": call, "event": before, "variable": name});
        let of_page = page.sent("why", &asked);
        assert_eq!(of_page.status == 200, told["success"] == true, "{place}: {cause:#}");
        if told["success"] == true {
            let of_page = of_page.json();
            assert_eq!(told["body"]["text"], of_page["text"], "{place}");
            assert_eq!(of_page["selection"], cause["content"]["selection"], "{place}");
            if cause["content"]["kind"] == "written" {
                assert_eq!(write(&of_page["event"]), write(&cause["content"]), "{place}");
            }
        }
        if history["reply"] != "error" && !name.contains('(') {
            let encoded = name.replace('[', "%5B").replace(']', "%5D").replace(' ', "%20");
            let told = page.get(&format!("history?call={call}&event={before}&variable={encoded}"));
            let found: Vec<String> = told["writes"].as_array().expect("writes").iter().map(write).collect();
            let known = history["content"]["writes"].as_array().expect("writes").iter();
            let known: Vec<String> = known.map(write).collect();
            assert_eq!(found, known, "{place}");
        }
    }
    assert_eq!(editor.vanish(), Some(0));
    known
}

/// The histories of an object's fields on the command line, by a logic query, and for an agent.
fn histories_agree(case: &Case, page: &Page, rng: &mut Rng) -> usize {
    let told = |arguments: &[&str]| -> Value {
        let output = finish(case.qp().args(["--format=json"]).args(arguments));
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", said(&output)))
    };
    let root = case.work();
    let mut agent = Agent::start(case, &["--root", root.to_str().expect("a path")]);
    let calls = page.get("session")["recordings"][0]["calls"].as_u64().expect("a number");
    let lines: Vec<String> =
        (0..calls.min(40)).flat_map(|call| [format!("go {call}.1"), "show this".to_owned()]).collect();
    let replies = stepped(case, &lines);
    let mut fields: Vec<(String, String)> = Vec::new();
    for reply in replies {
        // An enum constant is shown by its name.
        let Some(object) = reply["content"]["value"].as_str().filter(|text| text.contains('@')) else {
            continue;
        };
        let parts = reply["content"]["inner"]["parts"].as_array().cloned().unwrap_or_default();
        let names = parts.iter().filter_map(|part| part["name"].as_str());
        fields.extend(names.map(|name| (object.to_owned(), name.to_owned())));
    }
    fields.sort();
    fields.dedup();
    let mut compared = 0;
    for _ in 0..2.min(fields.len()) {
        let (object, field) = rng.pick(&fields).clone();
        let (variable, number) = (format!("{object}.{field}"), object.rsplit('@').next().expect("a number"));
        let values = |rows: &Value, key: &str| -> Vec<String> {
            let rows = rows.as_array().unwrap_or_else(|| panic!("{variable}: {rows:#}"));
            rows.iter().map(|row| row[key].as_str().expect("a value").to_owned()).collect()
        };
        let history = values(&told(&["trace", "history", &variable, "doors.trace"])["writes"], "new");
        let query = values(&told(&["query", "history", &variable, "doors.trace"])["rows"], "value");
        let asked = json!({"trace": "doors.trace", "variable": format!("object:{number}.{field}")});
        let mut of_agent = values(&agent.call("history", asked).data["writes"], "new");
        of_agent.reverse();
        assert_eq!(query, history, "{variable}");
        assert_eq!(of_agent, history, "{variable}");
        compared += 1;
    }
    assert_eq!(agent.vanish(), Some(0));
    compared
}

/// A recording and a run give the same answer to `qp why`.
fn answers_agree(program: &Program, case: &Case, command: &[String]) {
    let sources = root().join("tests/fixtures/doors").display().to_string();
    let at = format!("{}:{}", program.class, end_of(program.class));
    for name in program.at_end {
        let asked = ["--format=json", "why", name, "--at", &at, "--index", "-1", "--source", &sources];
        let answer = |from: &[String]| -> Value {
            let output = finish(case.qp().args(asked).args(from));
            let parsed = serde_json::from_slice(&output.stdout);
            parsed.unwrap_or_else(|error| panic!("{name} of {}: {error}: {}", program.class, said(&output)))
        };
        let ran = answer(&[&["--".to_owned()], command].concat());
        let recorded = answer(&["--in".to_owned(), "doors.trace".to_owned()]);
        let points = |answer: &Value| answer["points"].as_array().expect("points").clone();
        assert_eq!(points(&ran).len(), points(&recorded).len(), "{name}: {ran:#}\n{recorded:#}");
        for (ran, recorded) in points(&ran).iter().zip(&points(&recorded)) {
            for key in ["located", "class", "method", "line", "text", "old", "new", "hit", "by", "thread"] {
                // Hits in code of the JDK have no number, and a recording does not always know that code.
                if matches!(key, "hit" | "by") && (ran[key].is_null() || recorded[key].is_null()) {
                    continue;
                }
                assert_eq!(recorded[key], ran[key], "{key} of {name} of {}: {recorded:#}", program.class);
            }
        }
    }
}

/// One test for each program, so that they run side by side.
macro_rules! programs {
    ($($test:ident: $class:literal,)*) => {$(
        #[test]
        fn $test() {
            all_doors_agree($class);
        }
    )*};
}

programs! {
    fields_that_hide_others: "Hiding",
    one_class_of_two_loaders: "Loaders",
    static_fields: "Statics",
    constants: "Constants",
    arrays_of_arrays: "Arrays2",
    collections: "Collected",
    builders: "Built",
    threads_of_one_name: "Namesakes",
    generated_classes: "Generated",
    a_cut_off_run: "CutOff",
}

fn all_doors_agree(class: &str) {
    let program = PROGRAMS.iter().find(|program| program.class == class).expect("a program");
    let (case, command) = recorded(program);
    let sources = root().join("tests/fixtures/doors").display().to_string();
    let page = Page::start(&case, &["doors.trace", "--source", &sources]);
    let mut rng = Rng::new(50);
    let known = moments_agree(program, &case, &page, &mut rng);
    assert!(2 * known >= moments(), "{known} of {} values are known", moments());
    histories_agree(&case, &page, &mut rng);
    assert_eq!(page.end(), Some(0));
    answers_agree(program, &case, &command);
}
