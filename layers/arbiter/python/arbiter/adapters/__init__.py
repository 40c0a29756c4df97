"""Implementations of the ports: DynamoDB, SQS, EventBridge Scheduler, API Gateway, SSM, relays."""
