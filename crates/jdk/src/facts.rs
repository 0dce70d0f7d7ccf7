//! The facts that a row can state.

/// What is known of a method. Where a fact is `None`, nothing is known of that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// What the method depends on, besides the values of its arguments.
    pub reads: Option<Reads>,
    /// What the method writes, besides what it returns.
    pub writes: Option<Writes>,
    /// What the method does to the arrays that it is given.
    pub arrays: Option<Arrays>,
    /// Whether arguments of type `Object` are arrays that the method writes.
    pub objects: Option<Objects>,
    /// Which fields of the program the method writes.
    pub fields: Option<Fields>,
    /// What the method does to the contents of the collection that is its receiver.
    pub contents: Option<Contents>,
    /// The change of a collection's contents that the method's own code makes.
    pub change: Option<Change>,
    /// What the method keeps of its arguments for later.
    pub holds: Option<Holds>,
    /// What the method returns.
    pub returns: Option<Returns>,
    /// Which code of the program the method calls.
    pub calls: Option<Calls>,
    /// Whether the method only computes: it reads and writes nothing but values and objects, and never waits.
    pub pure: Option<bool>,
    /// Whether the method is private, but called from outside of its class: by other classes of its nest, or
    /// by deserialization.
    pub entered: Option<bool>,
}

impl Facts {
    /// No facts.
    pub(crate) const NONE: Facts = Facts {
        reads: None,
        writes: None,
        arrays: None,
        objects: None,
        fields: None,
        contents: None,
        change: None,
        holds: None,
        returns: None,
        calls: None,
        pure: None,
        entered: None,
    };

    /// These facts, completed by those of a less precise row.
    pub(crate) fn or(self, other: &Facts) -> Facts {
        Facts {
            reads: self.reads.or(other.reads),
            writes: self.writes.or(other.writes),
            arrays: self.arrays.or(other.arrays),
            objects: self.objects.or(other.objects),
            fields: self.fields.or(other.fields),
            contents: self.contents.or(other.contents),
            change: self.change.or(other.change),
            holds: self.holds.or(other.holds),
            returns: self.returns.or(other.returns),
            calls: self.calls.or(other.calls),
            pure: self.pure.or(other.pure),
            entered: self.entered.or(other.entered),
        }
    }
}

/// What a method depends on, besides the values of its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// Nothing.
    Nothing,
    /// What its arguments hold. This says nothing of arguments that are arrays.
    Arguments,
    /// What objects of the JDK hold.
    Objects,
    /// What objects of the JDK, fields and array elements hold.
    Everything,
}

/// What a method writes, besides what it returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writes {
    /// Nothing.
    Nothing,
    /// The output of a stream.
    Output,
    /// What objects of the JDK hold. This says nothing of arguments that are arrays.
    Objects,
    /// Anything.
    Anything,
}

/// What a method does to the arrays that it is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrays {
    /// The method only reads them.
    Read,
    /// The method keeps them, and writes none of them.
    Kept,
    /// The method can write these elements of each of them.
    Written(Elements),
    /// The method copies elements to one of them.
    Copied {
        /// The argument that is written.
        to: usize,
        /// The argument that is the first index written.
        from: usize,
        /// The argument that is the number of elements.
        count: usize,
    },
}

/// Whether arguments of type `Object` are arrays that a method writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Objects {
    /// They are arrays, and it writes them.
    Array,
    /// They can be arrays, and can be written.
    Any,
    /// It writes none of them.
    Kept,
}

/// The elements of an array argument that a method can write. The `int` arguments behind the array name them;
/// where those are missing, every element can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elements {
    /// The argument behind the array is the first index; the number of elements is fixed.
    At(i32),
    /// The arguments behind the array are the first index and the number of elements.
    Counted,
    /// The arguments behind the array are the first index and the index behind the last element.
    Range,
}

/// Which fields of the program a method writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fields {
    /// None.
    None,
    /// The field that its receiver stands for: a `Field`, a `VarHandle` or a field updater.
    OfReceiver,
    /// Any field.
    Any,
}

/// What a method keeps of its arguments for later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// An array, which the returned object reads.
    Read,
    /// An array, which the returned object reads and writes.
    Written,
    /// An array, whose elements are passed on to code that can write what they refer to.
    Elements,
}

/// What a method returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returns {
    /// A copy of its receiver.
    Copy,
    /// An array that a function of the program made, and that the method filled.
    Filled,
}

/// Which code of the program a method calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Calls {
    /// The functions that it is given.
    Functions,
    /// Any method.
    Anything,
}

/// What a method does to the contents of the collection that is its receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contents {
    /// The method changes nothing of them by itself, or nothing that can be asked about.
    Kept,
    /// The method can change them.
    Changed(Counts),
}

/// Whether a method can change the contents of a collection and leave their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counts {
    /// No: a change changes the number, too.
    Differs,
    /// It can.
    May,
    /// It puts the value of a local variable at a place.
    Put(u16, Place),
}

/// A place in a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The index in this local variable.
    At(u16),
    /// The key in this local variable.
    Key(u16),
    /// Where the iterator stands that is the receiver.
    Here,
}

/// A change of a collection's contents that a method's own code makes. Numbers are those of local variables:
/// 1 is the first parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Any change.
    Any,
    /// Elements were added at the end.
    Appended,
    /// An element was inserted.
    Inserted(At),
    /// An element was replaced.
    Set(At),
    /// An element was removed.
    Removed(At),
    /// The element in the array cell of this number is removed.
    RemovedCell(u16),
    /// The element of this node is removed.
    RemovedNode(u16),
    /// The first parameter is inserted before this node.
    InsertedBefore(u16),
    /// An element of a part of a list was replaced, at this index of the part.
    SetInPart(u16),
    /// An element of an array that the program made was replaced, at this index.
    SetInArray(u16),
    /// An array that the program made was rewritten.
    Rewritten,
    /// An element was replaced where the iterator stands.
    SetByIterator,
    /// The array of the elements was replaced by a changed copy.
    Copied,
    /// The first parameter was put into a heap.
    Offered,
    /// The returned element was taken out of a heap.
    Polled,
    /// The element at this place of a heap is taken out.
    TakenFromHeap(u16),
    /// A key and a value are put in.
    PutPair(u16, u16),
    /// The returned node was removed.
    RemovedPair,
    /// The order of this node can change, since it was used.
    Used(u16),
    /// The value of the node that is the receiver becomes this one.
    SetValue(u16),
    /// This node was put into a tree.
    TreeGrown(u16),
    /// This node is removed from a tree.
    TreeShrinks(u16),
    /// The value of this key may have been changed.
    Keyed(u16),
    /// Nothing changes; the returned node was reached by an iterator.
    Reached,
}

/// The index of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// The first one.
    First,
    /// The last one.
    Last,
    /// The index in this local variable.
    Local(u16),
}
