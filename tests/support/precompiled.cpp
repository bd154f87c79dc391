// The precompiled header of the tests belongs to a target, which needs a source.
