"""Makes what is committed below ``data/``; nothing that a notebook imports is here.

* ``python -m mnemocraft.training.controller``: the learned controller (``data/models/controller.*``);
* ``python -m mnemocraft.training.controller.evaluate``: its skills (``data/models/controller_*.csv``);
* ``python -m mnemocraft.training.kitchen_plans``: plans of the kitchens (``data/kitchen/``);
* ``python -m mnemocraft.training.minecraft_rules``: the rules files (``data/minecraft/``).
"""
