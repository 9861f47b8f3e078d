"""Many runs on many hosts: what was asked, who works on it, and what is published."""
