"""DynamoDB: items as pure functions in ``*_items`` modules, ports in the others."""
