class Order {
    int price
    String customer

    int discounted() {
        int rate = 10
        if (customer.startsWith("VIP")) {
            rate = 25
        }
        return price - price * rate / 100
    }
}

def orders = [new Order(customer: "VIP-1", price: 200), new Order(customer: "vip-7", price: 80)]
int total = 0
orders.each { order ->
    total += order.discounted()
}
println "total " + total
