import java.awt.Color;
import java.awt.event.MouseEvent;
import java.awt.event.MouseListener;
import java.awt.event.MouseMotionListener;
import java.util.function.Supplier;

/** Turns presses and drags of the mouse into paint objects of the chosen kind and colour. */
public class PaintObjectConstructor implements MouseListener, MouseMotionListener {
    private final PaintObjectConstructorListener listener;
    private Supplier<PaintObject> kind = PencilPaint::new;
    private Color color = Color.GRAY;
    private PaintObject temporaryObject;

    public PaintObjectConstructor(PaintObjectConstructorListener listener) {
        this.listener = listener;
    }

    public void setKind(Supplier<PaintObject> newKind) {
        kind = newKind;
    }

    public void setColor(Color newColor) {
        color = newColor;
    }

    @Override
    public void mousePressed(MouseEvent e) {
        temporaryObject = kind.get();
        temporaryObject.setColor(color);
        temporaryObject.addPoint(e.getPoint());
        listener.constructionContinues(temporaryObject);
    }

    @Override
    public void mouseDragged(MouseEvent e) {
        if (temporaryObject != null) {
            temporaryObject.addPoint(e.getPoint());
            listener.constructionContinues(temporaryObject);
        }
    }

    @Override
    public void mouseReleased(MouseEvent e) {
        if (temporaryObject != null) {
            PaintObject finished = temporaryObject;
            temporaryObject = null;
            finished.addPoint(e.getPoint());
            listener.constructionComplete(finished);
        }
    }

    @Override
    public void mouseMoved(MouseEvent e) {}

    @Override
    public void mouseClicked(MouseEvent e) {}

    @Override
    public void mouseEntered(MouseEvent e) {}

    @Override
    public void mouseExited(MouseEvent e) {}
}
