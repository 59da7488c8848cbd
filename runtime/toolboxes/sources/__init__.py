"""The Sources toolbox: catalogs and reads of admitted databases."""
