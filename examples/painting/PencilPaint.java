import java.awt.BasicStroke;
import java.awt.Graphics2D;
import java.awt.Point;

/** A freehand stroke: it follows the mouse. */
public class PencilPaint extends PaintObject {
    @Override
    public void paint(Graphics2D g) {
        g.setColor(color);
        g.setStroke(new BasicStroke(3));
        for (int i = 1; i < points.size(); i++) {
            Point one = points.get(i - 1);
            Point two = points.get(i);
            g.drawLine((int) one.getX(), (int) one.getY(), (int) two.getX(), (int) two.getY());
        }
    }
}
