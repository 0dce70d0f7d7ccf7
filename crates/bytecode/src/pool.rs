//! The constant pool, with names resolved to owned text, and the bootstrap methods. Used only by `parse` and
//! `decode`.

use crate::member::{FieldRef, MethodRef};
use crate::op::{Bootstrap, Constant};
use crate::text::{class_text, text};
use noak::error::DecodeError;
use noak::reader::attributes::BootstrapMethods;
use noak::reader::cpool::{self, ConstantPool, Index, Item};

pub(crate) struct Pool<'a, 'p> {
    raw: &'p ConstantPool<'a>,
    bootstraps: Vec<Bootstrap>,
}

impl<'a, 'p> Pool<'a, 'p> {
    pub(crate) fn new(raw: &'p ConstantPool<'a>) -> Self {
        Pool { raw, bootstraps: Vec::new() }
    }

    pub(crate) fn class(&self, index: Index<cpool::Class<'a>>) -> Result<String, DecodeError> {
        Ok(class_text(self.raw.retrieve(index)?.name))
    }

    /// A Utf8 constant by number, for an index whose lifetime differs from that of the pool.
    pub(crate) fn utf8(&self, index: u16) -> Result<String, DecodeError> {
        let index: Index<cpool::Utf8<'a>> = Index::new(index)?;
        Ok(text(self.raw.retrieve(index)?))
    }

    /// A class constant by number.
    pub(crate) fn class_at(&self, index: u16) -> Result<String, DecodeError> {
        let index: Index<cpool::Class<'a>> = Index::new(index)?;
        self.class(index)
    }

    pub(crate) fn field(&self, index: u16) -> Result<FieldRef, DecodeError> {
        let index: Index<cpool::FieldRef<'a>> = Index::new(index)?;
        let field = self.raw.retrieve(index)?;
        Ok(FieldRef {
            class: class_text(field.class.name),
            name: text(field.name_and_type.name),
            descriptor: text(field.name_and_type.descriptor),
        })
    }

    /// A method constant of a class or an interface.
    pub(crate) fn method(&self, index: u16) -> Result<MethodRef, DecodeError> {
        let any: Index<Item<'a>> = Index::new(index)?;
        if let Item::InterfaceMethodRef(_) = self.raw.get(any)? {
            let index: Index<cpool::InterfaceMethodRef<'a>> = Index::new(index)?;
            let method = self.raw.retrieve(index)?;
            return Ok(MethodRef {
                class: class_text(method.class.name),
                name: text(method.name_and_type.name),
                descriptor: text(method.name_and_type.descriptor),
                interface: true,
            });
        }
        let index: Index<cpool::MethodRef<'a>> = Index::new(index)?;
        let method = self.raw.retrieve(index)?;
        Ok(MethodRef {
            class: class_text(method.class.name),
            name: text(method.name_and_type.name),
            descriptor: text(method.name_and_type.descriptor),
            interface: false,
        })
    }

    /// A loadable constant (`ldc`, bootstrap arguments).
    pub(crate) fn constant(&self, index: u16) -> Result<Constant, DecodeError> {
        let any: Index<Item<'a>> = Index::new(index)?;
        Ok(match self.raw.get(any)? {
            Item::Integer(i) => Constant::Int(i.value),
            Item::Long(l) => Constant::Long(l.value),
            Item::Float(f) => Constant::Float(f.value),
            Item::Double(d) => Constant::Double(d.value),
            Item::String(s) => Constant::String(text(self.raw.retrieve(s.string)?)),
            Item::Class(_) => Constant::Class(self.class_at(index)?),
            Item::MethodType(t) => Constant::MethodType(text(self.raw.retrieve(t.descriptor)?)),
            Item::MethodHandle(handle) => Constant::MethodHandle(self.handle(handle)?),
            Item::Dynamic(dynamic) => {
                let what = self.raw.retrieve(dynamic.name_and_type)?;
                Constant::Dynamic { name: text(what.name), descriptor: text(what.descriptor) }
            }
            // Requesting a class produces the library's "tag mismatch" error.
            _ => Constant::Class(self.class_at(index)?),
        })
    }

    fn handle(&self, handle: &cpool::MethodHandle<'a>) -> Result<MethodRef, DecodeError> {
        let index = handle.reference.as_u16();
        if let Item::FieldRef(_) = self.raw.get(handle.reference)? {
            let field = self.field(index)?;
            return Ok(MethodRef {
                class: field.class,
                name: field.name,
                descriptor: field.descriptor,
                interface: false,
            });
        }
        self.method(index)
    }

    /// The name, descriptor and bootstrap method of an `invokedynamic`.
    pub(crate) fn dynamic(&self, index: u16) -> Result<(String, String, Option<Bootstrap>), DecodeError> {
        let index: Index<cpool::InvokeDynamic<'a>> = Index::new(index)?;
        let dynamic = self.raw.retrieve(index)?;
        let bootstrap = self.bootstraps.get(usize::from(dynamic.bootstrap_method_attr)).cloned();
        Ok((text(dynamic.name_and_type.name), text(dynamic.name_and_type.descriptor), bootstrap))
    }

    pub(crate) fn read_bootstraps(&mut self, methods: &BootstrapMethods<'a>) -> Result<(), DecodeError> {
        for method in methods.methods().iter() {
            let method = method?;
            let handle = self.raw.get(method.method_ref())?.clone();
            let mut arguments = Vec::new();
            for argument in method.arguments().iter() {
                arguments.push(self.constant(argument?.as_u16())?);
            }
            self.bootstraps.push(Bootstrap { method: self.handle(&handle)?, arguments });
        }
        Ok(())
    }
}
