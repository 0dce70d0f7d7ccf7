//! Command set 1, `VirtualMachine`: the virtual machine as a whole.

use crate::constants::{ClassStatus, TypeTag};
use crate::id::{IdSize, IdSizes, ModuleId, ObjectId, ReferenceTypeId, StringId, ThreadGroupId, ThreadId};
use crate::text::JavaString;

commands! {
    /// The virtual machine's name and version, and the protocol version it implements.
    Version {} -> VersionReply;
    /// The loaded types with this signature. Several loaders can each define one.
    ClassesBySignature {
        /// A JNI signature, such as `Ljava/lang/String;`.
        signature: String,
    } -> Vec<ClassBySignature>;
    /// All loaded types.
    AllClasses {} -> Vec<ClassInfo>;
    /// All live platform threads. Includes the virtual threads known to an agent that was started to report
    /// them.
    AllThreads {} -> Vec<ThreadId>;
    /// The thread groups that have no parent.
    TopLevelThreadGroups {} -> Vec<ThreadGroupId>;
    /// Ends debugging: clears requests, resumes threads and closes the connection. The program continues.
    Dispose {} -> ();
    /// The sizes of ids. [`Connection::handshake`](crate::Connection::handshake) has already requested them.
    IDSizes {} -> IDSizesReply;
    /// Suspends all threads and increments their suspend counts.
    Suspend {} -> ();
    /// Decrements the suspend count of all threads; those at zero run on.
    Resume {} -> ();
    /// Ends the virtual machine immediately, like `System.exit` without shutdown hooks.
    Exit {
        /// The exit status.
        exit_code: i32,
    } -> ();
    /// Creates a string. Only `DisableCollection` protects it from garbage collection.
    CreateString {
        /// Its text.
        utf: JavaString,
    } -> StringId;
    /// The first seven capabilities of the virtual machine.
    Capabilities {} -> CapabilitiesReply;
    /// The class paths.
    ClassPaths {} -> ClassPathsReply;
    /// Releases object ids. The virtual machine forgets an id released as often as it was sent.
    DisposeObjects {
        /// The ids.
        requests: Vec<DisposeObject>,
    } -> ();
    /// Holds events back in the virtual machine. They are not lost.
    HoldEvents {} -> ();
    /// Sends the held events and stops holding.
    ReleaseEvents {} -> ();
    /// All capabilities of the virtual machine.
    CapabilitiesNew {} -> CapabilitiesNewReply;
    /// Replaces classes by new versions. Needs `canRedefineClasses`.
    RedefineClasses {
        /// The classes.
        classes: Vec<ClassDef>,
    } -> ();
    /// Sets the stratum (JSR-45) for locations. Needs `canSetDefaultStratum`.
    SetDefaultStratum {
        /// Its name; empty for the default stratum of the class file.
        stratum_id: String,
    } -> ();
    /// All loaded types, with generic signatures.
    AllClassesWithGeneric {} -> Vec<ClassInfoWithGeneric>;
    /// The number of reachable instances of each type. Needs `canGetInstanceInfo`.
    InstanceCounts {
        /// The types.
        ref_types: Vec<ReferenceTypeId>,
    } -> Vec<i64>;
    /// All modules. Since JDK 9.
    AllModules {} -> Vec<ModuleId>;
}

records! {
    /// The name and version of a virtual machine.
    VersionReply {
        /// A description for human readers.
        description: String,
        /// The protocol's major version.
        jdwp_major: i32,
        /// The protocol's minor version.
        jdwp_minor: i32,
        /// The property `java.version`.
        vm_version: String,
        /// The property `java.vm.name`.
        vm_name: String,
    }
    /// A loaded type; the command gave its signature.
    ClassBySignature {
        /// The kind of `type_id`.
        ref_type_tag: TypeTag,
        /// The type.
        type_id: ReferenceTypeId,
        /// Its status.
        status: ClassStatus,
    }
    /// A loaded type.
    ClassInfo {
        /// The kind of `type_id`.
        ref_type_tag: TypeTag,
        /// The type.
        type_id: ReferenceTypeId,
        /// Its JNI signature.
        signature: String,
        /// Its status.
        status: ClassStatus,
    }
    /// A loaded type.
    ClassInfoWithGeneric {
        /// The kind of `type_id`.
        ref_type_tag: TypeTag,
        /// The type.
        type_id: ReferenceTypeId,
        /// Its JNI signature.
        signature: String,
        /// Its generic signature, or an empty string.
        generic_signature: String,
        /// Its status.
        status: ClassStatus,
    }
    /// The sizes of ids, in bytes, as sent.
    IDSizesReply {
        /// Size of field ids.
        field_id_size: i32,
        /// Size of method ids.
        method_id_size: i32,
        /// Size of object ids.
        object_id_size: i32,
        /// Size of reference type ids.
        reference_type_id_size: i32,
        /// Size of frame ids.
        frame_id_size: i32,
    }
    /// The first seven capabilities of a virtual machine.
    CapabilitiesReply {
        /// Watch field modification.
        can_watch_field_modification: bool,
        /// Watch field access.
        can_watch_field_access: bool,
        /// Send the bytecode of methods.
        can_get_bytecodes: bool,
        /// Identify synthetic members.
        can_get_synthetic_attribute: bool,
        /// List the monitors that a thread owns.
        can_get_owned_monitor_info: bool,
        /// Name the monitor that a thread waits for.
        can_get_current_contended_monitor: bool,
        /// List the owner of a monitor and the threads that wait for it.
        can_get_monitor_info: bool,
    }
    /// All capabilities of a virtual machine.
    CapabilitiesNewReply {
        /// Watch field modification.
        can_watch_field_modification: bool,
        /// Watch field access.
        can_watch_field_access: bool,
        /// Send the bytecode of methods.
        can_get_bytecodes: bool,
        /// Identify synthetic members.
        can_get_synthetic_attribute: bool,
        /// List the monitors that a thread owns.
        can_get_owned_monitor_info: bool,
        /// Name the monitor that a thread waits for.
        can_get_current_contended_monitor: bool,
        /// List the owner of a monitor and the threads that wait for it.
        can_get_monitor_info: bool,
        /// Redefine classes.
        can_redefine_classes: bool,
        /// Add methods when redefining classes.
        can_add_method: bool,
        /// Change anything when redefining classes.
        can_unrestrictedly_redefine_classes: bool,
        /// Pop frames.
        can_pop_frames: bool,
        /// Filter events by instance.
        can_use_instance_filters: bool,
        /// Send the source debug extension.
        can_get_source_debug_extension: bool,
        /// Accept requests for VM death events.
        can_request_vm_death_event: bool,
        /// Set the default stratum.
        can_set_default_stratum: bool,
        /// Count and find instances and referrers.
        can_get_instance_info: bool,
        /// Report monitor events.
        can_request_monitor_events: bool,
        /// Give the stack depth at which a monitor was entered.
        can_get_monitor_frame_info: bool,
        /// Filter class prepare events by source name.
        can_use_source_name_filters: bool,
        /// Send constant pools.
        can_get_constant_pool: bool,
        /// Return early from methods.
        can_force_early_return: bool,
        /// Reserved.
        reserved: Reserved,
    }
    /// The class paths.
    ClassPathsReply {
        /// The directory to which relative paths refer.
        base_dir: String,
        /// The class path.
        classpaths: Vec<String>,
        /// The boot class path; empty since JDK 9.
        bootclasspaths: Vec<String>,
    }
    /// An object id to release.
    DisposeObject {
        /// The id. An unknown id is no error.
        object: ObjectId,
        /// How many references to release.
        ref_cnt: i32,
    }
    /// A class and its new version.
    ClassDef {
        /// The class.
        ref_type: ReferenceTypeId,
        /// The new class file.
        classfile: Vec<u8>,
    }
}

/// The eleven capabilities that are reserved, `reserved22` to `reserved32`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Reserved(pub [bool; 11]);

impl crate::codec::Encode for Reserved {
    fn encode(&self, w: &mut crate::codec::Writer<'_>) {
        self.0.iter().for_each(|flag| flag.encode(w));
    }
}

impl crate::codec::Decode for Reserved {
    fn decode(r: &mut crate::codec::Reader<'_>) -> Result<Self, crate::codec::DecodeError> {
        let mut flags = [false; 11];
        for flag in &mut flags {
            *flag = bool::decode(r)?;
        }
        Ok(Self(flags))
    }
}

impl IDSizesReply {
    /// The sizes as typed values.
    ///
    /// # Errors
    /// The kind of id and its size in bytes, if the size is not 2, 4 or 8.
    pub fn sizes(&self) -> Result<IdSizes, (&'static str, i32)> {
        let size = |what, bytes| IdSize::from_bytes(bytes).ok_or((what, bytes));
        Ok(IdSizes {
            field: size("field", self.field_id_size)?,
            method: size("method", self.method_id_size)?,
            object: size("object", self.object_id_size)?,
            reference_type: size("reference type", self.reference_type_id_size)?,
            frame: size("frame", self.frame_id_size)?,
        })
    }
}
