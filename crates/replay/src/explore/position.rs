//! The position of a session: none yet, after a finished run, or at a point of a halted program.

use super::Explorer;
use super::arrival::UnconfirmedArrival;
use answer::frames::frame_answer;
use answer::{FrameAnswer, arms};
use classes::{ClassPool, SourceRoots};
use model::{Frame, FrameKey, Namer, Tables, short_class_name};
use program::code_book::CodeBook;
use run::{Ended, Halted, Outcome};
use serde::Serialize;
use session::SessionError;
use std::rc::Rc;

/// The position of a session.
pub(super) enum Position {
    /// Before the first run, or after the program was ended.
    Nowhere,
    /// The last run has ended.
    Ended(Ended),
    /// The program is halted.
    Halted(Box<HaltedProgram>),
}

/// A halted program.
pub(super) struct HaltedProgram {
    pub(super) halted: Box<Halted>,
    pub(super) pool: Rc<ClassPool>,
    pub(super) sources: Rc<SourceRoots>,
    /// Numbers objects as in the answer.
    pub(super) namer: Namer,
    /// The point at which it is halted.
    pub(super) point: Option<String>,
    pub(super) run: u32,
    /// The arrival at its target, if some points are undecided.
    pub(super) arrived: Option<UnconfirmedArrival>,
    /// The selected frame.
    pub(super) frame: i32,
}

/// A place in a halted program.
#[derive(Clone, Debug, Serialize)]
pub struct Standpoint {
    /// The point of the chain.
    pub point: Option<String>,
    /// Number of the run.
    pub run: u32,
    /// The selected frame: 0 is the newest.
    pub frame: i32,
    /// The halted thread.
    pub thread: String,
    /// The place.
    pub place: FrameAnswer,
    /// The source line, trimmed.
    pub text: Option<String>,
    /// The source lines around it, as `(number, text)`.
    pub neighbours: Vec<(u32, String)>,
    /// Whether an earlier run located the point here and this one has not confirmed it.
    pub unconfirmed: bool,
}

impl HaltedProgram {
    pub(super) fn new(
        halted: Box<Halted>,
        pool: Rc<ClassPool>,
        sources: Rc<SourceRoots>,
        namer: Namer,
        point: Option<String>,
        run: u32,
        arrived: Option<UnconfirmedArrival>,
    ) -> HaltedProgram {
        HaltedProgram { halted, pool, sources, namer, point, run, arrived, frame: 0 }
    }

    pub(super) fn tables(&self) -> &Tables {
        self.halted.tables()
    }

    /// The frames of the thread, newest first.
    pub(super) async fn frames(&mut self) -> Result<Vec<FrameKey>, SessionError> {
        Ok(self.halted.stack().await?.1)
    }

    pub(super) async fn end(self) -> Outcome {
        self.halted.end().await
    }
}

impl Explorer {
    /// Where the program is halted, if it is alive.
    ///
    /// # Errors
    /// The program has ended meanwhile.
    pub async fn stand(&mut self) -> Result<Option<Standpoint>, SessionError> {
        let Some(opened) = &self.opened else { return Ok(None) };
        let Position::Halted(halted_program) = &mut self.position else { return Ok(None) };
        let frames = match halted_program.frames().await {
            Ok(frames) => frames,
            Err(error) => return Err(self.lost(error).await),
        };
        let at = frame_at(&frames, halted_program.frame);
        let Some(frame) = at.and_then(|key| halted_program.tables().frame(key)) else { return Ok(None) };
        let book = CodeBook { pool: &halted_program.pool, sources: &opened.sources };
        // At a store, shows the line of the executed arm, as the answer does.
        let candidate = halted_program.halted.candidate().filter(|_| halted_program.frame == 0);
        let arm = candidate.and_then(|candidate| candidate.detail.as_ref()?.arm);
        let given = arm.and_then(|arm| arms::given(&halted_program.pool, &frame.site, Some(arm))?.line);
        let frame = &Frame { line: given.or(frame.line), ..frame.clone() };
        Ok(Some(Standpoint {
            point: halted_program.point.clone(),
            run: halted_program.run,
            frame: halted_program.frame,
            thread: halted_program.halted.thread().to_string(),
            place: frame_answer(frame),
            text: book.text(frame),
            neighbours: book.around(frame),
            unconfirmed: halted_program.arrived.is_some(),
        }))
    }

    /// How the last run ended, if its program is no longer alive.
    pub fn ended(&self) -> Option<&Ended> {
        match &self.position {
            Position::Ended(ended) => Some(ended),
            _ => None,
        }
    }

    /// The last lines that the program has printed.
    pub fn output(&self, lines: usize) -> Vec<String> {
        let now = match &self.position {
            Position::Halted(halted_program) => Some(halted_program.halted.tail()),
            _ => None,
        };
        let tail = now.as_ref().unwrap_or(&self.tail);
        let all = tail.lines();
        let skipped = all.len().saturating_sub(lines);
        all.skip(skipped).map(|(_, line)| line.to_owned()).collect()
    }

    /// The source lines around a line of a class, with the name of the file.
    ///
    /// # Errors
    /// The class or its source was not found, or the source has no such line.
    pub async fn source(
        &mut self,
        class: &str,
        line: u32,
        around: u32,
    ) -> Result<(String, Vec<(u32, String)>), SessionError> {
        self.open().await?;
        let none = || SessionError::NoSource { class: class.to_owned() };
        let opened = self.opened.as_ref().ok_or_else(none)?;
        let pool = match &self.position {
            Position::Halted(halted_program) => halted_program.pool.clone(),
            _ => self.findings.pools.of(&opened.workspace, &run::VmFacts::default())?,
        };
        let found = pool.find(class)?;
        let found = match found {
            Some(found) => Some(found),
            // The user may have written the simple name.
            None => {
                let full = pool.user_classes().find(|c| short_class_name(c) == class).map(str::to_owned);
                match full {
                    Some(full) => pool.find(&full)?,
                    None => None,
                }
            }
        };
        let name = found.as_ref().map_or(class, |f| f.file.name.as_str());
        let file = found.as_ref().and_then(|f| f.file.source_file.clone());
        let text = opened.sources.find(name, file.as_deref(), found.as_ref().map(|f| &f.origin));
        let text = text.ok_or_else(none)?;
        if text.line(line).is_none() {
            return Err(SessionError::NoSuchLine { file: text.path.clone(), lines: text.lines().len() });
        }
        let lines = line.saturating_sub(around).max(1)..=line.saturating_add(around);
        let lines = lines.filter_map(|n| Some((n, text.line(n)?.replace('\t', "    "))));
        Ok((text.path.clone(), lines.collect()))
    }

    pub(super) fn halted_program(&mut self) -> Result<&mut HaltedProgram, SessionError> {
        if self.run_in_progress.is_some() {
            return Err(SessionError::RunIsOn);
        }
        match &mut self.position {
            Position::Halted(halted_program) => Ok(halted_program),
            Position::Ended(ended) => {
                Err(SessionError::NotHalted(format!("the program has ended ({ended})")))
            }
            Position::Nowhere => Err(SessionError::NotHalted("the program does not run".to_owned())),
        }
    }

    /// Forgets the halted program after its connection was lost.
    pub(super) async fn lost(&mut self, error: SessionError) -> SessionError {
        self.leave().await;
        SessionError::Lost(Box::new(error))
    }
}

/// The frame by its index in references: 0 is the newest, -1 the oldest.
pub(super) fn frame_at(frames: &[FrameKey], frame: i32) -> Option<FrameKey> {
    let index = match usize::try_from(frame) {
        Ok(index) => Some(index),
        Err(_) => frames.len().checked_sub(frame.unsigned_abs() as usize),
    };
    frames.get(index?).copied()
}
