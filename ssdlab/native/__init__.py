"""C sources of ssdlab, compiled on the machine that runs them."""
