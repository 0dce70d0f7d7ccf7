var o = {a: 1};
print(o.b.c);
