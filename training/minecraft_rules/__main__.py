"""Makes the rules files again."""

import sys

from training.minecraft_rules.build import main

if __name__ == "__main__":
    sys.exit(main())
