package shop

/** Orders of a shop. The customer `vip-7` gets too small a discount. */
class Order(val customer: String, val price: Int) {
    var rate = 10

    fun discounted(): Int {
        if (customer.startsWith("VIP")) {
            rate = 25
        }
        return price - price * rate / 100
    }
}

inline fun List<Order>.sum(of: (Order) -> Int): Int {
    var sum = 0
    for (order in this) {
        sum += of(order)
    }
    return sum
}

fun main() {
    val orders = listOf(Order("VIP-1", 200), Order("vip-7", 80), Order("Tim", 50))
    val total = orders.sum { it.discounted() }
    println("total $total")
    check(total == 255) { "total is $total" }
}
