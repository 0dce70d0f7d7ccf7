import com.sun.jdi.*;
import com.sun.jdi.connect.*;
import com.sun.jdi.event.*;
import com.sun.jdi.request.*;
import java.util.*;

/**
 * Watches Watched.field through JDI, as the bench does through the crate. Arguments: "count" or "locals", the
 * number of writes, the class path, the java command. Prints events per second over the last four fifths.
 */
public class JdiClient {
    public static void main(String[] args) throws Exception {
        boolean locals = args[0].equals("locals");
        int count = Integer.parseInt(args[1]);
        ListeningConnector connector = null;
        for (ListeningConnector one : Bootstrap.virtualMachineManager().listeningConnectors()) {
            if (one.transport().name().equals("dt_socket")) {
                connector = one;
            }
        }
        Map<String, Connector.Argument> arguments = connector.defaultArguments();
        arguments.get("localAddress").setValue("127.0.0.1");
        String address = connector.startListening(arguments);
        String agent = "-agentlib:jdwp=transport=dt_socket,server=n,suspend=y,address=" + address;
        Process process = new ProcessBuilder(args[3], agent, "-cp", args[2], "Watched", args[1]).inheritIO().start();
        VirtualMachine vm = connector.accept(arguments);
        connector.stopListening(arguments);
        EventRequestManager requests = vm.eventRequestManager();
        ClassPrepareRequest prepare = requests.createClassPrepareRequest();
        prepare.addClassFilter("Watched");
        prepare.enable();

        int seen = 0;
        long sum = 0;
        long start = 0;
        boolean connected = true;
        while (connected) {
            EventSet set = vm.eventQueue().remove();
            boolean resume = set.suspendPolicy() != EventRequest.SUSPEND_NONE;
            for (Event event : set) {
                if (event instanceof ModificationWatchpointEvent) {
                    ModificationWatchpointEvent write = (ModificationWatchpointEvent) event;
                    if (locals) {
                        StackFrame frame = write.thread().frame(0);
                        for (Value value : frame.getValues(frame.visibleVariables()).values()) {
                            if (value instanceof LongValue) {
                                sum += ((LongValue) value).value();
                            }
                        }
                    } else {
                        sum += 2L * ((IntegerValue) write.valueToBe()).value();
                    }
                    seen++;
                    if (seen == count / 5) {
                        start = System.nanoTime();
                    } else if (seen == count) {
                        double seconds = (System.nanoTime() - start) / 1e9;
                        System.out.println((count - count / 5) / seconds);
                    }
                } else if (event instanceof ClassPrepareEvent) {
                    ReferenceType type = ((ClassPrepareEvent) event).referenceType();
                    ModificationWatchpointRequest watch =
                        requests.createModificationWatchpointRequest(type.fieldByName("field"));
                    watch.setSuspendPolicy(locals ? EventRequest.SUSPEND_EVENT_THREAD : EventRequest.SUSPEND_NONE);
                    watch.enable();
                } else if (event instanceof VMDisconnectEvent || event instanceof VMDeathEvent) {
                    connected = false;
                }
            }
            if (resume && connected) {
                set.resume();
            }
        }
        if (seen != count || sum != (long) count * (count - 1)) {
            throw new IllegalStateException("saw " + seen + " events with the sum " + sum);
        }
        try {
            vm.dispose();
        } catch (VMDisconnectedException gone) {
            // It ended first.
        }
        process.waitFor();
    }
}
