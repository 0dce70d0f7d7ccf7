//! Records a run for a question about omissions: in full where a call can lead to a use of the object, and in
//! less detail elsewhere.

use super::asked::OmissionQuestion;
use super::point::WrongPoint;
use crate::analysis::{DeclaredTarget, unrelated};
use chain::Chain;
use classes::ClassPool;
use expr::{Expr, Node, Type};
use model::{MethodName, Site};
use past::SourceLine;
use past::expression::type_at;
use recorded::{RecordOptions, RecordedRun, record};
use session::workspace::Workspace;
use session::{Context, SessionError};
use trace::Brief;

/// Runs a program and records what a question about omissions needs.
///
/// # Errors
/// The program cannot be launched or recorded.
pub async fn record_for(
    chain: &Chain,
    options: RecordOptions,
    question: &OmissionQuestion,
    context: &Context,
) -> Result<RecordedRun, SessionError> {
    let brief = brief(chain, question);
    record(chain, &RecordOptions { brief, ..options }, context).await
}

/// What to record in less detail; `None` if the declared type of the object says too little.
pub(super) fn brief(chain: &Chain, question: &OmissionQuestion) -> Option<Brief> {
    let WrongPoint::Line { line, when, .. } = &question.at else { return None };
    // What is compared after a try can be in any array.
    let texts = [Some(&question.what), when.as_ref(), question.wanted.condition.as_ref()];
    if question.confirm || texts.into_iter().flatten().any(|text| text.contains('[')) {
        return None;
    }
    let workspace = Workspace::open(chain, None, None).ok()?;
    let pool = workspace.pool(None).ok()?;
    // A Java agent may make other code of the classes.
    if !pool.java_agents().is_empty() {
        return None;
    }
    let sites = sites_of(&pool, line);
    let mut targets = sites.iter().map(|site| declared(question, site, &pool));
    let target = targets.next()??;
    if targets.any(|other| other.as_ref() != Some(&target)) {
        return None;
    }
    let methods: Vec<MethodName> = sites.into_iter().map(|site| site.method).collect();
    Some(unrelated(&pool, &target, &methods))
}

/// The first instructions of a line, in the class and in those of the same file.
fn sites_of(pool: &ClassPool, line: &SourceLine) -> Vec<Site> {
    let mut sites = Vec::new();
    for class in pool.user_classes() {
        let Some(found) =
            Some(class).filter(|class| line.is_of(class)).and_then(|class| pool.find(class).ok()?)
        else {
            continue;
        };
        for method in &found.file.methods {
            let Some(code) = &method.code else { continue };
            if let Some(first) = code.lines.iter().find(|entry| entry.line == line.line) {
                let name = MethodName::new(class, method.name.as_str(), method.descriptor.as_str());
                sites.push(Site { method: name, bci: first.start_pc });
            }
        }
    }
    sites
}

/// What the declared type at a site says about the target.
fn declared(question: &OmissionQuestion, site: &Site, pool: &ClassPool) -> Option<DeclaredTarget> {
    let expr = Expr::parse(&question.what).ok()?;
    let of = type_at(&expr, site, pool)?;
    if question.of_field || of.unboxed().is_some() || of.is_string() {
        return match expr.node() {
            Node::Field { name, .. } | Node::Name(name) => Some(DeclaredTarget::Field(name.clone())),
            _ => None,
        };
    }
    match of {
        Type::Array(_) => Some(DeclaredTarget::Array),
        // Such a type can be that of a value, whose field is then the target.
        Type::Class(class) if class.starts_with("java.lang.") || class.starts_with("java.io.") => None,
        Type::Class(class) => Some(DeclaredTarget::Object(class.to_string())),
        _ => None,
    }
}
