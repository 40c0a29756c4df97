"""`python -m server`: the same as `arbiter`."""

import sys

from server.cli import main

sys.exit(main())
