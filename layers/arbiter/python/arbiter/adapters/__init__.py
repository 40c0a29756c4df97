"""What is behind the ports: DynamoDB, SQS, relays, SSM."""
