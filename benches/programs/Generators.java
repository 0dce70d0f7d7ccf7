import javassist.ClassPool;
import javassist.CtClass;
import javassist.CtField;
import javassist.CtNewMethod;
import net.sf.cglib.proxy.Enhancer;
import net.sf.cglib.proxy.MethodInterceptor;

/** Generates classes with two libraries, and prints how long that took. */
public class Generators {
    static int javassist(int classes) throws Exception {
        ClassPool pool = new ClassPool(true);
        int bytes = 0;
        for (int i = 0; i < classes; i++) {
            CtClass made = pool.makeClass("Made" + i);
            made.addField(CtField.make("private int total;", made));
            for (int j = 0; j < 8; j++) {
                String body = "public int add" + j + "(int a) { for (int i = 0; i < a; i++) { if (i % 3 == " + j % 3
                        + ") { this.total += i * a; } else { this.total -= " + j + "; } } return this.total; }";
                made.addMethod(CtNewMethod.make(body, made));
            }
            bytes += made.toBytecode().length;
            made.detach();
        }
        return bytes;
    }

    /** The class that generated classes extend. */
    public static class Account {
        int total;

        public int total() {
            return total;
        }

        public void add(int amount) {
            total += amount;
        }

        public String name(String before, Object behind) {
            return before + behind;
        }
    }

    static int cglib(int classes) {
        int sum = 0;
        for (int i = 0; i < classes; i++) {
            Enhancer enhancer = new Enhancer();
            enhancer.setUseCache(false);
            enhancer.setSuperclass(Account.class);
            enhancer.setCallback((MethodInterceptor) (on, method, arguments, proxy) -> proxy.invokeSuper(on, arguments));
            Account made = (Account) enhancer.create();
            made.add(i);
            sum += made.total();
        }
        return sum;
    }

    public static void main(String[] args) throws Exception {
        int size = Integer.parseInt(args[1]);
        long before = System.nanoTime();
        int result = args[0].equals("javassist") ? javassist(size) : cglib(size);
        System.out.println("took " + (System.nanoTime() - before) / 1e6);
        System.out.println(result);
    }
}
