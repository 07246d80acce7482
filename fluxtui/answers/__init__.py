"""Questions asked across documents: which ranks match, is there room, will the queue take it."""
