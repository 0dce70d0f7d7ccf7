//! Objects that reflection makes of known classes.

use super::nodes::NodeId;
use super::solver::Solver;
use super::{AllocId, AllocKind};
use bytecode::class::ACC_ENUM;

impl Solver<'_> {
    /// Makes an object of the class that a class object stands for.
    pub(super) fn instantiate(&mut self, at: u32, id: AllocId) {
        let Some(call) = usize::try_from(at).ok().and_then(|at| self.instantiations.get(at)).copied() else {
            return;
        };
        let Some(class) = self.class_objects.get(&id).copied() else { return };
        let Some(site) = self.site(call.site) else { return };
        let (at, result) = (site.at(), site.result);
        self.initialise(class);
        let Some(object) = self.made(at, class, true, false, AllocKind::New) else { return };
        self.graph.add_one(result, object);
        let Some(file) = self.graph.types.class(class).cloned() else { return };
        if !self.graph.types.is_analysed(class) {
            return;
        }
        for (position, constructor) in file.methods.iter().enumerate() {
            if constructor.name != "<init>" {
                continue;
            }
            let Some(reached) = self.reach(class, position) else { continue };
            self.add_parameter(reached, 0, Some(object));
            let parameters = descriptor::parse_method(&constructor.descriptor).map(|d| d.parameters);
            for (place, parameter) in (1..).zip(parameters.unwrap_or_default()) {
                if parameter.starts_with(['L', '[']) {
                    let node = self.parameter(reached, place);
                    self.graph.edge(call.given, node);
                }
            }
            self.add_target(call.site, reached);
        }
    }

    /// Lets the constants of an enum flow into a node.
    pub(super) fn enum_constants(&mut self, id: AllocId, to: NodeId) {
        let Some(class) = self.class_objects.get(&id).copied() else { return };
        let Some(file) = self.graph.types.class(class).cloned() else { return };
        for field in file.fields.iter().filter(|f| f.is_static() && f.access & ACC_ENUM != 0) {
            let from = self.static_field(&file.name, &field.name, &field.descriptor);
            self.graph.edge(from, to);
        }
    }
}
