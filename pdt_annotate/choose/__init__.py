"""From observations to one legal type a slot: evidence, inference, consolidation, legalization."""
