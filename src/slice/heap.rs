//! What fields and elements hold while calls are gone through: the node of each, and its value where that is
//! known.

use super::definitions::Around;
use super::graph::{Graph, Node};
use crate::trace::Value;
use std::collections::{HashMap, HashSet};

/// So many places are kept.
const MOST: usize = 16_000_000;

/// What a place holds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Val {
    /// What has influenced it.
    pub node: Node,
    /// It, where that is known.
    pub known: Option<Value>,
}

impl Val {
    /// One of which nothing is known but what has influenced it.
    pub fn of(node: Node) -> Val {
        Val { node, known: None }
    }

    /// The object that it is.
    pub fn object(self) -> Option<u32> {
        match self.known {
            Some(Value::Object(object)) => Some(object),
            _ => None,
        }
    }
}

/// Which part of an object: a field by its number, or an element by its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Spot {
    Field(u32),
    Element(u32),
}

/// All fields and elements.
#[derive(Default)]
pub struct Heap {
    cells: HashMap<(u32, Spot), (Val, u32)>,
    /// By field: all that was written to it, of whatever object.
    fields: HashMap<u32, Node>,
    /// All that was written to elements.
    elements: Node,
    /// All that was written.
    pub all: Node,
    /// What the JDK's collections and other objects of it hold.
    pub state: Node,
    /// What was printed.
    printed: Node,
    /// Code of which nothing is known: it may have written anything.
    foreign: Node,
    /// Collections through which elements of arrays may have been written.
    through: Node,
    /// How often that was.
    disturbed: u32,
    /// Choices that have led around writes: to fields, by their names, to elements, and to whatever.
    around_fields: HashMap<String, Node>,
    around_elements: Node,
    around_all: Node,
    /// Whether arrays are seen through collections.
    is_backed: bool,
    /// What fields held before, as far as somebody has looked.
    pub before: HashMap<(u32, u32), Option<Value>>,
    /// Which of them it would help to look at.
    pub missed: HashSet<(u32, u32)>,
    /// Whether something was read of an object that is not known.
    pub guessed: bool,
}

/// What code did of which nothing is known.
pub struct Outside {
    all: Node,
    state: Node,
    printed: Node,
    through: Node,
    foreign: Node,
    disturbed: u32,
}

impl Heap {
    /// Before everything, and whether arrays are seen through collections.
    pub fn new(is_backed: bool) -> Heap {
        Heap { is_backed, ..Heap::default() }
    }

    /// The same as before everything, with what is known of that.
    pub fn again(self) -> Heap {
        Heap { before: self.before, is_backed: self.is_backed, ..Heap::default() }
    }

    /// A field of an object, 0 for a static one, by its number and its name; without a number it is never
    /// written.
    pub fn field(
        &mut self,
        graph: &mut Graph,
        object: Option<u32>,
        (number, name): (Option<u32>, &str),
    ) -> Val {
        let val = self.field_as_written(graph, object, number);
        Val { node: self.or_around_field(graph, val.node, name), ..val }
    }

    fn or_around_field(&self, graph: &mut Graph, node: Node, name: &str) -> Node {
        let around = self.around_fields.get(name).copied().unwrap_or(0);
        let node = graph.join(node, around);
        graph.join(node, self.around_all)
    }

    fn or_around_element(&self, graph: &mut Graph, node: Node) -> Node {
        let node = graph.join(node, self.around_elements);
        let node = graph.join(node, self.through);
        graph.join(node, self.around_all)
    }

    fn field_as_written(&mut self, graph: &mut Graph, object: Option<u32>, number: Option<u32>) -> Val {
        let Some(number) = number else { return Val::of(self.foreign) };
        let Some(object) = object else {
            self.guessed = true;
            let any = self.fields.get(&number).copied().unwrap_or(0);
            return Val::of(graph.join(any, self.foreign));
        };
        match self.cell(graph, object, Spot::Field(number)) {
            Some(val) => val,
            None => {
                let before = self.before.get(&(object, number)).copied();
                if before.is_none() {
                    self.missed.insert((object, number));
                }
                Val { node: self.foreign, known: before.flatten().filter(|_| self.disturbed == 0) }
            }
        }
    }

    /// An element of an array.
    pub fn element(&mut self, graph: &mut Graph, array: Option<u32>, index: Option<u32>) -> Val {
        let val = match array.zip(index) {
            Some((array, index)) => {
                let val = self.cell(graph, array, Spot::Element(index));
                // What it held before can have been written by the JDK, of which no event tells.
                val.unwrap_or(Val::of(self.foreign))
            }
            None => {
                self.guessed = true;
                Val::of(graph.join(self.elements, self.foreign))
            }
        };
        Val { node: self.or_around_element(graph, val.node), ..val }
    }

    fn cell(&self, graph: &mut Graph, object: u32, spot: Spot) -> Option<Val> {
        let (val, disturbed) = self.cells.get(&(object, spot)).copied()?;
        let known = val.known.filter(|_| disturbed == self.disturbed);
        Some(Val { node: graph.join(val.node, self.foreign), known })
    }

    /// What has influenced what a field holds at last.
    pub fn field_left(&self, graph: &mut Graph, object: u32, number: Option<u32>, name: &str) -> Node {
        let cell = number.and_then(|number| self.cell(graph, object, Spot::Field(number)));
        self.or_around_field(graph, cell.map_or(self.foreign, |val| val.node), name)
    }

    /// What has influenced what an element holds at last.
    pub fn element_left(&self, graph: &mut Graph, array: u32, index: u32) -> Node {
        let cell = self.cell(graph, array, Spot::Element(index));
        self.or_around_element(graph, cell.map_or(self.foreign, |val| val.node))
    }

    /// A choice has led around some writes.
    pub fn led_around(&mut self, graph: &mut Graph, choice: Node, around: &Around) {
        for name in &around.fields {
            match self.around_fields.get_mut(name) {
                Some(node) => *node = graph.join(*node, choice),
                None => drop(self.around_fields.insert(name.clone(), choice)),
            }
        }
        if around.elements {
            self.around_elements = graph.join(self.around_elements, choice);
        }
        if around.state || around.everything {
            self.state = graph.join(self.state, choice);
        }
        if around.everything {
            self.around_all = graph.join(self.around_all, choice);
        }
    }

    /// Something is written.
    pub fn write(&mut self, graph: &mut Graph, object: u32, spot: Spot, val: Val) {
        let any = match spot {
            Spot::Field(number) => self.fields.entry(number).or_default(),
            Spot::Element(_) => &mut self.elements,
        };
        *any = graph.join(*any, val.node);
        self.all = graph.join(self.all, val.node);
        self.cells.insert((object, spot), (val, self.disturbed));
    }

    /// What objects of the JDK hold, and the arrays that are seen through them.
    pub fn held(&self, graph: &mut Graph) -> Node {
        if self.is_backed { self.printable(graph) } else { self.state }
    }

    /// What objects of the JDK and arrays hold.
    pub fn printable(&self, graph: &mut Graph) -> Node {
        let elements = self.or_around_element(graph, self.elements);
        graph.join(self.state, elements)
    }

    /// Objects of the JDK hold something else, and so may the arrays that are seen through them.
    pub fn hold(&mut self, graph: &mut Graph, node: Node) {
        self.state = graph.join(self.state, node);
        if self.is_backed {
            self.through = graph.join(self.through, node);
            self.all = graph.join(self.all, node);
            self.disturbed = self.disturbed.saturating_add(1);
        }
    }

    /// Something is printed.
    pub fn print(&mut self, graph: &mut Graph, node: Node) {
        self.printed = graph.join(self.printed, node);
    }

    /// Whether so many places were written that there is no room for more.
    pub fn is_full(&self) -> bool {
        self.cells.len() > MOST
    }

    /// Code of which nothing is known depends on that, and may have written anything.
    pub fn disturb(&mut self, graph: &mut Graph, by: Node) {
        self.foreign = graph.join(self.foreign, by);
        self.all = graph.join(self.all, by);
        self.state = graph.join(self.state, by);
        self.disturbed = self.disturbed.saturating_add(1);
    }

    /// What code did of which nothing is known, so that it can be undone.
    pub fn outside(&self) -> Outside {
        Outside {
            all: self.all,
            state: self.state,
            printed: self.printed,
            through: self.through,
            foreign: self.foreign,
            disturbed: self.disturbed,
        }
    }

    /// Undoes what such code did.
    pub fn set_outside(&mut self, outside: Outside) {
        let Outside { all, state, printed, through, foreign, disturbed } = outside;
        (self.printed, self.through) = (printed, through);
        (self.all, self.state, self.foreign) = (all, state, foreign);
        self.disturbed = disturbed;
    }

    /// All that code of which nothing is known can depend on.
    pub fn everything(&self, graph: &mut Graph) -> Node {
        let mut all = graph.join(self.all, self.state);
        all = graph.join(all, self.printed);
        all = graph.join(all, self.through);
        all = graph.join(all, self.around_all);
        all = graph.join(all, self.around_elements);
        self.around_fields.values().fold(all, |all, node| graph.join(all, *node))
    }
}
