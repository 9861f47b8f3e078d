"""Development tools of this repository; not part of the package."""
