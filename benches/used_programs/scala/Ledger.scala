/** Bookings of an account. Fees are subtracted from the wrong side. */
class Account(var balance: Int) {
  def +=(amount: Int): Unit = {
    balance = balance + amount
  }

  def charge(fee: Int): Unit = {
    val signed = if (balance > 100) fee else -fee
    this += signed
  }
}

object Ledger {
  def main(args: Array[String]): Unit = {
    val account = new Account(50)
    List(100, 30, -20).foreach { amount =>
      account += amount
    }
    account.charge(5)
    val left = account.balance
    println("left " + left)
    assert(left == 155, "left " + left)
  }
}
