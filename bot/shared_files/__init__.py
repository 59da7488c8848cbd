"""Files that people share with a question: fetched safely, and read for their conversation alone."""
