"""Notices to players who are away: asked for by results, and told beside everything else."""
