"""The study of selectors among parallel goals (notebook 04): its sweep, tables, claims and figures."""
