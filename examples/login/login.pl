% Figure 9 of the JavaTA paper: the steps of a login, in their order.

login :-
  event(_, _, setfield(_, _, 'uBox', UBox)),
  event(_, _, setfield(_, _, 'pBox', PBox)),
  event(Id1, _, methodexit(_, _, UBox, 'getText', Username)),
  write('got user name'), nl,
  event(Id2, _, methodexit(_, _, PBox, 'getText', Password)),
  Id2 > Id1, write('got password'), nl,
  event(Id3, _, methodcall(_, _ , 'verify', [Username, Password])),
  Id3 > Id2, write('enter verify'), nl,
  event(Id4, _, methodexit(Id3, _, _, 'verify', 'true')),
  Id4 > Id3, write('exit verify'), nl,
  event(Id5, _, methodexit(_, _, _, 'login', 'true')),
  Id5 > Id4, write('exit login'), nl.
