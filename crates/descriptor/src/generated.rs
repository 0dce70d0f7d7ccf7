//! Classes and members that libraries generate while a program runs, or a build adds to its classes: mocks,
//! proxies, enhanced classes, call sites, counters of coverage. They are nobody's own code (DESIGN §12).
//! This is the only table of their names; a class of another name is recognised by how it was defined.

/// The place of a generator's mark in the name of a class.
#[derive(Clone, Copy)]
enum Mark {
    /// The name contains it after the name of another class. What follows differs between runs.
    Inside(&'static str),
    /// The simple name is this, followed by digits only.
    Numbered(&'static str),
}

/// The marks of generators. To add one, add a row.
const MARKS: &[Mark] = &[
    // Mockito and EasyMock, by ByteBuddy.
    Mark::Inside("$MockitoMock$"),
    Mark::Inside("$$$EasyMock$"),
    Mark::Inside("$ByteBuddy$"),
    // Hibernate's proxies, instantiators and accesses to properties.
    Mark::Inside("$HibernateProxy$"),
    Mark::Inside("$HibernateInstantiator$"),
    Mark::Inside("$HibernateAccessOptimizer$"),
    Mark::Inside("$HibernateBasicProxy$"),
    // cglib: `Order$$EnhancerByCGLIB$$1f2e3d`, `$$EnhancerBySpringCGLIB$$`, `$$FastClassByGuice$$`; and
    // Spring since version 6.
    Mark::Inside("$$EnhancerBy"),
    Mark::Inside("$$FastClassBy"),
    Mark::Inside("$$KeyFactoryBy"),
    Mark::Inside("$$BulkBeanBy"),
    Mark::Inside("$$BeanCopierBy"),
    Mark::Inside("$$BeanMapBy"),
    Mark::Inside("$$MethodWrapperBy"),
    Mark::Inside("$$ConstructorDelegateBy"),
    Mark::Inside("$$MulticastDelegateBy"),
    Mark::Inside("$$ParallelSorterBy"),
    Mark::Inside("$$SpringCGLIB$$"),
    Mark::Inside("$$FastClass$$"),
    // Javassist: `Order_$$_jvst1f2_0`, and of older versions `Order_$$_javassist_0`.
    Mark::Inside("_$$_jvst"),
    Mark::Inside("_$$_javassist_"),
    // The JDK: `jdk.proxy2.$Proxy12`, or in the package of an interface that is not public.
    Mark::Numbered("$Proxy"),
];

/// Packages whose classes the JDK generates for proxies.
const PROXY_PACKAGES: [&str; 2] = ["jdk.proxy", "com.sun.proxy."];

/// Members that tools add to classes: JaCoCo's counters.
const MEMBERS: [&str; 2] = ["$jacocoInit", "$jacocoData"];

/// Beginnings of the names of the superclasses of generated classes whose own name tells nothing: Groovy's
/// call sites, such as `Order$add`, and its calls of methods of the JDK.
const SUPERCLASSES: [&str; 2] =
    ["org.codehaus.groovy.runtime.callsite.", "org.codehaus.groovy.reflection.GeneratedMetaMethod"];

/// The end of the names that recordings have for generated classes. No class file has such a name, so none is
/// looked for, as for lambdas and hidden classes.
const RECORDED: &str = "/generated";

/// Whether the name of a class, with dots or slashes, is that of a generated class.
pub fn is_generated(class: &str) -> bool {
    end_of_mark(class).is_some() || PROXY_PACKAGES.iter().any(|package| class.starts_with(package))
}

/// Whether a class is generated, by the name of its superclass with dots.
pub fn is_superclass_of_generated(superclass: &str) -> bool {
    SUPERCLASSES.iter().any(|begin| superclass.starts_with(begin))
}

/// Whether a method or field was added by a tool.
pub fn is_generated_member(name: &str) -> bool {
    MEMBERS.contains(&name)
}

/// The name of a class without the part that a generator chooses anew in each run:
/// `shop.Prices$MockitoMock$1942057621` becomes `shop.Prices$MockitoMock`. Other names, and arrays of
/// generated classes, keep their form.
pub fn stable_name(class: &str) -> &str {
    let class = class.strip_suffix(RECORDED).unwrap_or(class);
    let end = end_of_mark(class);
    let stable = end.and_then(|end| class.get(..end));
    stable.map_or(class, |stable| stable.trim_end_matches(['$', '_']))
}

/// The name by which recordings know a class: that of a generated class is the same in every run.
pub fn recorded_name(class: &str) -> String {
    match end_of_mark(class) {
        Some(_) => format!("{}{RECORDED}", stable_name(class)),
        None => class.to_owned(),
    }
}

/// Where the mark of a generator ends in the name of a class.
fn end_of_mark(class: &str) -> Option<usize> {
    if class.starts_with('[') || !class.contains('$') {
        return None;
    }
    MARKS.iter().find_map(|mark| match mark {
        Mark::Inside(mark) => {
            let begins = class.find(mark).filter(|at| *at > 0)?;
            let end = begins + mark.len();
            // `$$EnhancerBy` goes on with the library's name.
            let rest = class.get(end..)?;
            Some(if mark.ends_with("By") { end + rest.find('$').unwrap_or(rest.len()) } else { end })
        }
        Mark::Numbered(mark) => {
            let simple = class.rfind(['.', '/']).map_or(0, |at| at + 1);
            let number = class.get(simple..)?.strip_prefix(mark)?;
            let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then_some(simple + mark.len())
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_classes_are_named_by_what_they_stand_for() {
        for (class, stable) in [
            ("shop.Prices$MockitoMock$1942057621", "shop.Prices$MockitoMock"),
            ("shop/Prices$MockitoMock$1942057621$auxiliary$G04JOhVa", "shop/Prices$MockitoMock"),
            ("shop.Order$HibernateProxy$9cQzVJb1", "shop.Order$HibernateProxy"),
            ("shop.Order$$EnhancerByCGLIB$$4e1a", "shop.Order$$EnhancerByCGLIB"),
            ("shop.Order$$EnhancerBySpringCGLIB$$4e1a$$FastClass", "shop.Order$$EnhancerBySpringCGLIB"),
            ("shop.Order$$SpringCGLIB$$0", "shop.Order$$SpringCGLIB"),
            ("shop.Order_$$_jvst4e1_0", "shop.Order_$$_jvst"),
            ("shop.$Proxy12", "shop.$Proxy"),
            ("jdk.proxy2.$Proxy12", "jdk.proxy2.$Proxy"),
        ] {
            assert_eq!((stable_name(class), is_generated(class)), (stable, true), "{class}");
            let recorded = recorded_name(class);
            assert_eq!((stable_name(&recorded), recorded.ends_with("/generated")), (stable, true));
        }
    }

    #[test]
    fn classes_of_a_source_are_not_generated() {
        for class in [
            "shop.Order$Row",
            "Order$1",
            "Main$$Lambda/lambda$main$0",
            "shop.$Proxy",
            "shop.$ProxyFactory1",
            "shop.Proxy12",
            "MockitoMock",
            "[Lshop.Prices$MockitoMock$1;",
        ] {
            assert_eq!((stable_name(class), is_generated(class)), (class, false), "{class}");
        }
    }
}
