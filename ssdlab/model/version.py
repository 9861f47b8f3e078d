"""The version of ssdlab."""

VERSION = "0.1.0"
