//! Names as their language writes them: what the compilers of Kotlin, Scala and Clojure make of a name, taken
//! back. The VM's names stay in sites, chain files and matching; these are for showing, and either form is
//! accepted where a user types one.
//!
//! The rules read names alone, so each demands a mark that no Java compiler and no Java convention produces.
//! What depends on the language of a class ([`Language`], by its source file) is said so.

use std::borrow::Cow;
use std::collections::HashSet;

/// How the names of source files end from which compilers make class files.
pub const SOURCE_EXTENSIONS: [&str; 10] =
    ["java", "kt", "kts", "scala", "groovy", "clj", "cljc", "jsp", "py", "rb"];

/// A language whose compiler encodes names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Kotlin.
    Kotlin,
    /// Scala.
    Scala,
    /// Clojure.
    Clojure,
}

impl Language {
    /// The language of a class, by the name of its source file.
    pub fn of(source_file: Option<&str>) -> Option<Language> {
        match source_file?.rsplit_once('.')?.1 {
            "kt" | "kts" => Some(Language::Kotlin),
            "scala" | "sc" => Some(Language::Scala),
            "clj" | "cljc" => Some(Language::Clojure),
            _ => None,
        }
    }
}

/// Scala's operators (`scala.reflect.NameTransformer`).
const SCALA: [(&str, char); 18] = [
    ("$tilde", '~'),
    ("$eq", '='),
    ("$less", '<'),
    ("$greater", '>'),
    ("$bang", '!'),
    ("$hash", '#'),
    ("$percent", '%'),
    ("$up", '^'),
    ("$amp", '&'),
    ("$bar", '|'),
    ("$times", '*'),
    ("$div", '/'),
    ("$plus", '+'),
    ("$minus", '-'),
    ("$colon", ':'),
    ("$bslash", '\\'),
    ("$qmark", '?'),
    ("$at", '@'),
];

/// Clojure's characters (`clojure.lang.Compiler.CHAR_MAP`), and `_` for `-`, which is not in this list.
const CLOJURE: [(&str, char); 24] = [
    ("_COLON_", ':'),
    ("_PLUS_", '+'),
    ("_GT_", '>'),
    ("_LT_", '<'),
    ("_EQ_", '='),
    ("_TILDE_", '~'),
    ("_BANG_", '!'),
    ("_CIRCA_", '@'),
    ("_SHARP_", '#'),
    ("_SINGLEQUOTE_", '\''),
    ("_DOUBLEQUOTE_", '"'),
    ("_PERCENT_", '%'),
    ("_CARET_", '^'),
    ("_AMPERSAND_", '&'),
    ("_STAR_", '*'),
    ("_BAR_", '|'),
    ("_LBRACE_", '{'),
    ("_RBRACE_", '}'),
    ("_LBRACK_", '['),
    ("_RBRACK_", ']'),
    ("_SLASH_", '/'),
    ("_BSLASH_", '\\'),
    ("_QMARK_", '?'),
    ("_DOT_", '.'),
];

/// Whether a static field holds what Clojure's compiler has taken out of the code of a function: `const__3`
/// has a variable or constant, the others the last look-up of a keyword.
pub fn is_constant(field: &str) -> bool {
    let number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let look_up =
        ["__thunk__", "__site__"].iter().find_map(|begin| field.strip_prefix(begin)?.strip_suffix("__"));
    field.strip_prefix("const__").or(look_up).is_some_and(number)
}

/// The methods by which a Clojure function is called. The first that a class has holds its code.
pub const CALLS: [&str; 4] = ["invokeStatic", "invokePrim", "doInvoke", "invoke"];

/// Other methods of a Clojure function.
const OTHERS: [&str; 2] = ["getRequiredArity", "hasArity"];

/// A method or field as its source writes it: `$plus$eq` is `+=`, `$anonfun$total$1` is `total.anonfun$1`,
/// `names$lzycompute` is `names`, `shop$Discounts$$d` is `d`; of Kotlin, `pay-2Xt4h1A` is `pay`.
pub fn member(name: &str) -> Cow<'_, str> {
    let short = short_member(name);
    match scala(short) {
        Cow::Owned(decoded) => Cow::Owned(decoded),
        Cow::Borrowed(short) => match anonymous_function(short) {
            Some(text) => Cow::Owned(text),
            None => Cow::Borrowed(short),
        },
    }
}

fn short_member(name: &str) -> &str {
    // Scala expands the name of a private member that a trait or an inner class needs: `shop$Shop$$name`.
    let is_expanded = |owner: &str| !owner.is_empty() && !owner.starts_with('$') && !owner.contains('-');
    let name = match name.rsplit_once("$$") {
        Some((owner, name))
            if is_expanded(owner) && name.starts_with(|c: char| c.is_alphabetic() || c == '_') =>
        {
            name
        }
        _ => name,
    };
    let name = name.strip_suffix("$lzycompute").unwrap_or(name);
    without_value_class(name).unwrap_or(name)
}

/// A Kotlin method with a parameter of a value class, without the hash of its parameters or `-impl`. A hash
/// has seven characters; one of small letters alone could be a word in a name in backticks.
fn without_value_class(name: &str) -> Option<&str> {
    let (short, mark) = name.split_once('-').filter(|(short, _)| !short.is_empty())?;
    let is_hash = mark.len() == 7
        && mark.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
        && mark.bytes().any(|b| b.is_ascii_digit() || b.is_ascii_uppercase());
    (is_hash || mark == "impl").then_some(short)
}

/// `$anonfun$total$1` is the first anonymous function in `total`.
fn anonymous_function(name: &str) -> Option<String> {
    let (method, number) = name.strip_prefix("$anonfun$")?.rsplit_once('$')?;
    let is_number = !method.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) && !number.is_empty();
    is_number.then(|| format!("{}.anonfun${number}", scala(method)))
}

/// Scala's operators taken back. An operator ends a name, so `$minusAssign` contains none.
fn scala(name: &str) -> Cow<'_, str> {
    if !name.contains('$') {
        return Cow::Borrowed(name);
    }
    if let Some(function) = name.strip_prefix("$anonfun").and_then(|_| anonymous_function(name)) {
        return Cow::Owned(function);
    }
    let mut out = String::new();
    let mut rest = name;
    while let Some(first) = rest.chars().next() {
        let operator = SCALA.iter().find_map(|(code, sign)| {
            let after = rest.strip_prefix(code)?;
            after.chars().next().is_none_or(|next| !next.is_alphanumeric()).then_some((after, *sign))
        });
        match operator {
            Some((after, sign)) => {
                out.push(sign);
                rest = after;
            }
            None => {
                out.push(first);
                rest = rest.get(first.len_utf8()..).unwrap_or_default();
            }
        }
    }
    if out == name { Cow::Borrowed(name) } else { Cow::Owned(out) }
}

/// A class as its source names it, for the binary name with or without a package. `Shop$` of `object Shop`
/// and `Shop$class` of `trait Shop` are `Shop`, `Shop$$anonfun$total$1` is `Shop$total$anonfun$1`,
/// `$colon$colon` is `::`; Kotlin's `Shop$DefaultImpls` is `Shop`. A Clojure function whose name has a mark
/// is `shop.core/grant!`.
pub fn class(name: &str) -> Cow<'_, str> {
    if !name.contains('$') || name.starts_with(['[', '$']) && !name.starts_with("$colon") {
        return Cow::Borrowed(name);
    }
    if let Some(function) = marked_function(name) {
        return Cow::Owned(function);
    }
    let package = name.rfind('.').map_or(0, |at| at + 1);
    let Some((package, simple)) = name.split_at_checked(package) else { return Cow::Borrowed(name) };
    let top = ["$class", "$DefaultImpls", "$"]
        .iter()
        .find_map(|end| simple.strip_suffix(end).filter(|top| !top.is_empty() && !top.ends_with('$')));
    let short = top.unwrap_or(simple).replace("$$anonfun$", "$");
    // The method stands before its number: `Shop$total$1`.
    let short = match simple.contains("$$anonfun$").then(|| short.rsplit_once('$')).flatten() {
        Some((of, number)) => format!("{of}$anonfun${number}"),
        None => short,
    };
    let short = scala(&short).into_owned();
    if short == simple { Cow::Borrowed(name) } else { Cow::Owned(format!("{package}{short}")) }
}

/// The function of a Clojure class whose name alone says that it is one.
fn marked_function(class: &str) -> Option<String> {
    let simple = class.rsplit('.').next().unwrap_or(class);
    let (_, function) = simple.split_once('$')?;
    let number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let is_marked = CLOJURE.iter().any(|(code, _)| function.contains(code))
        || function == "_main"
        || function.rsplit_once("__").is_some_and(|(_, end)| number(end))
        || function.strip_prefix("eval").is_some_and(number);
    is_marked.then(|| function_of(class)).flatten()
}

/// The function of a Clojure class, `shop.core$total$fn__143`: `shop.core/total/fn--143`. `None` if the
/// compiler cannot have made the name for a namespace in small letters, which is Clojure's convention.
fn function_of(class: &str) -> Option<String> {
    let (space, function) = class.split_once('$')?;
    let small =
        |text: &str| text.starts_with(|c: char| c.is_lowercase()) && !text.contains(char::is_uppercase);
    let is_function = small(space.rsplit('.').next().unwrap_or(space)) && !function.is_empty();
    // `Shop$_run_closure1` is Groovy's, `shop$py` Jython's.
    let is_other = function.contains("_closure") || function == "py";
    (is_function && !is_other).then(|| {
        let parts: Vec<String> = function.split('$').map(clojure).collect();
        format!("{}/{}", clojure(space), parts.join("/"))
    })
}

/// Clojure's characters taken back (`clojure.lang.Compiler.demunge`).
fn clojure(name: &str) -> String {
    let mut out = String::new();
    let mut rest = name;
    while let Some(first) = rest.chars().next() {
        let coded = CLOJURE.iter().find_map(|(code, sign)| Some((rest.strip_prefix(code)?, *sign)));
        let (after, sign) = match coded {
            Some(found) => found,
            None => {
                (rest.get(first.len_utf8()..).unwrap_or_default(), if first == '_' { '-' } else { first })
            }
        };
        out.push(sign);
        rest = after;
    }
    out
}

/// The name of a method in its class, for a class name with or without package: `Shop.+=`, `shop.core/total`;
/// of the class that Kotlin's compiler makes for a suspended function, `coroutine Shop$load`.
pub fn method(of: &str, name: &str) -> String {
    special(of, name).unwrap_or_else(|| format!("{}.{}", class(of), member(name)))
}

/// The name of a method where it is not that of its class and its own: of Clojure and of coroutines.
pub fn special(of: &str, name: &str) -> Option<String> {
    if CALLS.contains(&name) {
        return function_of(of);
    }
    coroutine(of, name).map(|function| format!("coroutine {function}"))
}

/// The name of the object of a call, shown as `core.total@68`, and how a call of the method is written with
/// it: `core/total@68` of a Clojure function, `coroutine Shop.load$1@14` of a coroutine.
pub fn special_call(of: &str, name: &str, object: &str) -> Option<String> {
    let simple = of.rsplit('.').next().unwrap_or(of);
    let number = object.rsplit_once('@').map(|(_, number)| number)?;
    if CALLS.contains(&name) {
        return Some(format!("{}@{number}", function_of(simple)?));
    }
    if OTHERS.contains(&name) {
        return Some(format!("{}@{number}.{name}", function_of(simple)?));
    }
    coroutine(of, name).map(|_| format!("coroutine {object}"))
}

/// The function whose coroutine a class continues: Kotlin's `Shop$load$1` continues `Shop$load`.
fn coroutine<'a>(class: &'a str, method: &str) -> Option<&'a str> {
    let (function, number) = class.rsplit_once('$').filter(|_| method == "invokeSuspend")?;
    let is_number = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    is_number.then_some(function)
}

/// Whether a method is the one written as `Class.method` or `method`, by the names of its source: `Shop.+=`,
/// `total`, `core/grant!`, `shop.core/grant!`. The class may be written without its package.
pub fn is_method(of: &str, name: &str, written: &str) -> bool {
    let fits = |shown: &str| {
        let shown = shown.replace('$', ".");
        let written = written.replace('$', ".");
        shown == written || shown.strip_suffix(written.as_str()).is_some_and(|rest| rest.ends_with('.'))
    };
    match special(of, name) {
        Some(shown) => fits(shown.strip_prefix("coroutine ").unwrap_or(&shown)),
        // An end of the name alone, such as `discount_=`.
        None => fits(&method(of, name)),
    }
}

/// Whether a member is called so by its source, or by the VM.
pub fn is_member(name: &str, written: &str) -> bool {
    name == written || member(name) == written
}

/// Writes the local variables of a method as its source does, and drops those that only the compiler knows.
/// `name` reaches the name of a variable. A variable keeps the compiler's name if another has that of the
/// source.
pub fn write_variables<V>(
    language: Option<Language>,
    all: &mut Vec<V>,
    name: impl Fn(&mut V) -> &mut String,
) {
    if !matches!(language, Some(Language::Kotlin | Language::Scala)) {
        return;
    }
    let taken: HashSet<String> = all.iter_mut().map(|variable| name(variable).clone()).collect();
    all.retain_mut(|variable| {
        let name = name(variable);
        let Some(written) = variable_name(language, name) else { return false };
        if written != *name && !taken.contains(&*written) {
            *name = written.into_owned();
        }
        true
    });
}

/// A local variable as it is written: a captured one is Kotlin's `$limit` and Scala's `limit$1`, the receiver
/// `$this$apply` is `this@apply`. `None` of a variable that only the compiler knows.
fn variable_name(language: Option<Language>, name: &str) -> Option<Cow<'_, str>> {
    if language == Some(Language::Scala) {
        // `x$1` is the compiler's own.
        let captured = name.rsplit_once('$').filter(|(stem, number)| {
            let is_number = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
            is_number && !stem.is_empty() && *stem != "x" && !stem.contains('$')
        });
        return Some(captured.map_or_else(|| scala(name), |(stem, _)| Cow::Borrowed(stem)));
    }
    let Some(hidden) = name.strip_prefix('$').filter(|_| language == Some(Language::Kotlin)) else {
        return Some(Cow::Borrowed(name));
    };
    // Marks of copied code are `$i$f$forEach` and `$i$a$-forEach-Shop$total$1`; `$this$forEach$iv` is the
    // receiver of a function whose code was copied.
    let is_of_compiler = matches!(hidden, "completion" | "continuation" | "result")
        || hidden.starts_with("i$f$")
        || hidden.starts_with("i$a$")
        || name.ends_with("$iv");
    if is_of_compiler {
        return None;
    }
    Some(match hidden.strip_prefix("this$") {
        Some(function) if !function.contains('$') => Cow::Owned(format!("this@{function}")),
        _ if !hidden.is_empty() && !hidden.contains('$') => Cow::Borrowed(hidden),
        _ => Cow::Borrowed(name),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_read_as_in_their_source() {
        for (name, written) in [
            ("$plus$eq", "+="),
            ("discount_$eq", "discount_="),
            ("empty_$qmark", "empty_?"),
            ("$colon$colon", "::"),
            ("$anonfun$total$1", "total.anonfun$1"),
            ("$anonfun$$plus$eq$2", "+=.anonfun$2"),
            ("names$lzycompute", "names"),
            ("shop$Discounts$$_d", "_d"),
            ("shop$Discounts$$_d_$eq", "_d_="),
            ("pay-2Xt4h1A", "pay"),
            ("constructor-impl", "constructor"),
        ] {
            assert_eq!(member(name), written, "{name}");
            assert!(is_member(name, written) && is_member(name, name), "{name}");
        }
    }

    #[test]
    fn names_of_java_keep_their_form() {
        for name in [
            "lambda$main$0",
            "access$000",
            "$minusAssign",
            "foo$equals",
            "total-correct",
            "is cheap",
            "main$lambda$1",
            "apply$default$3",
            "$deserializeLambda$",
            "FOO_BAR_BAZ",
            "this$0",
            "val$name",
            "$VALUES",
            "$jacocoInit",
            "<init>",
        ] {
            assert_eq!(member(name), name);
        }
        for name in [
            "shop.Cart$Item",
            "shop.Cart$1",
            "shop.cart$item",
            "shop.cart$FOO",
            "shop.Cart$FOO_BAR_BAZ",
            "Shop$_run_closure1",
            "shop$_run_closure1$_closure2",
            "Main$$Lambda/lambda$main$0",
            "Shop$load$1",
            "[Lshop.Cart$Item;",
            "$Proxy/java.lang.Runnable",
        ] {
            assert_eq!(class(name), name);
        }
        assert_eq!(method("shop.cart$item", "total"), "shop.cart$item.total");
        assert_eq!(method("Shop$_run_closure1", "doCall"), "Shop$_run_closure1.doCall");
    }

    #[test]
    fn classes_read_as_in_their_source() {
        for (name, written) in [
            ("shop.Shop$", "shop.Shop"),
            ("shop.Discounts$class", "shop.Discounts"),
            ("shop.Discounts$DefaultImpls", "shop.Discounts"),
            ("shop.Shop$$anonfun$total$1", "shop.Shop$total$anonfun$1"),
            ("scala.collection.immutable.$colon$colon", "scala.collection.immutable.::"),
            ("$colon$colon", "::"),
            ("shop.core$grant_BANG_", "shop.core/grant!"),
            ("shop.my_core$_main", "shop.my-core/-main"),
            ("shop.core$total$fn__143", "shop.core/total/fn--143"),
        ] {
            assert_eq!(class(name), written, "{name}");
        }
    }

    #[test]
    fn methods_are_named_as_their_language_calls_them() {
        for (of, name, written) in [
            ("shop.Shop", "$plus$eq", "shop.Shop.+="),
            ("shop.Shop$", "main", "shop.Shop.main"),
            ("shop.core$line_total", "invokeStatic", "shop.core/line-total"),
            ("shop.core$line_total", "invoke", "shop.core/line-total"),
            ("shop.core$line_total", "<init>", "shop.core$line_total.<init>"),
            ("shop.Shop$load$1", "invokeSuspend", "coroutine shop.Shop$load"),
        ] {
            assert_eq!(method(of, name), written);
        }
        let call = special_call("shop.core$line_total", "invoke", "core.line_total@62");
        assert_eq!(call.as_deref(), Some("core/line-total@62"));
        let call = special_call("shop.Shop$load$1", "invokeSuspend", "Shop.load$1@14");
        assert_eq!(call.as_deref(), Some("coroutine Shop.load$1@14"));
        assert_eq!(special_call("shop.Shop", "total", "Shop@3"), None);
    }

    #[test]
    fn constants_of_clojure_are_known_by_their_names() {
        assert!(["const__12", "__thunk__0__", "__site__1__"].iter().all(|name| is_constant(name)));
        assert!(!["const__", "CONST__1", "__site__", "const__a"].iter().any(|name| is_constant(name)));
    }

    #[test]
    fn either_name_of_a_method_is_accepted() {
        for (of, name, written) in [
            ("shop.Shop", "$plus$eq", "Shop.+="),
            ("shop.Shop", "$plus$eq", "shop.Shop.+="),
            ("shop.Shop", "discount_$eq", "discount_="),
            ("shop.Shop$", "main", "Shop.main"),
            ("shop.core$grant_BANG_", "invoke", "core/grant!"),
            ("shop.core$grant_BANG_", "invokeStatic", "shop.core/grant!"),
            ("shop.Shop$load$1", "invokeSuspend", "Shop.load"),
        ] {
            assert!(is_method(of, name, written), "{written}");
        }
        for (of, name, written) in [
            ("shop.Shop", "$plus$eq", "hop.+="),
            ("shop.Shop", "$plus$eq", "="),
            ("shop.core$grant_BANG_", "getRequiredArity", "core/grant!"),
            ("shop.core$grant_BANG_", "invoke", "re/grant!"),
        ] {
            assert!(!is_method(of, name, written), "{written}");
        }
    }

    #[test]
    fn variables_are_those_of_the_source() {
        let written = |source, names: &[&str]| {
            let mut all: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            write_variables(Language::of(Some(source)), &mut all, |name| name);
            all
        };
        let of_kotlin =
            ["it", "$limit", "$this$apply", "off$iv", "$i$f$forEach", "$i$a$-forEach-Shop$total$1"];
        assert_eq!(written("Shop.kt", &of_kotlin), ["it", "limit", "this@apply", "off$iv"]);
        let of_coroutine = ["id", "$this$forEach$iv", "$completion", "$continuation", "$result"];
        assert_eq!(written("Shop.kt", &of_coroutine), ["id"]);
        assert_eq!(written("Shop.java", &of_coroutine), of_coroutine);
        assert_eq!(written("Shop.scala", &["sum$1", "x$1", "empty_$qmark"]), ["sum", "x$1", "empty_?"]);
        // One that hides the captured variable.
        assert_eq!(written("Shop.kt", &["$limit", "limit"]), ["$limit", "limit"]);
    }
}
