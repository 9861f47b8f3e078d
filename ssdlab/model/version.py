"""The version of ssdlab."""

VERSION = "0.2.0"
