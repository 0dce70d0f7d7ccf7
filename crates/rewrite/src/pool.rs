//! A constant pool that only grows: the indices of the original constants stay valid.

use super::Map;
use super::error::RewriteError;
use super::reader::ClassLayout;
use super::text::Text;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Added {
    Utf8(Text),
    Class(u16),
    NameAndType(u16, u16),
    Field(u16, u16),
    Method(u16, u16),
    Integer(i32),
    Long(i64),
}

/// The constants of a class, and the added ones.
pub struct Pool<'a> {
    class: &'a ClassLayout<'a>,
    next: u32,
    appended: Vec<u8>,
    known: Map<Added, u16>,
    order: Vec<Added>,
    classes: Map<Text, u16>,
    /// The called methods: their constants, and the effect of the call on the stack depth.
    calls: Map<[Text; 3], (u16, i32)>,
}

/// The size of a pool at one moment.
pub struct Mark {
    next: u32,
    appended: usize,
    order: usize,
}

impl<'a> Pool<'a> {
    /// Creates a pool from the constants of a class.
    pub fn new(class: &'a ClassLayout<'a>) -> Pool<'a> {
        Pool {
            class,
            next: u32::try_from(class.constants.len()).unwrap_or(u32::MAX),
            appended: Vec::new(),
            known: Map::default(),
            order: Vec::new(),
            classes: Map::default(),
            calls: Map::default(),
        }
    }

    /// The current size.
    pub fn mark(&self) -> Mark {
        Mark { next: self.next, appended: self.appended.len(), order: self.order.len() }
    }

    /// Removes the constants added since `mark`.
    pub fn back_to(&mut self, mark: Mark) {
        for added in self.order.drain(mark.order..) {
            self.known.remove(&added);
        }
        self.classes.clear();
        self.calls.clear();
        (self.next, _) = (mark.next, self.appended.truncate(mark.appended));
    }

    /// The constant pool count of the class file: one more than the number of constants (JVMS §4.1).
    pub fn count(&self) -> u16 {
        u16::try_from(self.next).unwrap_or(u16::MAX)
    }

    /// The bytes of the added constants.
    pub fn appended(&self) -> &[u8] {
        &self.appended
    }

    fn add(&mut self, added: Added, tag: u8, contents: &[u8], entries: u32) -> Result<u16, RewriteError> {
        if let Some(index) = self.known.get(&added) {
            return Ok(*index);
        }
        let index = u16::try_from(self.next).map_err(|_| RewriteError::PoolFull)?;
        if self.next + entries > u32::from(u16::MAX) {
            return Err(RewriteError::PoolFull);
        }
        self.order.push(added.clone());
        self.known.insert(added, index);
        self.next += entries;
        self.appended.push(tag);
        self.appended.extend_from_slice(contents);
        Ok(index)
    }

    /// A Utf8 constant. The text is ASCII, so it needs no modified UTF-8 (JVMS §4.4.7).
    pub fn utf8(&mut self, text: &Text) -> Result<u16, RewriteError> {
        let length = u16::try_from(text.len()).map_err(|_| RewriteError::PoolFull)?;
        let contents = [&length.to_be_bytes()[..], text.as_bytes()].concat();
        self.add(Added::Utf8(text.clone()), 1, &contents, 1)
    }

    /// A Class constant; uses the one of the class itself if it exists. The name has slashes.
    pub fn class(&mut self, name: &Text) -> Result<u16, RewriteError> {
        if let Some(index) = self.classes.get(name) {
            return Ok(*index);
        }
        let own = (1..u16::try_from(self.class.constants.len()).unwrap_or(u16::MAX))
            .find(|index| self.class.class_name(*index).is_ok_and(|own| own == *name));
        let index = match own {
            Some(own) => own,
            None => {
                let text = self.utf8(name)?;
                self.add(Added::Class(text), 7, &text.to_be_bytes(), 1)?
            }
        };
        self.classes.insert(name.clone(), index);
        Ok(index)
    }

    /// A Fieldref constant.
    pub fn field(&mut self, class: &Text, name: &Text, descriptor: &Text) -> Result<u16, RewriteError> {
        let (class, name_and_type, contents) = self.member([class, name, descriptor])?;
        self.add(Added::Field(class, name_and_type), 9, &contents, 1)
    }

    /// The Methodref constant of a called method, and the effect of the call on the stack depth, which
    /// `effect` computes from its descriptor.
    pub fn call(
        &mut self,
        [class, name, descriptor]: [&Text; 3],
        effect: impl Fn(&str) -> i32,
    ) -> Result<(u16, i32), RewriteError> {
        let key = [class.clone(), name.clone(), descriptor.clone()];
        if let Some(known) = self.calls.get(&key) {
            return Ok(*known);
        }
        let (class, name_and_type, contents) = self.member([class, name, descriptor])?;
        let method = self.add(Added::Method(class, name_and_type), 10, &contents, 1)?;
        let found = (method, effect(descriptor));
        self.calls.insert(key, found);
        Ok(found)
    }

    fn member(&mut self, [class, name, descriptor]: [&Text; 3]) -> Result<(u16, u16, Vec<u8>), RewriteError> {
        let class = self.class(class)?;
        let (name, descriptor) = (self.utf8(name)?, self.utf8(descriptor)?);
        let contents = [name.to_be_bytes(), descriptor.to_be_bytes()].concat();
        let name_and_type = self.add(Added::NameAndType(name, descriptor), 12, &contents, 1)?;
        Ok((class, name_and_type, [class.to_be_bytes(), name_and_type.to_be_bytes()].concat()))
    }

    /// An Integer constant.
    pub fn integer(&mut self, value: i32) -> Result<u16, RewriteError> {
        self.add(Added::Integer(value), 3, &value.to_be_bytes(), 1)
    }

    /// A Long constant; it takes two entries.
    pub fn long(&mut self, value: i64) -> Result<u16, RewriteError> {
        self.add(Added::Long(value), 5, &value.to_be_bytes(), 2)
    }
}
