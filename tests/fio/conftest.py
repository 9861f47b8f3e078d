"""Virtual SSDs for the tests of the job files and of the fio process."""

from tests.virtual.conftest import plugin_cache, serve

__all__ = ["plugin_cache", "serve"]
