//! `Created("A:order")`: where the object that a point sees was created.

use super::Rule;
use super::target_variable::TargetExpression;
use crate::translate::classes::method_name;
use crate::translate::{Ask, PointContext, Refusal, Stop};
use bytecode::ClassFile;
use bytecode::construct::self_call;
use expr::{self, ClassLookup, EventTypes, Primitive, Type};
use model::Site;
use query::{Event, Making, MakingSite};
use std::sync::Arc;

pub(super) struct Created<'a> {
    pub(super) reference: &'a str,
}

/// Classes whose objects the VM and its compilers create without a constructor call in the program.
const MADE_BY_VM: [&str; 14] = [
    "java.lang.Object",
    "java.lang.Class",
    "java.lang.String",
    "java.lang.StringBuilder",
    "java.lang.StringBuffer",
    "java.lang.AbstractStringBuilder",
    "java.lang.Boolean",
    "java.lang.Byte",
    "java.lang.Character",
    "java.lang.Short",
    "java.lang.Integer",
    "java.lang.Long",
    "java.lang.Float",
    "java.lang.Double",
];

impl Rule for Created<'_> {
    fn asks_of(&self) -> Option<(&str, &'static str)> {
        Some((self.reference, "made"))
    }

    fn translate(&self, context: &mut PointContext<'_, '_>) -> Result<Ask, Stop> {
        let target = TargetExpression::new(context, self.reference)?;
        let making = match target.exact_array(context)? {
            Some(descriptor) => Making::Array { descriptor: descriptor.into() },
            None => {
                let class = context.class_of(target.point, target.frame, &target.expr)?;
                match array_descriptor(&class) {
                    Some(descriptor) => Making::Array { descriptor: descriptor.into() },
                    None => target.object(context, &class)?,
                }
            }
        };
        let constraints = target.of_owner(context, Some(&target.expr));
        let events = EventTypes { owner: Some(Type::Unknown), ..EventTypes::default() };
        Ok(Ask { constraints, ..Ask::plain(Event::Made(making), None, events) })
    }
}

impl TargetExpression {
    /// The descriptor of an array whose static type is exact, because its elements are primitive.
    fn exact_array(&self, context: &mut PointContext<'_, '_>) -> Result<Option<String>, Stop> {
        let sites = context.sites_of(self.point, self.frame)?;
        let events = context.events_of(self.point);
        let types =
            context.at_sites(&sites, |_, scope, classes| expr::check(&self.expr, scope, classes, &events))?;
        if self.frame == 0 {
            context.only_where_known(self.point, &types);
        }
        let Some((_, first)) = types.first() else { return Ok(None) };
        if let Type::Primitive(_) | Type::Void = first {
            let (text, of) = (self.expr.to_string(), first.to_string());
            return Err(Refusal::NoObject { text, of }.into());
        }
        let exact = array_descriptor(&first.to_string()).filter(|d| !d.ends_with(';'));
        Ok(exact.filter(|_| types.iter().all(|(_, of)| of == first)))
    }

    /// The sites where an object of a class can first be published: after the call of the superclass's
    /// constructor. If the point's stack contains a constructor of a superclass, the sites are in that
    /// constructor.
    fn object(&self, context: &mut PointContext<'_, '_>, class: &Arc<str>) -> Result<Making, Stop> {
        if MADE_BY_VM.contains(&&**class) {
            return Err(Refusal::MadeByVm { class: class.to_string() }.into());
        }
        let Some(file) = context.classes().class(class) else {
            return Err(Refusal::NoConstructor { class: class.to_string() }.into());
        };
        let constructing: Vec<Arc<str>> = context
            .stack_of(self.point)
            .iter()
            .filter(|site| &*site.method.name == "<init>")
            .map(|site| site.method.class.clone())
            .collect();
        let (mut chosen, mut above) = (file.clone(), file.super_name.clone());
        // A malformed class file can name itself as its superclass.
        for _ in 0..1000 {
            let next = above.as_ref().and_then(|name| context.classes().class(name));
            let Some(next) = next else { break };
            above = next.super_name.clone();
            if constructing.iter().any(|name| **name == *next.name) {
                chosen = next;
            }
        }
        let sites = making_sites(&chosen);
        if sites.is_empty() {
            return Err(Refusal::NoConstructor { class: class.to_string() }.into());
        }
        Ok(Making::Object { class: class.clone(), sites })
    }
}

fn making_sites(class: &ClassFile) -> Vec<MakingSite> {
    let constructors = class.methods_named("<init>");
    let called = constructors.filter_map(|method| Some((method, self_call(class, method)?)));
    let first = called.filter(|(_, call)| !call.delegates);
    let site = |(method, call): (&bytecode::Method, bytecode::construct::SelfCall)| MakingSite {
        site: Site { method: method_name(class, method), bci: call.behind },
        call: call.pc,
    };
    first.map(site).collect()
}

/// The descriptor of an array class, `int[][]` as `[[I`; none for other classes.
fn array_descriptor(class: &str) -> Option<String> {
    let element = class.trim_end_matches("[]");
    let dimensions = (class.len() - element.len()) / 2;
    let of = Primitive::from_keyword(element).map_or_else(|| Type::class(element), Type::Primitive);
    Some("[".repeat(dimensions) + &of.descriptor()?).filter(|_| dimensions > 0)
}
