import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.Point;

/** A stroke that clears what is below it, whatever colour is chosen. */
public class EraserPaint extends PaintObject {
    private static final int SIZE = 16;

    @Override
    public void setColor(Color newColor) {
        super.setColor(Color.WHITE);
    }

    @Override
    public void paint(Graphics2D g) {
        g.setColor(color);
        for (Point point : points) {
            g.fillRect(point.x - SIZE / 2, point.y - SIZE / 2, SIZE, SIZE);
        }
    }
}
