"""From what was observed to one legal type a slot: evidence, inference, consolidation, legalization."""
