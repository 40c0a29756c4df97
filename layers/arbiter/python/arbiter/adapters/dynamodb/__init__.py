"""What is stored in DynamoDB: one module for the items, one for the port."""
