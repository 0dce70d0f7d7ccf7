//! Types as numbers, subtypes, and the methods and fields that a class inherits.

use super::Program;
use bytecode::class::{ACC_FINAL, ClassFile};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// The number of a type. 0 is `java.lang.Object`.
pub(super) type TypeId = u32;

/// `java.lang.Object`, which every reference is.
pub(super) const OBJECT: TypeId = 0;

/// A filter for objects of analysed classes that override a method of `Object`.
pub(super) const TOUCHED: TypeId = 1;

/// A filter for arrays of references.
pub(super) const ARRAYS: TypeId = 2;

/// What any library method may call on an object that it gets.
pub(super) const OF_OBJECT: [(&str, &str); 4] = [
    ("toString", "()Ljava/lang/String;"),
    ("hashCode", "()I"),
    ("equals", "(Ljava/lang/Object;)Z"),
    ("compareTo", "(Ljava/lang/Object;)I"),
];

/// Final classes whose objects never refer to program objects: one allocation stands for all objects of each.
const VALUES: [&str; 14] = [
    "java.lang.String",
    "java.lang.Boolean",
    "java.lang.Byte",
    "java.lang.Character",
    "java.lang.Short",
    "java.lang.Integer",
    "java.lang.Long",
    "java.lang.Float",
    "java.lang.Double",
    "java.lang.StackTraceElement",
    "java.util.UUID",
    "java.util.Locale",
    "java.time.Duration",
    "java.time.Instant",
];

/// The only supertypes that a value has, as far as programs name them.
const ABOVE_VALUES: [&str; 6] = [
    "java.lang.CharSequence",
    "java.lang.Comparable",
    "java.lang.Number",
    "java.io.Serializable",
    "java.lang.constant.Constable",
    "java.lang.constant.ConstantDesc",
];

struct Type {
    name: String,
    class: Option<Arc<ClassFile>>,
    is_analysed: bool,
    is_value: bool,
    /// The element type of an array.
    element: Option<TypeId>,
    above: Option<Arc<Above>>,
}

/// The supertypes of a class.
#[derive(Debug, Default)]
pub(super) struct Above {
    /// The class, its superclasses, then its interfaces, each once.
    pub(super) types: Vec<TypeId>,
    /// Whether the class files of all of them are known.
    pub(super) is_complete: bool,
}

/// A method found in a class or above it.
#[derive(Debug, Clone)]
pub(super) enum Found {
    /// In an analysed class, at this position among its methods.
    Analysed(TypeId, usize),
    /// In a class that is not analysed, which may be assumed.
    Library(TypeId),
}

/// All types that the analysis has met.
pub(super) struct Types<'p> {
    program: &'p dyn Program,
    ids: HashMap<String, TypeId>,
    types: Vec<Type>,
    subtypes: HashMap<(TypeId, TypeId), bool>,
    below: HashMap<TypeId, Arc<[TypeId]>>,
}

impl<'p> Types<'p> {
    pub(super) fn new(program: &'p dyn Program) -> Types<'p> {
        let mut types = Types {
            program,
            ids: HashMap::new(),
            types: Vec::new(),
            subtypes: HashMap::new(),
            below: HashMap::new(),
        };
        // In the order of the constants.
        for name in ["java.lang.Object", "<touched>", "<arrays>"] {
            types.id(name);
        }
        types
    }

    /// The number of a Java type name (`int[]`, `a.B$C`).
    pub(super) fn id(&mut self, name: &str) -> TypeId {
        if let Some(id) = self.ids.get(name) {
            return *id;
        }
        let element = name.strip_suffix("[]").map(|element| self.id(element));
        let is_class = element.is_none() && !is_primitive(name) && !name.starts_with('<');
        let class = if is_class { self.program.class(name) } else { None };
        let is_analysed = class.is_some() && self.program.is_analysed(name);
        let id = u32::try_from(self.types.len()).unwrap_or(u32::MAX);
        self.ids.insert(name.to_owned(), id);
        let is_value = VALUES.contains(&name);
        self.types.push(Type { name: name.to_owned(), class, is_analysed, is_value, element, above: None });
        id
    }

    /// The type of a field descriptor.
    pub(super) fn of_descriptor(&mut self, descriptor: &str) -> TypeId {
        self.id(&descriptor::java_type(descriptor))
    }

    fn get(&self, id: TypeId) -> Option<&Type> {
        self.types.get(usize::try_from(id).ok()?)
    }

    pub(super) fn program(&self) -> &'p dyn Program {
        self.program
    }

    pub(super) fn name(&self, id: TypeId) -> &str {
        self.get(id).map_or("", |t| &t.name)
    }

    pub(super) fn class(&self, id: TypeId) -> Option<&Arc<ClassFile>> {
        self.get(id)?.class.as_ref()
    }

    pub(super) fn is_analysed(&self, id: TypeId) -> bool {
        self.get(id).is_some_and(|t| t.is_analysed)
    }

    /// Whether one allocation stands for all objects of this type.
    pub(super) fn is_value(&self, id: TypeId) -> bool {
        self.get(id).is_some_and(|t| t.is_value)
    }

    pub(super) fn element(&self, id: TypeId) -> Option<TypeId> {
        self.get(id)?.element
    }

    /// Whether objects of exactly this type or a subtype pass one of the special filters.
    pub(super) fn passes_special(&mut self, ty: TypeId, filter: TypeId) -> bool {
        if filter == ARRAYS {
            return self.element(ty).is_some_and(|element| !is_primitive(self.name(element)));
        }
        self.is_analysed(ty)
            && OF_OBJECT
                .iter()
                .any(|(name, descriptor)| matches!(self.method(ty, name, descriptor), Found::Analysed(..)))
    }

    /// Whether this is a final class of a library: its objects are what they are declared to be.
    pub(super) fn is_final_of_library(&self, id: TypeId) -> bool {
        !self.is_analysed(id) && self.is_final(id)
    }

    /// Whether no class can extend this type.
    fn is_final(&self, id: TypeId) -> bool {
        self.get(id)
            .is_some_and(|t| t.is_value || t.class.as_ref().is_some_and(|c| c.access & ACC_FINAL != 0))
    }

    /// Whether a known class file says that this is a class, not an interface.
    fn is_class(&self, id: TypeId) -> bool {
        id == OBJECT || self.is_value(id) || self.class(id).is_some_and(|c| !c.is_interface())
    }

    /// The supertypes of a class, with itself.
    pub(super) fn above(&mut self, id: TypeId) -> Arc<Above> {
        if let Some(above) = self.get(id).and_then(|t| t.above.clone()) {
            return above;
        }
        let mut types = Vec::new();
        let mut seen = BTreeSet::new();
        let mut is_complete = true;
        let mut interfaces = Vec::new();
        let mut next = Some(id);
        while let Some(ty) = next.filter(|t| seen.insert(*t)) {
            types.push(ty);
            let class = self.class(ty).cloned();
            is_complete &= class.is_some() || ty == OBJECT;
            next = None;
            if let Some(class) = class {
                interfaces.extend(class.interfaces.iter().cloned());
                next = class.super_name.as_deref().map(|name| self.id(name));
            }
        }
        let mut at = 0;
        while let Some(name) = interfaces.get(at).cloned() {
            at += 1;
            let ty = self.id(&name);
            if !seen.insert(ty) {
                continue;
            }
            types.push(ty);
            match self.class(ty) {
                Some(class) => interfaces.extend(class.interfaces.iter().cloned()),
                None => is_complete = false,
            }
        }
        let above = Arc::new(Above { types, is_complete });
        if let Some(ty) = usize::try_from(id).ok().and_then(|at| self.types.get_mut(at)) {
            ty.above = Some(above.clone());
        }
        above
    }

    /// Whether an object of exactly one type may be used as another. `true` if a missing class file leaves it
    /// open.
    pub(super) fn may_be_subtype(&mut self, sub: TypeId, sup: TypeId) -> bool {
        if sub == sup || sup == OBJECT {
            return true;
        }
        if let Some(known) = self.subtypes.get(&(sub, sup)) {
            return *known;
        }
        let answer = match (self.element(sub), self.element(sup)) {
            (Some(sub), Some(sup)) => {
                !is_primitive(self.name(sub))
                    && !is_primitive(self.name(sup))
                    && self.may_be_subtype(sub, sup)
            }
            (Some(_), None) => {
                matches!(self.name(sup), "java.lang.Cloneable" | "java.io.Serializable")
            }
            (None, Some(_)) => false,
            (None, None) => {
                let above = self.above(sub);
                if above.types.contains(&sup) {
                    true
                } else if above.is_complete || self.is_analysed(sup) || self.is_final(sup) {
                    false
                } else if self.is_value(sub) {
                    ABOVE_VALUES.contains(&self.name(sup))
                } else {
                    !is_primitive(self.name(sub)) && !is_primitive(self.name(sup))
                }
            }
        };
        self.subtypes.insert((sub, sup), answer);
        answer
    }

    /// Whether an object of a type or of a subtype that is not known may be used as another type.
    pub(super) fn may_be_below(&mut self, ty: TypeId, sup: TypeId) -> bool {
        if self.may_be_subtype(ty, sup) {
            return true;
        }
        if self.is_final(ty) {
            return false;
        }
        if self.may_be_subtype(sup, ty) {
            return true;
        }
        !self.is_analysed(sup)
            && !self.is_final(sup)
            && self.element(sup).is_none()
            && self.element(ty).is_none()
            && !(self.is_class(ty) && self.is_class(sup))
    }

    /// The method that a call on an object of exactly this class executes (JVMS §5.4.6).
    pub(super) fn method(&mut self, class: TypeId, name: &str, descriptor: &str) -> Found {
        let above = self.above(class);
        let mut library = None;
        let mut abstract_one = None;
        for ty in &above.types {
            if !self.is_analysed(*ty) {
                let has = self.class(*ty).is_none_or(|c| c.method(name, descriptor).is_some());
                // A class that is not known may have any method; `Object` has the last word.
                if has && (library.is_none() || library == Some(OBJECT)) {
                    library = Some(*ty);
                }
                continue;
            }
            // A method of an interface never hides the one that a superclass has.
            let Some(file) = self.class(*ty) else { continue };
            if let Some(at) = file.methods.iter().position(|m| m.name == name && m.descriptor == descriptor) {
                let is_abstract = file.methods.get(at).is_some_and(bytecode::class::Method::is_abstract);
                if is_abstract {
                    abstract_one.get_or_insert((*ty, at));
                } else if library.is_none() || library == Some(OBJECT) || !file.is_interface() {
                    return Found::Analysed(*ty, at);
                }
            }
        }
        match (library, abstract_one) {
            (Some(ty), _) if ty != OBJECT => Found::Library(ty),
            (_, Some((ty, at))) => Found::Analysed(ty, at),
            (_, None) => Found::Library(self.first_library(class)),
        }
    }

    /// The analysed classes below a class.
    pub(super) fn below(&mut self, id: TypeId) -> Arc<[TypeId]> {
        if let Some(known) = self.below.get(&id) {
            return known.clone();
        }
        let names = self.program.subtypes(self.name(id));
        let found: Arc<[TypeId]> = names.iter().map(|name| self.id(name)).collect();
        self.below.insert(id, found.clone());
        found
    }

    /// The nearest supertype that is not analysed.
    pub(super) fn first_library(&mut self, class: TypeId) -> TypeId {
        let above = self.above(class);
        above.types.iter().copied().find(|t| !self.is_analysed(*t)).unwrap_or(OBJECT)
    }

    /// The class that declares a field, as an instruction finds it, and whether it is analysed.
    pub(super) fn field_owner(&mut self, class: TypeId, name: &str) -> TypeId {
        let above = self.above(class);
        let declares = |ty: &&TypeId| self.class(**ty).is_some_and(|c| c.field(name).is_some());
        if let Some(ty) = above.types.iter().find(declares) {
            return *ty;
        }
        above.types.iter().copied().find(|t| self.class(*t).is_none()).unwrap_or(class)
    }
}

/// Whether a Java type name is a primitive type.
pub(super) fn is_primitive(name: &str) -> bool {
    matches!(name, "int" | "long" | "byte" | "char" | "short" | "float" | "double" | "boolean" | "void")
}

impl Types<'_> {
    /// The Java names of all types, by number.
    pub(super) fn into_names(self) -> Vec<String> {
        self.types.into_iter().map(|t| t.name).collect()
    }
}
