class Field { int x; }
