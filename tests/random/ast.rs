//! A generated program as a tree. Statements stand on lines of their own, so that a line names a statement.

pub type Block = Vec<Stmt>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ty {
    Int,
    Long,
    Bool,
    Text,
    Obj,
}

/// A local variable or parameter; its number is its own, its name is used again by others.
#[derive(Clone, Debug)]
pub struct Var {
    pub id: u32,
    pub name: String,
    pub ty: Ty,
    /// Only the construct that made it assigns it.
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
    Choice(Box<Expr>, Box<Expr>, Box<Expr>),
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    Not(Box<Expr>),
    /// An operand of a condition: a branch of its own, with its number.
    Atom(u32, Box<Expr>),
}

impl Expr {
    pub fn text(text: impl Into<String>) -> Expr {
        Expr::Parts(vec![Part::Text(text.into())])
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
    /// Variables that have a value just before it.
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
    /// Whether it is of the class of objects.
    pub of_object: bool,
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
    pub of_object: bool,
    pub name: &'static str,
    pub ty: Ty,
    pub is_static: bool,
    pub init: Option<&'static str>,
}

pub const FIELDS: [Field; 10] = [
    Field { of_object: true, name: "f", ty: Ty::Int, is_static: false, init: None },
    Field { of_object: true, name: "g", ty: Ty::Long, is_static: false, init: Some("7L") },
    Field { of_object: true, name: "h", ty: Ty::Bool, is_static: false, init: None },
    Field { of_object: true, name: "next", ty: Ty::Obj, is_static: false, init: None },
    Field { of_object: true, name: "t", ty: Ty::Text, is_static: false, init: Some("\"new\"") },
    Field { of_object: true, name: "count", ty: Ty::Int, is_static: true, init: Some("1") },
    Field { of_object: false, name: "s0", ty: Ty::Int, is_static: true, init: None },
    Field { of_object: false, name: "s1", ty: Ty::Obj, is_static: true, init: None },
    Field { of_object: false, name: "s2", ty: Ty::Bool, is_static: true, init: Some("true") },
    Field { of_object: false, name: "s3", ty: Ty::Long, is_static: true, init: None },
];

pub struct Program {
    pub seed: u64,
    /// `main` is the first, the constructor the second.
    pub methods: Vec<Method>,
}

impl Program {
    pub fn main_class(&self) -> String {
        format!("P{}", self.seed)
    }

    pub fn object_class(&self) -> String {
        format!("O{}", self.seed)
    }

    pub fn class_of(&self, of_object: bool) -> String {
        if of_object { self.object_class() } else { self.main_class() }
    }
}

/// All statements of a block, nested ones too.
pub fn each<'a>(block: &'a Block, see: &mut dyn FnMut(&'a Stmt)) {
    for stmt in block {
        see(stmt);
        match &stmt.kind {
            Kind::If { then, other, .. } => {
                each(then, see);
                other.iter().for_each(|b| each(b, see));
            }
            Kind::While { body, .. } | Kind::Do { body, .. } | Kind::For { body, .. } => each(body, see),
            Kind::Switch { arms, .. } => arms.iter().for_each(|a| each(&a.body, see)),
            Kind::Try { body, catches, finish } => {
                each(body, see);
                catches.iter().for_each(|c| each(&c.body, see));
                finish.iter().for_each(|f| each(&f.body, see));
            }
            _ => {}
        }
    }
}
