"""IOPS: PTS 2.0.2, section 7."""
