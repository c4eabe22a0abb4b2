"""Rules files of Minecraft, made from three packages and from ``handwritten.toml``."""
