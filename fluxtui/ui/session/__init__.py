"""What a session keeps and brings back: drafts, documents, saving, exporting."""
