% Runs each goal of a file, and prints its solutions, its output and the term that it throws.

:- set_prolog_flag(verbose, silent).
:- style_check(-singleton).
:- style_check(-discontiguous).
:- set_prolog_flag(prefer_rationals, false).
:- set_prolog_flag(toplevel_prompt, '').

main :-
    current_prolog_flag(argv, [Program, Goals|_]),
    catch(load_files(Program, [silent(true)]), _, true),
    open(Goals, read, S),
    repeat,
    catch(read_term(S, G, [variable_names(Vs)]), E, true),
    (   nonvar(E)
    ->  format("#syntax~n"), fail
    ;   G == end_of_file
    ->  !
    ;   run(G, Vs), fail
    ).

run(G, Vs) :-
    State = s([]),
    with_output_to(string(Out),
        catch(call_with_time_limit(10,
                  (   limit(30, user:G), copy_term(Vs, C), arg(1, State, L),
                      nb_setarg(1, State, [C|L]), fail
                  ;   true )), E, true)),
    arg(1, State, Sols0),
    reverse(Sols0, Sols),
    format("#goal~n"),
    forall(member(Sol, Sols), ( numbervars(Sol, 0, _), show(Sol) )),
    (   Out == "" -> true ; format("out ~q~n", [Out]) ),
    (   var(E) -> true ; E = error(F, _) -> numbervars(F, 0, _), format("error ~q~n", [F])
    ;   numbervars(E, 0, _), format("throws ~q~n", [E]) ).

show(Sol) :- forall(member(N=V, Sol), ( format("~w=~q ", [N, V]) )), nl.

:- initialization((main -> halt ; halt(1))).
