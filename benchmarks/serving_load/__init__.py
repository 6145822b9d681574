"""What the load test of the server is made of: servers in processes of their own, and clients."""
