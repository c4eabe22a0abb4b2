"""Makes what is committed below ``data/``, run from the repository; nothing that a notebook imports is here.

* ``python -m training.scene_encoder``: GiG's encoder (``data/models/gig_encoder*``, ``kitchen_texts``);
* ``python -m training.finetune``: the small model's adapters (``data/models/*_gemma-3-270m.*``);
* ``python -m training.recording 01`` (``03``, ``06``, ``09``, ``10``): the recordings of their answers
  (``data/recordings/``), asked for of ``python -m training.serving.server`` where that is faster;
* ``python -m training.controller``: the learned controller (``data/models/controller.*``);
* ``python -m training.controller.evaluate``: its skills (``data/models/controller_*.csv``);
* ``python -m training.kitchen_plans``: plans of the kitchens (``data/kitchen/``);
* ``python -m training.minecraft_rules``: the rules files (``data/minecraft/``).
"""
