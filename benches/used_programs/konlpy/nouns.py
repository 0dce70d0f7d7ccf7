from konlpy.tag import Kkma

print(Kkma().nouns("장미 세 송이"))
