"""Notebook 08: what GiG and ReAct cost by the paper's formulas, in episodes, and in milliseconds."""
