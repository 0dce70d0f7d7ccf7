% The predicates of the engine that are written in Prolog. Names with `$` are its own.

% Goals that are only known when they are called; C is the choice point that a cut reaches to.
'$and'(A, B, C) :- '$call'(A, C), '$call'(B, C).
'$or'(A, _, C) :- '$call'(A, C).
'$or'(_, B, C) :- '$call'(B, C).
'$ite'(I, T, E, C) :- ( call(I) -> '$call'(T, C) ; '$call'(E, C) ).
'$soft'(I, T, E, C) :- ( call(I) *-> '$call'(T, C) ; '$call'(E, C) ).
'$not'(G) :- \+ call(G).

true.
fail :- fail.
false :- fail.
not(G) :- \+ call(G).
once(G) :- ( call(G) -> true ).
ignore(G) :- ( call(G) -> true ; true ).
forall(C, A) :- \+ ( call(C), \+ call(A) ).
repeat.
repeat :- repeat.
apply(G, Extra) :- G =.. L0, append(L0, Extra, L1), G2 =.. L1, call(G2).

catch(G, _, _) :- '$catch', call(G), '$end_catch'.

findall(T, G, L) :- '$open'(terms, C), '$findall'(T, G, C, L, []).
findall(T, G, L, Tail) :- '$open'(terms, C), '$findall'(T, G, C, L, Tail).

'$findall'(T, G, C, _, _) :- call(G), '$collect'(C, T), fail.
'$findall'(_, _, C, L, Tail) :- '$close'(C, L0, Tail), L = L0.

aggregate_all(Spec, G, R) :- '$aggregate'(Spec, G, R).

'$aggregate'(Spec, _, _) :- var(Spec), !, '$unbound'(aggregate_all/3, 1).
'$aggregate'(count, G, R) :- !, '$open'(count, C), '$aggregated'(C, x, G, R).
'$aggregate'(count(T), G, R) :- !, '$open'(count, C), '$aggregated'(C, T, G, R).
'$aggregate'(sum(E), G, R) :- !, '$open'(sum, C), '$aggregated'(C, E, G, R).
'$aggregate'(max(E), G, R) :- !, '$aggregate_best'(max, E-x, G, R-_).
'$aggregate'(min(E), G, R) :- !, '$aggregate_best'(min, E-x, G, R-_).
'$aggregate'(max(E, W), G, max(R, V)) :- !, '$aggregate_best'(max, E-W, G, R-V).
'$aggregate'(min(E, W), G, min(R, V)) :- !, '$aggregate_best'(min, E-W, G, R-V).
'$aggregate'(bag(T), G, R) :- !, findall(T, G, R).
'$aggregate'(set(T), G, R) :- !, findall(T, G, L), sort(L, R).
'$aggregate'(Spec, _, _) :- throw(error(domain_error(aggregate_template, Spec), context(aggregate_all/3, _))).

'$aggregate_best'(Which, P, G, R) :- '$open'(Which, C), '$aggregated'(C, P, G, R0), R0 = R.

'$aggregated'(C, T, G, _) :- call(G), '$collect'(C, T), fail.
'$aggregated'(C, _, _, R) :- '$close'(C, R0, []), R = R0.

aggregate_all(count, D, G, R) :- !, findall(D, G, L0), sort(L0, L), length(L, R).
aggregate_all(sum(E), D, G, R) :- !, findall(D-E, G, L0), sort(L0, L), pairs_values(L, V), sum_list(V, R).
aggregate_all(bag(E), D, G, R) :- !, findall(D-E, G, L0), sort(L0, L), pairs_values(L, R).

bagof(T, G, L) :-
    '$free_variables'(T^G, Goal, Vars),
    (   Vars == []
    ->  findall(T, Goal, L0), L0 \== [], L = L0
    ;   W =.. [v|Vars],
        findall(W-T, Goal, Pairs0),
        Pairs0 \== [],
        keysort(Pairs0, Pairs),
        '$groups'(Pairs, Groups),
        member(W-L0, Groups),
        L = L0
    ).

setof(T, G, S) :-
    '$free_variables'(T^G, Goal, Vars),
    (   Vars == []
    ->  findall(T, Goal, L0), L0 \== [], sort(L0, S0), S = S0
    ;   W =.. [v|Vars],
        findall(W-T, Goal, Pairs0),
        Pairs0 \== [],
        sort(Pairs0, Pairs),
        '$groups'(Pairs, Groups),
        member(W-L0, Groups),
        sort(L0, S0),
        S = S0
    ).

'$groups'([], []).
'$groups'([W-T|Pairs], [W-[T|Ts]|Groups]) :- '$group'(Pairs, W, Ts, Rest), '$groups'(Rest, Groups).

'$group'([V-T|Pairs], W, Ts, Rest) :-
    (   V == W
    ->  Ts = [T|Ts1], '$group'(Pairs, W, Ts1, Rest)
    ;   '$variant'(V, W)
    ->  V = W, Ts = [T|Ts1], '$group'(Pairs, W, Ts1, Rest)
    ;   Ts = [], Rest = [V-T|Pairs]
    ).
'$group'([], _, [], []).

_^G :- call(G).

limit(N, G) :- '$must_be_count'(N, limit/2), N > 0, '$open'(count, C), '$limit'(N, G, C).
'$limit'(N, G, C) :- call(G), '$tick'(C, K), ( K >= N -> ! ; true ).
call_nth(G, N) :- '$open'(count, C), call(G), '$tick'(C, K), ( integer(N) -> ( K =:= N -> ! ; fail ) ; N = K ).
call_cleanup(G, C) :- setup_call_cleanup(true, G, C).
setup_call_cleanup(S, G, C) :-
    once(S),
    catch(G, E, true) -> ( ignore(C), ( nonvar(E) -> throw(E) ; true ) ) ; ( ignore(C), fail ).

% Lists.
append([], L, L).
append([H|T], L, [H|R]) :- append(T, L, R).
append(Ls, L) :- '$append_all'(Ls, L).
'$append_all'([], []).
'$append_all'([L|Ls], As) :- append(L, Ws, As), '$append_all'(Ls, Ws).
member(X, [Y|L]) :- '$member'(L, X, Y).
'$member'(_, X, X).
'$member'([Y|L], X, _) :- '$member'(L, X, Y).
memberchk(X, L) :- member(X, L), !.
reverse(L, R) :- '$reverse'(L, [], R).
'$reverse'([], A, A).
'$reverse'([H|T], A, R) :- '$reverse'(T, [H|A], R).
nth0(I, L, E) :- integer(I), !, I >= 0, '$nth'(I, L, E).
nth0(I, L, E) :- var(I), !, '$nth_any'(L, E, 0, I).
nth0(I, _, _) :- throw(error(type_error(integer, I), context(nth0/3, _))).
nth1(I, L, E) :- integer(I), !, I >= 1, I0 is I - 1, '$nth'(I0, L, E).
nth1(I, L, E) :- var(I), !, '$nth_any'(L, E, 1, I).
nth1(I, _, _) :- throw(error(type_error(integer, I), context(nth1/3, _))).
'$nth'(0, [E|_], E) :- !.
'$nth'(I, [_|L], E) :- I1 is I - 1, '$nth'(I1, L, E).
'$nth_any'([H|T], E, B, I) :- '$nth_any'(T, H, E, B, I).
'$nth_any'(_, H, H, B, B).
'$nth_any'([H|T], _, E, B, I) :- B1 is B + 1, '$nth_any'(T, H, E, B1, I).
nth0(I, L, E, R) :- integer(I), !, I >= 0, '$nth_del'(I, L, E, R).
nth0(I, L, E, R) :- var(I), '$nth_gen'(L, E, R, 0, I).
nth1(I, L, E, R) :- integer(I), !, I >= 1, I0 is I - 1, '$nth_del'(I0, L, E, R).
nth1(I, L, E, R) :- var(I), '$nth_gen'(L, E, R, 1, I).
'$nth_del'(0, [E|R], E, R) :- !.
'$nth_del'(I, [H|L], E, [H|R]) :- I1 is I - 1, '$nth_del'(I1, L, E, R).
'$nth_gen'([E|R], E, R, B, B).
'$nth_gen'([H|L], E, [H|R], B, I) :- B1 is B + 1, '$nth_gen'(L, E, R, B1, I).
last([X|Xs], L) :- '$last'(Xs, X, L).
'$last'([], L, L).
'$last'([X|Xs], _, L) :- '$last'(Xs, X, L).
sum_list(L, S) :- '$sum_list'(L, 0, S).
'$sum_list'([], S, S).
'$sum_list'([X|Xs], S0, S) :- S1 is S0 + X, '$sum_list'(Xs, S1, S).
sumlist(L, S) :- sum_list(L, S).
max_list([H|T], M) :- '$max_list'(T, H, M).
'$max_list'([], M, M).
'$max_list'([H|T], M0, M) :- M1 is max(M0, H), '$max_list'(T, M1, M).
min_list([H|T], M) :- '$min_list'(T, H, M).
'$min_list'([], M, M).
'$min_list'([H|T], M0, M) :- M1 is min(M0, H), '$min_list'(T, M1, M).
max_member(M, L) :- '$max_member'(L, M).
'$max_member'([H|T], M) :- '$max_member'(T, H, M0), M = M0.
'$max_member'([], M, M).
'$max_member'([H|T], M0, M) :- ( H @=< M0 -> '$max_member'(T, M0, M) ; '$max_member'(T, H, M) ).
min_member(M, L) :- '$min_member'(L, M).
'$min_member'([H|T], M) :- '$min_member'(T, H, M0), M = M0.
'$min_member'([], M, M).
'$min_member'([H|T], M0, M) :- ( H @>= M0 -> '$min_member'(T, M0, M) ; '$min_member'(T, H, M) ).
select(X, [X|T], T).
select(X, [H|T], [H|R]) :- select(X, T, R).
selectchk(X, L, R) :- select(X, L, R0), !, R = R0.
select(X, Xs, Y, Ys) :- '$select4'(Xs, X, Y, Ys).
'$select4'([X|T], X, Y, [Y|T]).
'$select4'([H|T], X, Y, [H|T2]) :- '$select4'(T, X, Y, T2).
exclude(P, L, R) :- '$exclude'(L, P, R).
'$exclude'([], _, []).
'$exclude'([H|T], P, R) :- ( call(P, H) -> R = R1 ; R = [H|R1] ), '$exclude'(T, P, R1).
include(P, L, R) :- '$include'(L, P, R).
'$include'([], _, []).
'$include'([H|T], P, R) :- ( call(P, H) -> R = [H|R1] ; R = R1 ), '$include'(T, P, R1).
partition(P, L, I, E) :- '$partition'(L, P, I, E).
'$partition'([], _, [], []).
'$partition'([H|T], P, I, E) :-
    ( call(P, H) -> I = [H|I1], E = E1 ; I = I1, E = [H|E1] ),
    '$partition'(T, P, I1, E1).
partition(P, L, Ls, Es, Gs) :- '$partition'(L, P, Ls, Es, Gs).
'$partition'([], _, [], [], []).
'$partition'([H|T], P, L, E, G) :-
    call(P, O, H),
    '$partition'(O, H, P, T, L, E, G).
'$partition'(<, H, P, T, [H|L], E, G) :- '$partition'(T, P, L, E, G).
'$partition'(=, H, P, T, L, [H|E], G) :- '$partition'(T, P, L, E, G).
'$partition'(>, H, P, T, L, E, [H|G]) :- '$partition'(T, P, L, E, G).
maplist(P, L) :- '$maplist'(L, P).
'$maplist'([], _).
'$maplist'([A|As], P) :- call(P, A), '$maplist'(As, P).
maplist(P, L1, L2) :- '$maplist'(L1, L2, P).
'$maplist'([], [], _).
'$maplist'([A|As], [B|Bs], P) :- call(P, A, B), '$maplist'(As, Bs, P).
maplist(P, L1, L2, L3) :- '$maplist'(L1, L2, L3, P).
'$maplist'([], [], [], _).
'$maplist'([A|As], [B|Bs], [C|Cs], P) :- call(P, A, B, C), '$maplist'(As, Bs, Cs, P).
maplist(P, L1, L2, L3, L4) :- '$maplist'(L1, L2, L3, L4, P).
'$maplist'([], [], [], [], _).
'$maplist'([A|As], [B|Bs], [C|Cs], [D|Ds], P) :- call(P, A, B, C, D), '$maplist'(As, Bs, Cs, Ds, P).
foldl(P, L, A0, A) :- '$foldl'(L, P, A0, A).
'$foldl'([], _, A, A).
'$foldl'([X|Xs], P, A0, A) :- call(P, X, A0, A1), '$foldl'(Xs, P, A1, A).
foldl(P, L1, L2, A0, A) :- '$foldl'(L1, L2, P, A0, A).
'$foldl'([], [], _, A, A).
'$foldl'([X|Xs], [Y|Ys], P, A0, A) :- call(P, X, Y, A0, A1), '$foldl'(Xs, Ys, P, A1, A).
foldl(P, L1, L2, L3, A0, A) :- '$foldl'(L1, L2, L3, P, A0, A).
'$foldl'([], [], [], _, A, A).
'$foldl'([X|Xs], [Y|Ys], [Z|Zs], P, A0, A) :- call(P, X, Y, Z, A0, A1), '$foldl'(Xs, Ys, Zs, P, A1, A).
delete([], _, []).
delete([H|T], X, R) :- ( H \= X -> R = [H|R1] ; R = R1 ), delete(T, X, R1).
subtract([], _, []).
subtract([H|T], L, R) :- ( memberchk(H, L) -> R = R1 ; R = [H|R1] ), subtract(T, L, R1).
intersection([], _, []).
intersection([H|T], L, R) :- ( memberchk(H, L) -> R = [H|R1] ; R = R1 ), intersection(T, L, R1).
union([], L, L).
union([H|T], L, R) :- ( memberchk(H, L) -> R = R1 ; R = [H|R1] ), union(T, L, R1).
permutation(Xs, Ys) :-
    '$list_length'(Xs, N1), '$list_length'(Ys, N2),
    ( integer(N1), integer(N2) -> N1 = N2 ; integer(N1) -> length(Ys, N1)
    ; integer(N2) -> length(Xs, N2) ; true ),
    '$permutation'(Xs, Ys).
'$list_length'(L, N) :- ( is_list(L) -> length(L, N) ; true ).
'$permutation'([], []).
'$permutation'(L, [F|R]) :- select(F, L, Rest), '$permutation'(Rest, R).
flatten(L, F) :- '$flatten'(L, [], F0), !, F = F0.
'$flatten'(V, T, [V|T]) :- var(V), !.
'$flatten'([], T, T) :- !.
'$flatten'([H|R], T, F) :- !, '$flatten'(H, F1, F), '$flatten'(R, T, F1).
'$flatten'(A, T, [A|T]).
pairs_keys_values([], [], []).
pairs_keys_values([K-V|T], [K|Ks], [V|Vs]) :- pairs_keys_values(T, Ks, Vs).
pairs_keys([], []).
pairs_keys([K-_|T], [K|Ks]) :- pairs_keys(T, Ks).
pairs_values([], []).
pairs_values([_-V|T], [V|Vs]) :- pairs_values(T, Vs).
predsort(P, L, Sorted) :-
    length(L, N),
    '$predsort'(P, N, L, _, Sorted0), !,
    Sorted = Sorted0.
'$predsort'(P, 2, [X1,X2|L], L, R) :- !, call(P, D, X1, X2), '$sort2'(D, X1, X2, R).
'$predsort'(_, 1, [X|L], L, [X]) :- !.
'$predsort'(_, 0, L, L, []) :- !.
'$predsort'(P, N, L1, L3, R) :-
    N1 is N // 2, N2 is N - N1,
    '$predsort'(P, N1, L1, L2, R1),
    '$predsort'(P, N2, L2, L3, R2),
    '$predmerge'(P, R1, R2, R).
'$sort2'(<, X1, X2, [X1,X2]).
'$sort2'(=, X1, _, [X1]).
'$sort2'(>, X1, X2, [X2,X1]).
'$predmerge'(_, [], R, R) :- !.
'$predmerge'(_, R, [], R) :- !.
'$predmerge'(P, [H1|T1], [H2|T2], R) :- call(P, D, H1, H2), !, '$predmerge'(D, P, H1, H2, T1, T2, R).
'$predmerge'(<, P, H1, H2, T1, T2, [H1|R]) :- '$predmerge'(P, T1, [H2|T2], R).
'$predmerge'(=, P, H1, _, T1, T2, [H1|R]) :- '$predmerge'(P, T1, T2, R).
'$predmerge'(>, P, H1, H2, T1, T2, [H2|R]) :- '$predmerge'(P, [H1|T1], T2, R).
concat_atom(L, R) :- atomic_list_concat(L, R).
concat_atom(L, S, R) :- atomic_list_concat(L, S, R).
subset([], _).
subset([H|T], L) :- memberchk(H, L), subset(T, L).
list_to_ord_set(L, S) :- sort(L, S).
ord_union(A, B, C) :- append(A, B, L), sort(L, C).
ord_subtract(A, B, C) :- '$ord_subtract'(A, B, C).
'$ord_subtract'([], _, []).
'$ord_subtract'([H|T], B, C) :- ( '$identical_member'(H, B) -> C = C1 ; C = [H|C1] ), '$ord_subtract'(T, B, C1).
'$identical_member'(X, [Y|L]) :- ( X == Y -> true ; '$identical_member'(X, L) ).
ord_memberchk(X, L) :- '$identical_member'(X, L).
same_length([], []).
same_length([_|A], [_|B]) :- same_length(A, B).

% Lambda terms as in library(yall): a call works on a copy, except for variables that `/` names.
'>>'(Ps, B) :- '$lambda'(Ps, B, []).
'>>'(Ps, B, A1) :- '$lambda'(Ps, B, [A1]).
'>>'(Ps, B, A1, A2) :- '$lambda'(Ps, B, [A1,A2]).
'>>'(Ps, B, A1, A2, A3) :- '$lambda'(Ps, B, [A1,A2,A3]).
'>>'(Ps, B, A1, A2, A3, A4) :- '$lambda'(Ps, B, [A1,A2,A3,A4]).
'>>'(Ps, B, A1, A2, A3, A4, A5) :- '$lambda'(Ps, B, [A1,A2,A3,A4,A5]).
'$lambda'(Ps0, B0, As) :-
    ( nonvar(Ps0), Ps0 = Free/_ -> true ; Free = [] ),
    copy_term(Free-(Ps0>>B0), Free-(Ps1>>B1)),
    ( nonvar(Ps1), Ps1 = _/Ps -> true ; Ps = Ps1 ),
    '$bind_parameters'(Ps, As, Rest),
    ( Rest == [] -> call(B1) ; B1 =.. L0, append(L0, Rest, L1), G =.. L1, call(G) ).
'$bind_parameters'(Ps, [], []) :- ( var(Ps) ; true ), !.
'$bind_parameters'([], As, As) :- !.
'$bind_parameters'([P|Ps], [P|As], Rest) :- '$bind_parameters'(Ps, As, Rest).
