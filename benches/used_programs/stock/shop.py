import Stock

stock = Stock()
for name, count in [("rose", 3), ("tulip", 5), ("rose", 4)]:
    stock.add(name, count)
print("roses %d" % stock.count("rose"))
