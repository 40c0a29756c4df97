"""HTTP: what a browser asks and what it is told. Above the application, below the wiring."""
