import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads JSON that a program has written: what it reads is well formed. */
final class QuerypointReferenceJson {
    private final String text;
    private int at;

    QuerypointReferenceJson(String text) {
        this.text = text;
    }

    Object value() {
        space();
        switch (text.charAt(at)) {
            case '{': return object();
            case '[': return array();
            case '"': return string();
            case 't': at += 4; return true;
            case 'f': at += 5; return false;
            case 'n': at += 4; return null;
            default: return number();
        }
    }

    private Map<String, Object> object() {
        Map<String, Object> found = new LinkedHashMap<>();
        at++;
        space();
        while (text.charAt(at) != '}') {
            String key = string();
            space();
            at++;
            found.put(key, value());
            space();
            if (text.charAt(at) == ',') {
                at++;
                space();
            }
        }
        at++;
        return found;
    }

    private List<Object> array() {
        List<Object> found = new ArrayList<>();
        at++;
        space();
        while (text.charAt(at) != ']') {
            found.add(value());
            space();
            if (text.charAt(at) == ',') {
                at++;
            }
            space();
        }
        at++;
        return found;
    }

    private String string() {
        StringBuilder found = new StringBuilder();
        at++;
        while (text.charAt(at) != '"') {
            char next = text.charAt(at++);
            if (next != '\\') {
                found.append(next);
                continue;
            }
            char escaped = text.charAt(at++);
            switch (escaped) {
                case 'n': found.append('\n'); break;
                case 't': found.append('\t'); break;
                case 'r': found.append('\r'); break;
                case 'b': found.append('\b'); break;
                case 'f': found.append('\f'); break;
                case 'u':
                    found.append((char) Integer.parseInt(text.substring(at, at + 4), 16));
                    at += 4;
                    break;
                default: found.append(escaped);
            }
        }
        at++;
        return found.toString();
    }

    private Number number() {
        int from = at;
        while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        String number = text.substring(from, at);
        boolean isWhole = number.chars().noneMatch(c -> c == '.' || c == 'e' || c == 'E');
        return isWhole ? (Number) Long.valueOf(number) : (Number) Double.valueOf(number);
    }

    private void space() {
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
            at++;
        }
    }
}
