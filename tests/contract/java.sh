#!/bin/sh
# Run the contract suite on DynamoDB Local and ElasticMQ. Needs a JDK and Maven.
set -eu
cd "$(dirname "$0")/../.."
make .venv/.dev
sh tests/contract/java_stand_in.sh dynamodb_local .venv/tools/dynamodb-local
sh tests/contract/java_stand_in.sh elasticmq .venv/tools/elasticmq
exec .venv/bin/python -m pytest -m java tests/contract
