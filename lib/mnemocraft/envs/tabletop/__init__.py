"""A symbolic table top: a robot arm that picks things up and places them (DEPS, appendix A.2).

It stands in for CLIPort's simulator and its trained policy, which are not used here: things have names and
places instead of poses and pictures, and a skill succeeds with a probability that is a parameter.
:mod:`scene` has things, places and rules, :mod:`tasks` the five tasks, :mod:`solver` a shortest plan.
"""
