"""From a record to what it asks."""
