"""The Minecraft worlds, seen by a person: a walk, maps, item graphs, skills and speed (notebook 02)."""
