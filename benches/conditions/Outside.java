import com.sun.jdi.AbsentInformationException;
import com.sun.jdi.Bootstrap;
import com.sun.jdi.Field;
import com.sun.jdi.IntegerValue;
import com.sun.jdi.Location;
import com.sun.jdi.ObjectReference;
import com.sun.jdi.ReferenceType;
import com.sun.jdi.StackFrame;
import com.sun.jdi.VMDisconnectedException;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.connect.LaunchingConnector;
import com.sun.jdi.event.BreakpointEvent;
import com.sun.jdi.event.ClassPrepareEvent;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.request.BreakpointRequest;
import com.sun.jdi.request.ClassPrepareRequest;
import com.sun.jdi.request.EventRequest;
import java.util.Map;

/**
 * Evaluates {@code x != 0 && p.limit == 4} from outside at each pass over a line, as debuggers do that
 * evaluate conditions themselves. Arguments: the class path, the line, the number of passes. Prints the
 * microseconds of a pass.
 */
public class Outside {
    public static void main(String[] args) throws Exception {
        LaunchingConnector connector = Bootstrap.virtualMachineManager().defaultConnector();
        Map<String, Connector.Argument> arguments = connector.defaultArguments();
        arguments.get("options").setValue("-cp " + args[0]);
        arguments.get("main").setValue("Passed plain " + args[2]);
        VirtualMachine vm = connector.launch(arguments);
        ClassPrepareRequest prepared = vm.eventRequestManager().createClassPrepareRequest();
        prepared.addClassFilter("Passed");
        prepared.enable();
        int line = Integer.parseInt(args[1]);
        long passes = 0;
        long began = 0;
        long ended = 0;
        vm.resume();
        try {
            while (true) {
                EventSet set = vm.eventQueue().remove();
                for (Event event : set) {
                    if (event instanceof ClassPrepareEvent) {
                        ReferenceType type = ((ClassPrepareEvent) event).referenceType();
                        Location at = type.locationsOfLine(line).get(0);
                        BreakpointRequest request = vm.eventRequestManager().createBreakpointRequest(at);
                        request.setSuspendPolicy(EventRequest.SUSPEND_EVENT_THREAD);
                        request.enable();
                    } else if (event instanceof BreakpointEvent) {
                        if (passes++ == 0) {
                            began = System.nanoTime();
                        }
                        if (holds(((BreakpointEvent) event).thread().frame(0))) {
                            System.out.println("it holds");
                        }
                        ended = System.nanoTime();
                    }
                }
                set.resume();
            }
        } catch (VMDisconnectedException e) {
            System.out.println((ended - began) / 1e3 / passes);
        }
    }

    static boolean holds(StackFrame frame) throws AbsentInformationException {
        IntegerValue x = (IntegerValue) frame.getValue(frame.visibleVariableByName("x"));
        if (x.value() == 0) {
            return false;
        }
        ObjectReference p = (ObjectReference) frame.getValue(frame.visibleVariableByName("p"));
        Field limit = p.referenceType().fieldByName("limit");
        return ((IntegerValue) p.getValue(limit)).value() == 4;
    }
}
