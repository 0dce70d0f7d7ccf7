//! Types of method calls before the run. Evaluation selects overloads by the runtime types, so a call is an
//! error only if no object could be passed.

use super::check::{Checker, Head, may_unbox, wrong};
use super::error::{TypeError, nearest};
use super::lookup::MethodDeclaration;
use super::overload::boxes_to;
use super::tree::Node;
use super::types::{Primitive, Type};

impl Checker<'_> {
    pub(super) fn call(
        &self,
        node: &Node,
        owner: Option<&Node>,
        name: &str,
        arguments: &[Node],
    ) -> Result<Type, TypeError> {
        if let Some(operand) = node.old().filter(|_| self.event.has_old) {
            return self.type_of(operand);
        }
        let types = arguments.iter().map(|a| self.type_of(a)).collect::<Result<Vec<_>, _>>()?;
        let (class, is_static) = match owner {
            None => match self.class_with_method(name) {
                Some(found) => found,
                None => return Ok(Type::Unknown),
            },
            Some(owner) => match self.call_owner(owner)? {
                Some(found) => found,
                None => return Ok(Type::Unknown),
            },
        };
        let (methods, complete) = self.names.methods(&class, name);
        let open = !complete || !is_static && owner.is_some() && self.names.is_open(&class);
        if methods.is_empty() && !open {
            let names = self.names.method_names(&class);
            let hint = nearest(name, names.iter().map(String::as_str));
            return wrong(node, format!("{class} has no method `{name}`{hint}"));
        }
        let fitting: Vec<&MethodDeclaration> = methods.iter().filter(|m| may_take(m, &types)).collect();
        if fitting.is_empty() && !open {
            let given = types.iter().map(Type::to_string).collect::<Vec<_>>().join(", ");
            let mut there: Vec<String> = methods.iter().map(signature).collect();
            there.dedup();
            return wrong(node, format!("no `{name}` takes ({given}); there is {}", there.join(" and ")));
        }
        if is_static && complete && !fitting.is_empty() && fitting.iter().all(|m| !m.is_static) {
            return wrong(node, format!("`{name}` is not static; it needs an object"));
        }
        let mut results = fitting.iter().map(|m| &m.result);
        Ok(match results.next() {
            Some(first) if results.all(|r| r == first) => first.clone(),
            _ => Type::Unknown,
        })
    }

    /// The class of `m()`: the innermost enclosing class that has such a method, and whether no instance of
    /// it is available.
    fn class_with_method(&self, name: &str) -> Option<(String, bool)> {
        let mut class = self.names.scope.class.to_string();
        let mut owner = (!self.names.scope.is_static).then_some(Node::This);
        loop {
            let (methods, complete) = self.names.methods(&class, name);
            if !methods.is_empty() {
                return Some((class, owner.is_none()));
            }
            if !complete {
                return None;
            }
            match self.names.outwards(&class, owner) {
                Some((outer, way)) => (class, owner) = (outer, way),
                None => break,
            }
        }
        let scope = self.names.scope;
        match &self.names.classes.imported(&scope.class, name, true)[..] {
            [] => Some((scope.class.to_string(), scope.is_static)),
            [one] => Some((one.clone(), true)),
            // The run chooses between methods of several classes.
            _ => None,
        }
    }

    /// The class whose method is called, and whether it is called on the class itself; `None` if unknown.
    fn call_owner(&self, owner: &Node) -> Result<Option<(String, bool)>, TypeError> {
        if let Some(parts) = owner.dotted() {
            // `name.m()`: a single name may be an unknown class, so the rule for two parts applies.
            let mut with_member = parts.clone();
            with_member.push("");
            match self.head(&with_member)? {
                None => return Ok(None),
                Some((Head::Class(class), used)) if used == parts.len() => return Ok(Some((class, true))),
                Some(_) => {}
            }
        }
        match self.type_of(owner)? {
            Type::Class(class) => Ok(Some((class.to_string(), false))),
            Type::Array(_) => Ok(Some(("java.lang.Object".to_owned(), false))),
            Type::Unknown => Ok(None),
            other => wrong(owner, format!("{other} has no methods")),
        }
    }
}

/// Whether the method can accept arguments of these static types. At run time, objects may have narrower
/// classes.
fn may_take(method: &MethodDeclaration, arguments: &[Type]) -> bool {
    let may = |argument: &Type, parameter: &Type| match (argument, parameter) {
        (Type::Void, _) => false,
        (Type::Unknown, _) => true,
        (Type::Primitive(a), Type::Primitive(b)) => a.widens_to(*b),
        (Type::Primitive(a), Type::Class(b)) => boxes_to(*a, b),
        (Type::Class(a), Type::Primitive(b)) => match Primitive::from_box(a) {
            Some(a) => a.widens_to(*b),
            None => may_unbox(argument),
        },
        (_, Type::Primitive(_)) | (Type::Primitive(_), _) => false,
        _ => true,
    };
    let fixed = method.parameters.len() == arguments.len()
        && arguments.iter().zip(&method.parameters).all(|(a, p)| may(a, p));
    let before = method.parameters.len().saturating_sub(1);
    let variable = method.is_varargs && arguments.len() >= before && {
        let element = match method.parameters.last() {
            Some(Type::Array(element)) => (**element).clone(),
            _ => Type::Unknown,
        };
        arguments.iter().enumerate().all(|(at, a)| {
            let parameter = if at < before { method.parameters.get(at) } else { Some(&element) };
            parameter.is_some_and(|p| may(a, p))
        })
    };
    fixed || variable
}

fn signature(method: &MethodDeclaration) -> String {
    let parameters = method.parameters.iter().map(Type::to_string).collect::<Vec<_>>().join(", ");
    format!("{}({parameters})", method.class)
}
