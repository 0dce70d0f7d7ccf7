% The rules that the JavaTA paper prints (Figures 4 to 8), word for word.
%
% They are wrong in four cases that docs/queries.md shows: where a caught exception left a call, where a
% field was never set, for fields of superclasses, and for calls that an exception left. The predicates that
% `qp query ask` knows without this file have the same names, and are right there.
%
% The paper does not print full_detail_call_chain/2 and class_field_history/5. They stand at the end.

% Figure 4: the call chain rule

call_chain(Id, OutList):-
  findall(CId, any_enclosing_method(Id, CId ,_), OutList).

% normal termination
any_enclosing_method(Id, CallId, ExitId):-
  event(Id, T , _),
  event(CallId, T, methodcall( _ ,O , N , _)),
  Id > CallId,
  event(ExitId, T, methodexit(CallId, _, O, N, _)),
  Id < ExitId.

% abnormal termination
any_enclosing_method(Id, CallId, ExpId) :-
  event(Id, T, _),
  event(CallId, T, methodcall(_, O, N, _)),
  Id > CallId,
  \+ event(_, T, methodexit(CallId, _, O, N, _)),
  event(ExpId, T, exception(_, _, _, uncaught)),
  Id =<  ExpId.

% Figure 5: the where rule

where_exception_is_thrown(Thread, Environment):-
  where(Thread,exception(_, _ ,_ , uncaught), Environment).

where(Thread, Event, EnclosingEnvironment):-
  event(Id, Thread, Event),
  full_detail_call_chain(Id, [EnclosingEnvironment|_]).

% Figure 6: the state rule

object_state(E, OName, OId, State):-
  event(S, _, methodcall(_, o(OName, OId), '<init>', _)),
  event(_, _, memberfields(c(OName), Fields)),
  object_state_helper(S, E, OName, OId, Fields, [], State).

object_state_helper(_, _, _, _, [], Ans, Ans).

object_state_helper(S, E, OName, OId, [cf(F)|R], SoFar, Ans):-
  class_field_history(S, E, OName , F, H),
  last(H, C),
  object_state_helper(S, E, OName, OId, R, [C|SoFar], Ans).

object_state_helper(S, E, OName, OId, [of(F)|R], SoFar, Ans):-
  instance_field_history(S, E, OName, OId ,F, H),
  last(H, C),
  object_state_helper(S, E, OName, OId, R, [C|SoFar], Ans).

% Figure 7: the pre-event called methods rule

% all methods which are called and exited before Id
% and within the same enclosing method
pre_event_called_methods(Id, OutList):-
  findall([Call, Exit], pre_event_called_method(Id, Call, Exit), OutList).

pre_event_called_method(Id, event(Call, T, E1), event(Exit, T, E2)):-
  enclosed_method(Id, Call, Exit),
  Call < Id, Exit < Id,
  event(Call, T, E1), event(Exit, T, E2).

% any method which is called and exited within
% the enclosing method of event whose id is Id
enclosed_method(Id, Call, Exit):-
  full_detail_call_chain(Id, [event(EnclosingId, Thread, _)|_]),
  any_enclosing_method(Id, EnclosingId, IdExit),
  event(Call, Thread, methodcall(_, O, N, _)),
  event(Exit, Thread, methodexit(Call, _, O, N, _)),
  any_enclosing_method(Call, EnclosingId, IdExit),
  any_enclosing_method(Exit, EnclosingId, IdExit).

% Figure 8: the instance field history

instance_field_history(S, E, OName, OId, F, R):-
  findall([Id, F, V], instance_field_value(S, E, OName, OId, F, Id, V), R).

instance_field_value(S, E, OName, OId, F, Id, V):-
  event(Id, _ , setfield(_ , o(OName ,OId), F, V)),
  Id >= S, Id =< E.

% Not printed in the paper, which describes them

full_detail_call_chain(Id, Events):-
  call_chain(Id, Ids),
  reverse(Ids, Reversed),
  findall(event(CId, T, E), (member(CId, Reversed), event(CId, T, E)), Events).

class_field_history(S, E, CName, F, R):-
  findall([Id, F, V], class_field_value(S, E, CName, F, Id, V), R).

class_field_value(S, E, CName, F, Id, V):-
  event(Id, _ , setfield(_ , c(CName), F, V)),
  Id >= S, Id =< E.
