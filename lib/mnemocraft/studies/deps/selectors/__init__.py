"""Tables, claims and figures of notebook 04; its study is :mod:`mnemocraft.studies.deps.parallel`."""
