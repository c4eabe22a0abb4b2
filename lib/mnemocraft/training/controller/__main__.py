"""Trains the learned controller."""

from mnemocraft.training.controller.train import main

if __name__ == "__main__":
    main()
