"""Micron's single stimulus: write until the drive saturates."""
