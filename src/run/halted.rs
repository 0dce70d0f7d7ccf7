//! A run that stands still, with its program alive: what can be looked at there, and how it goes on.

use super::collect::read;
use super::content::{Which, held, tell};
use super::error::RunError;
use super::interrupt::Interrupt;
use super::live::{Live, Outcome, Progress};
use super::machine::scope_at;
use super::observer::Observer;
use super::report::Ended;
use super::vm::bci;
use super::watched::Watched;
use super::watcher::Standing;
use crate::debuggee::Tail;
use crate::expr::Expr;
use crate::model::{Coordinate, FrameKey, HeldByObject, Occurrence, StackKey, Tables, Value};
use jdwp::commands::{array_reference, event_request, object_reference, virtual_machine};
use jdwp::{ArrayId, EventKind, Modifier, StepDepth, StepSize, SuspendPolicy, TypeTag};
use std::sync::Arc;

/// Most fields or elements shown of an object.
const MEMBERS: i32 = 32;
/// Most objects whose contents are read at once.
const DESCRIBED: usize = 256;

/// Classes that no step ends in: those of the JDK, and the recorder's among them.
const NOT_STEPPED_INTO: [&str; 5] = ["java.*", "javax.*", "jdk.*", "sun.*", "com.sun.*"];

/// How far a run has come.
pub enum Stage {
    /// It is over.
    Over(Box<Outcome>),
    /// It stands still, to be looked at.
    Halted(Box<Halted>),
}

impl From<Progress> for Stage {
    fn from(progress: Progress) -> Stage {
        match progress {
            Progress::Over(outcome) => Stage::Over(outcome),
            Progress::Stands(live, standing) => {
                Stage::Halted(Box::new(Halted { live: *live, standing: *standing }))
            }
        }
    }
}

/// A run that stands still. Dropping it kills the program; [`Halted::end`] lets it end first.
pub struct Halted {
    live: Live,
    standing: Standing,
}

impl Halted {
    /// Whether it stands at the coordinate it was to be halted at.
    pub fn has_arrived(&self) -> bool {
        self.standing.arrived
    }

    /// The candidate at the coordinate, if the hit there is one.
    pub fn candidate(&self) -> Option<&Occurrence> {
        self.standing.candidate.as_ref()
    }

    /// The tables that its values refer to.
    pub fn tables(&self) -> &Tables {
        self.live.tables()
    }

    /// The name of the thread that stands here.
    pub fn thread(&self) -> Arc<str> {
        self.tables().thread(self.standing.stop.key)
    }

    /// The stack of the thread, newest frame first.
    ///
    /// # Errors
    /// The program has ended.
    pub async fn stack(&mut self) -> Result<(StackKey, Vec<FrameKey>), RunError> {
        let watched = self.live.watcher().watched();
        let (stack, frames) = self.standing.stop.stack(&mut watched.vm, &mut watched.tables).await?;
        Ok((stack, frames.to_vec()))
    }

    /// The value of an expression in a frame: 0 the newest, -1 the oldest. What cannot be evaluated is a
    /// value that says why.
    ///
    /// # Errors
    /// The program has ended, or a method that the expression calls does not return.
    pub async fn evaluate(&mut self, frame: i32, expr: &Expr) -> Result<Value, RunError> {
        read(self.live.watcher().watched(), &mut self.standing.stop, frame, expr).await
    }

    /// The same, and whether it called methods of the program.
    ///
    /// # Errors
    /// As [`Halted::evaluate`].
    pub async fn evaluate_and_tell(&mut self, frame: i32, expr: &Expr) -> Result<(Value, bool), RunError> {
        let before = std::mem::take(&mut self.live.watcher().watched().report.called_methods);
        let value = self.evaluate(frame, expr).await;
        let called = std::mem::replace(&mut self.live.watcher().watched().report.called_methods, before);
        Ok((value?, called))
    }

    /// Names of what a frame has in scope: `this` where there is one, then its arguments and locals. `None`
    /// when the stack has no such frame; then whether the class has a table of its variables.
    ///
    /// # Errors
    /// The program has ended.
    pub async fn scope(&mut self, frame: i32) -> Result<Option<(Vec<String>, bool)>, RunError> {
        let (watched, stop) = (self.live.watcher().watched(), &mut self.standing.stop);
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

    /// The fields of an object, those of its superclasses last, or the first elements of an array; of other
    /// values nothing, and of either at most 32; then how many more there are.
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

    /// Reads what the objects among these values are, and what they hold: of no more than 256.
    ///
    /// # Errors
    /// The program has ended.
    pub async fn describe(&mut self, values: &[Value]) -> Result<HeldByObject, RunError> {
        let Watched { vm, tables, .. } = self.live.watcher().watched();
        let at = self.standing.stop.location;
        let in_constructor = &*vm.method(at.class, at.method).await?.name.name == "<init>";
        let which = if in_constructor { Which::Constants } else { Which::All };
        let values: Vec<&Value> = values.iter().collect();
        tell(vm, tables, &values, which).await?;
        held(vm, tables, &values, DESCRIBED).await
    }

    /// What the run has told by now; it stays as it is.
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

    /// The end of what the program has printed so far.
    pub fn tail(&self) -> Tail {
        self.live.tail()
    }

    /// Lets the run go on, to this coordinate if there is one. Its time begins anew.
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
        live.watch(deadline, interrupt, observer).await.map(Stage::from)
    }

    /// Lets the run go on until the thread comes to another line, or the observer halts it. A step goes into
    /// methods that are called if it is to, but not those of the JDK. Its time begins anew.
    ///
    /// # Errors
    /// As [`super::execute`].
    pub async fn step(
        mut self,
        into: bool,
        interrupt: &Interrupt,
        observer: &mut dyn Observer,
    ) -> Result<Stage, RunError> {
        // Where a probe stopped the program, the step ends when the recorder returns to the same line: it
        // takes another.
        let begin = match self.standing.stop.is_in_recorder() {
            true => Some(self.line().await?),
            false => None,
        };
        let stage = self.step_once(into, interrupt, observer).await?;
        let Stage::Halted(mut halted) = stage else { return Ok(stage) };
        if begin.is_none() || begin != Some(halted.line().await?) {
            return Ok(Stage::Halted(halted));
        }
        halted.step_once(into, interrupt, observer).await
    }

    /// The line of the newest frame, and the depth of that.
    async fn line(&mut self) -> Result<(jdwp::MethodId, Option<u32>, u32), RunError> {
        let (watched, stop) = (self.live.watcher().watched(), &mut self.standing.stop);
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
        let thread = self.standing.stop.thread;
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

    /// Ends the run where it stands.
    pub async fn end(self) -> Outcome {
        self.live.stop().await
    }
}
