//! The index of the protocol: every command set and command of the JDK 17 specification, with its numbers.
//! (JDK 21 added only `ThreadReference.IsVirtual`.) The command structs take their numbers from here, so a
//! command that is missing from the table does not compile.

use super::*;

/// The numbers and the name of a command, taken from the table.
pub trait Numbered {
    /// The number of the command set.
    const SET: u8;
    /// The number of the command in its set.
    const ID: u8;
    /// The name of the command, as `Set.Command`.
    const NAME: &'static str;
}

/// One command set of the specification.
#[derive(Debug, Clone, Copy)]
pub struct CommandSet {
    /// Its number.
    pub id: u8,
    /// Its name.
    pub name: &'static str,
    /// The commands that a debugger can send, in ascending order of `id`.
    pub commands: &'static [CommandInfo],
}

/// One command of the specification.
#[derive(Debug, Clone, Copy)]
pub struct CommandInfo {
    /// The number of its set.
    pub set: u8,
    /// Its number in the set.
    pub id: u8,
    /// Its name, as `Set.Command`.
    pub name: &'static str,
    /// Decodes a reply to this command and discards it. Fails unless the bytes are exactly one such reply.
    pub check_reply: fn(Reader<'_>) -> Result<(), DecodeError>,
}

fn check<C: Command>(mut r: Reader<'_>) -> Result<(), DecodeError> {
    C::decode(&mut r)?;
    r.finish()
}

macro_rules! table {
    ($($set:literal $set_name:ident($module:ident) { $($id:literal $name:ident,)* })*) => {
        $($(
            impl Numbered for $module::$name {
                const SET: u8 = $set;
                const ID: u8 = $id;
                const NAME: &'static str = concat!(stringify!($set_name), ".", stringify!($name));
            }
        )*)*

        /// All command sets, with every command that a debugger can send. The set `Field` (8) has no command,
        /// and the only one of `Event` (64) is sent by the virtual machine: see
        /// [`EventSet`](crate::EventSet).
        pub const COMMAND_SETS: &[CommandSet] = &[$(
            CommandSet {
                id: $set,
                name: stringify!($set_name),
                commands: &[$(
                    CommandInfo {
                        set: $set,
                        id: $id,
                        name: <$module::$name as Numbered>::NAME,
                        check_reply: check::<$module::$name>,
                    },
                )*],
            },
        )*];
    };
}

table! {
    1 VirtualMachine(virtual_machine) {
        1 Version,
        2 ClassesBySignature,
        3 AllClasses,
        4 AllThreads,
        5 TopLevelThreadGroups,
        6 Dispose,
        7 IDSizes,
        8 Suspend,
        9 Resume,
        10 Exit,
        11 CreateString,
        12 Capabilities,
        13 ClassPaths,
        14 DisposeObjects,
        15 HoldEvents,
        16 ReleaseEvents,
        17 CapabilitiesNew,
        18 RedefineClasses,
        19 SetDefaultStratum,
        20 AllClassesWithGeneric,
        21 InstanceCounts,
        22 AllModules,
    }
    2 ReferenceType(reference_type) {
        1 Signature,
        2 ClassLoader,
        3 Modifiers,
        4 Fields,
        5 Methods,
        6 GetValues,
        7 SourceFile,
        8 NestedTypes,
        9 Status,
        10 Interfaces,
        11 ClassObject,
        12 SourceDebugExtension,
        13 SignatureWithGeneric,
        14 FieldsWithGeneric,
        15 MethodsWithGeneric,
        16 Instances,
        17 ClassFileVersion,
        18 ConstantPool,
        19 Module,
    }
    3 ClassType(class_type) {
        1 Superclass,
        2 SetValues,
        3 InvokeMethod,
        4 NewInstance,
    }
    4 ArrayType(array_type) {
        1 NewInstance,
    }
    5 InterfaceType(interface_type) {
        1 InvokeMethod,
    }
    6 Method(method) {
        1 LineTable,
        2 VariableTable,
        3 Bytecodes,
        4 IsObsolete,
        5 VariableTableWithGeneric,
    }
    9 ObjectReference(object_reference) {
        1 ReferenceType,
        2 GetValues,
        3 SetValues,
        5 MonitorInfo,
        6 InvokeMethod,
        7 DisableCollection,
        8 EnableCollection,
        9 IsCollected,
        10 ReferringObjects,
    }
    10 StringReference(string_reference) {
        1 Value,
    }
    11 ThreadReference(thread_reference) {
        1 Name,
        2 Suspend,
        3 Resume,
        4 Status,
        5 ThreadGroup,
        6 Frames,
        7 FrameCount,
        8 OwnedMonitors,
        9 CurrentContendedMonitor,
        10 Stop,
        11 Interrupt,
        12 SuspendCount,
        13 OwnedMonitorsStackDepthInfo,
        14 ForceEarlyReturn,
        15 IsVirtual,
    }
    12 ThreadGroupReference(thread_group_reference) {
        1 Name,
        2 Parent,
        3 Children,
    }
    13 ArrayReference(array_reference) {
        1 Length,
        2 GetValues,
        3 SetValues,
    }
    14 ClassLoaderReference(class_loader_reference) {
        1 VisibleClasses,
    }
    15 EventRequest(event_request) {
        1 Set,
        2 Clear,
        3 ClearAllBreakpoints,
    }
    16 StackFrame(stack_frame) {
        1 GetValues,
        2 SetValues,
        3 ThisObject,
        4 PopFrames,
    }
    17 ClassObjectReference(class_object_reference) {
        1 ReflectedType,
    }
    18 ModuleReference(module_reference) {
        1 Name,
        2 ClassLoader,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The counts come from the specification. `ObjectReference` has no command 4.
    #[test]
    fn every_set_has_the_commands_of_the_specification() {
        let counted: Vec<_> = COMMAND_SETS.iter().map(|set| (set.id, set.name, set.commands.len())).collect();
        let specified = [
            (1, "VirtualMachine", 22),
            (2, "ReferenceType", 19),
            (3, "ClassType", 4),
            (4, "ArrayType", 1),
            (5, "InterfaceType", 1),
            (6, "Method", 5),
            (9, "ObjectReference", 9),
            (10, "StringReference", 1),
            (11, "ThreadReference", 15),
            (12, "ThreadGroupReference", 3),
            (13, "ArrayReference", 3),
            (14, "ClassLoaderReference", 1),
            (15, "EventRequest", 3),
            (16, "StackFrame", 4),
            (17, "ClassObjectReference", 1),
            (18, "ModuleReference", 2),
        ];
        assert_eq!(counted, specified);
    }

    #[test]
    fn command_numbers_ascend_within_each_set() {
        for set in COMMAND_SETS {
            assert!(set.commands.iter().all(|command| command.set == set.id), "{}", set.name);
            assert!(set.commands.is_sorted_by(|a, b| a.id < b.id), "{}", set.name);
        }
    }
}
