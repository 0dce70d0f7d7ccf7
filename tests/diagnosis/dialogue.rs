//! The dialogue of `qp diagnose` without a terminal, as a front end leads it: answers go in, replies come
//! out.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support::{compiled, finish, qp, said, scratch};
use clap::Parser;
use classes::SourcePaths;
use command::diagnose::{AnswerCommand, AnswerForm, Diagnose, DiagnoseDialogue, DiagnoseReply, GivenAnswer};
use command::trace::StepReply;
use diagnose::Judgement;
use serde_json::{Value, json};
use session::Context;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The command line of a diagnosis.
#[derive(Parser)]
struct Line {
    #[command(flatten)]
    diagnose: Diagnose,
}

/// A recording of the merge sort of the examples.
fn merge_sort() -> &'static Path {
    static RECORDED: OnceLock<PathBuf> = OnceLock::new();
    RECORDED.get_or_init(|| {
        let folder = tempfile::tempdir_in(scratch()).expect("a folder").keep().join("trace");
        let mut command = qp();
        command.args(["trace", "record", "--level=all", "--out"]).arg(&folder).args(["--", "java", "-cp"]);
        let output = finish(command.arg(compiled("../examples/mergesort", &["-g"])).arg("MergeSort"));
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        folder
    })
}

/// A front end in memory: it keeps all replies, as JSON.
struct FrontEnd {
    dialogue: DiagnoseDialogue,
    context: Context,
    seen: Vec<Value>,
}

impl FrontEnd {
    async fn open(form: AnswerForm, is_attended: bool, arguments: &[&str]) -> FrontEnd {
        Box::pin(FrontEnd::begin(form, is_attended, arguments)).await
    }

    async fn begin(form: AnswerForm, is_attended: bool, arguments: &[&str]) -> FrontEnd {
        let trace = merge_sort().display().to_string();
        let line = [&["diagnose", "--strategy=top-down", &trace], arguments].concat();
        let Line { diagnose } = Line::try_parse_from(line).expect("arguments");
        let context = Context::silent();
        let started = diagnose.start(form, false, &context).await.expect("started");
        let dialogue = DiagnoseDialogue::new(started, form, is_attended);
        let mut front_end = FrontEnd { dialogue, context, seen: Vec::new() };
        let opening = front_end.dialogue.opening();
        front_end.see(&opening);
        front_end.advance().await;
        front_end
    }

    fn see(&mut self, replies: &[DiagnoseReply]) {
        self.seen.extend(replies.iter().map(|reply| serde_json::to_value(reply).expect("JSON")));
    }

    async fn advance(&mut self) {
        let replies = self.dialogue.advance(&self.context).await;
        self.see(&replies);
    }

    async fn say(&mut self, line: &str) -> Option<DiagnoseReply> {
        let reply = self.dialogue.take(line, &self.context).await;
        self.see(reply.as_slice());
        self.advance().await;
        reply
    }

    /// The calls that were asked about.
    fn asked(&self) -> Vec<u64> {
        let questions = self.seen.iter().filter(|reply| reply.get("question").is_some());
        questions.map(|question| question["node"].as_u64().expect("a call")).collect()
    }

    fn last(&self) -> &Value {
        self.seen.last().expect("a reply")
    }
}

#[tokio::test(flavor = "current_thread")]
async fn words_lead_to_the_buggy_call_and_over_its_events() {
    let mut front_end = FrontEnd::open(AnswerForm::Words, true, &[]).await;
    for answer in ["invalid", "no", "v", "valid", "valid", "valid"] {
        assert!(front_end.say(answer).await.is_none(), "{answer}");
    }
    assert!(!front_end.dialogue.has_ended());
    assert!(front_end.say("wrong c[2]").await.is_none());
    assert_eq!(front_end.asked(), [0, 1, 2, 3, 4, 5, 6]);
    assert_eq!(
        (&front_end.last()["buggy"]["method"], &front_end.last()["answers"]),
        (&json!("merge"), &json!(7))
    );
    let FrontEnd { mut dialogue, context, .. } = front_end;
    assert!(dialogue.has_ended());
    assert!(dialogue.advance(&context).await.is_empty());
    assert!(dialogue.finish(&context).await.is_empty());
    assert_eq!(dialogue.exit_code(), 0);
    let walk = Box::pin(dialogue.walk(&SourcePaths::default(), &context))
        .await
        .expect("a recording")
        .expect("a buggy call");
    let mut steps = walk.dialogue;
    let Ok(StepReply::View(view)) = steps.take("where", &Context::silent()).await.reply else {
        panic!("no view")
    };
    assert_eq!((view.call.node, view.event.event), (6, "enter"));
}

#[tokio::test(flavor = "current_thread")]
async fn a_program_answers_in_json() {
    let mut front_end = FrontEnd::open(AnswerForm::Json, false, &["--node=1"]).await;
    for question in 1..=4 {
        front_end.say(&json!({"question": question, "answer": "valid"}).to_string()).await;
    }
    assert_eq!(front_end.asked(), [2, 3, 4, 5, 6]);
    // An answer that was made without a line.
    let given = GivenAnswer { node: None, command: AnswerCommand::Judge(Judgement::Invalid) };
    assert!(front_end.dialogue.answer(given, &front_end.context).await.is_none());
    front_end.advance().await;
    let last = front_end.last();
    let keys: Vec<&str> = last.as_object().expect("an object").keys().map(String::as_str).collect();
    assert_eq!((keys, &last["buggy"]["node"]), (vec!["buggy", "answers"], &json!(6)));
    assert_eq!(front_end.dialogue.exit_code(), 0);
    let walk = Box::pin(front_end.dialogue.walk(&SourcePaths::default(), &front_end.context))
        .await
        .expect("no failure");
    assert!(walk.is_none(), "a program steps by a command of its own");
}

#[tokio::test(flavor = "current_thread")]
async fn what_settles_no_question_leaves_it_open() {
    let mut front_end = FrontEnd::open(AnswerForm::Words, true, &[]).await;
    for (line, reply) in [
        ("perhaps", json!({"error": "`perhaps` is no answer; `help` lists the answers"})),
        ("undo", json!({"error": "there is no answer to take back"})),
        ("answers", json!({"reply": "answers", "content": []})),
    ] {
        front_end.say(line).await;
        assert_eq!(*front_end.last(), reply, "{line}");
    }
    for (line, reply) in
        [("show a", "show"), ("history a", "history"), ("events", "events"), ("help", "help")]
    {
        let shown = front_end.say(line).await;
        assert_eq!(front_end.last()["reply"], reply, "{line}: {shown:?}");
    }
    assert!(front_end.last()["strategies"].as_array().is_some_and(|rows| rows.len() > 3));
    for (line, node) in [("node 6", 6), ("where", 6), ("node", 0)] {
        front_end.say(line).await;
        assert_eq!(
            (&front_end.last()["node"], &front_end.last()["question"]),
            (&json!(node), &json!(1)),
            "{line}"
        );
    }
    // Another call is answered in its place.
    front_end.say("node 6").await;
    front_end.say("invalid").await;
    assert_eq!(front_end.last()["buggy"]["node"], 6, "{:#}", front_end.last());
}

#[tokio::test(flavor = "current_thread")]
async fn the_exit_code_tells_how_the_dialogue_ended() {
    type End = fn(&mut DiagnoseDialogue) -> Option<DiagnoseReply>;
    let signal: End = |dialogue| {
        dialogue.terminate();
        None
    };
    let interrupt: End = |dialogue| {
        dialogue.interrupt();
        None
    };
    let no_more: End = DiagnoseDialogue::end_answers;
    for (end, script, person) in
        [(signal, Some(130), Some(130)), (interrupt, Some(130), None), (no_more, Some(2), Some(0))]
    {
        for (is_attended, code) in [(false, script), (true, person)] {
            let mut front_end = FrontEnd::open(AnswerForm::Words, is_attended, &[]).await;
            let reply = end(&mut front_end.dialogue);
            assert_eq!(front_end.dialogue.has_ended(), code.is_some());
            assert_eq!(front_end.dialogue.exit_code(), code.unwrap_or(0));
            if let Some(DiagnoseReply::Failure(error)) = reply {
                assert_eq!(error.to_string(), "the answers ended at question 1");
            }
        }
    }
    for (is_attended, code) in [(false, 2), (true, 0)] {
        let mut front_end = FrontEnd::open(AnswerForm::Words, is_attended, &[]).await;
        front_end.say("quit").await;
        assert_eq!((front_end.dialogue.has_ended(), front_end.dialogue.exit_code()), (true, code));
    }
    let mut front_end = FrontEnd::open(AnswerForm::Words, true, &[]).await;
    front_end.say("valid").await;
    assert_eq!((front_end.last()["buggy"].is_null(), front_end.dialogue.exit_code()), (true, 1));
    front_end.dialogue.count(4);
    assert_eq!(front_end.dialogue.exit_code(), 4);
}
