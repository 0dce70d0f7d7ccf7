grammar G;
s : a EOF ;
a : 'x' b ;
