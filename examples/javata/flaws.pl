% state(Id, State): the state of the first object, after an event.
state(Id, State) :-
  event(3, _, methodcall(_, o(Class, Number), _, _)),
  object_state(Id, Class, Number, State).

% ended(Id, Ended): the calls that had ended before an event, as Call-End.
ended(Id, Ended) :-
  pre_event_called_methods(Id, Pairs),
  findall(Call-End, member([event(Call, _, _), event(End, _, _)], Pairs), Ended).
