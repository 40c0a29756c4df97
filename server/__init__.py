"""The arbiter in one process on one file, around the same application functions as the Lambdas."""
