//! The code that compares values, so that only calls and writes with certain values are recorded. It leaves
//! the ring on the stack if the value is the wanted one, and otherwise 0, with which nothing is recorded.

use descriptor::Kind;
use rewrite::{MethodShape, Slot, Step};
use wire::TRACE_TEST_CLASS;
use wire::chosen::Constant;

/// The constants as code, if a variable with this descriptor can be compared with each of them. Without them
/// all values are recorded.
pub fn comparable(constants: &[Constant], descriptor: &str) -> Vec<Comparison> {
    let all: Option<Vec<_>> =
        constants.iter().map(|constant| Comparison::new(*constant, descriptor)).collect();
    all.unwrap_or_default()
}

/// A comparison with a constant.
pub struct Comparison {
    kind: Kind,
    constant: Option<Step>,
}

impl Comparison {
    /// The comparison of a variable with this descriptor; `None` if the log may show it by other terms than
    /// the constant.
    pub fn new(constant: Constant, descriptor: &str) -> Option<Comparison> {
        let (kind, constant) = match (descriptor, constant) {
            ("Z", Constant::Boolean(value)) => (Kind::Int, Some(Step::Int(value.into()))),
            ("B" | "S" | "I", Constant::Integer(value)) => {
                (Kind::Int, Some(Step::Int(i32::try_from(value).ok()?)))
            }
            ("J", Constant::Integer(value)) => (Kind::Long, Some(Step::Long(value))),
            (of, Constant::Null) if of.starts_with(['L', '[']) => (Kind::Reference, None),
            _ => return None,
        };
        Some(Comparison { kind, constant })
    }

    /// The code. `ring` and `value` push what their names say.
    pub fn code(&self, ring: &[Step], value: &Step) -> Vec<Step> {
        let (name, of) = match self.kind {
            Kind::Reference => ("isNull", "(JLjava/lang/Object;)J"),
            Kind::Long => ("is", "(JJJ)J"),
            _ => ("is", "(JII)J"),
        };
        let told = Step::Call { class: TRACE_TEST_CLASS.into(), name: name.into(), descriptor: of.into() };
        let mut code = ring.to_vec();
        code.push(value.clone());
        code.extend(self.constant.clone());
        code.push(told);
        code
    }
}

/// The code for the arguments of a method. Each test replaces the ring in this local by 0 if it fails.
pub fn of_arguments(shape: &MethodShape, tests: &[(usize, Constant)], ring: Slot) -> Vec<Step> {
    let parameters = descriptor::parameter_slots(&shape.descriptor, shape.is_static());
    let mut code = Vec::new();
    for (at, constant) in tests {
        let Some((slot, of)) = parameters.get(*at) else { continue };
        if let Some(comparison) = Comparison::new(*constant, of) {
            let value = Step::Load(Kind::of_descriptor(of), Slot::Own(*slot));
            code.extend(comparison.code(&[Step::Load(Kind::Long, ring)], &value));
            code.push(Step::Store(Kind::Long, ring));
        }
    }
    code
}
