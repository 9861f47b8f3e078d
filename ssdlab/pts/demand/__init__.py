"""Demand variation: CBW and DIRTH, PTS 2.0.2, sections 13 and 14."""
