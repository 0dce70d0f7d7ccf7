function total(prices) {
  var sum = 0;
  for (var i = 0; i <= prices.length; i++) sum += prices[j];
  return sum;
}
console.log(total([1, 2]));
