//! Lambda expressions and method references: the object that `invokedynamic` creates, and what its method
//! calls.

use super::body::Step;
use super::nodes::{NOWHERE, NodeId};
use super::sites::{Call, InstructionAt, Lambda};
use super::solver::Solver;
use super::types::OBJECT;
use super::{AllocId, AllocKind, MethodId};
use bytecode::kind::Kind;
use bytecode::member::MethodRef;
use bytecode::op::{Bootstrap, Constant, InvokeKind};
use descriptor::parse_method;

/// The method that `LambdaMetafactory` implements an interface by; `None` for other bootstrap methods.
fn implementation(bootstrap: &Bootstrap) -> Option<&MethodRef> {
    if bootstrap.method.class != "java.lang.invoke.LambdaMetafactory" {
        return None;
    }
    match bootstrap.arguments.get(1)? {
        Constant::MethodHandle(method) => Some(method),
        _ => None,
    }
}

impl Solver<'_> {
    /// Adds the constraints of an `invokedynamic`.
    pub(super) fn dynamic(
        &mut self,
        method: MethodId,
        step: &Step,
        name: &str,
        descriptor: &str,
        bootstrap: Option<&Bootstrap>,
    ) {
        let captured: Vec<NodeId> = step.operands.iter().map(|v| self.node_of(method, *v)).collect();
        let result = self.node_of(method, step.result);
        let found = bootstrap.and_then(|b| Some((b, implementation(b)?)));
        let Some((bootstrap, target)) = found else {
            // String concatenation and the methods of records call `toString` and the like.
            let (class, name) = bootstrap
                .map_or(("java.lang.Object", name), |b| (b.method.class.as_str(), b.method.name.as_str()));
            if let Some(handles) = bootstrap.map(|b| b.arguments.as_slice()) {
                self.record_fields(method, step, handles);
            }
            let class = self.graph.types.id(class);
            self.add_site(Call {
                method,
                pc: step.pc,
                is_lambda: false,
                kind: InvokeKind::Static,
                class,
                name: name.to_owned(),
                descriptor: descriptor.to_owned(),
                arguments: captured,
                result,
            });
            return;
        };
        let Some(made) = parse_method(descriptor) else { return };
        let ty = self.graph.types.of_descriptor(&made.result);
        let is_exact = bootstrap.method.name == "metafactory";
        let at = InstructionAt { method, pc: step.pc };
        let Some(object) = self.made(at, ty, is_exact, false, AllocKind::Lambda) else { return };
        self.at.insert(at.key(), object);
        let interface = match bootstrap.arguments.first() {
            Some(Constant::MethodType(descriptor)) => parse_method(descriptor),
            _ => None,
        };
        let mut parameters = Vec::new();
        for parameter in interface.iter().flat_map(|i| &i.parameters) {
            let filter = self.graph.types.of_descriptor(parameter);
            parameters.push(self.graph.node(filter));
        }
        let lambda = Lambda {
            name: name.to_owned(),
            count: parameters.len(),
            parameters,
            result: self.graph.node(OBJECT),
            site: None,
            at,
            captured,
            target: target.clone(),
        };
        self.lambdas.insert(object, lambda);
        self.graph.add_one(result, object);
    }

    /// The fields that the `toString`, `equals` and `hashCode` of a record read are seen by the library.
    fn record_fields(&mut self, method: MethodId, step: &Step, handles: &[Constant]) {
        let Some(receiver) = step.operands.first().copied() else { return };
        let receiver = self.node_of(method, receiver);
        for handle in handles {
            let Constant::MethodHandle(field) = handle else { continue };
            if Kind::of_descriptor(&field.descriptor) != Kind::Reference || field.descriptor.starts_with('(')
            {
                continue;
            }
            let value = self.graph.node(OBJECT);
            let (id, _) = self.field(&field.class, &field.name, &field.descriptor);
            self.load(receiver, id, value);
            let class = self.graph.types.id("java.util.Objects");
            self.add_site(Call {
                method,
                pc: step.pc,
                is_lambda: false,
                kind: InvokeKind::Static,
                class,
                name: "hash".to_owned(),
                descriptor: "(Ljava/lang/Object;)I".to_owned(),
                arguments: vec![value],
                result: NOWHERE,
            });
        }
    }

    /// The call that a lambda makes. A lambda that nothing calls reaches no method.
    pub(super) fn site_of_lambda(&mut self, object: AllocId) -> Option<u32> {
        let lambda = self.lambdas.get(&object)?.clone();
        if lambda.site.is_some() {
            return lambda.site;
        }
        let site = self.add_site_of(lambda);
        if let Some(lambda) = self.lambdas.get_mut(&object) {
            lambda.site = Some(site);
        }
        Some(site)
    }

    fn add_site_of(&mut self, lambda: Lambda) -> u32 {
        let target = lambda.target;
        let mut arguments = lambda.captured;
        arguments.extend(&lambda.parameters);
        let class = self.graph.types.id(&target.class);
        let wanted = parse_method(&target.descriptor).map_or(0, |d| d.parameters.len());
        let mut result = lambda.result;
        let kind = if target.name == "<init>" {
            let receiver = self.graph.node(OBJECT);
            self.initialise(class);
            if let Some(object) = self.made(lambda.at, class, true, false, AllocKind::New) {
                self.graph.add_one(receiver, object);
            }
            self.graph.edge(receiver, result);
            arguments.insert(0, receiver);
            result = NOWHERE;
            InvokeKind::Special
        } else if arguments.len() == wanted {
            InvokeKind::Static
        } else {
            if target.interface { InvokeKind::Interface } else { InvokeKind::Virtual }
        };
        if let Some(boxed) = boxed(&target.descriptor) {
            let ty = self.graph.types.id(boxed);
            if let Some(object) = self.unknown(ty) {
                self.graph.add_one(result, object);
            }
        }
        self.add_site(Call {
            method: lambda.at.method,
            pc: lambda.at.pc,
            is_lambda: true,
            kind,
            class,
            name: target.name,
            descriptor: target.descriptor,
            arguments,
            result,
        })
    }

    /// Lets a call execute the lambda that it has as its receiver. Returns whether the call names the method
    /// of the interface.
    pub(super) fn call_lambda_from(&mut self, site: u32, object: AllocId) -> bool {
        let Some(lambda) = self.lambdas.get(&object).cloned() else { return false };
        let Some(call) = self.site(site) else { return false };
        if call.name != lambda.name || call.arguments.len() != lambda.count + 1 {
            return false;
        }
        let arguments: Vec<NodeId> = call.arguments.iter().skip(1).copied().collect();
        let result = call.result;
        for (argument, parameter) in arguments.into_iter().zip(&lambda.parameters) {
            self.graph.edge(argument, *parameter);
        }
        self.graph.edge(lambda.result, result);
        if let Some(inner) = self.site_of_lambda(object) {
            self.add_inner(site, inner);
        }
        true
    }
}

/// The class of the object that a primitive result is boxed into.
fn boxed(descriptor: &str) -> Option<&'static str> {
    Some(match descriptor.rsplit(')').next()? {
        "I" => "java.lang.Integer",
        "J" => "java.lang.Long",
        "Z" => "java.lang.Boolean",
        "D" => "java.lang.Double",
        "F" => "java.lang.Float",
        "C" => "java.lang.Character",
        "B" => "java.lang.Byte",
        "S" => "java.lang.Short",
        _ => return None,
    })
}
