"""The steps of binder/ in a clean environment with its Python: do pages open, and do four fit?"""

import json
import os
import shutil
import subprocess
import time
from contextlib import closing
from socket import socket
from urllib.error import URLError
from urllib.request import urlopen

import psutil
import pytest

from helpers.classroom.series import ROOT

pytestmark = pytest.mark.weekly

MEMORY = 2000  # MB on mybinder.org
FOUR = ("01_hello", "05_multi", "11_gpt", "14_your")
PAGES = ("notebooks/00_start_here.ipynb", "my_notebooks/es/00_start_here.ipynb")
# Runs these notebooks, and leaves their kernels as an open notebook has them; their process ids.
RUN = """
import glob, sys, nbclient, nbformat
for name in sys.argv[1:]:
    [path] = glob.glob(f"notebooks/{name}*.ipynb")
    where = {"metadata": {"path": "notebooks"}}
    client = nbclient.NotebookClient(nbformat.read(path, 4), timeout=300, resources=where)
    client.execute(cleanup_kc=False)
    print(client.km.provisioner.pid, flush=True)
input()
"""


@pytest.fixture(scope="module")
def image(tmp_path_factory):
    """(the repository, the environment variables) after the steps of binder/."""
    version = (ROOT / "binder" / "runtime.txt").read_text().strip().removeprefix("python-")
    python = shutil.which(f"python{version}") or pytest.skip(f"there is no Python {version} here")
    folder = tmp_path_factory.mktemp("image")
    env, repository, home = (folder / name for name in ("env", "repository", "home"))
    home.mkdir()
    for name in subprocess.check_output(["git", "ls-files"], cwd=ROOT, text=True).splitlines():
        (repository / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, repository / name)
    subprocess.run([python, "-m", "venv", env], check=True)
    changed = {"PATH": f"{env / 'bin'}{os.pathsep}{os.environ['PATH']}", "HOME": str(home)}
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "JUPYTER"))}
    told = {"cwd": repository, "env": kept | changed | {"NB_PYTHON_PREFIX": str(env)}}
    install = ["pip", "install", "--quiet", "-r"]
    if subprocess.run([*install, "binder/requirements.txt"], **told).returncode:
        # Where PyTorch's own index is out of reach, its build for GPUs has to do.
        subprocess.run([*install, "requirements.txt"], check=True, **told)
    subprocess.run(["binder/postBuild"], check=True, **told)
    return told


@pytest.fixture
def server(image):
    """(its process, its address)"""
    with closing(socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    flags = ["--no-browser", "--allow-root", f"--port={port}", "--IdentityProvider.token=x"]
    with subprocess.Popen(["jupyter-lab", *flags], stderr=subprocess.DEVNULL, **image) as process:
        yield process, f"http://127.0.0.1:{port}"
        process.terminate()


def get(address, seconds=60):
    end = time.monotonic() + seconds
    while True:
        try:
            return urlopen(f"{address}?token=x").read()
        except URLError as error:
            if time.monotonic() > end or getattr(error, "code", 0):
                raise
            time.sleep(0.2)  # it has not started yet


def test_pages_open_trusted_and_four_notebooks_fit(image, server):
    process, address = server
    for page in PAGES:
        assert b"jupyter-config-data" in get(f"{address}/lab/tree/{page}")
        cells = json.loads(get(f"{address}/api/contents/{page}"))["content"]["cells"]
        assert all(cell["metadata"]["trusted"] for cell in cells if cell["cell_type"] == "code")
    command, pipe = ["python", "-c", RUN, *FOUR], subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, **image) as run:
        kernels = [psutil.Process(int(run.stdout.readline())) for _ in FOUR]
        open_ = [psutil.Process(process.pid), *kernels]
        used = [p.memory_full_info().pss / 1e6 for p in open_]
        for kernel in kernels:
            kernel.kill()
        run.communicate("\n")
    print("MB at rest, the server and four notebooks:", [round(mb) for mb in used])
    asks = ["python", "-c", "import torch; print(torch.__version__)"]
    if "+cpu" not in subprocess.check_output(asks, text=True, **image):
        pytest.skip(f"the build of torch for GPUs takes more than Binder's: {sum(used):.0f} MB")
    assert sum(used) < MEMORY, used
