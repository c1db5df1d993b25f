"""Leave out: code that no example reaches is left out of the scripted model, where it raises.

Safe because Python does not change, and PDT093 lists what was left out.
"""
