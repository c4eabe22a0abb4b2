"""Planning in kitchens: compact states, parts of the goal, a bound on the steps left, best-first search."""
