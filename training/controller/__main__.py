"""Trains the learned controller."""

from training.controller.train import main

if __name__ == "__main__":
    main()
