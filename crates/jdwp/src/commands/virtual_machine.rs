//! Command set 1, `VirtualMachine`: the virtual machine as a whole.

use crate::constants::{ClassStatus, TypeTag};
use crate::id::{IdSize, IdSizes, ModuleId, ObjectId, ReferenceTypeId, StringId, ThreadGroupId, ThreadId};
use crate::text::JavaString;

commands! {
    /// Which virtual machine this is, and which version of the protocol it speaks.
    Version {} -> VersionReply;
    /// The loaded types with a signature; several loaders may each have one.
    ClassesBySignature {
        /// A JNI signature, such as `Ljava/lang/String;`.
        signature: String,
    } -> Vec<ClassBySignature>;
    /// All loaded types.
    AllClasses {} -> Vec<ClassInfo>;
    /// All live platform threads (and, if the agent was told so, virtual ones it knows).
    AllThreads {} -> Vec<ThreadId>;
    /// The thread groups without a parent.
    TopLevelThreadGroups {} -> Vec<ThreadGroupId>;
    /// Ends the debugging: clears requests, resumes threads, closes the connection. The program goes on.
    Dispose {} -> ();
    /// The sizes of ids. [`Connection::handshake`](crate::Connection::handshake) has asked already.
    IDSizes {} -> IDSizesReply;
    /// Suspends all threads. Suspensions are counted.
    Suspend {} -> ();
    /// Resumes all threads, once.
    Resume {} -> ();
    /// Ends the virtual machine at once, as `System.exit` with no shutdown hooks.
    Exit {
        /// The exit status.
        exit_code: i32,
    } -> ();
    /// Makes a string. Nothing keeps it from being collected but `DisableCollection`.
    CreateString {
        /// Its text.
        utf: JavaString,
    } -> StringId;
    /// What the virtual machine can do, the first seven.
    Capabilities {} -> CapabilitiesReply;
    /// The class paths.
    ClassPaths {} -> ClassPathsReply;
    /// Lets go of object ids: each is forgotten once it has been let go as often as it was sent.
    DisposeObjects {
        /// The ids.
        requests: Vec<DisposeObject>,
    } -> ();
    /// Holds back events in the virtual machine. They are not lost.
    HoldEvents {} -> ();
    /// Sends the events held back, and further ones.
    ReleaseEvents {} -> ();
    /// What the virtual machine can do, all of it.
    CapabilitiesNew {} -> CapabilitiesNewReply;
    /// Replaces classes by new versions. Needs `canRedefineClasses`.
    RedefineClasses {
        /// The classes.
        classes: Vec<ClassDef>,
    } -> ();
    /// Sets the stratum (JSR-45) locations are given in. Needs `canSetDefaultStratum`.
    SetDefaultStratum {
        /// Its name; empty for that of the class file.
        stratum_id: String,
    } -> ();
    /// All loaded types, with generic signatures.
    AllClassesWithGeneric {} -> Vec<ClassInfoWithGeneric>;
    /// How many instances each type has, reachable ones. Needs `canGetInstanceInfo`.
    InstanceCounts {
        /// The types.
        ref_types: Vec<ReferenceTypeId>,
    } -> Vec<i64>;
    /// All modules. Since JDK 9.
    AllModules {} -> Vec<ModuleId>;
}

records! {
    /// Which virtual machine this is.
    VersionReply {
        /// Text for people.
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
    /// A loaded type whose signature is known.
    ClassBySignature {
        /// The kind of `type_id`.
        ref_type_tag: TypeTag,
        /// The type.
        type_id: ReferenceTypeId,
        /// How far it has come.
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
        /// How far it has come.
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
        /// Its generic signature; empty if it has none.
        generic_signature: String,
        /// How far it has come.
        status: ClassStatus,
    }
    /// The sizes of ids, in bytes, as sent.
    IDSizesReply {
        /// Of fields.
        field_id_size: i32,
        /// Of methods.
        method_id_size: i32,
        /// Of objects.
        object_id_size: i32,
        /// Of reference types.
        reference_type_id_size: i32,
        /// Of frames.
        frame_id_size: i32,
    }
    /// What the virtual machine can do, the first seven.
    CapabilitiesReply {
        /// Report writes of fields.
        can_watch_field_modification: bool,
        /// Report reads of fields.
        can_watch_field_access: bool,
        /// Send the code of methods.
        can_get_bytecodes: bool,
        /// Tell synthetic members.
        can_get_synthetic_attribute: bool,
        /// Tell the monitors a thread owns.
        can_get_owned_monitor_info: bool,
        /// Tell the monitor a thread waits for.
        can_get_current_contended_monitor: bool,
        /// Tell who owns a monitor and who waits for it.
        can_get_monitor_info: bool,
    }
    /// What the virtual machine can do.
    CapabilitiesNewReply {
        /// Report writes of fields.
        can_watch_field_modification: bool,
        /// Report reads of fields.
        can_watch_field_access: bool,
        /// Send the code of methods.
        can_get_bytecodes: bool,
        /// Tell synthetic members.
        can_get_synthetic_attribute: bool,
        /// Tell the monitors a thread owns.
        can_get_owned_monitor_info: bool,
        /// Tell the monitor a thread waits for.
        can_get_current_contended_monitor: bool,
        /// Tell who owns a monitor and who waits for it.
        can_get_monitor_info: bool,
        /// Replace classes.
        can_redefine_classes: bool,
        /// Add methods when replacing classes.
        can_add_method: bool,
        /// Change anything when replacing classes.
        can_unrestrictedly_redefine_classes: bool,
        /// Pop frames.
        can_pop_frames: bool,
        /// Filter events by instance.
        can_use_instance_filters: bool,
        /// Send the source debug extension.
        can_get_source_debug_extension: bool,
        /// Take requests for VM death events.
        can_request_vm_death_event: bool,
        /// Set the default stratum.
        can_set_default_stratum: bool,
        /// Count and find instances and referrers.
        can_get_instance_info: bool,
        /// Report monitor events.
        can_request_monitor_events: bool,
        /// Tell at which frames monitors were entered.
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
        /// What relative paths are relative to.
        base_dir: String,
        /// The class path.
        classpaths: Vec<String>,
        /// The boot class path. Empty since JDK 9.
        bootclasspaths: Vec<String>,
    }
    /// An object id to let go.
    DisposeObject {
        /// The id. An unknown one is no error.
        object: ObjectId,
        /// How often to let it go.
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
    /// The sizes, typed.
    ///
    /// # Errors
    /// The kind of id and its size, when that is none of 2, 4 and 8.
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
