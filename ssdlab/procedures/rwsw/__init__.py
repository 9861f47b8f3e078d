"""Real-world storage workloads: captured streams as tests."""
