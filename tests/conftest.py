"""Root of the test suite: deliberately without fixtures, each part brings its own."""
