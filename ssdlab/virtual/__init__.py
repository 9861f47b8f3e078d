"""The virtual SSD: a flash translation layer in memory, served by nbdkit."""
