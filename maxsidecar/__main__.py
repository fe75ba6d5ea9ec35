"""``python -m maxsidecar``."""

import sys

from maxsidecar.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
