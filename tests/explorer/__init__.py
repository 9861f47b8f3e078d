"""Tests of ssdlab.explorer."""
