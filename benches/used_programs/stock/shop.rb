java_import "Stock"

stock = Stock.new
[["rose", 3], ["tulip", 5], ["rose", 4]].each { |name, count| stock.add(name, count) }
puts "roses #{stock.count("rose")}"
