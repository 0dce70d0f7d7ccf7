//! The fixed table of operators: those of ISO Prolog and the ones that SWI-Prolog adds to it.

/// How an infix operator associates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Infix {
    /// The priority of the term.
    pub priority: u16,
    /// The highest priority of the left argument.
    pub left: u16,
    /// The highest priority of the right argument.
    pub right: u16,
}

/// A prefix operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Prefix {
    /// The priority of the term.
    pub priority: u16,
    /// The highest priority of the argument.
    pub right: u16,
}

/// The infix operator of a name.
pub(crate) fn infix(name: &str) -> Option<Infix> {
    let xfx = |p| Some(Infix { priority: p, left: p - 1, right: p - 1 });
    let xfy = |p| Some(Infix { priority: p, left: p - 1, right: p });
    let yfx = |p| Some(Infix { priority: p, left: p, right: p - 1 });
    match name {
        ":-" | "-->" | "=>" => xfx(1200),
        "|" => xfy(1105),
        ";" => xfy(1100),
        "->" | "*->" => xfy(1050),
        "," => xfy(1000),
        ":=" => xfx(800),
        "<" | "=" | "=.." | "=:=" | "=<" | "==" | "=\\=" | ">" | ">=" | "@<" | "@=<" | "@>" | "@>="
        | "\\=" | "\\==" | "as" | "is" | "=@=" | "\\=@=" | ">:<" | ":<" => xfx(700),
        ":" => xfy(600),
        "+" | "-" | "/\\" | "\\/" => yfx(500),
        "*" | "/" | "//" | "mod" | "rem" | "<<" | ">>" | "div" | "rdiv" | "xor" => yfx(400),
        "**" => xfx(200),
        "^" => xfy(200),
        _ => None,
    }
}

/// The prefix operator of a name.
pub(crate) fn prefix(name: &str) -> Option<Prefix> {
    let fx = |p| Some(Prefix { priority: p, right: p - 1 });
    let fy = |p| Some(Prefix { priority: p, right: p });
    match name {
        ":-" | "?-" => fx(1200),
        "dynamic" | "discontiguous" | "initialization" | "module_transparent" | "multifile" | "public"
        | "table" | "meta_predicate" | "volatile" | "thread_local" => fx(1150),
        "\\+" => fy(900),
        "-" | "+" | "\\" => fy(200),
        "$" => fx(1),
        _ => None,
    }
}

/// Whether a name is an operator of any kind.
pub(crate) fn is_operator(name: &str) -> bool {
    infix(name).is_some() || prefix(name).is_some()
}
