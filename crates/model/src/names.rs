//! Names of classes and methods as users read them, in the words of their language ([`written`]).

use descriptor::generated::stable_name;
use descriptor::written;

/// Whether the VM generated this class for a lambda or method reference. Its methods only forward calls.
pub fn is_lambda_class(class: &str) -> bool {
    class.contains("$$Lambda")
}

/// Shortens the name of a static field, `pkg.Outer$Inner.count`, to `Outer.Inner.count`.
pub fn short_static_name(field: &str) -> String {
    match field.rsplit_once('.') {
        // The object of a Scala `object`.
        Some((class, "MODULE$")) => short_class_name(class),
        Some((class, name)) => format!("{}.{}", short_class_name(class), written::member(name)),
        None => field.to_owned(),
    }
}

/// The name by which a field is shown that a subclass hides by one of the same name: `Base.n`.
pub fn hidden_field_name(class: &str, name: &str) -> String {
    format!("{}.{name}", short_class_name(class))
}

/// Shortens `pkg.Outer$Inner` to `Outer.Inner`; `Intro$1` only loses its package. In recordings a lambda
/// class is named after the method that it calls, a proxy class after its interfaces: `Shop.lambda$main$0`,
/// `ArrayList::new`, `Proxy(Runnable)`. A generated class loses its number, which differs between runs:
/// `Prices.MockitoMock`.
pub fn short_class_name(class: &str) -> String {
    if let Some((host, method)) = class.split_once("$$Lambda/") {
        return match method.split_once("::") {
            Some((owner, "<init>")) => format!("{}::new", short_class_name(owner)),
            Some((owner, name)) => format!("{}::{name}", short_class_name(owner)),
            None => format!("{}.{method}", short_class_name(host)),
        };
    }
    if let Some(interfaces) = class.strip_prefix("$Proxy/") {
        let short: Vec<String> = interfaces.split(',').map(short_class_name).collect();
        return format!("Proxy({})", short.join(", "));
    }
    let stable = stable_name(class);
    if stable != class {
        return short_class_name(&stable.replace("_$$_", "$").replace("$$", "$"));
    }
    let simple = class.rsplit('.').next().unwrap_or(class);
    let simple = &*written::class(simple);
    let mut out = String::with_capacity(simple.len());
    let mut chars = simple.chars().peekable();
    while let Some(c) = chars.next() {
        let inner = c == '$' && !out.is_empty() && chars.peek().is_some_and(|n| n.is_alphabetic());
        out.push(if inner { '.' } else { c });
    }
    out
}

/// A method as users read it, in the words of its language: `com.acme.Shop.total`, `com.acme.Shop.+=`.
pub fn method_text(class: &str, method: &str) -> String {
    written::method(class, method)
}

/// The same without the package: `Shop.total`, `core/grant!`.
pub fn short_method_name(class: &str, method: &str) -> String {
    let simple = class.rsplit('.').next().unwrap_or(class);
    match written::special(simple, method) {
        Some(special) => special.replace('$', "."),
        None => format!("{}.{}", short_class_name(class), written::member(method)),
    }
}

/// A method called on an object, which is shown as `object`: `Shop@3.total`.
pub fn call_on(class: &str, method: &str, object: &str) -> String {
    let special = written::special_call(class, method, object);
    special.unwrap_or_else(|| format!("{object}.{}", written::member(method)))
}
