//! Mode `rerun`: the program itself is halted, as in `qp debug`. Nothing of its past is recorded, so going
//! back is another run.
//!
//! A session remembers the moves that led from the entry of `main` to where it stands. To go back, it runs
//! the program again up to `main`, and repeats all but the last ones.

use super::{FirstStop, Launch};
use answer::FrameAnswer;
use chain::{Chain, Debuggee, Kind, Point};
use command::CommandError;
use command::debug::{self, Reply};
use debuggee::StdinRecording;
use past::SourceLine;
use replay::explore::{Explorer, Front, NamedValue, Scope, Standpoint, Step};
use replay::probe_policy::Backend;
use session::{Context, Progress, SessionError};
use std::path::PathBuf;
use std::rc::Rc;

/// Maximum number of moves that are repeated.
const MOVES: usize = 10_000;

/// A program that is run again to go back.
pub struct Rerun {
    explorer: Explorer,
    /// The point at the entry of `main`.
    begin: String,
    /// The moves from there to here; `None` where a question has led elsewhere.
    moves: Option<Vec<Move>>,
    /// The points of breakpoints, by the name of their file.
    lines: Vec<(String, String)>,
}

/// A move, and the point of the breakpoint at which it ended, if it did.
type Move = (Step, Option<String>);

/// Where the program stands after a move.
#[derive(Clone, Debug)]
pub struct RerunStop {
    /// The place; `None` if the program has ended.
    pub standing: Option<Standpoint>,
    /// Whether a breakpoint is hit there.
    pub is_hit: bool,
    /// Whether it is the entry of `main`.
    pub is_begin: bool,
    /// How the program ended.
    pub ended: Option<String>,
}

/// Passes progress on to the editor.
struct Passing(Rc<dyn Progress>);

impl Front for Passing {
    fn progress(&self, _in_front: bool) -> Rc<dyn Progress> {
        self.0.clone()
    }
}

impl Rerun {
    /// Builds the program.
    ///
    /// # Errors
    /// The settings are incomplete, or the program cannot be built.
    pub async fn open(
        launch: &Launch,
        stdin: Option<StdinRecording>,
        context: &Context,
    ) -> Result<Rerun, CommandError> {
        let program = launch.program(context).await?;
        let named = launch.sources().paths;
        let debuggee = Debuggee {
            sources: if named.is_empty() { program.sources.clone() } else { named },
            source_encoding: launch.source_encoding,
            timeout_s: launch.timeout,
            ..program
        };
        // Steps need a program that is watched by events.
        let options = replay::Options {
            show_output: true,
            stdin,
            backend: Backend::Jdwp,
            ..replay::Options::default()
        };
        let front = Rc::new(Passing(context.shared_progress()));
        let mut explorer = Explorer::new("qp dap", Chain::new(debuggee, Vec::new()), options, front);
        explorer.open().await?;
        let wanted = "mode `rerun` needs a `java` command that names the main class: use mode `record`";
        let main = explorer.main_class().ok_or_else(|| CommandError::Usage(wanted.to_owned()))?;
        let begin = explorer.next_id();
        explorer.add(Point::new(begin.as_str(), Kind::Entry(format!("{main}.main")))).await?;
        Ok(Rerun { explorer, begin, moves: Some(Vec::new()), lines: Vec::new() })
    }

    /// Replaces the breakpoints of a source file, each with a condition or without. They hold from the next
    /// run on. Tells of each why it cannot be set, if so.
    ///
    /// # Errors
    /// A run is in progress.
    pub async fn set_lines(
        &mut self,
        file: &str,
        lines: Vec<(SourceLine, Option<String>)>,
    ) -> Result<Vec<Option<String>>, CommandError> {
        let (old, kept) = std::mem::take(&mut self.lines).into_iter().partition(|(of, _)| of == file);
        self.lines = kept;
        let old: Vec<String> = old.into_iter().map(|(_, id): (String, String)| id).collect();
        if !old.is_empty() {
            self.explorer.remove(&old)?;
        }
        let mut problems = Vec::new();
        for (line, condition) in lines {
            let id = self.explorer.next_id();
            let kind = Kind::Line(line.class.clone(), line.line);
            let point = Point { when: condition, ..Point::new(id.as_str(), kind) };
            problems.push(match self.explorer.add(point).await {
                Ok(_) => {
                    self.lines.push((file.to_owned(), id));
                    None
                }
                Err(error) => Some(error.to_string()),
            });
        }
        Ok(problems)
    }

    /// Runs the program up to the entry of `main`, and from there to the first breakpoint unless the session
    /// stops at the entry.
    ///
    /// # Errors
    /// The program cannot be run, `main` is never entered, or the user interrupted.
    pub async fn begin(&mut self, first: FirstStop, context: &Context) -> Result<RerunStop, CommandError> {
        let stop = self.repeat(Vec::new(), context).await?;
        let has_lines = !self.lines.is_empty();
        if first == FirstStop::Entry || !has_lines { Ok(stop) } else { self.go(Step::On, context).await }
    }

    /// Moves on.
    ///
    /// # Errors
    /// The program has ended, or the user interrupted.
    pub async fn go(&mut self, step: Step, context: &Context) -> Result<RerunStop, CommandError> {
        let interrupter = self.explorer.interrupter();
        let stepped = interruptible(context, || interrupter.interrupt(), self.explorer.step(step)).await?;
        let hit = stepped.passes.filter(|point| *point != self.begin);
        let is_hit = hit.is_some();
        if let Some(moves) = &mut self.moves {
            moves.push((step, hit));
        }
        self.moves = self.moves.take().filter(|moves| moves.len() < MOVES);
        Ok(RerunStop { standing: stepped.standing, is_hit, is_begin: false, ended: stepped.ended })
    }

    /// Goes back by another run: to the previous hit of a breakpoint, or to before the last step.
    ///
    /// # Errors
    /// It is not known which moves led here, the program cannot be run, or the user interrupted.
    pub async fn back(&mut self, to_hit: bool, context: &Context) -> Result<RerunStop, CommandError> {
        let unknown = "it is not known here which moves lead back: ask `back VARIABLE`, or restart";
        let mut moves = self.moves.clone().ok_or_else(|| CommandError::Usage(unknown.to_owned()))?;
        if to_hit {
            moves.pop();
            while moves.last().is_some_and(|(last, _)| *last != Step::On) {
                moves.pop();
            }
        } else if moves.pop().is_some_and(|(last, _)| last == Step::On) {
            let line = "the line before a breakpoint is not known in mode `rerun`: `reverseContinue` goes to \
                        the hit before, and mode `record` steps back by lines";
            return Err(CommandError::Usage(line.to_owned()));
        }
        self.repeat(moves.into_iter().map(|(step, _)| step).collect(), context).await
    }

    /// Makes a point of the hit of a breakpoint at which the program stands, so that questions can be asked
    /// from there. That is another run.
    async fn pin(&mut self, context: &Context) -> Result<(), CommandError> {
        let Some(moves) = &self.moves else { return Ok(()) };
        let Some((_, Some(hit))) = moves.last() else { return Ok(()) };
        let Some(at) = self.explorer.chain().position(hit) else { return Ok(()) };
        let Some(point) = self.explorer.chain().points.get(at).cloned() else { return Ok(()) };
        let nth = moves.iter().filter(|(_, passed)| passed.as_ref() == Some(hit)).count();
        let id = self.explorer.next_id();
        let index = i64::try_from(nth).map_or(-1, |nth| nth - 1);
        let pinned = Point { id: id.clone(), index: Some(index), ..point };
        self.explorer.add(pinned).await?;
        let interrupter = self.explorer.interrupter();
        let run = async {
            self.explorer.start("editor", true).await?;
            let ran = self.explorer.finished().await?;
            match ran.standing.is_some_and(|at| at.point.as_deref() == Some(id.as_str())) {
                true => Ok(()),
                false => Box::pin(self.explorer.goto(&id)).await.map(drop),
            }
        };
        interruptible(context, || interrupter.interrupt(), Box::pin(run)).await?;
        Ok(())
    }

    /// Runs the program up to the entry of `main`, and repeats moves.
    async fn repeat(&mut self, moves: Vec<Step>, context: &Context) -> Result<RerunStop, CommandError> {
        let interrupter = self.explorer.interrupter();
        let begin = self.begin.clone();
        let run = async {
            if self.explorer.is_located(&begin) {
                return Ok(Box::pin(self.explorer.goto(&begin)).await?.standing);
            }
            self.explorer.start("editor", true).await?;
            let ran = self.explorer.finished().await?;
            let stands = ran.standing.filter(|at| at.point.as_deref() == Some(begin.as_str()));
            match stands {
                Some(standing) => Ok(Some(standing)),
                None => Ok::<_, SessionError>(Box::pin(self.explorer.goto(&begin)).await?.standing),
            }
        };
        let standing = interruptible(context, || interrupter.interrupt(), Box::pin(run)).await?;
        self.moves = Some(Vec::new());
        let mut stop = RerunStop { standing, is_hit: false, is_begin: true, ended: None };
        for step in moves {
            stop = self.go(step, context).await?;
        }
        Ok(stop)
    }

    /// Executes a command of the prompt of `qp debug`. Where it halts the program elsewhere, the way back is
    /// not known any more.
    pub async fn command(
        &mut self,
        line: &str,
        context: &Context,
    ) -> Result<(Reply, RerunStop), CommandError> {
        if self.standing().await?.is_some_and(|at| at.point.is_none()) {
            self.pin(context).await?;
        }
        let before = self.standing().await?;
        let interrupter = self.explorer.interrupter();
        let work = async { Ok::<_, SessionError>(debug::execute(line, &mut self.explorer).await) };
        let reply = interruptible(context, || interrupter.interrupt(), Box::pin(work)).await??;
        let standing = self.standing().await?;
        let place = |at: &Option<Standpoint>| {
            at.as_ref().map(|at| (at.run, at.point.clone(), at.place.class.clone(), at.place.line))
        };
        if place(&before) != place(&standing) {
            self.moves = None;
        }
        let ended = self.explorer.ended().map(ToString::to_string);
        Ok((reply, RerunStop { standing, is_hit: false, is_begin: false, ended }))
    }

    /// Where the program is halted.
    ///
    /// # Errors
    /// It has ended meanwhile.
    pub async fn standing(&mut self) -> Result<Option<Standpoint>, CommandError> {
        Ok(self.explorer.stand().await?)
    }

    /// The frames of the halted thread, the innermost first.
    ///
    /// # Errors
    /// No program is halted.
    pub async fn frames(&mut self) -> Result<Vec<FrameAnswer>, CommandError> {
        Ok(self.explorer.frames().await?.0)
    }

    /// The source file of a class.
    pub fn source(&self, class: &str, file: &str) -> Option<PathBuf> {
        self.explorer.source_file(class, file)
    }

    /// The variables of a frame, 0 for the innermost.
    ///
    /// # Errors
    /// No program is halted, or it has no such frame.
    pub async fn locals(&mut self, frame: i32) -> Result<Scope, CommandError> {
        Ok(self.explorer.locals(Some(frame)).await?)
    }

    /// The value of an expression in a frame. It can call methods of the program.
    ///
    /// # Errors
    /// No program is halted, the expression has no value, or the user interrupted.
    pub async fn evaluate(
        &mut self,
        frame: u32,
        text: &str,
        context: &Context,
    ) -> Result<NamedValue, CommandError> {
        self.explorer.select_frame(frame).await?;
        let interrupter = self.explorer.interrupter();
        let value = interruptible(context, || interrupter.interrupt(), self.explorer.evaluate(text)).await;
        Ok(value?)
    }

    /// Ends the program.
    pub async fn end(&mut self) {
        self.explorer.end().await;
    }
}

/// Waits for work that the user can interrupt.
async fn interruptible<T>(
    context: &Context,
    interrupt: impl Fn() -> bool,
    work: impl Future<Output = Result<T, SessionError>>,
) -> Result<T, SessionError> {
    let mut work = Box::pin(work);
    tokio::select! {
        done = &mut work => return done,
        () = context.interrupted() => {}
    }
    // There may be nothing to interrupt yet.
    loop {
        interrupt();
        tokio::select! {
            done = &mut work => return done,
            () = tokio::time::sleep(std::time::Duration::from_millis(50)) => {}
        }
    }
}
