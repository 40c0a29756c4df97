"""Tournaments: commands, due moments, games and results, each once however often it comes."""
