from pyspark.sql import SparkSession
from pyspark.sql.types import StringType

spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
spark.sparkContext.setLogLevel("ERROR")
spark.udf.registerJavaFunction("grade", "Grade", StringType())
exam = spark.createDataFrame([("Ann", 81.0), ("Ben", 49.5), ("Cem", 12.0)], ["name", "points"])
exam.createOrReplaceTempView("exam")
rows = spark.sql("select count(*) as passed from exam where grade(points) = 'passed'").collect()
print("passed", rows[0].passed)
spark.stop()
