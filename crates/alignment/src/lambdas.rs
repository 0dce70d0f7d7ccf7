//! Names of lambdas that survive an edit: the enclosing method and the lambda's ordinal there. The compiler
//! numbers the lambdas of a whole class, so an edit elsewhere can turn `lambda$main$3` into another lambda.

use bytecode::Op;
use bytecode::op::Constant;
use classes::ClassPool;
use std::collections::HashMap;

/// The compiler's prefix for methods of lambdas.
const METHOD: &str = "lambda$";
/// Separates a lambda's host class and method in the class name of a recording: `Host$$Lambda/lambda$main$0`.
const CLASS: &str = "$$Lambda/";
/// Maximum nesting depth of lambdas.
const NESTED: usize = 16;

/// The lambdas of a class by method name: the enclosing method, and the ordinal there.
type Sites = HashMap<String, (String, usize)>;

/// The positions of lambdas, by class.
#[derive(Default)]
pub struct Lambdas(HashMap<String, Sites>);

impl Lambdas {
    /// A lambda's method by its position, as in `main/lambda 1`. Other methods keep their own names.
    pub fn method(&mut self, class: &str, method: &str, pool: Option<&ClassPool>) -> String {
        let mut ordinals = Vec::new();
        let mut at = method.to_owned();
        while at.starts_with(METHOD) && ordinals.len() < NESTED {
            if !self.0.contains_key(class) {
                let found = pool.and_then(|pool| sites(class, pool)).unwrap_or_default();
                self.0.insert(class.to_owned(), found);
            }
            let Some((outer, ordinal)) = self.0.get(class).and_then(|sites| sites.get(&at)) else { break };
            ordinals.push(*ordinal);
            at.clone_from(outer);
        }
        ordinals.iter().rev().fold(at, |name, ordinal| format!("{name}/lambda {ordinal}"))
    }

    /// A recorded class name; for a lambda, with its position.
    pub fn class(&mut self, name: &str, pool: Option<&ClassPool>) -> String {
        match name.split_once(CLASS) {
            Some((host, method)) => format!("{host}{CLASS}{}", self.method(host, method, pool)),
            None => name.to_owned(),
        }
    }
}

fn sites(class: &str, pool: &ClassPool) -> Option<Sites> {
    let found = pool.find(class).ok()??;
    let mut sites = Sites::new();
    let mut ordinals: HashMap<&str, usize> = HashMap::new();
    for method in &found.file.methods {
        for instruction in method.code.iter().flat_map(|code| &code.instructions) {
            let Op::InvokeDynamic { bootstrap: Some(bootstrap), .. } = &instruction.op else { continue };
            let lambda = bootstrap.arguments.iter().find_map(|argument| match argument {
                Constant::MethodHandle(called)
                    if called.class == class && called.name.starts_with(METHOD) =>
                {
                    Some(called.name.clone())
                }
                _ => None,
            });
            if let Some(lambda) = lambda {
                let ordinal = ordinals.entry(&method.name).or_insert(0);
                *ordinal += 1;
                sites.insert(lambda, (method.name.clone(), *ordinal));
            }
        }
    }
    Some(sites)
}
