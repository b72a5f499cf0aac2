"""python -m errorhub.examples FOLDER: write the example logs into a folder, slots filled."""

import sys
from pathlib import Path

from errorhub.examples import write

if len(sys.argv) != 2:
    sys.exit("usage: python -m errorhub.examples FOLDER")
print(f"{len(write(Path(sys.argv[1])))} files in {sys.argv[1]}")
