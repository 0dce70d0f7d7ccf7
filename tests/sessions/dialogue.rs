//! The dialogue of `qp debug` without a terminal, as a front end leads it: commands go in, replies come out.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support::{compiled, root};
use clap::Parser;
use command::debug::{Debug, DebugDialogue, ProgramState, Reply};
use replay::explore::Front;
use serde_json::{Value, json};
use session::{Progress, Silent};
use std::rc::Rc;
use tokio::task::LocalSet;

/// The command line of a session.
#[derive(Parser)]
struct Line {
    #[command(flatten)]
    debug: Debug,
}

/// A front end that shows no progress.
struct Quiet;

impl Front for Quiet {
    fn progress(&self, _: bool) -> Rc<dyn Progress> {
        Rc::new(Silent)
    }
}

/// A dialogue about the example of the paper.
fn intro(is_attended: bool) -> DebugDialogue {
    let classes = compiled("../examples/intro", &["-g"]).display().to_string();
    let source = root().join("examples/intro").display().to_string();
    let line = ["debug", "--source", &source, "--", "java", "-ea", "-cp", &classes, "Intro"];
    let Line { debug } = Line::try_parse_from(line).expect("arguments");
    DebugDialogue::new(debug.explorer(Rc::new(Quiet), None).expect("a session"), is_attended)
}

/// Runs a session on a thread with the stack of a main thread, which an unoptimised build needs.
fn in_session<F: Future<Output = ()>>(session: impl FnOnce() -> F + Send + 'static) {
    let run = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(LocalSet::new().run_until(session()));
    };
    let thread = std::thread::Builder::new().stack_size(8 << 20).spawn(run).expect("a thread");
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}

/// The reply to a command, as JSON.
async fn told(dialogue: &mut DebugDialogue, line: &str) -> Value {
    serde_json::to_value(dialogue.take(line).await).expect("JSON")
}

#[test]
fn commands_lead_backwards_to_the_cause() {
    in_session(async || {
        let mut dialogue = intro(false);
        assert!(dialogue.open().await.is_none(), "the program can be used");
        assert!(matches!(dialogue.program_state().await, Ok(ProgramState::NotStarted)));
        let added = told(&mut dialogue, "break Intro:31 when foo == null").await;
        assert_eq!((&added["reply"], &added["content"]["id"]), (&json!("added"), &json!("A")));
        assert_eq!(told(&mut dialogue, "run").await["reply"], "ran");
        let Ok(ProgramState::Halted(at)) = dialogue.program_state().await else { panic!("it is not halted") };
        assert_eq!((at.point.as_deref(), at.place.line), (Some("A"), Some(31)));
        let why = told(&mut dialogue, "why foo").await;
        assert_eq!(why["content"]["ran"]["answer"]["points"][1]["line"], 26, "{why:#}");
        assert!(dialogue.words().await.points.contains(&"B".to_owned()));
        assert_eq!(dialogue.exit_code(), 0);
        dialogue.finish().await;
    });
}

#[test]
fn a_script_waits_for_its_run_in_the_background() {
    in_session(async || {
        let mut dialogue = intro(false);
        dialogue.take("break Intro:31 when foo == null").await;
        assert_eq!(told(&mut dialogue, "run &").await["reply"], "started");
        assert!(matches!(dialogue.program_state().await, Ok(ProgramState::Running)));
        let ran = dialogue.end_commands().await.expect("an answer");
        assert!(matches!(ran.reply, Ok(Reply::Ran { .. })) && ran.command == "run &");
        assert!(dialogue.has_ended());
        dialogue.finish().await;
    });
}

#[test]
fn the_exit_code_is_that_of_the_gravest_failure() {
    in_session(async || {
        for (is_attended, code) in [(false, 2), (true, 0)] {
            let mut dialogue = intro(is_attended);
            assert!(dialogue.take("# a comment").await.reply.is_ok_and(|reply| reply.is_silent()));
            let refused = dialogue.refuse("the line is not UTF-8");
            let refused = serde_json::to_value(refused).expect("JSON");
            assert_eq!(refused, json!({"command": "", "reply": "error", "content": "the line is not UTF-8"}));
            assert!(!dialogue.has_ended());
            assert_eq!(told(&mut dialogue, "quit").await, json!({"command": "quit", "reply": "quit"}));
            assert!(dialogue.has_ended());
            assert_eq!(dialogue.exit_code(), code);
            dialogue.terminate();
            assert_eq!(dialogue.exit_code(), 130);
            dialogue.finish().await;
        }
    });
}
