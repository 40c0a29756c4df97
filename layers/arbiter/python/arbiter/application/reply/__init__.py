"""From a result to what is sent."""
