"""The studies of DEPS: planners and rounds (notebook 03), selectors among parallel goals (notebook 04)."""
