//! The facts that a row can state.

/// The facts about a method. An unknown fact is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// The inputs of the method besides the values of its arguments.
    pub reads: Option<Reads>,
    /// The outputs of the method besides its result.
    pub writes: Option<Writes>,
    /// The effect of the method on its array arguments.
    pub arrays: Option<Arrays>,
    /// Whether the method writes arrays that are arguments of type `Object`.
    pub objects: Option<Objects>,
    /// The fields of the program that the method writes.
    pub fields: Option<Fields>,
    /// The effect of the method on the contents of its receiver, a collection.
    pub contents: Option<Contents>,
    /// The change of a collection's contents that the method's own code makes.
    pub change: Option<Change>,
    /// The effect of the method's own code on the text of its receiver: a builder or a stream.
    pub text: Option<TextChange>,
    /// The array argument that the method stores for later use.
    pub holds: Option<Holds>,
    /// The returned object, if it is special.
    pub returns: Option<Returns>,
    /// The code of the program that the method calls.
    pub calls: Option<Calls>,
    /// Whether the method only computes: it reads and writes only values and objects, and never waits.
    pub pure: Option<bool>,
    /// Whether the method is private but called from outside its class: by its nestmates or by
    /// deserialization.
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
        text: None,
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
            text: self.text.or(other.text),
            holds: self.holds.or(other.holds),
            returns: self.returns.or(other.returns),
            calls: self.calls.or(other.calls),
            pure: self.pure.or(other.pure),
            entered: self.entered.or(other.entered),
        }
    }
}

/// The inputs of a method besides the values of its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// None.
    Nothing,
    /// The state of its arguments. This does not cover array arguments.
    Arguments,
    /// The state of JDK objects.
    Objects,
    /// The state of JDK objects, fields and array elements.
    Everything,
}

/// The outputs of a method besides its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writes {
    /// None.
    Nothing,
    /// The output of a stream.
    Output,
    /// The state of JDK objects. This does not cover array arguments.
    Objects,
    /// Anything.
    Anything,
}

/// The effect of a method on its array arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrays {
    /// The method only reads them.
    Read,
    /// The method stores them for later use, and writes none of them itself.
    Kept,
    /// The method can write these elements of each of them.
    Written(Elements),
    /// The method copies elements into one of them. Numbers are positions of arguments, from 0.
    Copied {
        /// The written array.
        to: usize,
        /// The first written index.
        from: usize,
        /// The number of elements.
        count: usize,
    },
}

/// Whether a method writes arrays that are arguments of type `Object`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Objects {
    /// The arguments are arrays, and the method writes them.
    Array,
    /// The arguments can be arrays, and the method can write them.
    Any,
    /// The method writes none of them.
    Kept,
}

/// The elements of an array argument that a method can write. The `int` arguments after the array give them.
/// Without such arguments, the method can write every element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elements {
    /// The argument after the array is the first index. The number of elements is fixed.
    At(i32),
    /// The arguments after the array are the first index and the number of elements.
    Counted,
    /// The arguments after the array are the first index and the index after the last element.
    Range,
}

/// The fields of the program that a method writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fields {
    /// None.
    None,
    /// The field behind the receiver, which is a `Field`, a `VarHandle` or a field updater.
    OfReceiver,
    /// Any field.
    Any,
}

/// The use of an array argument that a method stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// The returned object reads the array.
    Read,
    /// The returned object reads and writes the array.
    Written,
    /// The method passes the elements to code that can write the objects they refer to.
    Elements,
}

/// A special returned object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returns {
    /// A copy of its receiver.
    Copy,
    /// An array that a function of the program created and the method filled.
    Filled,
}

/// The code of the program that a method calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Calls {
    /// The functions that it takes.
    Functions,
    /// Any method.
    Anything,
}

/// The effect of a method on the contents of its receiver, a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contents {
    /// The method's own code changes nothing, or nothing that can be queried.
    Kept,
    /// The method can change the contents.
    Changed(Counts),
}

/// Whether a method can change the contents of a collection without changing its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counts {
    /// No: each change also changes the size.
    Differs,
    /// Yes.
    May,
    /// The method puts the value in this local variable at a place.
    Put(u16, Place),
}

/// A place in a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The index in this local variable.
    At(u16),
    /// The key in this local variable.
    Key(u16),
    /// The position of the receiver, which is an iterator.
    Here,
}

/// A change of a collection's contents that a method's own code makes. Numbers are slots of local variables:
/// slot 1 is the first parameter.
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
    /// The element at this index of the internal array is removed.
    RemovedCell(u16),
    /// The element of this node is removed.
    RemovedNode(u16),
    /// The first parameter is inserted before this node.
    InsertedBefore(u16),
    /// An element was replaced at this index of a sublist.
    SetInPart(u16),
    /// An element was replaced at this index of an array of the program.
    SetInArray(u16),
    /// Any elements of an array of the program were replaced.
    Rewritten,
    /// The element at the position of an iterator was replaced.
    SetByIterator,
    /// A changed copy replaced the internal array.
    Copied,
    /// The first parameter was put into a heap.
    Offered,
    /// The returned element was taken out of a heap.
    Polled,
    /// The element at this index of a heap is taken out.
    TakenFromHeap(u16),
    /// This key and this value are put in.
    PutPair(u16, u16),
    /// The returned node was removed.
    RemovedPair,
    /// This node was accessed, so its position in the order can change.
    Used(u16),
    /// The receiver is a node, and this becomes its value.
    SetValue(u16),
    /// This node was put into a tree.
    TreeGrown(u16),
    /// This node is removed from a tree.
    TreeShrinks(u16),
    /// The value of this key may have changed.
    Keyed(u16),
    /// Nothing changes; an iterator reached the returned node.
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

/// The effect of a method on the text of its receiver. Numbers are slots of local variables: slot 1 is the
/// first parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextChange {
    /// Something was added at the end.
    Appended,
    /// Something was inserted at this index.
    Inserted(u16),
    /// Something was deleted from this index on.
    Deleted(u16),
    /// The part between these indices was replaced.
    Replaced(u16, u16),
    /// The character at this index was replaced.
    Set(u16),
    /// The text was cut off or filled up at its end.
    Resized,
    /// Every character may have been replaced.
    Rewritten,
    /// The parameters are characters, which were printed.
    PrintedChars,
    /// The parameters are characters, which were printed as a line; without parameters, a line ended.
    PrintedLine,
    /// The parameters are bytes, which were printed.
    PrintedBytes,
    /// Nothing new: the method passes on what was printed before.
    Flushed,
}
