"""Training and evaluation of the learned controller.

``demonstrations`` and ``views`` are what it learns from, ``rows`` makes tensors of them, ``train`` clones,
``panorama`` trains the last head, ``evaluate`` measures all controllers.
"""
