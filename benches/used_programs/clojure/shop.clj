(ns shop)

(defn rate [customer]
  (if (.startsWith customer "VIP") 25 10))

(defn discounted [order]
  (let [price (:price order)
        percent (rate (:customer order))]
    (- price (quot (* price percent) 100))))

(def orders [{:customer "VIP-1" :price 200}
             {:customer "vip-7" :price 80}
             {:customer "Tim" :price 50}])

(defn total []
  (reduce + (map discounted orders)))

(println "total" (total))
