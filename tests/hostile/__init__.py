"""H01 to H70, each by name: what strangers may send, where it enters, and what it is answered."""
