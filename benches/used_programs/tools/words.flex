%%
%class L
%%
"a" { return 1 }
[b { return 2; }
