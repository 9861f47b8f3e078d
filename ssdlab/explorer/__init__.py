"""Look at runs by hand in a notebook: pick, click, watch, take away."""
