//! Command set 2, `ReferenceType`: classes, interfaces and array types.

use crate::constants::{ClassStatus, TypeTag};
use crate::id::{ClassLoaderId, ClassObjectId, FieldId, MethodId, ModuleId, ReferenceTypeId};
use crate::value::{TaggedObject, Value};

commands! {
    /// The type's JNI signature.
    Signature {
        /// The type.
        ref_type: ReferenceTypeId,
    } -> String;
    /// The loader that defined the type; `None` is the bootstrap loader.
    ClassLoader {
        /// The type.
        ref_type: ReferenceTypeId,
    } -> Option<ClassLoaderId>;
    /// The type's access flags (JVMS table 4.1-B).
    Modifiers {
        /// The type.
        ref_type: ReferenceTypeId,
    } -> u32;
    /// The fields the type declares, in no promised order (HotSpot: that of the class file).
    Fields {
        /// The type.
        ref_type: ReferenceTypeId,
    } -> Vec<FieldInfo>;
    /// The methods the type declares, constructors and static initialiser among them.
    Methods {
        /// The type.
        ref_type: ReferenceTypeId,
    } -> Vec<MethodInfo>;
    /// The values of static fields, those of supertypes too, in the order asked.
    GetValues {
        /// The type.
        ref_type: ReferenceTypeId,
        /// The fields.
        fields: Vec<FieldId>,
    } -> Vec<Value>;
    /// The name of the source file.
    SourceFile {
        /// The type.
        ref_type: ReferenceTypeId,
    } -> String;
    /// The types declared in this one that are loaded.
    NestedTypes {
        /// The type.
        ref_type: ReferenceTypeId,
    } -> Vec<TypeInfo>;
    /// How far the type has come.
    Status {
        /// The type.
        ref_type: ReferenceTypeId,
    } -> ClassStatus;
    /// The interfaces the type names as its direct ones.
    Interfaces {
        /// The type.
        ref_type: ReferenceTypeId,
    } -> Vec<ReferenceTypeId>;
    /// The `java.lang.Class` of the type.
    ClassObject {
        /// The type.
        ref_type: ReferenceTypeId,
    } -> ClassObjectId;
    /// The class file's `SourceDebugExtension`. Needs `canGetSourceDebugExtension`.
    SourceDebugExtension {
        /// The type.
        ref_type: ReferenceTypeId,
    } -> String;
    /// The type's JNI signature and generic signature.
    SignatureWithGeneric {
        /// The type.
        ref_type: ReferenceTypeId,
    } -> SignatureWithGenericReply;
    /// The fields the type declares, with generic signatures.
    FieldsWithGeneric {
        /// The type.
        ref_type: ReferenceTypeId,
    } -> Vec<FieldInfoWithGeneric>;
    /// The methods the type declares, with generic signatures.
    MethodsWithGeneric {
        /// The type.
        ref_type: ReferenceTypeId,
    } -> Vec<MethodInfoWithGeneric>;
    /// The type's instances that are reachable. Needs `canGetInstanceInfo`.
    Instances {
        /// The type.
        ref_type: ReferenceTypeId,
        /// The most to return; zero is all.
        max_instances: i32,
    } -> Vec<TaggedObject>;
    /// The class file's version.
    ClassFileVersion {
        /// The type.
        ref_type: ReferenceTypeId,
    } -> ClassFileVersionReply;
    /// The class file's constant pool. Needs `canGetConstantPool`.
    ConstantPool {
        /// The type.
        ref_type: ReferenceTypeId,
    } -> ConstantPoolReply;
    /// The module the type is in. Since JDK 9.
    Module {
        /// The type.
        ref_type: ReferenceTypeId,
    } -> ModuleId;
}

records! {
    /// A field.
    FieldInfo {
        /// The field.
        field_id: FieldId,
        /// Its name.
        name: String,
        /// Its JNI signature.
        signature: String,
        /// Its access flags (JVMS table 4.5-A); bit 0xF0000000 marks synthetic ones.
        mod_bits: u32,
    }
    /// A field.
    FieldInfoWithGeneric {
        /// The field.
        field_id: FieldId,
        /// Its name.
        name: String,
        /// Its JNI signature.
        signature: String,
        /// Its generic signature; empty if it has none.
        generic_signature: String,
        /// Its access flags (JVMS table 4.5-A); bit 0xF0000000 marks synthetic ones.
        mod_bits: u32,
    }
    /// A method.
    MethodInfo {
        /// The method.
        method_id: MethodId,
        /// Its name.
        name: String,
        /// Its JNI signature.
        signature: String,
        /// Its access flags (JVMS table 4.6-A); bit 0xF0000000 marks synthetic ones.
        mod_bits: u32,
    }
    /// A method.
    MethodInfoWithGeneric {
        /// The method.
        method_id: MethodId,
        /// Its name.
        name: String,
        /// Its JNI signature.
        signature: String,
        /// Its generic signature; empty if it has none.
        generic_signature: String,
        /// Its access flags (JVMS table 4.6-A); bit 0xF0000000 marks synthetic ones.
        mod_bits: u32,
    }
    /// A type with its kind.
    TypeInfo {
        /// The kind of `type_id`.
        ref_type_tag: TypeTag,
        /// The type.
        type_id: ReferenceTypeId,
    }
    /// Signatures of a type.
    SignatureWithGenericReply {
        /// Its JNI signature.
        signature: String,
        /// Its generic signature; empty if it has none.
        generic_signature: String,
    }
    /// A class file's version.
    ClassFileVersionReply {
        /// Major: 61 is Java 17.
        major_version: i32,
        /// Minor.
        minor_version: i32,
    }
    /// A constant pool.
    ConstantPoolReply {
        /// The number of entries plus one, as in the class file.
        count: i32,
        /// The entries, as in the class file.
        bytes: Vec<u8>,
    }
}
