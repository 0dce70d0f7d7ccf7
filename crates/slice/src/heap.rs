//! The fields and elements during interpretation: the dependence node of each, and its value if known.

use super::definitions::PossibleWrites;
use super::graph::{Graph, Node};
use super::uses::UseLog;
use std::collections::{HashMap, HashSet};
use trace::Value;

/// Maximum number of locations stored.
const MOST: usize = 16_000_000;

/// A value with its dependences.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Val {
    /// Its dependence node.
    pub node: Node,
    /// The value, if known.
    pub known: Option<Value>,
}

impl Val {
    /// An unknown value with this dependence node.
    pub fn of(node: Node) -> Val {
        Val { node, known: None }
    }

    /// The object number, if it is a known object.
    pub fn object(self) -> Option<u32> {
        match self.known {
            Some(Value::Object(object)) => Some(object),
            _ => None,
        }
    }
}

/// A part of an object: a field by its number, or an element by its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Spot {
    Field(u32),
    Element(u32),
}

/// All fields and elements.
#[derive(Default)]
pub struct Heap {
    cells: HashMap<(u32, Spot), (Val, u32)>,
    /// By field: all values written to it, in any object.
    fields: HashMap<u32, Node>,
    /// All values written to array elements.
    elements: Node,
    /// All values written anywhere.
    pub all: Node,
    /// The state of JDK objects, such as collections.
    pub state: Node,
    /// All printed values.
    printed: Node,
    /// The inputs of unknown code, which may have written anything.
    foreign: Node,
    /// The inputs of collections through which array elements may have been written.
    through: Node,
    /// How often unknown code or such collections may have written.
    disturbed: u32,
    /// Decisions that bypassed writes: to fields, by name; to elements; and to anything.
    around_fields: HashMap<String, Node>,
    around_elements: Node,
    around_all: Node,
    /// Whether any arrays are accessible through collections.
    is_backed: bool,
    /// Earlier values of fields, as far as they were looked up.
    pub before: HashMap<(u32, u32), Option<Value>>,
    /// Fields whose earlier values would be useful.
    pub missed: HashSet<(u32, u32)>,
    /// Whether a read concerned an unknown object.
    pub guessed: bool,
    /// What was read, and when.
    pub(super) uses: UseLog,
}

/// The effects of unknown code, so that they can be undone.
pub struct Outside {
    all: Node,
    state: Node,
    printed: Node,
    through: Node,
    foreign: Node,
    disturbed: u32,
}

impl Heap {
    /// An empty heap. `is_backed`: whether arrays are accessible through collections.
    pub fn new(is_backed: bool) -> Heap {
        Heap { is_backed, ..Heap::default() }
    }

    /// Resets the heap, but keeps the known earlier values.
    pub fn again(self) -> Heap {
        Heap { before: self.before, is_backed: self.is_backed, ..Heap::default() }
    }

    /// Reads a field of an object (0 for static fields), by number and name. A field without a number is
    /// never written.
    pub fn field(&mut self, graph: &mut Graph, object: Option<u32>, number: Option<u32>, name: &str) -> Val {
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
        let cell = self.cell(graph, object, Spot::Field(number));
        let node = cell.map_or(self.foreign, |val| val.node);
        let node = self.uses.part(graph, object, number, node);
        match cell {
            Some(val) => Val { node, ..val },
            None => {
                let before = self.before.get(&(object, number)).copied();
                if before.is_none() {
                    self.missed.insert((object, number));
                }
                Val { node, known: before.flatten().filter(|_| self.disturbed == 0) }
            }
        }
    }

    /// An element of an array.
    pub fn element(&mut self, graph: &mut Graph, array: Option<u32>, index: Option<u32>) -> Val {
        let val = match array.zip(index) {
            Some((array, index)) => {
                let val = self.cell(graph, array, Spot::Element(index));
                // The JDK may have written the earlier value, and it records no events.
                let val = val.unwrap_or(Val::of(self.foreign));
                Val { node: self.uses.part(graph, array, index, val.node), ..val }
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

    /// The dependences of a field's final value.
    pub fn field_left(&self, graph: &mut Graph, object: u32, number: Option<u32>, name: &str) -> Node {
        let cell = number.and_then(|number| self.cell(graph, object, Spot::Field(number)));
        self.or_around_field(graph, cell.map_or(self.foreign, |val| val.node), name)
    }

    /// The dependences of an element's final value.
    pub fn element_left(&self, graph: &mut Graph, array: u32, index: u32) -> Node {
        let cell = self.cell(graph, array, Spot::Element(index));
        self.or_around_element(graph, cell.map_or(self.foreign, |val| val.node))
    }

    /// Records that a decision bypassed some writes.
    pub fn led_around(&mut self, graph: &mut Graph, choice: Node, around: &PossibleWrites) {
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

    /// Records a write.
    pub fn write(&mut self, graph: &mut Graph, object: u32, spot: Spot, val: Val) {
        let any = match spot {
            Spot::Field(number) => self.fields.entry(number).or_default(),
            Spot::Element(_) => &mut self.elements,
        };
        *any = graph.join(*any, val.node);
        self.all = graph.join(self.all, val.node);
        self.cells.insert((object, spot), (val, self.disturbed));
    }

    /// The state of JDK objects, and of the arrays accessible through them.
    pub fn held(&self, graph: &mut Graph) -> Node {
        if self.is_backed { self.printable(graph) } else { self.state }
    }

    /// The state of JDK objects and of all arrays.
    pub fn printable(&self, graph: &mut Graph) -> Node {
        let elements = self.or_around_element(graph, self.elements);
        graph.join(self.state, elements)
    }

    /// Records a change of JDK objects, and possibly of the arrays accessible through them.
    pub fn hold(&mut self, graph: &mut Graph, node: Node) {
        self.state = graph.join(self.state, node);
        if self.is_backed {
            self.through = graph.join(self.through, node);
            self.all = graph.join(self.all, node);
            self.disturbed = self.disturbed.saturating_add(1);
        }
    }

    /// Records output.
    pub fn print(&mut self, graph: &mut Graph, node: Node) {
        self.printed = graph.join(self.printed, node);
    }

    /// Everything that was printed. A JDK method may also print the state of JDK objects.
    pub fn output(&self, graph: &mut Graph) -> Node {
        let held = self.held(graph);
        let printed = graph.join(self.printed, self.foreign);
        graph.join(held, printed)
    }

    /// Whether no room is left for more locations.
    pub fn is_full(&self) -> bool {
        self.cells.len() > MOST
    }

    /// Records that unknown code with these inputs may have written anything.
    pub fn disturb(&mut self, graph: &mut Graph, by: Node) {
        self.foreign = graph.join(self.foreign, by);
        self.all = graph.join(self.all, by);
        self.state = graph.join(self.state, by);
        self.disturbed = self.disturbed.saturating_add(1);
    }

    /// The effects of unknown code so far, so that later ones can be undone.
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

    /// Restores the effects of unknown code.
    pub fn set_outside(&mut self, outside: Outside) {
        let Outside { all, state, printed, through, foreign, disturbed } = outside;
        (self.printed, self.through) = (printed, through);
        (self.all, self.state, self.foreign) = (all, state, foreign);
        self.disturbed = disturbed;
    }

    /// Everything on which unknown code can depend.
    pub fn everything(&self, graph: &mut Graph) -> Node {
        let mut all = graph.join(self.all, self.state);
        all = graph.join(all, self.printed);
        all = graph.join(all, self.through);
        all = graph.join(all, self.around_all);
        all = graph.join(all, self.around_elements);
        self.around_fields.values().fold(all, |all, node| graph.join(all, *node))
    }
}
