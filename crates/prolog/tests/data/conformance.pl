% Facts and rules for the goals of conformance.txt.
p(1). p(2). p(3).
q(a, 1). q(b, 2). q(a, 3). q(c, 2).
age(peter, 7). age(ann, 11). age(pat, 8). age(tom, 5). age(mike, 11).
t(X) :- p(X), X > 1, !.
t(none).
u(X) :- ( p(X), X > 1 -> true ; X = none ).
v(X, Y) :- p(X), \+ X = 2, Y is X * 2.
w(X) :- ( X = 1 ; X = 2 ; X = 3 ).
len([], 0).
len([_|T], N) :- len(T, M), N is M + 1.
edge(a, b). edge(b, c). edge(c, d). edge(a, d).
path(X, Y) :- edge(X, Y).
path(X, Y) :- edge(X, Z), path(Z, Y).
double(X, Y) :- Y is X * 2.
odd(X) :- 1 =:= X mod 2.
add(X, A, B) :- B is A + X.
cmp(O, A, B) :- compare(O, A, B).
opt(X, R) :- ( X > 5 -> R = big ; X > 2 -> R = mid ; R = small ).
soft(X, R) :- ( p(X) *-> R = yes ; R = no ).
nocut(X) :- call(( p(X), ! )).
cutand(X, Y) :- p(X), once(p(Y)).
deep(f(g(h(X))), X).
str("abc", 1). str("abd", 2). num(1.5, x). num(2, y). num(2.0, z).
loop(0) :- !.
loop(N) :- M is N - 1, loop(M).
tc(X) :- catch(tc1(X), E, ( X = caught(E) )).
tc1(_) :- throw(ball).
nd(X) :- catch(p(X), _, true).
