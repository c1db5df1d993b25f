"""Output for programs: JSON, SARIF, GitHub, JUnit."""
