"""A small engine in plain Python, so that there is somebody to play without another program."""
