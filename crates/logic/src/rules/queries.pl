% The predicates of the JavaTA paper, over the indexes of the recording.

% call_chain(Id, CallIds): the calls that enclose an event, the outermost first (Figure 4).
call_chain(Id, CallIds) :-
  findall(CallId, enclosing_call(Id, CallId), Innermost),
  reverse(Innermost, CallIds).

% full_detail_call_chain(Id, Events): the same as events, the innermost first.
full_detail_call_chain(Id, Events) :-
  findall(Event, (enclosing_call(Id, CallId), event_term(CallId, Event)), Events).

% any_enclosing_method(Id, CallId, EndId): a call that encloses an event, and the event that ended it: its
% exit, or the exception that left it.
any_enclosing_method(Id, CallId, EndId) :-
  enclosing_call(Id, CallId),
  call_end(CallId, EndId).

% where(Thread, Event, Environment): an event and the call that encloses it (Figure 5).
where(Thread, Event, Environment) :-
  event(Id, Thread, Event),
  once(enclosing_call(Id, CallId)),
  event_term(CallId, Environment).

where_exception_is_thrown(Thread, Environment) :-
  where(Thread, exception(_, _, _, uncaught), Environment).

% pre_event_called_methods(Id, Pairs): the calls that ended before an event in the same method, and those
% inside them, each with the event that ended it (Figure 7).
pre_event_called_methods(Id, Pairs) :-
  findall([Call, End], pre_event_called_method(Id, Call, End), Pairs).

pre_event_called_method(Id, Call, End) :-
  once(enclosing_call(Id, MethodId)),
  event(MethodId, Thread, _),
  event(CallId, Thread, methodcall(_, _, _, _)),
  CallId > MethodId, CallId < Id,
  call_end(CallId, EndId),
  EndId < Id,
  event_term(CallId, Call),
  event_term(EndId, End).

% post_event_called_methods(Id, Pairs): the calls that began after an event in the same method.
post_event_called_methods(Id, Pairs) :-
  findall([Call, End], post_event_called_method(Id, Call, End), Pairs).

post_event_called_method(Id, Call, End) :-
  once(enclosing_call(Id, MethodId)),
  direct_call(MethodId, CallId),
  CallId > Id,
  call_end(CallId, EndId),
  event_term(CallId, Call),
  event_term(EndId, End).

% instance_field_history(From, To, Class, Number, Field, History): [Id, Field, Value] for each write to a
% field of an object (Figure 8).
instance_field_history(From, To, Class, Number, Field, History) :-
  findall([Id, Field, Value],
          ( event(Id, _, setfield(_, o(Class, Number), Field, Value)), Id >= From, Id =< To ),
          History).

% class_field_history(From, To, Class, Field, History): the same for a static field.
class_field_history(From, To, Class, Field, History) :-
  findall([Id, Field, Value],
          ( event(Id, _, setfield(_, c(Class), Field, Value)), Id >= From, Id =< To ),
          History).

% object_state(Id, Class, Number, State): [SetId, Field, Value] for each field of an object after an event,
% also for fields of superclasses (Figure 6). SetId is `default` for a field that was never set,
% `constant` for a constant of the class file, and `unknown` if no write was recorded that gave it its value.
object_state(Id, Class, Number, State) :-
  findall([SetId, Field, Value], field_at(Id, o(Class, Number), Field, SetId, Value), State).
