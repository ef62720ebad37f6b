"""Serves a model in GGUF on a free port of this machine and prints where: serve.py FILE."""

import socket
import sys

from xllamacpp import CommonParams, Server

# The library says the port only of a server that was given one.
with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]

params = CommonParams()
params.model.path = sys.argv[1]
params.hostnames = ["127.0.0.1"]
params.port = port
params.n_parallel = 4
params.n_ctx = 8192 * params.n_parallel
# Threads wait for one another by spinning: on a busy machine two are many times slower than one.
params.cpuparams.n_threads = 1
params.cpuparams_batch.n_threads = 1
server = Server(params)
print(f"http://127.0.0.1:{port}/v1", flush=True)
# It ends with whoever started it: by a signal, or when standard input closes.
sys.stdin.read()
