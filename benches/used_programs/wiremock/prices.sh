# Asks for a price by a path that no stub has.
stub='{"request": {"method": "GET", "urlPath": "/prices/rose"}, "response": {"body": "3"}}'
curl -s -X POST "http://127.0.0.1:$1/__admin/mappings" -d "$stub" >stub.json
curl -s http://127.0.0.1:$1/prices/Rose >answer.txt
