# SPDX-License-Identifier: Apache-2.0
"""`python3 FOLDER COMMAND …`: what the executable of an installation or source tree becomes."""

import sys

from roofscope.__main__ import main

if __name__ == "__main__":
    sys.exit(main())
