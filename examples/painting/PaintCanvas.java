import java.awt.Color;
import java.awt.Graphics;
import java.awt.Graphics2D;
import java.util.ArrayList;
import java.util.List;
import javax.swing.JPanel;

/** The white pane: it keeps the strokes and paints them in order. */
public class PaintCanvas extends JPanel {
    private static final long serialVersionUID = 1L;

    private final transient List<PaintObject> paintObjects = new ArrayList<>();
    private transient PaintObject unfinished;

    public PaintCanvas() {
        setBackground(Color.WHITE);
    }

    public void add(PaintObject object) {
        paintObjects.add(object);
        unfinished = null;
        repaint();
    }

    public void setUnfinished(PaintObject object) {
        unfinished = object;
        repaint();
    }

    @Override
    protected void paintComponent(Graphics graphics) {
        super.paintComponent(graphics);
        Graphics2D g = (Graphics2D) graphics;
        for (PaintObject object : paintObjects) {
            object.paint(g);
        }
        if (unfinished != null) {
            unfinished.paint(g);
        }
    }
}
