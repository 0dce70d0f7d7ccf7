/**
 * A window with two text fields. The user is let in if the password is right.
 *
 * java Login           the right password
 * java Login guess     a wrong one
 */
public class Login {
    static class TextBox {
        private final String typed;

        TextBox(String typed) {
            this.typed = typed;
        }

        String getText() {
            return typed;
        }
    }

    private final TextBox uBox;
    private final TextBox pBox;

    Login(String user, String password) {
        uBox = new TextBox(user);
        pBox = new TextBox(password);
    }

    boolean verify(String user, String password) {
        return user.equals("ada") && password.equals("engine");
    }

    boolean login() {
        String user = uBox.getText();
        String password = pBox.getText();
        return verify(user, password);
    }

    public static void main(String[] args) {
        Login login = new Login("ada", args.length == 0 ? "engine" : args[0]);
        System.out.println(login.login() ? "welcome" : "no");
    }
}
