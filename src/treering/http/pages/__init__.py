"""Pages for people: plain HTML, made on the server, without scripts or anything from elsewhere."""
