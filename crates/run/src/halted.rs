//! A halted run with its program still alive: how to inspect and continue it.

use super::collect::read;
use super::content::{DescribedObjects, contents, describe};
use super::error::RunError;
use super::interrupt::Interrupt;
use super::live::{Launched, Live, Outcome, Progress};
use super::machine::scope_at;
use super::observer::Observer;
use super::report::Ended;
use super::vm::bci;
use super::watched::Watched;
use super::watcher::HaltedThread;
use debuggee::Tail;
use expr::Expr;
use jdwp::commands::{array_reference, event_request, object_reference, virtual_machine};
use jdwp::{ArrayId, EventKind, Modifier, StepDepth, StepSize, SuspendPolicy, TypeTag};
use model::{ContentsByObject, Coordinate, FrameKey, Occurrence, StackKey, Tables, Value};
use std::sync::Arc;

/// Maximum number of fields or elements shown for an object.
const MEMBERS: i32 = 32;
/// Maximum number of objects whose contents are read at once.
const DESCRIBED: usize = 256;

/// Classes in which no step ends: those of the JDK, including the recorder.
const NOT_STEPPED_INTO: [&str; 5] = ["java.*", "javax.*", "jdk.*", "sun.*", "com.sun.*"];

/// The state of a run.
pub enum Stage {
    /// It has ended.
    Over(Box<Outcome>),
    /// It is halted for inspection.
    Halted(Box<Halted>),
}

impl Stage {
    /// The state after watching; or the next VM to watch.
    pub(super) fn of(progress: Progress) -> Result<Stage, Box<Launched>> {
        match progress {
            Progress::Over(outcome) => Ok(Stage::Over(outcome)),
            Progress::Halted(live, halted_thread) => {
                Ok(Stage::Halted(Box::new(Halted { live: *live, halted_thread: *halted_thread })))
            }
            Progress::Next(next) => Err(next),
        }
    }

    /// Ends the run if it is halted. Returns its outcome.
    pub async fn end(self) -> Outcome {
        match self {
            Stage::Over(outcome) => *outcome,
            Stage::Halted(halted) => Box::pin(halted.end()).await,
        }
    }
}

/// A halted run. Dropping it kills the program; [`Halted::end`] first lets the program end by itself.
pub struct Halted {
    live: Live,
    halted_thread: HaltedThread,
}

impl Halted {
    /// Whether the run halted at the requested coordinate.
    pub fn has_arrived(&self) -> bool {
        self.halted_thread.arrived
    }

    /// The candidate at the coordinate, if the hit there is one.
    pub fn candidate(&self) -> Option<&Occurrence> {
        self.halted_thread.candidate.as_ref()
    }

    /// The tables to which its values refer.
    pub fn tables(&self) -> &Tables {
        self.live.tables()
    }

    /// The label of the halted thread.
    pub fn thread(&self) -> Arc<str> {
        let thread = self.tables().thread(self.halted_thread.stop.key);
        self.tables().thread_label(&thread)
    }

    /// The stack of the thread, newest frame first.
    ///
    /// # Errors
    /// The program has ended.
    pub async fn stack(&mut self) -> Result<(StackKey, Vec<FrameKey>), RunError> {
        let watched = self.live.watcher().watched();
        let (stack, frames) = self.halted_thread.stop.stack(&mut watched.vm, &mut watched.tables).await?;
        Ok((stack, frames.to_vec()))
    }

    /// The value of an expression in a frame: 0 the newest, -1 the oldest. If evaluation fails, the value
    /// contains the reason.
    ///
    /// # Errors
    /// The program has ended, or a method that the expression calls does not return.
    pub async fn evaluate(&mut self, frame: i32, expr: &Expr) -> Result<Value, RunError> {
        read(self.live.watcher().watched(), &mut self.halted_thread.stop, frame, expr).await
    }

    /// Like [`Halted::evaluate`], and whether the expression called methods of the program.
    ///
    /// # Errors
    /// As [`Halted::evaluate`].
    pub async fn evaluate_and_tell(&mut self, frame: i32, expr: &Expr) -> Result<(Value, bool), RunError> {
        let before = std::mem::take(&mut self.live.watcher().watched().report.called_methods);
        let value = self.evaluate(frame, expr).await;
        let called = std::mem::replace(&mut self.live.watcher().watched().report.called_methods, before);
        Ok((value?, called))
    }

    /// Names in the scope of a frame: `this` if it exists, then arguments and locals. The flag is whether the
    /// class has a local variable table. `None` if the stack has no such frame.
    ///
    /// # Errors
    /// The program has ended.
    pub async fn scope(&mut self, frame: i32) -> Result<Option<(Vec<String>, bool)>, RunError> {
        let (watched, stop) = (self.live.watcher().watched(), &mut self.halted_thread.stop);
        let Some(index) = stop.frame_index(&mut watched.vm, frame).await? else { return Ok(None) };
        let Some(at) = stop.frames(&mut watched.vm).await?.get(index).map(|f| f.location) else {
            return Ok(None);
        };
        let method = watched.vm.method(at.class, at.method).await?;
        let scope = scope_at(&method, u64::from(bci(at.index)));
        let this = (!scope.is_static).then(|| "this".to_owned());
        let locals = scope.locals.into_iter().map(|l| l.name).filter(|name| name != "this");
        Ok(Some((this.into_iter().chain(locals).collect(), scope.has_variable_table)))
    }

    /// The fields of an object, followed by those of its superclasses, or the first elements of an array; at
    /// most 32 of either, and none for other values. The number counts the omitted ones.
    ///
    /// # Errors
    /// The program has ended.
    pub async fn members(&mut self, value: &Value) -> Result<(Vec<(String, Value)>, usize), RunError> {
        let Value::Object { id, .. } = value else { return Ok((Vec::new(), 0)) };
        let object = jdwp::ObjectId::new(id.0);
        let Watched { vm, tables, .. } = self.live.watcher().watched();
        let conn = vm.conn().clone();
        let class = conn.send(object_reference::ReferenceType { object }).await?;
        if class.ref_type_tag == TypeTag::Array {
            let array_object = ArrayId::of(object);
            let whole = conn.send(array_reference::Length { array_object }).await?;
            let length = whole.min(MEMBERS);
            let more = usize::try_from(whole - length).unwrap_or(0);
            if length == 0 {
                return Ok((Vec::new(), 0));
            }
            let ask = array_reference::GetValues { array_object, first_index: 0, length };
            let raw: Vec<jdwp::Value> = conn.send(ask).await?.iter().collect();
            let values = vm.values(tables, &raw).await?;
            let elements = values.into_iter().enumerate().map(|(n, v)| (format!("[{n}]"), v));
            return Ok((elements.collect(), more));
        }
        let (mut names, mut fields) = (Vec::new(), Vec::new());
        let (mut next, mut more) = (Some(class.type_id), 0);
        while let Some(id) = next {
            let class = vm.class(id).await?;
            for field in class.fields.iter().filter(|f| !f.is_static) {
                if fields.len() < MEMBERS as usize {
                    names.push(field.name.clone());
                    fields.push(field.id);
                } else {
                    more += 1;
                }
            }
            next = class.superclass;
        }
        let raw = conn.send(object_reference::GetValues { object, fields }).await?;
        Ok((names.into_iter().zip(vm.values(tables, &raw).await?).collect(), more))
    }

    /// Reads the identity of the objects among these values, and the contents of at most 256 of them.
    ///
    /// # Errors
    /// The program has ended.
    pub async fn describe(&mut self, values: &[Value]) -> Result<ContentsByObject, RunError> {
        let Watched { vm, tables, .. } = self.live.watcher().watched();
        let at = self.halted_thread.stop.location;
        let in_constructor = &*vm.method(at.class, at.method).await?.name.name == "<init>";
        let which = if in_constructor { DescribedObjects::Constants } else { DescribedObjects::All };
        let values: Vec<&Value> = values.iter().collect();
        describe(vm, tables, &values, which).await?;
        contents(vm, tables, &values, DESCRIBED).await
    }

    /// The outcome of the run so far; the run stays halted.
    pub fn outcome(&mut self) -> Outcome {
        let watched = self.live.watcher().watched();
        watched.close_report();
        Outcome {
            ended: Ended::Stopped,
            tables: watched.tables.clone(),
            report: watched.report.clone(),
            tail: self.live.tail(),
        }
    }

    /// The latest output of the program.
    pub fn tail(&self) -> Tail {
        self.live.tail()
    }

    /// Continues the run, up to this coordinate if given. Its time limit starts anew.
    ///
    /// # Errors
    /// As [`super::execute`].
    pub async fn go_on(
        self,
        halt_at: Option<Coordinate>,
        interrupt: &Interrupt,
        observer: &mut dyn Observer,
    ) -> Result<Stage, RunError> {
        let Halted { mut live, .. } = self;
        live.watcher().halt_at(halt_at);
        let deadline = tokio::time::Instant::now() + live.limit();
        drop(live.watcher().watched().vm.conn().send(virtual_machine::Resume {}));
        Ok(match Stage::of(Box::pin(live.watch(deadline, interrupt, observer)).await?) {
            Ok(stage) => stage,
            // Only a VM that was never halted can be a launcher's.
            Err(next) => Stage::Over(Box::new(Box::pin(next.stop()).await)),
        })
    }

    /// Continues the run until the thread reaches another line or the observer halts it. If `into` is set,
    /// the step enters called methods, except those of the JDK. The time limit starts anew.
    ///
    /// # Errors
    /// As [`super::execute`].
    pub async fn step(
        mut self,
        into: bool,
        interrupt: &Interrupt,
        observer: &mut dyn Observer,
    ) -> Result<Stage, RunError> {
        // If a probe stopped the program, the first step may only return from the recorder to the same line.
        // Then a second step is needed.
        let begin = match self.halted_thread.stop.is_in_recorder() {
            true => Some(self.line().await?),
            false => None,
        };
        let stage = Box::pin(self.step_once(into, interrupt, observer)).await?;
        let Stage::Halted(mut halted) = stage else { return Ok(stage) };
        if begin.is_none() || begin != Some(halted.line().await?) {
            return Ok(Stage::Halted(halted));
        }
        Box::pin(halted.step_once(into, interrupt, observer)).await
    }

    /// The method, line and depth of the newest frame.
    async fn line(&mut self) -> Result<(jdwp::MethodId, Option<u32>, u32), RunError> {
        let (watched, stop) = (self.live.watcher().watched(), &mut self.halted_thread.stop);
        let at = stop.location;
        let line = watched.vm.method(at.class, at.method).await?.line(at.index);
        Ok((at.method, line, stop.depth(&watched.vm).await?))
    }

    async fn step_once(
        mut self,
        into: bool,
        interrupt: &Interrupt,
        observer: &mut dyn Observer,
    ) -> Result<Stage, RunError> {
        let thread = self.halted_thread.stop.thread;
        let depth = if into { StepDepth::Into } else { StepDepth::Over };
        let step = Modifier::Step { thread, size: StepSize::Line, depth };
        let excluded = NOT_STEPPED_INTO.map(|pattern| Modifier::ClassExclude(pattern.to_owned()));
        let ask = event_request::Set {
            event_kind: EventKind::SingleStep,
            suspend_policy: SuspendPolicy::EventThread,
            modifiers: std::iter::once(step).chain(excluded).collect(),
        };
        let request = self.live.watcher().watched().vm.conn().send(ask).await?;
        self.live.watcher().halt_after(request);
        self.go_on(None, interrupt, observer).await
    }

    /// Ends the halted run.
    pub async fn end(self) -> Outcome {
        Box::pin(self.live.stop()).await
    }
}
