"""Tournaments: values in, values out."""
