/** Hears of strokes while they are made. */
public interface PaintObjectConstructorListener {
    /** The stroke under construction has begun or grown. */
    void constructionContinues(PaintObject unfinished);

    /** The stroke is complete. */
    void constructionComplete(PaintObject finished);
}
