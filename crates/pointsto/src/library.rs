//! What a method that is not analysed does with references.

/// The effects of a method on references. A method without effects returns no object and stores none.
///
/// A container is an object with *contents*: the elements of an array or a collection, the keys and values of
/// a map, what a library object holds. For an iterator, a stream or a view, make a fresh object that has the
/// contents of its source.
///
/// ```
/// use pointsto::{Source, Summary};
/// // E get(int): an element of the receiver.
/// let get = Summary::new().returns(Source::Receiver.contents());
/// // Iterator<E> iterator(): a new object with the contents of the receiver.
/// let iterator = Summary::new().view_of(Source::Receiver);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Summary {
    pub(super) effects: Vec<Effect>,
}

/// References that a call can reach.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Source {
    /// The receiver; for a constructor, the new object.
    Receiver,
    /// An argument, from 0, without the receiver.
    Argument(u16),
    /// All arguments.
    Arguments,
    /// An object that the call creates: one allocation per call instruction and type, of the declared result
    /// type or a subtype.
    Fresh,
    /// The same, of this type (a Java name) or a subtype.
    FreshOf(String),
    /// The same as [`Source::Fresh`], but it holds objects that the analysis does not see.
    FreshUnknown,
    /// What the functions return that the call calls back.
    Results,
    /// Any object that the analysed methods do not create.
    Unknown,
    /// The contents of these objects.
    Contents(Box<Source>),
}

/// One effect of a method.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Effect {
    /// The method may return this. Only objects that fit the declared result type are returned.
    Return(Source),
    /// The method may store a reference in the contents of an object.
    Store {
        /// The object whose contents grow.
        into: Source,
        /// What is stored.
        value: Source,
    },
    /// The method may call functions: lambdas, and the methods that objects of analysed classes implement or
    /// override for the library. If the function is a library object, its contents are called too.
    Call {
        /// The functions.
        function: Source,
        /// What each parameter may be.
        given: Vec<Source>,
    },
    /// The method may create objects of the classes that these class objects stand for, and return them.
    Instantiate {
        /// The class objects.
        class: Source,
    },
    /// The method may return constants of the enums that these class objects stand for.
    EnumConstants {
        /// The class objects.
        class: Source,
    },
}

impl Source {
    /// The contents of these objects.
    #[must_use]
    pub fn contents(self) -> Source {
        Source::Contents(Box::new(self))
    }
}

impl Summary {
    /// No effects.
    pub const fn new() -> Summary {
        Summary { effects: Vec::new() }
    }

    /// The effects.
    pub fn effects(&self) -> &[Effect] {
        &self.effects
    }

    /// Adds an effect.
    #[must_use]
    pub fn with(mut self, effect: Effect) -> Summary {
        self.effects.push(effect);
        self
    }

    /// Adds a possible result.
    #[must_use]
    pub fn returns(self, source: Source) -> Summary {
        self.with(Effect::Return(source))
    }

    /// Adds a store into the contents of an object.
    #[must_use]
    pub fn stores(self, value: Source, into: Source) -> Summary {
        self.with(Effect::Store { into, value })
    }

    /// Adds a call of functions.
    #[must_use]
    pub fn calls(self, function: Source, given: Vec<Source>) -> Summary {
        self.with(Effect::Call { function, given })
    }

    /// Returns a fresh object that has the contents of another one.
    #[must_use]
    pub fn view_of(self, source: Source) -> Summary {
        self.stores(source.contents(), Source::Fresh).returns(Source::Fresh)
    }

    /// The same, and what is stored in the fresh object is also stored in the other one.
    #[must_use]
    pub fn live_view_of(self, source: Source) -> Summary {
        self.stores(Source::Fresh.contents(), source.clone()).view_of(source)
    }

    /// A summary of any method: its result may be any argument, the receiver, what these hold, or a fresh
    /// object. It may store any of them in any other and call functions among them.
    pub fn unknown() -> Summary {
        use Source::{Arguments, FreshUnknown, Receiver, Results, Unknown};
        let mut summary = Summary::new().returns(FreshUnknown);
        let everything = [Receiver, Arguments, Receiver.contents(), Arguments.contents(), Results];
        for source in &everything {
            summary = summary.returns(source.clone()).stores(source.clone(), FreshUnknown);
        }
        for source in [Arguments, Arguments.contents(), Results] {
            summary = summary.stores(source, Receiver);
        }
        for source in [Receiver, Receiver.contents(), Arguments, Results] {
            summary = summary.stores(source, Arguments);
        }
        let given = everything.into_iter().chain([Unknown]).collect();
        summary.calls(Arguments, given)
    }
}
