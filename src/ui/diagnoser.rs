//! The questions of `qp diagnose`: at a prompt for people, as lines of JSON for programs.

use super::interrupt::{Asked, Hearing, stopped_by};
use super::options::{Cli, Format};
use super::out::{complain, error_text, print};
use super::progress::Bar;
use super::render::{self, Text};
use super::repl::{Input, Lines};
use crate::command::CommandError;
use crate::command::diagnose::{Begun, Diagnose, Said, said};
use crate::command::trace::{StepDialogue, StepReply};
use crate::session::{
    Buggy, By, Context, Diagnoser, EventsShown, Judgement, Next, Question, SessionError, Trust,
};
use serde::{Deserialize, Serialize};
use std::io::IsTerminal;
use std::rc::Rc;

/// What it exits with after SIGTERM or SIGHUP.
const ENDED: u8 = 130;
/// What it exits with where no buggy call is found.
const NONE: u8 = 1;
/// What it exits with where answers end before their questions do.
const NO_MORE: u8 = 2;

/// An answer of a program.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    question: u32,
    answer: Option<Word>,
    /// What is to be shown, in the words of the prompt, instead of an answer.
    command: Option<String>,
    /// The call that is answered, where it is another one than that which was asked about.
    node: Option<u32>,
    /// Of `trusted`: how far that goes.
    of: Option<Of>,
    /// Of `wrong`: what is.
    path: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Word {
    Valid,
    Invalid,
    Wrong,
    Trusted,
    Unknown,
    Inadmissible,
    Undo,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Of {
    Method,
    Class,
    Package,
}

/// What is told at the end.
#[derive(Serialize)]
struct Found {
    buggy: Option<Buggy>,
    answers: usize,
    /// How many assertions have given.
    #[serde(skip_serializing_if = "is_none")]
    by_assertion: usize,
    /// How many the version that is right has given.
    #[serde(skip_serializing_if = "is_none")]
    by_reference: usize,
    /// The buggy call is one of these, or the one that is invalid.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    undecided: Vec<u32>,
    /// Whether calls go on that could be it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    not_ended: bool,
    /// What is missing of the run, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    missing: Vec<String>,
}

impl Found {
    fn of(diagnoser: &Diagnoser, buggy: Option<Buggy>, undecided: Vec<u32>, not_ended: bool) -> Found {
        let (answers, by_assertion) = (diagnoser.answers(), diagnoser.by_assertion());
        let (by_reference, missing) = (diagnoser.by_reference(), diagnoser.missing());
        Found { buggy, answers, by_assertion, by_reference, undecided, not_ended, missing }
    }
}

fn is_none(many: &usize) -> bool {
    *many == 0
}

/// Asks until it is known.
pub async fn run(cli: &Cli, args: &Diagnose) -> u8 {
    let mut hearing = match Hearing::new() {
        Ok(hearing) => hearing,
        Err(error) => {
            complain(format_args!("error: cannot watch for signals: {error}"));
            return 4;
        }
    };
    let progress = Rc::new(Bar::new(std::io::stderr().is_terminal()).trusting(args.trust_command));
    let (stop, context) = Context::uninterrupted(progress).renewed();
    let is_text = cli.format == Format::Text;
    let keeps = is_text && std::io::stdin().is_terminal();
    let begin = args.begin((is_text, keeps), &context);
    let begun = stopped_by(&mut hearing, &stop, begin).await;
    match begun {
        Ok(begun) => {
            let mut lines = Lines::open();
            let mut led = Led { cli, lines: &mut lines, hearing: &mut hearing, begun, stop, context };
            for note in &led.begun.diagnoser.notes {
                complain(format_args!("{note}"));
            }
            led.tell_missing();
            let ended = match led.go_on().await {
                Ok(ended) => ended,
                Err(error) => {
                    led.tell(&error);
                    Ended::without_bug(error.exit_code())
                }
            };
            let mut begun = led.begun;
            let (_nobody, context) = led.context.renewed();
            let mut code = ended.code;
            if let Err(error) = begun.diagnoser.end_run(&context).await {
                complain(format_args!("error: {error}"));
                code = code.max(error.exit_code());
            }
            for method in begun.diagnoser.unmet() {
                complain(format_args!("no call of {method} was recorded, of which --assert says something"));
            }
            if ended.is_found && cli.format == Format::Text {
                code = walk(cli, args, begun, &mut lines, &mut hearing).await;
            }
            lines.close();
            code
        }
        Err(error) => {
            complain(format_args!("{}", error_text(&error, cli.colors(std::io::stderr().is_terminal()))));
            error.exit_code()
        }
    }
}

/// How the questions ended: with what exit code, and whether at a buggy call.
struct Ended {
    code: u8,
    is_found: bool,
}

impl Ended {
    fn without_bug(code: u8) -> Ended {
        Ended { code, is_found: false }
    }
}

/// Walks over the call in which the bug is, to and fro (JHyde §2.3).
async fn walk(cli: &Cli, args: &Diagnose, begun: Begun, lines: &mut Lines, hearing: &mut Hearing) -> u8 {
    match begun.walk(&args.source, &Context::silent()).await {
        Ok((stepper, _recorded)) => {
            let mut dialogue = StepDialogue::new(stepper, lines.is_terminal());
            super::stepper::lead(cli, lines, &mut dialogue, hearing).await
        }
        Err(error) => {
            complain(format_args!("{}", error_text(&error, cli.colors(std::io::stderr().is_terminal()))));
            error.exit_code()
        }
    }
}

struct Led<'a> {
    cli: &'a Cli,
    lines: &'a mut Lines,
    hearing: &'a mut Hearing,
    begun: Begun,
    stop: tokio::sync::watch::Sender<bool>,
    context: Context,
}

/// What is shown of a call that is asked about.
enum Looked {
    Step(StepReply),
    Events(Box<EventsShown>),
}

async fn look(
    diagnoser: &mut Diagnoser,
    question: &Question,
    said: &Said,
    context: &Context,
) -> Result<Looked, CommandError> {
    Ok(Looked::Step(match said {
        Said::Show(name) => StepReply::Show(diagnoser.stand(question, context).await?.show(name)?),
        Said::History(name) => StepReply::History(diagnoser.stand(question, context).await?.history(name)?),
        _ => return Ok(Looked::Events(Box::new(diagnoser.events(question, context).await?))),
    }))
}

/// What came of waiting for an answer.
enum Heard {
    /// What is said, of another call if one is named.
    Said(Option<u32>, Said),
    End(u8),
}

impl Led<'_> {
    async fn go_on(&mut self) -> Result<Ended, CommandError> {
        loop {
            let next = self.next().await;
            self.show_referred();
            let next = next?;
            let question = match next {
                Next::Question(question) => question,
                Next::Buggy(buggy) => {
                    let code = self.found(Some(buggy), Vec::new(), false);
                    return Ok(Ended { code, is_found: true });
                }
                Next::Undecided(invalid, unknown) => {
                    return Ok(Ended::without_bug(self.found_no_more(invalid, unknown)));
                }
                Next::NotEnded => return Ok(Ended::without_bug(self.found(None, Vec::new(), true))),
                Next::NoneLeft => return Ok(Ended::without_bug(self.found(None, Vec::new(), false))),
            };
            self.show(&question);
            // What is answered can be another call.
            let (first, mut question) = (question.clone(), question);
            loop {
                let (node, said) = match self.hear(&question).await {
                    Heard::Said(node, said) => (node, said),
                    Heard::End(code) => return Ok(Ended::without_bug(code)),
                };
                if let Some(node) = node.filter(|node| *node != question.node) {
                    match self.at_call(node).await {
                        Ok(other) => *question = other,
                        Err(error) => {
                            self.tell(&error);
                            continue;
                        }
                    }
                }
                match said {
                    Said::Node(None) => {
                        question = first.clone();
                        self.show(&question);
                        continue;
                    }
                    Said::Node(Some(node)) => {
                        match self.at_call(node).await {
                            Ok(other) => {
                                *question = other;
                                self.show(&question);
                            }
                            Err(error) => self.tell(&error),
                        }
                        continue;
                    }
                    Said::Show(_) | Said::History(_) | Said::Events => {
                        if let Err(error) = self.look(&question, &said).await {
                            self.tell(&error);
                        }
                        continue;
                    }
                    Said::Judged(judgement) => {
                        self.begun.diagnoser.answer(&question, judgement).map_err(CommandError::from)?
                    }
                    Said::Wrong(path) => match self.wrong(&question, &path).await {
                        Ok(None) => {}
                        Ok(Some(why)) => self.tell_unknown(&path, &why),
                        Err(error @ CommandError::Session(SessionError::NoPart { .. })) => {
                            self.tell(&error);
                            continue;
                        }
                        Err(error) => return Err(error),
                    },
                    Said::Undo => {
                        if self.begun.diagnoser.undo().map_err(CommandError::from)?.is_none() {
                            self.tell(&CommandError::Usage("there is no answer to take back".to_owned()));
                            continue;
                        }
                    }
                    Said::Again => {
                        self.show(&question);
                        continue;
                    }
                    Said::Answers => {
                        print(&render::kept(self.begun.diagnoser.kept()));
                        continue;
                    }
                    Said::Retract(number) => {
                        let at = number.checked_sub(1).unwrap_or(usize::MAX);
                        if let Err(error) = self.begun.diagnoser.retract(at) {
                            self.tell(&error.into());
                            continue;
                        }
                    }
                    Said::Help => {
                        print(&render::answers());
                        continue;
                    }
                    Said::Trusted => continue,
                    Said::Quit => {
                        let code = if self.lines.is_terminal() { 0 } else { NO_MORE };
                        return Ok(Ended::without_bug(code));
                    }
                }
                break;
            }
        }
    }

    /// What comes next: the program may have to be run for it, and Ctrl-C ends that.
    async fn next(&mut self) -> Result<Next, CommandError> {
        let next = self.begun.diagnoser.next(&self.context);
        let next = stopped_by(self.hearing, &self.stop, next).await;
        if self.context.is_interrupted() {
            (self.stop, self.context) = self.context.renewed();
        }
        Ok(next?)
    }

    /// Asks about another call. The program may have to be run for it.
    async fn at_call(&mut self, node: u32) -> Result<Question, CommandError> {
        let diagnoser = &mut self.begun.diagnoser;
        let found = diagnoser.at_call(node, &self.context);
        let found = stopped_by(self.hearing, &self.stop, found).await;
        if self.context.is_interrupted() {
            (self.stop, self.context) = self.context.renewed();
        }
        Ok(found?)
    }

    /// Shows something of the call that is asked about. The program may have to be run for it.
    async fn look(&mut self, question: &Question, said: &Said) -> Result<(), CommandError> {
        let looked = look(&mut self.begun.diagnoser, question, said, &self.context);
        let looked = stopped_by(self.hearing, &self.stop, looked).await;
        if self.context.is_interrupted() {
            (self.stop, self.context) = self.context.renewed();
        }
        let looked = looked?;
        let color = self.cli.colors(std::io::stdout().is_terminal());
        print(&match (self.cli.format, looked) {
            (Format::Text, Looked::Step(reply)) => render::stepped(&reply, color),
            (Format::Text, Looked::Events(shown)) => shown.text(color),
            (Format::Json, Looked::Step(reply)) => one_line(&reply),
            (Format::Json, Looked::Events(shown)) => {
                one_line(&serde_json::json!({ "reply": "events", "content": shown }))
            }
        });
        Ok(())
    }

    /// Takes the answer that a part is wrong: why it is not known what has influenced that, if so. The
    /// program may have to be run for it.
    async fn wrong(&mut self, question: &Question, path: &str) -> Result<Option<String>, CommandError> {
        let diagnoser = &mut self.begun.diagnoser;
        let taken = diagnoser.wrong(question, path, &self.context);
        let taken = stopped_by(self.hearing, &self.stop, taken).await;
        if self.context.is_interrupted() {
            (self.stop, self.context) = self.context.renewed();
        }
        Ok(taken?)
    }

    fn tell_unknown(&self, path: &str, why: &str) {
        let text = match self.cli.format {
            Format::Json => one_line(&serde_json::json!({ "influential": null, "path": path, "why": why })),
            Format::Text => format!("it is not known what has influenced {path}: {why}\n"),
        };
        print(&text);
    }

    fn tell_missing(&self) {
        let missing = self.begun.diagnoser.missing();
        if !missing.is_empty() {
            print(&match self.cli.format {
                Format::Json => one_line(&serde_json::json!({ "missing": missing })),
                Format::Text => render::lacks(&missing, self.cli.colors(std::io::stdout().is_terminal())),
            });
        }
    }

    fn show_referred(&mut self) {
        if let Some(survey) = self.begun.diagnoser.take_survey() {
            print(&match self.cli.format {
                Format::Json => one_line(&serde_json::json!({ "assertions": survey })),
                Format::Text => render::survey(&survey),
            });
        }
        for referred in self.begun.diagnoser.take_referred() {
            let text = match self.cli.format {
                Format::Json => {
                    let by = match referred.by {
                        By::Assertion => "by_assertion",
                        By::Kept => "kept",
                        By::Reference => "by_reference",
                    };
                    one_line(&serde_json::json!({ (by): referred }))
                }
                Format::Text => render::referred(&referred, self.cli.colors(std::io::stdout().is_terminal())),
            };
            print(&text);
        }
    }

    fn show(&self, question: &Question) {
        let text = match self.cli.format {
            Format::Json => one_line(question),
            Format::Text => render::question(question, self.cli.colors(std::io::stdout().is_terminal())),
        };
        print(&text);
    }

    fn tell(&self, error: &CommandError) {
        match self.cli.format {
            Format::Json => drop(print(&one_line(&serde_json::json!({ "error": error.to_string() })))),
            Format::Text => {
                let color = self.cli.colors(std::io::stderr().is_terminal());
                complain(format_args!("{}", error_text(error, color)));
            }
        }
    }

    async fn hear(&mut self, question: &Question) -> Heard {
        loop {
            self.lines.ask("is it right? ", self.cli.format == Format::Text);
            let input = tokio::select! {
                input = self.lines.next() => input,
                asked = self.hearing.next() => match asked {
                    Asked::EndRun => Input::Interrupted,
                    Asked::EndAll => return Heard::End(ENDED),
                }
            };
            let line = match input {
                Input::Interrupted if self.lines.is_terminal() => continue,
                Input::Interrupted => return Heard::End(ENDED),
                Input::End if self.lines.is_terminal() => return Heard::End(0),
                Input::End => {
                    complain(format_args!("error: the answers ended at question {}", question.question));
                    return Heard::End(NO_MORE);
                }
                Input::Unreadable(why) => {
                    self.tell(&CommandError::Usage(why.to_owned()));
                    continue;
                }
                Input::Text(line) => line,
            };
            let understood = match self.cli.format {
                Format::Text => said(&line).map(|said| (None, said)),
                Format::Json => answer(&line, question.question),
            };
            match understood {
                Ok((node, said)) => return Heard::Said(node, said),
                Err(error) => self.tell(&error),
            }
        }
    }

    fn found_no_more(&self, invalid: Option<Buggy>, unknown: Vec<u32>) -> u8 {
        let diagnoser = &self.begun.diagnoser;
        let answers = diagnoser.answers();
        match self.cli.format {
            Format::Json => {
                let mut undecided: Vec<u32> = invalid.iter().map(|call| call.node).chain(unknown).collect();
                // Parts of one call are that call.
                undecided.dedup();
                print(&one_line(&Found::of(diagnoser, None, undecided, false)));
            }
            Format::Text => {
                let color = self.cli.colors(std::io::stdout().is_terminal());
                print(&render::undecided(invalid.as_ref(), &unknown, answers, color));
            }
        }
        NONE
    }

    fn found(&self, buggy: Option<Buggy>, undecided: Vec<u32>, not_ended: bool) -> u8 {
        let diagnoser = &self.begun.diagnoser;
        let code = if buggy.is_some() { 0 } else { NONE };
        let text = match self.cli.format {
            Format::Json => one_line(&Found::of(diagnoser, buggy, undecided, not_ended)),
            Format::Text => {
                let color = self.cli.colors(std::io::stdout().is_terminal());
                render::found(buggy.as_ref(), not_ended, diagnoser.answers(), color)
            }
        };
        print(&text).max(code)
    }
}

fn one_line(value: &impl Serialize) -> String {
    match serde_json::to_string(value) {
        Ok(text) => text + "\n",
        Err(error) => format!("{}\n", serde_json::json!({ "error": error.to_string() })),
    }
}

/// What a program answers.
fn answer(line: &str, question: u32) -> Result<(Option<u32>, Said), CommandError> {
    let none = |why: &str| {
        CommandError::Usage(format!(
            "this is no answer: {why}; write {{\"question\": {question}, \"answer\": \"valid\"}}"
        ))
    };
    let answer: Answer = serde_json::from_str(line).map_err(|error| none(&error.to_string()))?;
    if answer.question != question {
        let why = format!("this answers question {}, and question {question} was asked", answer.question);
        return Err(CommandError::Usage(why));
    }
    let stray = [
        ("of", answer.of.is_some() && !matches!(answer.answer, Some(Word::Trusted))),
        ("path", answer.path.is_some() && !matches!(answer.answer, Some(Word::Wrong))),
    ];
    if let Some((field, _)) = stray.into_iter().find(|(_, is_stray)| *is_stray) {
        let why = format!("`{field}` says nothing here: `of` goes with `trusted`, and `path` with `wrong`");
        return Err(CommandError::Usage(why));
    }
    let word = match (answer.answer, answer.command) {
        (Some(word), None) => word,
        (None, Some(command)) => {
            let shown = said(&command)?;
            let is_shown = matches!(shown, Said::Show(_) | Said::History(_) | Said::Events | Said::Node(_));
            let why =
                "a `command` is `show`, `history`, `events` or `node`; what is said of a call is an `answer`";
            return if is_shown { Ok((answer.node, shown)) } else { Err(none(why)) };
        }
        (None, None) => return Err(none("it has no `answer`")),
        (Some(_), Some(_)) => return Err(none("it has an `answer` and a `command`")),
    };
    let said = match word {
        Word::Valid => Said::Judged(Judgement::Valid),
        Word::Invalid => Said::Judged(Judgement::Invalid),
        Word::Unknown => Said::Judged(Judgement::Unknown),
        Word::Inadmissible => Said::Judged(Judgement::Inadmissible),
        Word::Undo => Said::Undo,
        Word::Wrong => match answer.path {
            Some(path) => Said::Wrong(path),
            None => return Err(CommandError::Usage("`wrong` needs the `path` of what is wrong".to_owned())),
        },
        Word::Trusted => Said::Judged(Judgement::Trusted(match answer.of {
            None | Some(Of::Method) => Trust::Method,
            Some(Of::Class) => Trust::Class,
            Some(Of::Package) => Trust::Package,
        })),
    };
    Ok((answer.node, said))
}
