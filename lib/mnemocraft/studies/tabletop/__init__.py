"""DEPS's table top (appendix A.2): three planners, five tasks, a perfect and a failing controller."""
