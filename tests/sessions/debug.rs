//! Sessions of `qp debug` as scripts: the reply of each command, the position of the program, and the
//! confirmations of later runs.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support::case::Case;
use crate::support::session::{Talk, debug, error, kind, session};
use crate::support::{finish, point, qp, said};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::fs::File;
use std::process::Command;

/// `qp debug --format json` on a chain of the project.
fn of_chain(name: &str) -> Command {
    let mut command = qp();
    command.args(["debug", "--format", "json"]).arg(format!("querypoints/{name}.ron"));
    command
}

#[test]
fn questions_are_asked_backwards_from_where_the_program_stands() {
    let mut command = qp();
    command.args(["debug", "--format", "json", "--source", "examples/intro", "--", "java", "-ea", "-cp"]);
    command.arg(crate::support::compiled("../examples/intro", &["-g"])).arg("Intro");
    let script = "break Intro:31 when foo == null\nrun\nlocals\nprint record.text + foo\nwhy foo\nwhy B\n\
                  why C:record.bar\nexception Intro:14 after D\nrun\npoints E\nframes\n";
    let (code, replies) = session(&mut command, script);
    assert_eq!(code, 0, "{replies:#?}");
    let kinds: Vec<&str> = replies.iter().map(kind).collect();
    let expected = ["added", "ran", "scope", "value", "ran", "ran", "ran", "added", "ran", "point", "frames"];
    assert_eq!(kinds, expected, "{replies:#?}");
    let standing = &replies[1]["content"]["ran"]["standing"];
    assert_eq!((&standing["point"], &standing["place"]["line"]), (&json!("A"), &json!(31)));
    let scope = &replies[2]["content"]["values"];
    let locals: Vec<_> = scope.as_array().unwrap().iter().map(|v| v["name"].as_str().unwrap()).collect();
    assert_eq!(locals, ["args", "list", "cond", "foo", "record"]);
    assert_eq!(replies[3]["content"]["value"], "\"1Onull\"");
    let answer = &replies[8]["content"]["ran"]["answer"];
    let lines: Vec<_> = answer["points"].as_array().unwrap().iter().map(|p| p["line"].clone()).collect();
    assert_eq!(lines, [31, 26, 24, 10, 13], "the answer of the paper's Figure 2");
    assert_eq!(answer["runs"], 1, "what was learnt before is known");
    assert_eq!(replies[9]["content"]["exception"]["class"], "java.lang.NumberFormatException");
}

#[test]
fn what_is_live_is_what_was_recorded() {
    // `goto` each point of a chain: the values there equal those that the answer collected.
    let mut compared = 0;
    for name in ["intro", "csv", "null", "mergesort", "filelister"] {
        let (_, replies) = session(&mut of_chain(name), "run\n");
        let answer = replies[0]["content"]["ran"]["answer"].clone();
        let points = answer["points"].as_array().expect("points");
        let values = |found: &Value| found["collected"].as_object().expect("values").clone();
        let mut script = "run\n".to_owned();
        for found in points {
            script.push_str(&format!("goto {}\n", found["id"].as_str().unwrap()));
            values(found).keys().for_each(|expr| script.push_str(&format!("print {expr}\n")));
        }
        let (_, replies) = session(&mut of_chain(name), &script);
        let mut replies = replies.into_iter().skip(1);
        for found in points {
            let gone = replies.next().expect("a reply")["content"].clone();
            assert!(["reached", "expected"].contains(&gone["certainty"]["is"].as_str().unwrap()), "{gone:#}");
            assert_eq!(gone["standing"]["place"]["line"], found["line"], "{name} {gone:#}");
            for (expr, recorded) in &values(found) {
                let live = &replies.next().expect("a reply")["content"]["value"];
                // Objects are numbered in the order of the output; compare their texts only.
                let what = |v: &Value| v.as_str().unwrap().split('@').next().unwrap().to_owned();
                assert_eq!(what(live), what(recorded), "{name} {}: {expr}", found["id"]);
                compared += 1;
            }
        }
    }
    assert!(compared > 60, "only {compared} values");
}

#[test]
fn a_saved_session_is_replayed_with_the_same_answers() {
    let case = Case::new("second-thoughts");
    std::fs::write(case.work().join("run"), "1").expect("written");
    let saved = case.work().join("saved.ron");
    let line = case.line("SecondThoughts.java", "// <- A");
    let script = format!(
        "break SecondThoughts:{line}\nrun\nwhy SecondThoughts.value\nwhy B\ncollect A args.length\nrun\nsave saved.ron\n"
    );
    let (code, replies) = session(&mut debug(&case, "SecondThoughts"), &script);
    assert_eq!(code, 1, "no condition leads to B, which is an answer as well: {replies:#?}");
    let answer = &replies[5]["content"]["ran"]["answer"];
    let output = finish(case.qp().args(["replay", "--format", "json"]).arg(&saved));
    let replayed: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", said(&output)));
    assert_eq!(answer["points"].to_string(), replayed["points"].to_string());
    assert_eq!(answer["points"].as_array().map(Vec::len), Some(3));
    // The same as text, byte for byte, except for the number of runs.
    let script = format!(
        "break SecondThoughts:{line}\nlastchange A(0):SecondThoughts.value\nlastcondition B\ncollect A args.length\nrun\n"
    );
    let file = case.work().join("script");
    std::fs::write(&file, script).expect("written");
    let mut command = case.qp();
    command.args(["debug", "--", "java", "-cp", "classes", "SecondThoughts"]);
    let text = finish(command.stdin(File::open(&file).expect("a script")));
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    let (_, last) = text.rsplit_once("> run\n").expect("the last run");
    let replayed = finish(case.qp().arg("replay").arg(&saved));
    let replayed = String::from_utf8_lossy(&replayed.stdout).into_owned();
    let points = |text: &str| text.split(" points located in").next().unwrap().to_owned();
    assert_eq!(points(last), points(&replayed));
}

#[test]
fn a_cause_is_confirmed_withdrawn_missed_or_different() {
    let case = Case::new("second-thoughts");
    let count = "n=$(cat run 2>/dev/null || echo 0); echo $((n + 1)) > run";
    let line = |mark| case.line("SecondThoughts.java", mark);
    let file = case.chain(
        &format!(r##"command: ["java", "-cp", "classes", "SecondThoughts"], before_run: ["sh", "-c", r#"{count}"#]"##),
        &format!(
            r#"(id: "A", at: Line("SecondThoughts", {})), (id: "B", at: LastChange("A:SecondThoughts.value"))"#,
            line("// <- A")
        ),
    );
    let mut command = case.qp();
    command.args(["debug", "--format", "json"]).arg(&file);
    let script = "run\ngoto B\ngoto A\ngoto B\ngoto B\nrun\ngoto B\ngoto A\nruns\ndiff 2 3\n";
    let (_, replies) = session(&mut command, script);
    let gone = |n: usize| &replies[n]["content"];
    let at = |n: usize| gone(n)["standing"]["place"]["line"].as_u64().unwrap_or_default();
    // Run 1 found B. Run 2 stands there in the same state, but another write follows.
    assert_eq!(point(&gone(0)["ran"]["answer"], "B")["line"], line("// <- first"));
    assert_eq!(gone(1)["certainty"], json!({"is": "expected", "change": "0 → 1", "asked_from": "A"}));
    assert_eq!((at(1), &gone(1)["standing"]["run"]), (u64::from(line("// <- first")), &json!(2)));
    let settled = &gone(2)["settled"][0];
    assert_eq!((&settled["point"], &settled["confirmed"]), (&json!("B"), &json!(false)), "{:#}", gone(2));
    let instead = settled["instead"].as_str().expect("a place");
    assert!(instead.contains(&format!("SecondThoughts.java:{}", line("// <- second"))), "{instead}");
    assert_eq!(at(2), u64::from(line("// <- A")));
    // Run 3 does not reach the place where run 2 found B.
    assert_eq!(gone(3)["certainty"]["is"], "missed", "{:#}", gone(3));
    let nearest = gone(3)["certainty"]["nearest"].as_str().expect("a place");
    assert!(nearest.contains(&format!("SecondThoughts.java:{}", line("// <- first"))), "{nearest}");
    assert_eq!(point(&gone(3)["ran"]["answer"], "B")["old"], "9");
    // Run 4 reaches the place where run 3 found B, with other values.
    assert_eq!(gone(4)["certainty"]["is"], "differs", "{:#}", gone(4));
    let differences = gone(4)["certainty"]["differences"].as_array().expect("differences");
    let differences: Vec<_> =
        differences.iter().map(|d| (d["what"].as_str().unwrap(), d["found"].clone())).collect();
    assert_eq!(differences, [("old", json!("0")), ("new", json!("7"))]);
    // Runs 5 and 6 behave as run 1.
    assert_eq!(gone(6)["certainty"]["is"], "expected", "{:#}", gone(6));
    assert_eq!(gone(7)["settled"], json!([{"point": "B", "confirmed": true, "instead": null}]));
    assert_eq!(gone(8).as_array().map(Vec::len), Some(5), "the runs that came to an answer: {:#}", gone(8));
    let of_b = gone(9)[2].as_array().expect("points").iter().find(|p| p["id"] == "B").expect("B differs");
    let parts = of_b["parts"].as_array().expect("differences");
    assert!(
        parts.iter().any(|p| p["what"] == "new" && p["expected"] == "2" && p["found"] == "1"),
        "{parts:#?}"
    );
}

#[test]
fn a_point_is_asked_while_the_run_is_on() {
    let case = Case::new("waits-for-go");
    let line = |mark| case.line("WaitsForGo.java", mark);
    let mut talk = Talk::begin(&mut debug(&case, "WaitsForGo"));
    talk.ask(&format!("break WaitsForGo:{}", line("// <- A")));
    assert_eq!(kind(&talk.ask("run &")), "started");
    case.wait_until("the program", || case.mark("started").exists());
    assert_eq!(talk.ask("lastchange A:WaitsForGo.total")["content"]["asked"], "now");
    assert_eq!(talk.ask("lastchange A:box.held")["content"]["asked"], "now");
    assert_eq!(talk.ask("watch WaitsForGo.total as D")["content"]["asked"], "now");
    assert!(error(&talk.ask("run")).contains("a run is in progress"));
    assert!(error(&talk.ask("remove D")).contains("a run is in progress"));
    std::fs::write(case.mark("go"), "").expect("written");
    let answer = talk.hear()["content"]["ran"]["answer"].clone();
    let found = |id: &str| point(&answer, id)["line"].clone();
    assert_eq!(
        (found("A"), found("B"), found("C")),
        (line("// <- A").into(), line("// <- B").into(), line("// <- C").into())
    );
    assert_eq!((&point(&answer, "B")["new"], &point(&answer, "C")["new"]), (&json!("11"), &json!("11")));
    // The first write came before the question: the answer says that it may be wrong.
    assert_eq!(found("D"), line("// <- B"));
    for id in ["B", "C", "D"] {
        let notes = point(&answer, id)["notes"].to_string();
        assert!(notes.contains("asked during the run, after hit 0"), "{notes}");
    }
    // The next run answers for the whole execution.
    let answer = talk.ask("run")["content"]["ran"]["answer"].clone();
    assert_eq!(point(&answer, "D")["line"], line("// <- D"));
    assert!(point(&answer, "D").get("notes").is_none(), "{answer:#}");
    assert_eq!(talk.end(), 2, "what could not be done meanwhile");
}

#[test]
fn ctrl_c_ends_the_run_and_not_the_session() {
    let case = Case::new("waits-for-go");
    let mut talk = Talk::begin(&mut debug(&case, "WaitsForGo"));
    talk.ask(&format!("break WaitsForGo:{}", case.line("WaitsForGo.java", "// <- A")));
    talk.say("run");
    case.wait_until("the program", || case.mark("started").exists());
    talk.signal(Signal::INT);
    let ran = talk.hear();
    assert_eq!(ran["content"]["ran"]["answer"]["outcome"], "interrupted", "{ran:#}");
    assert!(error(&talk.ask("print 1")).contains("the program has ended"), "nothing is halted");
    std::fs::write(case.mark("go"), "").expect("written");
    assert_eq!(talk.ask("run")["content"]["ran"]["answer"]["outcome"], "held");
    assert_eq!(talk.ask("print WaitsForGo.total")["content"]["value"], "11");
    // SIGTERM ends the session, and the halted program.
    talk.signal(Signal::TERM);
    let code = talk.child.wait().expect("waited").code();
    assert_eq!(code, Some(130));
    case.wait_until("the end of all processes", || crate::support::processes_with(&case.name()).is_empty());
}

#[test]
fn a_program_that_is_killed_while_it_stands_still_is_missed() {
    let case = Case::new("waits-for-go");
    std::fs::write(case.mark("go"), "").expect("written");
    let mut talk = Talk::begin(&mut debug(&case, "WaitsForGo"));
    talk.ask(&format!("break WaitsForGo:{}", case.line("WaitsForGo.java", "// <- A")));
    talk.ask("run");
    let vms = crate::support::processes_with(&case.name());
    let (vm, _) = vms.iter().find(|(_, line)| line.contains("agentlib:jdwp")).expect("a VM");
    let pid = rustix::process::Pid::from_raw(i32::try_from(*vm).unwrap()).unwrap();
    rustix::process::kill_process(pid, Signal::KILL).expect("sent");
    case.wait_until("its end", || !std::path::Path::new(&format!("/proc/{vm}/cwd")).exists());
    let said = talk.ask("print box.held");
    assert!(error(&said).contains("VM"), "{said:#}");
    assert!(error(&talk.ask("locals")).contains("`run` halts it"));
    assert_eq!(talk.ask("run")["content"]["ran"]["answer"]["outcome"], "held");
    talk.ask("quit");
    assert_eq!(talk.end(), 4, "a script's exit code is that of its gravest error");
    case.wait_until("the end of all processes", || crate::support::processes_with(&case.name()).is_empty());
}

#[test]
fn what_cannot_be_done_is_said_and_the_session_goes_on() {
    let case = Case::new("second-thoughts");
    std::fs::write(case.work().join("run"), "1").expect("written");
    let line = case.line("SecondThoughts.java", "// <- A");
    let wrong = [
        ("run", "nothing is asked yet"),
        ("rnu", "did you mean `run`?"),
        ("break", "write it as: break CLASS:LINE"),
        ("break SecondThoughts:9999", "9999"),
        ("break SecondThought:20", "SecondThoughts"),
        ("break SecondThoughts:20 wen x", "`wen` is no clause"),
        ("watch value", "write it as: watch"),
        ("watch SecondThoughts.valu", "value"),
        ("catch NoSuchException", "NoSuchException"),
        ("lastchange A:x", "`A`"),
        ("goto A", "there is no point A"),
        ("print 1 +", "the program does not run"),
        ("why x", "the program does not run"),
        ("remove Q", "there is no point Q"),
        ("when Q x", "there is no point Q"),
        ("collect", "write it as: collect"),
        ("load no-such.ron", "no-such.ron"),
        ("save /no/such/folder/x.ron", "/no/such/folder/x.ron"),
        ("diff", "no two runs"),
        ("set speed 3", "there is no setting `speed`"),
        ("set timeout never", "timeout cannot be `never`"),
        ("source Nothing:3", "no source of Nothing"),
        ("help nothing", "there is no command `nothing`"),
        ("frames", "the program does not run"),
        ("locals x", "write it as: locals"),
        ("output x", "write it as: output"),
        ("run fast", "write it as: run"),
    ];
    let mut script: String = wrong.iter().map(|(line, _)| format!("{line}\n")).collect();
    script.push_str(&format!(
        "break SecondThoughts:{line}\nrun\nprint 1 +\nprint nothing\nframes 7\nlastchange A:value as A\n"
    ));
    script.push_str(
        "lastchange A:SecondThoughts.value\nset timeout 50\nlocals\nremove A\nremove A B\npoints\n",
    );
    let (code, replies) = session(&mut debug(&case, "SecondThoughts"), &script);
    for (reply, (line, message)) in replies.iter().zip(wrong) {
        assert_eq!(reply["command"], line);
        assert!(error(reply).contains(message), "{line}: {reply:#}");
    }
    let rest = &replies[wrong.len()..];
    assert_eq!(kind(&rest[1]), "ran");
    assert!(error(&rest[2]).contains("`1 +` is no expression"));
    assert!(rest[3]["content"]["value"].as_str().unwrap().starts_with("? ("), "{:#}", rest[3]);
    assert!(error(&rest[4]).contains("there is no frame 7: the stack has 1"));
    assert!(error(&rest[5]).contains("`A`"), "{:#}", rest[5]);
    assert_eq!(kind(&rest[6]), "added");
    assert_eq!((kind(&rest[7]), kind(&rest[8])), ("settings", "scope"), "the program stands where it stood");
    let rest = &rest[2..];
    assert!(error(&rest[7]).contains("B asked from A: remove all, with `remove A B`"));
    assert_eq!((kind(&rest[8]), &rest[9]["content"][0]), ("done", &json!([])));
    assert_eq!(code, 4, "the gravest: a file that cannot be written");
}

/// The run that goes to a point can have its effect elsewhere, so that it says nothing about the point.
#[test]
fn a_point_whose_effect_moved_on_the_way_to_it_is_told() {
    let case = Case::new("moves");
    let line = case.line("Moves.java", "// <- A");
    let script =
        format!("break Moves:{line}\nlastchange A:Moves.count\nlastcondition B\nrun\ngoto C\ngoto A\n");
    let (_, replies) = session(&mut debug(&case, "Moves"), &script);
    let found = point(&replies[3]["content"]["ran"]["answer"], "C");
    assert_eq!(found["line"], case.line("Moves.java", "// <- E"), "{:#}", replies[3]);
    let gone = &replies[5]["content"];
    assert_eq!(gone["settled"][0]["confirmed"], false, "{gone:#}");
    let reason = point(&gone["ran"]["answer"], "C")["reason"].as_str().expect("a reason");
    assert!(reason.starts_with("B was at another place in an earlier run"), "{reason}");
}

#[test]
fn what_was_found_of_a_point_is_known_after_another_was_removed() {
    let case = Case::new("second-thoughts");
    std::fs::write(case.work().join("run"), "1").expect("written");
    let line = case.line("SecondThoughts.java", "// <- A");
    let script = format!(
        "break SecondThoughts:{line}\nlastchange A:SecondThoughts.value\n\
         lastcondition A as X\nrun\nremove X\ngoto B\ngoto A\npoints\nremove B\ngoto A\nwhen A true\npoints\n\
         goto A\ncollect A 1\nrun\ncollect A 2\ngoto A\nlastchange A:SecondThoughts.value\npoints B\n"
    );
    let (_, replies) = session(&mut debug(&case, "SecondThoughts"), &script);
    let kinds: Vec<&str> = replies.iter().map(kind).collect();
    let expected = [
        "added", "added", "added", "ran", "done", "gone", "gone", "points", "done", "gone", "done", "points",
        "error", "done", "ran", "done", "gone", "added", "error",
    ];
    assert_eq!(kinds, expected, "{replies:#?}");
    let place = |n: usize| replies[n]["content"]["standing"]["place"]["line"].as_u64().expect("a line");
    assert_eq!(
        [place(5), place(6), place(9), place(16)],
        [case.line("SecondThoughts.java", "// <- first"), line, line, line].map(u64::from)
    );
    let located = |n: usize| {
        let points = replies[n]["content"][1]["points"].as_array().cloned().unwrap_or_default();
        points.iter().map(|p| p["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(located(7), ["A", "B"], "{:#}", replies[7]);
    // A is now another question, so its earlier answer does not count; nor does that of the old B for a new
    // B.
    assert_eq!(located(11), Vec::<String>::new(), "{:#}", replies[11]);
    assert!(error(&replies[12]).contains("A has not been located yet"));
    assert!(error(&replies[18]).contains("B has not been located yet"));
}

#[test]
fn the_docs_have_the_table_of_commands() {
    let page = std::fs::read_to_string(crate::support::root().join("docs/sessions.md")).expect("the page");
    let rows: Vec<String> = command::debug::TABLE
        .iter()
        .map(|row| format!("| `{}` | {} |", row.usage.replace('|', "\\|"), row.about))
        .collect();
    let table: Vec<&str> = page.lines().filter(|l| rows.iter().any(|row| row == l)).collect();
    assert_eq!(table, rows, "docs/sessions.md: the table of commands");
}

#[test]
fn every_backward_question_can_be_asked_at_the_prompt() {
    let case = Case::new("orders");
    let line = |marker: &str| case.line("Orders.java", marker);
    let script = format!(
        "break Orders:{}\ncreated A:a\nlastread A:b.total\ncontents A:a.items\norigin A:price\nrun\nrun\n",
        line("// <- end")
    );
    let (code, replies) = session(&mut debug(&case, "Orders"), &script);
    assert_eq!(code, 0, "{replies:#?}");
    let ran = &replies[5]["content"]["ran"];
    let found = |id: &str, key: &str| point(&ran["answer"], id)[key].clone();
    let lines = ["// <- made", "// <- body", "// <- z", "// <- total"].map(|marker| json!(line(marker)));
    assert_eq!(["B", "C", "D", "E"].map(|id| found(id, "line")), lines);
    assert_eq!(
        (found("C", "new"), found("D", "new"), found("E", "new")),
        (json!("5"), json!("2"), json!("11"))
    );
    assert!(ran["unchanged"].is_null(), "all of it is news: {ran:#}");
    // The second run has the same answers, and only that is reported.
    assert_eq!(replies[6]["content"]["ran"]["unchanged"], json!(["A", "B", "C", "D", "E"]));
}

#[test]
fn a_step_from_where_a_probe_stopped_leaves_the_line() {
    let case = Case::new("orders");
    let line = |marker: &str| case.line("Orders.java", marker);
    let script = format!("break Orders:{}\norigin A:a\nrun\nnext\nstep\n", line("// <- call"));
    let (code, replies) = session(&mut debug(&case, "Orders"), &script);
    assert_eq!(code, 0, "{replies:#?}");
    let at = |n: usize| &replies[n]["content"]["standing"]["place"];
    assert_eq!(at(3)["line"], line("// <- other"), "{:#}", replies[3]);
    assert_eq!(at(4)["method"], "total", "{:#}", replies[4]);
}

#[test]
fn the_program_goes_forward_from_where_it_stands() {
    let case = Case::new("orders");
    let line = |marker: &str| case.line("Orders.java", marker);
    let script = format!(
        "break Orders:{}\nrun\nnext\nstep\nlocals\nstep\nnext\nwhy sum\nbreak Orders:{} as B\nrun\ncontinue\n\
         print i\ncontinue\ncontinue\nnext\n",
        line("// <- call"),
        line("// <- body")
    );
    let (code, replies) = session(&mut debug(&case, "Orders"), &script);
    let at = |n: usize| replies[n]["content"]["standing"]["place"]["line"].clone();
    let lines = ["// <- other", "// <- total", "// <- other"].map(line);
    // `step` halts at the first line of the method.
    assert_eq!([at(2), at(3), at(5), at(6)], [lines[0], lines[1] - 1, lines[1], lines[2]].map(|n| json!(n)));
    let locals = &replies[4]["content"]["values"];
    assert_eq!(locals.as_array().map(Vec::len), Some(1), "only `o` has a value: {locals}");
    let refused = error(&replies[7]);
    assert!(refused.contains("which no point asks for; `break Orders:"), "{refused}");
    assert_eq!(replies[9]["content"]["ran"]["standing"]["point"], "B");
    // The body runs three times; the run halted at the first.
    for (n, i) in [(10, 1), (12, 2)] {
        assert_eq!(
            (at(n), &replies[n]["content"]["passes"]),
            (json!(line("// <- body")), &json!("B")),
            "turn {i}"
        );
    }
    assert_eq!(replies[11]["content"]["value"], "1");
    assert!(replies[13]["content"]["standing"].is_null(), "{:#}", replies[13]);
    assert_eq!(replies[13]["content"]["ended"], "exit code 0");
    assert!(error(&replies[14]).contains("the program has ended"));
    assert_eq!(code, 2, "the gravest: a question that cannot be asked there");
}

#[test]
fn why_of_a_call_asks_for_its_return() {
    let case = Case::new("orders");
    let line = |marker: &str| case.line("Orders.java", marker);
    let script =
        format!("break Orders:{}\nrun\nwhy total(a)\nwhy a.total(1)\nwhy A:total(a)\n", line("// <- other"));
    let (_, replies) = session(&mut debug(&case, "Orders"), &script);
    let answer = &replies[2]["content"]["ran"]["answer"];
    let found = point(answer, "B");
    assert_eq!((&found["line"], &found["result"]), (&json!(line("// <- total")), &json!("11")));
    assert_eq!(found["question"], "LastReturn(A(0):total(a))");
    assert!(error(&replies[3]).contains("has no method `total`"), "{:#}", replies[3]);
    // The value at another point, where the other order did not exist yet.
    let answer = &replies[4]["content"]["ran"]["answer"];
    assert_eq!(
        answer["points"].as_array().and_then(|all| all.last()).map(|p| &p["result"]),
        Some(&json!("11"))
    );
    // The same at the command line.
    let mut why = case.qp();
    why.args(["why", "total(b)", "--format", "json", "--at"]).arg(format!("Orders:{}", line("// <- price")));
    let output = finish(why.args(["--", "java", "-cp", "classes", "Orders"]));
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(point(&answer, "B")["result"], "6", "{}", said(&output));
}
