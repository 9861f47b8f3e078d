"""C sources of ours, compiled on the machine that runs them."""
