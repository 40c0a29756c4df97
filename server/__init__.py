"""The arbiter in one process on one file: relays, gateway, HTTP and timers around the same
application functions as the Lambdas.
"""
