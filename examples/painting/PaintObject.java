import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.Point;
import java.util.ArrayList;
import java.util.List;

/** Something drawn with one stroke of the mouse. */
public abstract class PaintObject {
    protected Color color;
    protected final List<Point> points = new ArrayList<>();

    public void setColor(Color newColor) {
        color = newColor;
    }

    public void addPoint(Point point) {
        points.add(point);
    }

    public abstract void paint(Graphics2D g);
}
