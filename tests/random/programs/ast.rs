//! A generated program as a tree. Each statement has its own line, so a line identifies a statement.

pub type Block = Vec<Stmt>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ty {
    Int,
    Long,
    Bool,
    Text,
    Obj,
    Ints,
    Longs,
    Bools,
    Texts,
    Objs,
    /// `int[][]`
    Grid,
    Worker,
}

/// Types of arrays.
pub const ARRAYS: [Ty; 6] = [Ty::Ints, Ty::Longs, Ty::Bools, Ty::Texts, Ty::Objs, Ty::Grid];

impl Ty {
    /// The type of an array's elements.
    pub fn element(self) -> Option<Ty> {
        match self {
            Ty::Ints => Some(Ty::Int),
            Ty::Longs => Some(Ty::Long),
            Ty::Bools => Some(Ty::Bool),
            Ty::Texts => Some(Ty::Text),
            Ty::Objs => Some(Ty::Obj),
            Ty::Grid => Some(Ty::Ints),
            _ => None,
        }
    }

    /// The value of a field or element that was never written.
    pub fn default(self) -> &'static str {
        match self {
            Ty::Int => "0",
            Ty::Long => "0L",
            Ty::Bool => "false",
            _ => "null",
        }
    }

    /// The class whose fields an object of the type has.
    pub fn home(self) -> Option<Home> {
        match self {
            Ty::Obj => Some(Home::Object),
            Ty::Worker => Some(Home::Worker),
            _ => None,
        }
    }

    /// Its Java name; `#` becomes the number of the program.
    pub fn java(self) -> &'static str {
        match self {
            Ty::Int => "int",
            Ty::Long => "long",
            Ty::Bool => "boolean",
            Ty::Text => "String",
            Ty::Obj => "O#",
            Ty::Ints => "int[]",
            Ty::Longs => "long[]",
            Ty::Bools => "boolean[]",
            Ty::Texts => "String[]",
            Ty::Objs => "O#[]",
            Ty::Grid => "int[][]",
            Ty::Worker => "T#",
        }
    }
}

/// The classes of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    Main,
    Object,
    /// A thread that alternates with the main one.
    Worker,
}

impl Home {
    pub fn java(self) -> &'static str {
        match self {
            Home::Main => "P#",
            Home::Object => "O#",
            Home::Worker => "T#",
        }
    }
}

/// A local variable or parameter. Its number is unique; other variables reuse its name.
#[derive(Clone, Debug)]
pub struct Var {
    pub id: u32,
    pub name: String,
    pub ty: Ty,
    /// Only its declaring construct assigns it.
    pub fixed: bool,
}

#[derive(Clone, Debug)]
pub enum Part {
    Text(String),
    Expr(Expr),
}

#[derive(Clone, Debug)]
pub enum Expr {
    /// Text and operands, evaluated from left to right.
    Parts(Vec<Part>),
    /// A call of a method; the parts are its text.
    Call(usize, Vec<Part>),
    /// A read of a field; a static one has no owner.
    Field(usize, Option<Box<Expr>>),
    /// `v++`: the value before.
    Inc(Var),
    /// `new int[] { … }`: an array of that type, with a store for each element.
    Elements(Ty, Vec<Expr>),
    Choice(Box<Expr>, Box<Expr>, Box<Expr>),
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    Not(Box<Expr>),
    /// An operand of a condition: a separate branch, with its number.
    Atom(u32, Box<Expr>),
}

impl Expr {
    pub fn text(text: impl Into<String>) -> Expr {
        Expr::Parts(vec![Part::Text(text.into())])
    }

    /// `array[index]`
    pub fn element(array: Expr, index: Expr) -> Expr {
        let text = |t: &str| Part::Text(t.into());
        Expr::Parts(vec![Part::Expr(array), text("["), Part::Expr(index), text("]")])
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    Set,
    Add,
    Inc,
}

#[derive(Clone, Debug)]
pub struct Stmt {
    /// Its line; for `do`, that of its condition.
    pub line: u32,
    /// Variables with a value just before it.
    pub visible: Vec<Var>,
    pub kind: Kind,
}

#[derive(Clone, Debug)]
pub enum Kind {
    Declare {
        var: Var,
        value: Option<Expr>,
    },
    /// `fresh`: the variable has no value before.
    Assign {
        var: Var,
        fresh: bool,
        op: Op,
        value: Expr,
    },
    SetField {
        field: usize,
        owner: Option<Expr>,
        op: Op,
        value: Expr,
    },
    SetElement {
        /// Of the array.
        ty: Ty,
        array: Expr,
        index: Expr,
        op: Op,
        value: Expr,
    },
    Run(Expr),
    If {
        cond: Expr,
        then: Block,
        other: Option<Block>,
    },
    /// Without a condition: `while (true)`.
    While {
        label: u32,
        cond: Option<Expr>,
        body: Block,
    },
    Do {
        label: u32,
        cond: Expr,
        body: Block,
    },
    For {
        label: u32,
        var: Var,
        cond: Expr,
        body: Block,
    },
    Switch {
        label: u32,
        id: u32,
        selector: Expr,
        arms: Vec<Arm>,
    },
    Try {
        body: Block,
        catches: Vec<Catch>,
        finish: Option<Finish>,
    },
    Jump {
        label: u32,
        again: bool,
    },
    Return(Option<Expr>),
    Throw(&'static str),
}

#[derive(Clone, Debug)]
pub struct Arm {
    /// `None` is the default.
    pub labels: Vec<Option<i32>>,
    pub body: Block,
}

#[derive(Clone, Debug)]
pub struct Catch {
    pub id: u32,
    pub class: &'static str,
    pub var: Var,
    pub line: u32,
    pub body: Block,
}

#[derive(Clone, Debug)]
pub struct Finish {
    pub id: u32,
    pub body: Block,
}

#[derive(Clone, Debug)]
pub struct Method {
    pub home: Home,
    pub name: String,
    pub is_static: bool,
    pub params: Vec<Var>,
    pub result: Option<Ty>,
    pub line: u32,
    pub body: Block,
}

impl Method {
    pub fn is_constructor(&self) -> bool {
        self.name == "<init>"
    }
}

#[derive(Clone, Debug)]
pub struct Field {
    pub home: Home,
    pub name: &'static str,
    pub ty: Ty,
    pub is_static: bool,
    pub init: Option<&'static str>,
}

const fn of(home: Home, name: &'static str, ty: Ty, init: Option<&'static str>) -> Field {
    Field { home, name, ty, is_static: matches!(home, Home::Main), init }
}

pub const FIELDS: [Field; 20] = [
    of(Home::Object, "f", Ty::Int, None),
    of(Home::Object, "g", Ty::Long, Some("7L")),
    of(Home::Object, "h", Ty::Bool, None),
    of(Home::Object, "next", Ty::Obj, None),
    of(Home::Object, "t", Ty::Text, Some("\"new\"")),
    of(Home::Object, "a", Ty::Ints, Some("new int[3]")),
    of(Home::Object, "b", Ty::Objs, None),
    Field { home: Home::Object, name: "count", ty: Ty::Int, is_static: true, init: Some("1") },
    of(Home::Main, "s0", Ty::Int, None),
    of(Home::Main, "s1", Ty::Obj, None),
    of(Home::Main, "s2", Ty::Bool, Some("true")),
    of(Home::Main, "s3", Ty::Long, None),
    of(Home::Main, "s4", Ty::Ints, Some("new int[4]")),
    of(Home::Main, "s5", Ty::Grid, Some("new int[2][3]")),
    of(Home::Main, "s6", Ty::Objs, Some("new S#[2]")),
    of(Home::Main, "s7", Ty::Texts, None),
    of(Home::Main, "s8", Ty::Longs, Some("new long[2]")),
    of(Home::Main, "s9", Ty::Bools, Some("new boolean[3]")),
    // The constructor of a worker sets them.
    of(Home::Worker, "wo", Ty::Obj, None),
    of(Home::Worker, "wa", Ty::Ints, None),
];

/// The number of a field.
pub fn field(name: &str) -> usize {
    FIELDS.iter().position(|f| f.name == name).expect("a field")
}

#[derive(Clone)]
pub struct Program {
    pub seed: u64,
    /// Part of the names of its classes: the seed, except in programs made smaller.
    pub number: u64,
    /// `main` is the first, the constructor the second.
    pub methods: Vec<Method>,
}

impl Program {
    pub fn main_class(&self) -> String {
        self.class_of(Home::Main)
    }

    pub fn class_of(&self, home: Home) -> String {
        self.named(home.java())
    }

    /// Text with the program's number in it.
    pub fn named(&self, text: &str) -> String {
        text.replace('#', &self.number.to_string())
    }
}

/// All statements of a block, nested ones too.
pub fn each<'a>(block: &'a Block, see: &mut dyn FnMut(&'a Stmt)) {
    for stmt in block {
        see(stmt);
        blocks(stmt).into_iter().for_each(|b| each(b, see));
    }
}

/// The direct blocks of a statement.
pub fn blocks(s: &Stmt) -> Vec<&Block> {
    match &s.kind {
        Kind::If { then, other, .. } => std::iter::once(then).chain(other).collect(),
        Kind::While { body, .. } | Kind::Do { body, .. } | Kind::For { body, .. } => vec![body],
        Kind::Switch { arms, .. } => arms.iter().map(|a| &a.body).collect(),
        Kind::Try { body, catches, finish } => std::iter::once(body)
            .chain(catches.iter().map(|c| &c.body))
            .chain(finish.iter().map(|f| &f.body))
            .collect(),
        _ => Vec::new(),
    }
}

/// The same, mutable.
pub fn blocks_mut(s: &mut Stmt) -> Vec<&mut Block> {
    match &mut s.kind {
        Kind::If { then, other, .. } => std::iter::once(then).chain(other).collect(),
        Kind::While { body, .. } | Kind::Do { body, .. } | Kind::For { body, .. } => vec![body],
        Kind::Switch { arms, .. } => arms.iter_mut().map(|a| &mut a.body).collect(),
        Kind::Try { body, catches, finish } => std::iter::once(body)
            .chain(catches.iter_mut().map(|c| &mut c.body))
            .chain(finish.iter_mut().map(|f| &mut f.body))
            .collect(),
        _ => Vec::new(),
    }
}
