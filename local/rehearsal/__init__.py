"""A deployment's whole life on this machine: `python -m local.rehearsal`, or `make rehearse`."""
