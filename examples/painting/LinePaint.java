import java.awt.Graphics2D;
import java.awt.Point;

/** A straight line from where the mouse was pressed to where it is. */
public class LinePaint extends PaintObject {
    @Override
    public void paint(Graphics2D g) {
        g.setColor(color);
        Point from = points.get(0);
        Point to = points.get(points.size() - 1);
        g.drawLine(from.x, from.y, to.x, to.y);
    }
}
