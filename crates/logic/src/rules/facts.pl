% Relations about calls over a log of facts, such as that of another tool. Such a log does not say which calls
% a caught exception has left: a call without an exit counts as open until an enclosing call returns.

event_term(Id, event(Id, Thread, Event)) :- event(Id, Thread, Event).

enclosing_call(Id, CallId) :-
  event(Id, Thread, _),
  findall(Open, open_call(Id, Thread, Open), Outermost),
  reverse(Outermost, Innermost),
  member(CallId, Innermost).

open_call(Id, Thread, CallId) :-
  event(CallId, Thread, methodcall(_, _, _, _)),
  CallId < Id,
  \+ call_over(CallId, Thread, Id).

call_over(CallId, Thread, Id) :-
  event(ExitId, Thread, methodexit(CallId, _, _, _, _)),
  ExitId =< Id.
call_over(CallId, Thread, Id) :-
  \+ event(_, Thread, methodexit(CallId, _, _, _, _)),
  event(ExitId, Thread, methodexit(OuterId, _, _, _, _)),
  OuterId < CallId, ExitId > CallId, ExitId =< Id.

direct_call(CallId, InnerId) :-
  event(CallId, Thread, methodcall(_, _, _, _)),
  event(InnerId, Thread, methodcall(_, _, _, _)),
  InnerId > CallId,
  once(enclosing_call(InnerId, OuterId)),
  OuterId == CallId.

call_end(CallId, EndId) :-
  event(EndId, _, methodexit(CallId, _, _, _, _)).
call_end(CallId, EndId) :-
  event(CallId, Thread, methodcall(_, _, _, _)),
  \+ event(_, Thread, methodexit(CallId, _, _, _, _)),
  event(EndId, Thread, exception(_, _, _, uncaught)),
  EndId > CallId.

field_at(Id, o(Class, Number), Field, SetId, Value) :-
  event(_, _, memberfields(c(Class), Fields)),
  member(Member, Fields),
  ( Member = of(Field), Owner = o(Class, Number) ; Member = cf(Field), Owner = c(Class) ),
  findall(Set-New, (event(Set, _, setfield(_, Owner, Field, New)), Set =< Id), Writes),
  ( last(Writes, SetId-Value) -> true ; SetId = default, Value = '?' ).
