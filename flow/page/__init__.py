"""The report of a regression: one HTML page that needs neither a network nor a script."""
