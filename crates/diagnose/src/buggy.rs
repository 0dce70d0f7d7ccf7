//! The call that is left when all questions are answered.

use super::{Diagnoser, LoopPart};
use serde::Serialize;

/// The buggy call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Buggy {
    /// The call.
    pub node: u32,
    /// The class of its method.
    pub class: String,
    /// The method's name.
    pub method: String,
    /// Its descriptor.
    pub descriptor: String,
    /// The first line of the method, if known.
    pub line: Option<u32>,
    /// The name of the source file, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Whether its recursive calls were not judged. The bug is then in this call or in one of them.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub recursive: bool,
    /// The loop that has the bug, if the diagnosis asked about that loop.
    #[serde(rename = "loop", skip_serializing_if = "Option::is_none")]
    pub part: Option<LoopPart>,
}

impl Buggy {
    /// The method as users read it.
    pub fn method_text(&self) -> String {
        model::method_text(&self.class, &self.method)
    }
}

impl Diagnoser {
    /// Describes the call of a node.
    pub(super) fn buggy(&self, at: u32) -> Buggy {
        let (node, calls) = (self.nodes.call(at), &self.trace.calls);
        let method = calls.method(node);
        let of = |tell: fn(&trace::Method) -> String| method.map(tell).unwrap_or_default();
        let (class, name) = (of(|m| m.class.to_string()), of(|m| m.name.clone()));
        let line = method.and_then(|method| {
            let found = self.fields.pool()?.find(&method.class).ok()??;
            let code = found.file.method(&method.name, &method.descriptor)?.code.as_ref()?;
            code.lines.iter().map(|entry| entry.line).min()
        });
        let first_seen = || {
            let own = calls.method_number(node)?;
            calls.sites.all().filter(|site| site.method == own).filter_map(|site| site.line).min()
        };
        let forest = self.diagnosis.forest();
        let recursive = self.diagnosis.situation().compressed && self.nodes.calls_itself(at, forest);
        Buggy {
            node,
            class,
            method: name,
            descriptor: of(|m| m.descriptor.clone()),
            line: line.or_else(|| first_seen().map(u32::from)),
            source: method.and_then(|method| method.source.as_deref().map(str::to_owned)),
            recursive,
            part: self.nodes.told_alone(at, forest),
        }
    }
}
