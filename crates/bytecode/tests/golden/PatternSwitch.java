// release: 25
class PatternSwitch {
    sealed interface Shape permits Circle, Square {}
    record Circle(int r) implements Shape {}
    record Square(int side) implements Shape {}

    int area(Shape shape) {
        int area;
        switch (shape) {
            case Circle c when c.r() > 10:
                area = 1;
                break;
            case Circle c:
                area = 3 * c.r();
                break;
            case Square(int side):
                area = side * side;
                break;
        }
        return area;
    }
}
