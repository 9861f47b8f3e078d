"""Cross-stimulus recovery: PTS 2.0.2, section 12."""
