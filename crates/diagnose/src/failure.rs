//! Begins at the failure of a run, so that no first answer is needed. An exception that nothing caught shows
//! that the outermost call which it left is invalid.
//!
//! - If an assertion of a test failed, the value that it examined is wrong. The calls that influenced the
//!   value are asked about first.
//! - Otherwise the exception is wrong, and the calls that led to it come first.
//!
//! - A test that returned, although it is declared to throw an exception, is invalid too. What did not happen
//!   has no slice.
//!
//! A call further inside is not taken as invalid, although it threw: an earlier call may have left the state
//! that it was given wrong. For the same reason the calls that prepared a test stay suspicious.

use super::assertion_site::AssertionSite;
use super::slice_answer::{SlicedPart, WrongPart};
use super::{Diagnoser, Judgement};
use classes::ClassPool;
use declarative::{STRATEGIES, Verdict};
use past::snapshot::Shaper;
use serde::Serialize;
use session::{Context, SessionError};
use slice::{FailedAssertion, PartUses};
use std::collections::BTreeSet;
use std::path::Path;
use trace::{Calls, Exit, Level, Value};

/// Exceptions by which a test says that it cannot run. It has not failed.
const SKIPS: [&str; 4] = [
    "org.junit.AssumptionViolatedException",
    "org.junit.internal.AssumptionViolatedException",
    "org.opentest4j.TestAbortedException",
    "org.testng.SkipException",
];

/// What a diagnosis takes for granted because the run failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Assumption {
    /// The call that counts as invalid.
    #[serde(flatten)]
    pub call: NamedNode,
    /// The answer that counts as given.
    pub answer: Judgement,
    /// The exception that shows the failure; `None` if the call returned, although an exception is expected.
    pub exception: Option<String>,
    /// The exceptions of which one is expected and did not come.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub expected_exceptions: Vec<String>,
    /// The outermost call outside of test classes that the exception left, if it is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left: Option<NamedNode>,
    /// The value that counts as wrong, as the source has it; `exception` for the exception itself.
    pub wrong: String,
    /// The failed assertion, if it is that of a test framework.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assertion: Option<String>,
    /// The value that the assertion expected, as text, if it compares two values and this one is known.
    #[serde(rename = "expected", skip_serializing_if = "Option::is_none")]
    pub expected_value: Option<String>,
    /// The value that it examined, as text, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actual: Option<String>,
    /// The source file and line of the assertion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Number of calls that influenced the wrong value; `None` if they are not known.
    pub influential: Option<usize>,
    /// Why they are not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Number of other calls that failed in the same way, such as other tests.
    #[serde(skip_serializing_if = "is_zero")]
    pub more: usize,
}

/// A call with its method.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NamedNode {
    /// The call.
    pub node: u32,
    /// Its method, as CLASS.METHOD.
    pub method: String,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Whether the diagnosis begins at the failure of the run.
#[derive(Debug, Default)]
pub(super) struct FailureStart {
    /// Whether the run was examined.
    is_done: bool,
    /// The node whose answer was taken for granted.
    pub(super) taken: Option<u32>,
    /// What was not yet shown.
    unshown: Option<Assumption>,
    /// The failed run, as far as it was examined.
    pub(super) found: Option<FailedRun>,
}

/// What the failure of a run shows of its calls.
#[derive(Clone, Debug)]
pub(super) struct FailedRun {
    /// The outermost call that failed.
    pub root: u32,
    /// The first call that prepared it, or itself.
    pub from: u32,
    /// The calls that the exception left one after another, outermost first.
    pub chain: Vec<u32>,
    /// Whether the test failed by itself: by a failed assertion, or because an exception did not come.
    pub is_assertion: bool,
    /// The calls that influenced what is wrong; `None` if they are not known.
    pub influential: Option<BTreeSet<u32>>,
    /// When fields and elements were read on the way to what is wrong; `None` if that is not known.
    pub uses: Option<PartUses>,
}

/// A call that an exception left for the code that runs the program, or from which an expected one did not
/// come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Failed {
    root: u32,
    /// The exception object.
    exception: Option<u32>,
}

/// What an assertion expected and what it examined, as text.
type ComparedTexts = (Option<String>, Option<String>);

/// How deep the values that an assertion compared are shown.
const COMPARED_DEPTH: usize = 3;

/// Why there is no slice of an exception that did not come.
const NOT_THROWN: &str = "an expected exception did not come, and what does not happen has no influences";

impl Diagnoser {
    /// Returns once what was taken for granted.
    pub fn take_assumption(&mut self) -> Option<Assumption> {
        self.failure.unshown.take()
    }

    /// Takes back what was taken for granted. Returns its node, if there was anything.
    pub(super) fn retract_assumption(&mut self) -> Option<u32> {
        let taken = self.failure.taken.take()?;
        self.diagnosis.retract_all(|answered| answered.node == taken);
        Some(taken)
    }

    /// If the run is over and has failed, answers about the call that shows it.
    ///
    /// # Errors
    /// The recording cannot be read, or the user interrupted the work.
    pub(super) async fn begin_at_failure(&mut self, context: &Context) -> Result<(), SessionError> {
        let is_over = self.trace.about.recorded.is_some() && !self.goes_on();
        if !is_over || std::mem::replace(&mut self.failure.is_done, true) {
            return Ok(());
        }
        // The user has named another beginning, or the recording does not show how calls began.
        if self.options.node.is_some() || self.trace.about.is_whole().is_err() || self.has_succeeded() {
            return Ok(());
        }
        let all = self.failed()?;
        let Some(first) = all.first().copied() else { return Ok(()) };
        let is_below = |call: u32| {
            call.checked_sub(first.root).is_some_and(|at| at <= self.trace.calls.below(first.root))
        };
        if self.blamed().is_some_and(|call| !is_below(call)) {
            // What fails may do so because of what the blamed call left.
            return Ok(());
        }
        let Some(exception) = first.exception else {
            return self.assume(first, all.len(), &[first.root], SlicedPart::lost(NOT_THROWN), None);
        };
        let chain = self.left_by(first.root, exception)?;
        let innermost = chain.last().copied().unwrap_or(first.root);
        let is_assertion = self.is_below(exception, "java.lang.AssertionError");
        if is_assertion {
            let sliced = self.slice_of(first.root, WrongPart::Asserted(innermost), context).await?;
            if let Some(assertion) = sliced.assertion {
                let method = self.trace.calls.method(innermost).zip(self.fields.pool());
                let site = method.and_then(|(method, pool)| AssertionSite::of(pool, method, assertion));
                let compared = match &site {
                    Some(site) => self.compared(innermost, assertion, site)?,
                    None => (None, None),
                };
                return self.assume(first, all.len(), &chain, sliced, site.map(|site| (site, compared)));
            }
        }
        let sliced = self.slice_of(first.root, WrongPart::Exit, context).await?;
        self.assume(first, all.len(), &chain, sliced, None)
    }

    /// The texts of the values that a failed assertion compared, as they were when it failed.
    fn compared(
        &mut self,
        call: u32,
        assertion: FailedAssertion,
        site: &AssertionSite,
    ) -> Result<ComparedTexts, SessionError> {
        let ends = self.trace.calls.span(call)?.1;
        let bounds = self.options.bounds;
        let mut shaper = Shaper { calls: &mut self.trace.calls, fields: &mut self.fields, bounds };
        let mut text = |value: Option<Value>| match value {
            // A comparison with null has no text to show.
            None | Some(Value::Object(0)) => Ok(None),
            Some(_) => shaper.shape(value, &site.type_of, ends).map(|shape| Some(shape.text(COMPARED_DEPTH))),
        };
        let expected = match &site.literal {
            Some(literal) => Some(literal.clone()),
            None => text(assertion.expected.and_then(|(_, value)| value))?,
        };
        Ok((expected, text(assertion.value)?))
    }

    /// The slice of what is wrong about a call. That the program cannot be run again is a reason why there is
    /// none: nobody has asked for a run.
    async fn slice_of(
        &mut self,
        node: u32,
        part: WrongPart<'_>,
        context: &Context,
    ) -> Result<SlicedPart, SessionError> {
        if self.trace.about.level < Level::All && !self.trace.is_own() {
            let level = self.trace.about.level;
            return Ok(SlicedPart::lost(&format!("branches are not recorded at level {level}")));
        }
        match self.sliced(node, part, context).await {
            Err(SessionError::Interrupted) => Err(SessionError::Interrupted),
            Err(error) => Ok(SlicedPart::lost(&error.to_string())),
            Ok(sliced) => Ok(sliced),
        }
    }

    /// Takes for granted that the outermost call is invalid, with the calls that influenced what is wrong.
    /// `chain` has the calls that the exception left, and `count` calls failed.
    fn assume(
        &mut self,
        failed: Failed,
        count: usize,
        chain: &[u32],
        sliced: SlicedPart,
        asserted: Option<(AssertionSite, ComparedTexts)>,
    ) -> Result<(), SessionError> {
        let SlicedPart { calls: influential, uses, .. } = sliced;
        let node = self.nodes.of_call(failed.root);
        if self.diagnosis.answers().iter().any(|answered| answered.node == node) {
            return Ok(());
        }
        let (site, compared) = asserted.unzip();
        let (expected_value, actual) = compared.unwrap_or_default();
        let is_assertion = site.is_some() || failed.exception.is_none();
        let left = chain.iter().skip(1).find(|call| {
            site.is_none() && !self.is_of_test(**call) && !self.is_postponed(self.nodes.of_call(**call))
        });
        let at = site.as_ref().and_then(|site| site.place.clone());
        let (assertion, wrong) = site.map(|site| (site.text, site.examined)).unzip();
        let assumption = Assumption {
            call: self.named(failed.root),
            answer: Judgement::Invalid,
            exception: failed.exception.map(|exception| self.trace.calls.objects.show(exception)),
            expected_value,
            actual,
            expected_exceptions: if failed.exception.is_none() {
                self.expected(failed.root)
            } else {
                Vec::new()
            },
            left: left.map(|call| self.named(*call)),
            wrong: wrong.unwrap_or_else(|| "exception".to_owned()),
            assertion,
            at,
            influential: influential.as_ref().ok().map(BTreeSet::len),
            why: influential.as_ref().err().cloned(),
            more: count.saturating_sub(1),
        };
        let first = self.prepared_from(failed.root)?;
        let from = self.nodes.of_call(first);
        let influential = influential.ok();
        self.failure.found = Some(FailedRun {
            root: failed.root,
            from: first,
            chain: chain.to_vec(),
            is_assertion,
            influential: influential.clone(),
            uses,
        });
        let influential = influential.map(|calls| self.nodes.with_parts(failed.root, calls));
        self.diagnosis.answer(node, Verdict::Failed(from, influential));
        self.failure.taken = Some(node);
        self.failure.unshown = Some(assumption);
        Ok(())
    }

    /// The first call that prepared a test: what its class or its object did before, such as the constructor
    /// and the methods with `@Before`. For other calls, the call itself.
    fn prepared_from(&mut self, root: u32) -> Result<u32, SessionError> {
        let thread = self.trace.calls.thread_number(root);
        let Some(thread) = thread.filter(|_| self.is_of_test(root)) else { return Ok(root) };
        let own = self.object_of(root)?;
        let mut first = root;
        for before in self.trace.calls.roots(thread).into_iter().rev().filter(|before| *before < root) {
            let other = self.object_of(before)?;
            // Each test has an object of its own.
            if other.is_some() && other != own && self.is_of_test(before) {
                break;
            }
            first = before;
        }
        Ok(first)
    }

    /// The object on which a method was called, or that a constructor made.
    fn object_of(&mut self, call: u32) -> Result<Option<u32>, SessionError> {
        let this = self.trace.calls.call(call)?.and_then(|call| call.this);
        Ok(this.filter(|this| *this != 0).or_else(|| self.trace.calls.born(call)))
    }

    /// The node of the call that threw the exception which shows the failure, while it can be asked about. An
    /// assertion of a test judges what other calls did, so its call is not asked about first. Strategies of
    /// the literature choose by themselves.
    pub(super) fn thrower(&self) -> Option<u32> {
        let default = STRATEGIES.first().map(|row| row.name);
        let is_default = self.options.strategy.as_deref().is_none_or(|name| Some(name) == default);
        let failed = self.failure.found.as_ref().filter(|failed| is_default && !failed.is_assertion)?;
        let node = self.nodes.of_call(*failed.chain.last()?);
        if self.is_postponed(node) {
            return None;
        }
        let is_taken = self.failure.taken.is_some_and(|taken| taken != node);
        (is_taken && self.diagnosis.situation().can_be_asked(node)).then_some(node)
    }

    /// Whether the calls of a node's method are asked about last.
    fn is_postponed(&self, node: u32) -> bool {
        let situation = self.diagnosis.situation();
        situation.postponed.is_some_and(|methods| methods.contains(&situation.forest.method(node)))
    }

    /// Whether the method of a call belongs to a test class.
    fn is_of_test(&self, call: u32) -> bool {
        let method = self.trace.calls.method(call).zip(self.fields.pool());
        method.is_some_and(|(method, pool)| pool.is_of_test(&method.class))
    }

    pub(super) fn named(&self, node: u32) -> NamedNode {
        let method = self.trace.calls.method(node);
        let method = method.map(trace::Method::shown).unwrap_or_default();
        NamedNode { node, method }
    }

    /// Whether the program ended without a failure. Ant succeeds by default although tests fail.
    fn has_succeeded(&self) -> bool {
        let about = &self.trace.about;
        let ended = about.recorded.as_ref().is_some_and(|recorded| recorded.ended == "exit code 0");
        let program = about.command.first().and_then(|program| Path::new(program).file_stem());
        ended && program.is_none_or(|program| program != "ant")
    }

    /// The outermost calls that an exception left, those of the main thread first. The exceptions of tasks in
    /// thread pools are caught by the JDK, so only threads that the program made itself count besides.
    fn failed(&mut self) -> Result<Vec<Failed>, SessionError> {
        let mut threads = self.trace.calls.threads();
        let name = |calls: &Calls, thread: u32| calls.identity(thread).name;
        threads.sort_by_key(|(number, ..)| (&*name(&self.trace.calls, *number) != "main", *number));
        let mut found = Vec::new();
        for (thread, ..) in threads {
            let name = name(&self.trace.calls, thread);
            let roots = self.trace.calls.roots(thread);
            for root in roots {
                let is_test = self.is_of_test(root);
                if is_test && self.trace.calls.exit(root) == Exit::Returned && !self.expected(root).is_empty()
                {
                    found.push(Failed { root, exception: None });
                }
                if self.trace.calls.exit(root) != Exit::Threw {
                    continue;
                }
                let Some(Value::Object(exception)) = self.thrown_by(root)? else { continue };
                let is_uncaught = &*name == "main" || name.starts_with("Thread-");
                if (is_test || is_uncaught) && !self.is_expected(root, exception) {
                    found.push(Failed { root, exception: Some(exception) });
                }
            }
        }
        Ok(found)
    }

    /// The exceptions of which a test is declared to throw one.
    fn expected(&self, root: u32) -> Vec<String> {
        let method = self.trace.calls.method(root).zip(self.fields.pool());
        method.map_or_else(Vec::new, |(method, pool)| {
            pool.expected_exceptions(&method.class, &method.name, &method.descriptor)
        })
    }

    /// Whether a test is not failed by this exception.
    fn is_expected(&self, root: u32, exception: u32) -> bool {
        let calls = &self.trace.calls;
        let (Some(class), Some(method)) = (calls.objects.class(exception), calls.method(root)) else {
            return false;
        };
        let expects = |pool: &ClassPool| pool.expects(&method.class, &method.name, &method.descriptor, class);
        SKIPS.iter().any(|skip| **class == **skip) || self.fields.pool().is_some_and(expects)
    }

    /// Whether an object is of this class or below it, as far as class files tell.
    fn is_below(&self, object: u32, above: &str) -> bool {
        let class = self.trace.calls.objects.class(object);
        class.zip(self.fields.pool()).is_some_and(|(class, pool)| pool.is_below(class, above))
    }

    /// The exception that left a call.
    fn thrown_by(&mut self, call: u32) -> Result<Option<Value>, SessionError> {
        let call = self.trace.calls.call(call)?;
        Ok(call.filter(|call| call.exit == Exit::Threw).and_then(|call| call.result))
    }

    /// The calls that an exception left one after another, outermost first.
    fn left_by(&mut self, root: u32, exception: u32) -> Result<Vec<u32>, SessionError> {
        let mut chain = vec![root];
        let mut at = root;
        loop {
            // The call that the exception left last is the last one that threw it.
            let mut inner = Vec::new();
            for child in self.trace.calls.children(at).into_iter().rev() {
                if self.thrown_by(child)? == Some(Value::Object(exception)) {
                    inner.push(child);
                    break;
                }
            }
            if inner.is_empty() {
                inner = self.left_silently(at, exception)?;
            }
            match inner.last() {
                Some(last) => at = *last,
                None => return Ok(chain),
            }
            chain.extend(inner);
        }
    }

    /// The last callee of a call, if it is a constructor of which the end was not recorded, and the calls in
    /// it down to one that threw the exception: until a constructor has called another one, an exception
    /// leaves it without an event (JVMS §4.10.1). Empty if there is no such call.
    fn left_silently(&mut self, call: u32, exception: u32) -> Result<Vec<u32>, SessionError> {
        let mut found = Vec::new();
        let mut at = call;
        while let Some(last) = self.trace.calls.children(at).last().copied() {
            found.push(last);
            if self.thrown_by(last)? == Some(Value::Object(exception)) {
                return Ok(found);
            }
            let is_constructor = self.trace.calls.method(last).is_some_and(|method| method.name == "<init>");
            if !is_constructor || self.trace.calls.exit(last) != Exit::Unrecorded {
                break;
            }
            at = last;
        }
        Ok(Vec::new())
    }
}
