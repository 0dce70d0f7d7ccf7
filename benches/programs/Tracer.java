import com.sun.jdi.Bootstrap;
import com.sun.jdi.Field;
import com.sun.jdi.ReferenceType;
import com.sun.jdi.VMDisconnectedException;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.connect.LaunchingConnector;
import com.sun.jdi.event.ClassPrepareEvent;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.event.MethodEntryEvent;
import com.sun.jdi.event.MethodExitEvent;
import com.sun.jdi.event.ModificationWatchpointEvent;
import com.sun.jdi.request.ClassPrepareRequest;
import com.sun.jdi.request.EventRequest;
import com.sun.jdi.request.EventRequestManager;
import com.sun.jdi.request.MethodEntryRequest;
import com.sun.jdi.request.MethodExitRequest;
import com.sun.jdi.request.ModificationWatchpointRequest;
import java.util.Map;

/**
 * A typical tracer: it requests an event for every entry and exit of a method and every write to a field,
 * suspends nothing, and reads no values. Prints the number of events, the time in seconds, and whether the
 * program reached its end.
 */
public class Tracer {
    static final String[] OF_THE_JDK = {"java.*", "javax.*", "jdk.*", "sun.*", "com.sun.*"};

    public static void main(String[] args) throws Exception {
        long most = Long.parseLong(args[0]) * 1_000_000_000L;
        LaunchingConnector connector = Bootstrap.virtualMachineManager().defaultConnector();
        Map<String, Connector.Argument> arguments = connector.defaultArguments();
        arguments.get("options").setValue(args[1]);
        arguments.get("main").setValue(args[2]);
        VirtualMachine vm = connector.launch(arguments);
        for (var stream : new java.io.InputStream[] {vm.process().getInputStream(), vm.process().getErrorStream()}) {
            Thread drain = new Thread(() -> {
                try {
                    stream.transferTo(java.io.OutputStream.nullOutputStream());
                } catch (java.io.IOException e) {
                    // The program has ended.
                }
            });
            drain.setDaemon(true);
            drain.start();
        }
        EventRequestManager requests = vm.eventRequestManager();
        MethodEntryRequest entries = requests.createMethodEntryRequest();
        MethodExitRequest exits = requests.createMethodExitRequest();
        ClassPrepareRequest classes = requests.createClassPrepareRequest();
        for (String filter : OF_THE_JDK) {
            entries.addClassExclusionFilter(filter);
            exits.addClassExclusionFilter(filter);
            classes.addClassExclusionFilter(filter);
        }
        entries.setSuspendPolicy(EventRequest.SUSPEND_NONE);
        exits.setSuspendPolicy(EventRequest.SUSPEND_NONE);
        entries.enable();
        exits.enable();
        classes.enable();
        long told = 0;
        boolean ended = false;
        long began = System.nanoTime();
        vm.resume();
        try {
            while (System.nanoTime() - began < most) {
                EventSet set = vm.eventQueue().remove(100);
                if (set == null) {
                    continue;
                }
                for (Event event : set) {
                    if (event instanceof ClassPrepareEvent) {
                        watch(requests, ((ClassPrepareEvent) event).referenceType());
                    } else if (event instanceof MethodEntryEvent
                            || event instanceof MethodExitEvent
                            || event instanceof ModificationWatchpointEvent) {
                        told++;
                    }
                }
                if (set.suspendPolicy() != EventRequest.SUSPEND_NONE) {
                    set.resume();
                }
            }
        } catch (VMDisconnectedException e) {
            ended = true;
        }
        System.out.println(told + " " + (System.nanoTime() - began) / 1e9 + " " + ended);
        vm.process().destroyForcibly().waitFor();
        System.exit(0);
    }

    static void watch(EventRequestManager requests, ReferenceType type) {
        for (Field field : type.fields()) {
            ModificationWatchpointRequest request = requests.createModificationWatchpointRequest(field);
            request.setSuspendPolicy(EventRequest.SUSPEND_NONE);
            request.enable();
        }
    }
}
