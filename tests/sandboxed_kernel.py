"""A kernel for a copy that somebody handed in: it may take so much memory and disk, and no more.

python tests/sandboxed_kernel.py -f CONNECTION_FILE
"""

from ipykernel import kernelapp

GB = 2**30


def limit() -> None:
    """Set the limits that this system knows; Linux knows them all."""
    try:
        import resource
    except ImportError:  # Windows
        return
    wanted = {
        # The data of the process: torch maps much that it never fills, which RLIMIT_AS would count.
        "RLIMIT_DATA": 4 * GB,
        "RLIMIT_FSIZE": GB,
        "RLIMIT_CORE": 0,
    }
    for name, most in wanted.items():
        kind = getattr(resource, name)
        hard = resource.getrlimit(kind)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (most, most))


if __name__ == "__main__":
    limit()
    kernelapp.launch_new_instance()
