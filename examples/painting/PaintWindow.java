import java.awt.Color;
import java.awt.Container;
import java.util.function.Supplier;
import javax.swing.ButtonGroup;
import javax.swing.JButton;
import javax.swing.JFrame;
import javax.swing.JLabel;
import javax.swing.JRadioButton;
import javax.swing.JSlider;
import javax.swing.SwingUtilities;
import javax.swing.event.ChangeEvent;
import javax.swing.event.ChangeListener;

/**
 * The window: kinds of stroke, three sliders and the canvas.
 *
 * <p>It has no decoration, and everything in it a fixed place, so that who operates it from outside knows where to click without a
 * window manager or a font.
 */
public class PaintWindow extends JFrame implements PaintObjectConstructorListener, ChangeListener {
    private static final long serialVersionUID = 1L;
    private static final int WIDTH = 640;
    private static final int HEIGHT = 400;
    private static final int PALETTE = 200;

    private final PaintCanvas canvas = new PaintCanvas();
    private final transient PaintObjectConstructor objectConstructor = new PaintObjectConstructor(this);
    private final ButtonGroup kinds = new ButtonGroup();
    private final JSlider rSlider = slider("Red", 120);
    private final JSlider gSlider = slider("Green", 180);
    private final JSlider bSlider = slider("Blue", 240);

    public PaintWindow() {
        super("Paint");
        setUndecorated(true);
        setDefaultCloseOperation(EXIT_ON_CLOSE);
        setBounds(0, 0, WIDTH, HEIGHT);
        Container pane = getContentPane();
        pane.setLayout(null);

        kind("Pencil", 10, PencilPaint::new).setSelected(true);
        kind("Line", 40, LinePaint::new);
        kind("Eraser", 70, EraserPaint::new);

        JButton quit = new JButton("Quit");
        quit.setBounds(10, HEIGHT - 50, PALETTE - 20, 40);
        // what is still to be painted comes first, however late the click was noticed
        quit.addActionListener(e -> SwingUtilities.invokeLater(() -> System.exit(0)));
        pane.add(quit);

        canvas.setBounds(PALETTE, 0, WIDTH - PALETTE, HEIGHT);
        canvas.addMouseListener(objectConstructor);
        canvas.addMouseMotionListener(objectConstructor);
        pane.add(canvas);
    }

    @Override
    public void stateChanged(ChangeEvent changeEvent) {
        objectConstructor.setColor(new Color(rSlider.getValue(), gSlider.getValue(), gSlider.getValue()));
        repaint();
    }

    @Override
    public void constructionContinues(PaintObject unfinished) {
        canvas.setUnfinished(unfinished);
    }

    @Override
    public void constructionComplete(PaintObject finished) {
        canvas.add(finished);
    }

    private JRadioButton kind(String name, int y, Supplier<PaintObject> maker) {
        JRadioButton button = new JRadioButton(name);
        button.setBounds(10, y, PALETTE - 20, 25);
        button.addActionListener(e -> objectConstructor.setKind(maker));
        kinds.add(button);
        getContentPane().add(button);
        return button;
    }

    private JSlider slider(String name, int y) {
        JLabel label = new JLabel(name);
        label.setBounds(10, y - 20, PALETTE - 20, 20);
        getContentPane().add(label);
        JSlider slider = new JSlider(0, 255, 0);
        slider.setBounds(10, y, PALETTE - 20, 30);
        slider.addChangeListener(this);
        getContentPane().add(slider);
        return slider;
    }

    public static void main(String[] args) {
        SwingUtilities.invokeLater(() -> new PaintWindow().setVisible(true));
    }
}
