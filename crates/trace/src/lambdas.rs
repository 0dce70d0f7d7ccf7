//! The code of lambdas, from the class names that the recorder assigns: `Host$$Lambda/lambda$main$0` calls a
//! method of its host, `Host$$Lambda/java.util.ArrayList::<init>` is a method reference.

use super::objects::{LAMBDA, Objects};
use super::sites::Sites;
use model::{LambdaCode, lambda_text};
use std::collections::HashMap;
use std::sync::Arc;
use wire::recording::Traced;

/// The lambda classes met, by number, with the code each one calls. Bodies in recorded methods have a place.
pub(super) fn codes(objects: &Objects, sites: &Sites) -> Vec<(u32, LambdaCode)> {
    let mut codes: Vec<(u32, LambdaCode)> =
        objects.lambda_classes().filter_map(|(class, name)| Some((class, code(name)?))).collect();
    if codes.iter().any(|(_, code)| code.is_body()) {
        let places = places(sites);
        for (_, code) in &mut codes {
            code.place = places.get(&(&*code.class, &*code.method)).cloned();
        }
    }
    codes.sort_unstable_by_key(|(class, _)| *class);
    codes
}

/// Shows lambdas by their places. Their source text is not known here.
pub(super) fn name_lambdas(objects: &mut Objects, sites: &Sites) {
    for (class, code) in codes(objects, sites) {
        objects.name_lambda(class, lambda_text(&code));
    }
}

fn code(class: &str) -> Option<LambdaCode> {
    let (host, called) = class.split_once(LAMBDA)?;
    let (class, method) = called.split_once("::").unwrap_or((host, called));
    Some(LambdaCode { class: class.into(), method: method.into(), place: None })
}

/// File and first line of each lambda body, by class and method.
fn places(sites: &Sites) -> HashMap<(&str, &str), (Arc<str>, u32)> {
    let entries = sites.all().filter(|site| site.what == Traced::Enter);
    let place = |(method, line): (u32, u16)| {
        let method = sites.method(method).filter(|method| method.is_synthetic)?;
        Some(((&*method.class, &*method.name), (method.source.clone()?, line.into())))
    };
    entries.filter_map(|site| place((site.method, site.line?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lambdas_differ_from_method_references() {
        let text = |class: &str| lambda_text(&code(class).expect("a lambda"));
        assert_eq!(text("com.acme.Shop$$Lambda/lambda$main$0"), "lambda of Shop");
        assert_eq!(text("com.acme.Shop$$Lambda/com.acme.Shop$Order::total"), "Shop.Order::total");
        assert_eq!(text("com.acme.Shop$$Lambda/java.util.ArrayList::<init>"), "ArrayList::new");
        assert!(code("com.acme.Shop$Order").is_none());
    }
}
