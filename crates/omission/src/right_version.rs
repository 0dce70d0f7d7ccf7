//! What a right version of the program has at the point.

use super::outcome::{Compared, PointOutcome};
use super::point::WrongPoint;
use super::same_line::same_line;
use super::work_copy::WorkPlace;
use bytecode::class::Code;
use chain::{Chain, Debuggee};
use classes::ClassPool;
use classes::SourcePaths;
use model::MethodName;
use past::SourceLine;
use recorded::{RecordOptions, RecordedTrace, record};
use session::class_path::with_class_path;
use session::workspace::Workspace;
use session::{Context, SessionError};

/// The program's own version, which is compared with the right one.
pub(super) struct OwnVersion<'a> {
    /// The program.
    pub debuggee: &'a Debuggee,
    /// Where it runs.
    pub place: &'a WorkPlace,
    /// How it is recorded.
    pub options: &'a RecordOptions,
    /// Its class files.
    pub pool: &'a ClassPool,
}

/// Runs the right version, whose class path stands before the program's own, and looks at the point. `before`
/// is what the own version has there.
///
/// # Errors
/// The command names no class path, the right version cannot be run or does not reach the point, or the user
/// interrupted the work.
pub(super) async fn at_point(
    class_path: &str,
    own: &OwnVersion<'_>,
    point: &WrongPoint,
    compared: &Compared<'_>,
    before: &PointOutcome,
    context: &Context,
) -> Result<PointOutcome, SessionError> {
    let OwnVersion { debuggee, place, options, pool: own } = *own;
    let refused = |why: String| SessionError::NoStep(why);
    let here = std::env::current_dir().unwrap_or_default();
    let absolute = std::env::split_paths(class_path).map(|element| here.join(element));
    let absolute = std::env::join_paths(absolute).ok().and_then(|joined| joined.into_string().ok());
    let command = absolute.and_then(|before| with_class_path(&debuggee.command, &before));
    let command = command.ok_or_else(|| {
        refused(
            "--reference stands before the class path of the command, which must name one by -cp".to_owned(),
        )
    })?;
    let work = place.copy(&Debuggee { command, ..debuggee.clone() })?;
    let out = work.folder().join("trace");
    let chain = Chain::new(work.debuggee().clone(), Vec::new());
    let options = RecordOptions { out: out.clone(), ..options.clone() };
    let workspace = Workspace::open(&chain, None, None)?;
    let pool = workspace.pool(None)?;
    // Before the run, which can be long.
    let point = there(point, before.method.as_ref(), own, &pool).map_err(refused)?;
    let run = record(&chain, &options, context).await?;
    let trace = RecordedTrace::open(&out, options.memory, context).await?;
    let mut trace = trace.with_code(&SourcePaths::default());
    let found = compared.at(&point, &mut trace).map_err(|error| {
        refused(format!(
            "the right version says nothing about the point, in a run that ended with {}: {error}",
            run.recorded.ended
        ))
    })?;
    if found.method != before.method {
        let why = "the right version executes the line of the point in another method, so it cannot be \
                   compared there";
        return Err(refused(why.to_owned()));
    }
    Ok(found)
}

/// The point in the right version, where its line can have moved.
fn there(
    point: &WrongPoint,
    method: Option<&MethodName>,
    own: &ClassPool,
    right: &ClassPool,
) -> Result<WrongPoint, String> {
    let (WrongPoint::Line { line, .. } | WrongPoint::AfterLine { line, .. }) = point else {
        return Ok(point.clone());
    };
    let SourceLine { class, line } = line;
    let method = method.ok_or("the method of the point is not known")?;
    let (Some(here), Some(there)) = (code(own, method), code(right, method)) else {
        let class = model::short_class_name(&method.class);
        return Err(format!(
            "the right version has no method {class}.{} with the point, so it cannot be compared there",
            method.name
        ));
    };
    let same = same_line(&here, &there, *line).ok_or_else(|| {
        format!(
            "the right version has no line that is clearly that of the point, {class}:{line}: its code \
             differs there, so name a line by --at that is the same in both"
        )
    })?;
    let line = SourceLine { class: class.clone(), line: same };
    Ok(match point {
        WrongPoint::Line { when, index, .. } => WrongPoint::Line { line, when: when.clone(), index: *index },
        WrongPoint::AfterLine { index, .. } => WrongPoint::AfterLine { line, index: *index },
        other => other.clone(),
    })
}

fn code(pool: &ClassPool, method: &MethodName) -> Option<Code> {
    let class = pool.find(&method.class).ok()??;
    class.file.method(&method.name, &method.descriptor)?.code.clone()
}
