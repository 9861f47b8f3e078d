"""Figures of quality of service."""
