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
    /// The fields that the type declares, in unspecified order (HotSpot uses that of the class file).
    Fields {
        /// The type.
        ref_type: ReferenceTypeId,
    } -> Vec<FieldInfo>;
    /// The methods that the type declares, including constructors and the static initialiser.
    Methods {
        /// The type.
        ref_type: ReferenceTypeId,
    } -> Vec<MethodInfo>;
    /// The values of static fields of the type or its supertypes, in the requested order.
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
    /// The loaded types that are declared inside this one.
    NestedTypes {
        /// The type.
        ref_type: ReferenceTypeId,
    } -> Vec<TypeInfo>;
    /// The type's status: whether it is verified, prepared, initialised.
    Status {
        /// The type.
        ref_type: ReferenceTypeId,
    } -> ClassStatus;
    /// The direct superinterfaces of the type.
    Interfaces {
        /// The type.
        ref_type: ReferenceTypeId,
    } -> Vec<ReferenceTypeId>;
    /// The `java.lang.Class` object of the type.
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
    /// The fields that the type declares, with generic signatures.
    FieldsWithGeneric {
        /// The type.
        ref_type: ReferenceTypeId,
    } -> Vec<FieldInfoWithGeneric>;
    /// The methods that the type declares, with generic signatures.
    MethodsWithGeneric {
        /// The type.
        ref_type: ReferenceTypeId,
    } -> Vec<MethodInfoWithGeneric>;
    /// The reachable instances of the type. Needs `canGetInstanceInfo`.
    Instances {
        /// The type.
        ref_type: ReferenceTypeId,
        /// The maximum number of instances to return; zero means all.
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
        /// Its access flags (JVMS table 4.5-A); the bits 0xF0000000 mark a synthetic field.
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
        /// Its access flags (JVMS table 4.5-A); the bits 0xF0000000 mark a synthetic field.
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
        /// Its access flags (JVMS table 4.6-A); the bits 0xF0000000 mark a synthetic method.
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
        /// Its access flags (JVMS table 4.6-A); the bits 0xF0000000 mark a synthetic method.
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
        /// The major version; 61 is Java 17.
        major_version: i32,
        /// The minor version.
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
