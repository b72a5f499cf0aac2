"""The Error Hub library: the bundle, where bundles come from, where they live, how they are found."""
