//! Detects throws that a compiler adds to exhaustive switches. They do not appear in the source.

use crate::cfg::Cfg;
use crate::class::Code;
use crate::lines::line_of;
use crate::op::{InvokeKind, Op};
use petgraph::graph::NodeIndex;

/// The exceptions that javac and kotlinc throw when a switch over an enum or sealed type meets an unknown
/// value.
const THROWN: [&str; 3] = [
    "java.lang.MatchException",
    "java.lang.IncompatibleClassChangeError",
    "kotlin.NoWhenBranchMatchedException",
];

/// The blocks that only throw such an exception, on the line of the branch that leads there. A `throw` in the
/// source has its own line.
pub(crate) fn hidden_throws(code: &Code, cfg: &Cfg) -> Vec<usize> {
    let is_hidden = |node: &NodeIndex| {
        let Some(block) = cfg.block(*node) else { return false };
        let instructions = code.instructions.get(block.first..=block.last).unwrap_or_default();
        let [made, arguments @ .., call, thrown] = instructions else { return false };
        let Op::New(class) = &made.op else { return false };
        let is_plain = arguments.iter().all(|i| matches!(i.op, Op::Dup | Op::Const(_)));
        let is_call =
            matches!(&call.op, Op::Invoke { kind: InvokeKind::Special, method } if method.class == *class);
        let before = cfg.predecessors(*node, true);
        let same_line = |from: NodeIndex| {
            cfg.last_pc(from).is_some_and(|pc| line_of(code, pc) == line_of(code, block.start_pc))
        };
        THROWN.contains(&class.as_str())
            && is_plain
            && is_call
            && matches!(thrown.op, Op::Throw)
            && !before.is_empty()
            && before.iter().all(|(from, _)| same_line(*from))
    };
    cfg.graph().node_indices().filter(is_hidden).map(NodeIndex::index).collect()
}
