"""What is simulated to measure how often intervals hold the truth: a module a topic."""
