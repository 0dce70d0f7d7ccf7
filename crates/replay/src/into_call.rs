//! Goes on from a change into the call whose result it stores: to the `return`. A chain is replayed once more
//! with a `LastReturn` behind its last point, and the answer is taken if that return is the call's own.

use super::{Options, Outcome, replayed};
use answer::Answer;
use answer::facts::RunFacts;
use bytecode::{ClassFile, Code, ExprNode, Method, MethodRef, Op};
use chain::{Chain, Kind, Point, is_call};
use classes::{ClassPool, CodeOwner};
use model::{Frame, Site};
use program::lineage;
use query::{Event, PointIndex};
use session::{Context, SessionError};
use std::sync::Arc;
use std::time::Instant;

/// Time limit of the second replay: this many times the duration of the first, plus `SECONDS`. With JDWP
/// events, a method that returns often is slow.
const LONGER: u64 = 4;
const SECONDS: u64 = 20;

/// Replays a chain. If its last point is the change of a value to the result of a method of the user, the
/// answer has a further point: the `return` that made the result.
///
/// # Errors
/// Those of `replay`.
pub async fn replay_into_call(
    name: &str,
    chain: &Chain,
    options: &Options,
    context: &Context,
) -> Result<Answer, SessionError> {
    go_into_call(chain, options, async |chain, options| {
        Box::pin(replayed(name, chain, options, context)).await
    })
    .await
}

/// As [`replay_into_call`], with any way to answer a chain.
///
/// # Errors
/// Those of `replayed`.
pub async fn go_into_call(
    chain: &Chain,
    options: &Options,
    mut replayed: impl AsyncFnMut(&Chain, &Options) -> Result<(Answer, Option<RunFacts>), SessionError>,
) -> Result<Answer, SessionError> {
    let begun = Instant::now();
    let (answer, run_facts) = replayed(chain, options).await?;
    let asks_again =
        answer.outcome == Outcome::Held && options.last.is_none() && chain.debuggee.attach.is_none();
    let call = run_facts.filter(|_| asks_again).and_then(|facts| CallBefore::of(chain, &facts));
    let Some(call) = call else { return Ok(answer) };
    let mut longer = chain.clone();
    longer.points.push(call.question);
    let limit = begun.elapsed().as_secs().saturating_mul(LONGER).saturating_add(SECONDS);
    let limit = options.timeout_s.map_or(limit, |own| own.min(limit));
    let options = Options { timeout_s: Some(limit), ..options.clone() };
    // Without that answer, the first one is still whole.
    let Ok((more, Some(facts))) = replayed(&longer, &options).await else {
        return Ok(answer);
    };
    let runs = answer.runs.saturating_add(more.runs);
    let is_of_call = more.outcome == Outcome::Held && returns_to(&facts, &longer, call.pc);
    Ok(match is_of_call {
        // The new point adds nothing to what is uncertain about the others.
        true => Answer { runs, warnings: answer.warnings, ..more },
        false => Answer { runs, ..answer },
    })
}

/// The call whose result the last point of a chain stores.
struct CallBefore {
    question: Point,
    /// The index of the call's instruction.
    pc: u32,
}

impl CallBefore {
    fn of(chain: &Chain, facts: &RunFacts) -> Option<CallBefore> {
        let last = chain.points.last().filter(|point| matches!(point.at, Kind::LastChange(_)))?;
        let site = stored_at(facts, chain.points.len().checked_sub(1)?)?;
        let found = facts.pool.find(&site.method.class).ok().flatten()?;
        let method = found.file.method(&site.method.name, &site.method.descriptor)?;
        let pc = call_before(method.code.as_ref()?, site.bci)?;
        let stored = bytecode::expression::stored_expression(&found.file, method, site.bci)?;
        let (_, text) = stored.text.split_once(" = ")?;
        let ExprNode::Call { receiver, method: called, special, .. } = &stored.value else { return None };
        // What the call is given must still be seen where its result is stored.
        let changes = ["++", "--", " = "].iter().any(|change| text.contains(change));
        let is_seen = receiver.as_deref().is_none_or(is_plain);
        if changes || !is_call(text) || *special || !is_of_user(&facts.pool, called, is_seen) {
            return None;
        }
        let names: Vec<&str> = chain.points.iter().map(|point| point.id.as_str()).collect();
        let id = ('A'..='Z').map(String::from).find(|id| !names.contains(&id.as_str()))?;
        let question = Point::new(&id, Kind::LastReturn(format!("{}(0):{text}", last.id)));
        Some(CallBefore { question, pc })
    }
}

/// Where a located point stores a value; `None` for the entry of a method and for the JDK's writes.
fn stored_at(facts: &RunFacts, place: usize) -> Option<Site> {
    let point = PointIndex(u16::try_from(place).ok()?);
    let query = facts.queries.iter().find(|query| query.point == point)?;
    let found = &facts.located(point)?.occurrence;
    let site = facts.outcome.tables.frame(found.frame)?.site.clone();
    match &query.event {
        Event::Written(_) | Event::ElementWritten(_) => Some(site),
        Event::Stored(stores) => {
            let store = stores.get(usize::from(found.way?.get()))?;
            (store.value_at != store.site.bci).then_some(site)
        }
        _ => None,
    }
}

/// The call directly before a store: only conversions stand between them.
fn call_before(code: &Code, store: u32) -> Option<u32> {
    let mut at = code.index_of(store)?;
    loop {
        at = at.checked_sub(1)?;
        let instruction = code.instructions.get(at)?;
        match &instruction.op {
            Op::CheckCast(_) | Op::Convert { .. } | Op::Dup | Op::DupX1 | Op::DupX2 => {}
            Op::Invoke { .. } => return Some(instruction.pc),
            _ => return None,
        }
    }
}

/// Whether evaluating it runs no code.
fn is_plain(node: &ExprNode) -> bool {
    match node {
        ExprNode::Local { .. } | ExprNode::This | ExprNode::Static { .. } => true,
        ExprNode::Field { owner, .. } => is_plain(owner),
        _ => false,
    }
}

/// Whether the user's code is called, and which is known. `is_seen`: the receiver is known where the result
/// is stored.
fn is_of_user(pool: &ClassPool, called: &MethodRef, is_seen: bool) -> bool {
    let is_own = |class: &str| pool.owner_of(class) == CodeOwner::Own;
    let Some(class) = pool.find(&called.class).ok().flatten().filter(|_| is_own(&called.class)) else {
        return false;
    };
    let declares = |file: &Arc<ClassFile>| {
        file.method(&called.name, &called.descriptor).map(|method| (file.clone(), method.clone()))
    };
    let Some((file, method)) = lineage(pool, &class.file).iter().find_map(declares) else { return false };
    let others = pool.overriding(&file.name, &called.name, &called.descriptor);
    let has_code = |method: &Method| method.code.is_some();
    match method.is_abstract() {
        true => is_seen && !others.is_empty(),
        false => is_own(&file.name) && has_code(&method) && (is_seen || others.is_empty()),
    }
}

/// Whether the last point is the return from the call at an index, into the very frame of the point before
/// it.
fn returns_to(facts: &RunFacts, chain: &Chain, pc: u32) -> bool {
    let stack = |back: usize| {
        let place = PointIndex(u16::try_from(chain.points.len().checked_sub(back)?).ok()?);
        let found = &facts.located(place)?.occurrence;
        let frames: Vec<&Frame> = facts.outcome.tables.stack(found.stack).collect();
        Some((found.thread, frames))
    };
    let (Some((thread, returned)), Some((own, stored))) = (stack(1), stack(2)) else { return false };
    let [_, caller, below @ ..] = returned.as_slice() else { return false };
    let [store, rest @ ..] = stored.as_slice() else { return false };
    let is_caller = caller.site.method == store.site.method && caller.site.bci == pc;
    thread == own
        && is_caller
        && below.iter().zip(rest).all(|(a, b)| a.site == b.site)
        && below.len() == rest.len()
}
