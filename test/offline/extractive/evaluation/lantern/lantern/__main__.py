"""Command line of Lantern."""
import sys

from lantern import backup, server, worker

COMMANDS = {"serve": server.serve, "work": worker.run_forever, "backup": backup.copy_queue}


def main(arguments):
    if not arguments or arguments[0] not in COMMANDS:
        print("usage: python -m lantern serve|work|backup FILE", file=sys.stderr)
        return 2
    return COMMANDS[arguments[0]](*arguments[1:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
