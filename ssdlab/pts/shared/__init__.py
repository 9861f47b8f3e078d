"""What the tests of the PTS share: settings, steady state, pages."""
