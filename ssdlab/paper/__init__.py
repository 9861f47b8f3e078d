"""What pages are made of: blocks, the frames they read, HTML."""
