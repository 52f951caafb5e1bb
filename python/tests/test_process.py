"""Processes and threads: forks, interpreters, signals, memory, the end of the process."""

from __future__ import annotations

import importlib.metadata
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import trackgen
from trackgen import errors

pytestmark = pytest.mark.filterwarnings("default")


def test_fork_is_refused(run):
    ran = run(
        """
        import os, trackgen, warnings
        warnings.simplefilter("ignore", DeprecationWarning)  # Python warns of a fork among threads itself
        generator = trackgen.TrackGenerator("cpu", {"num_envs": 2})
        generator.generate()
        child = os.fork()
        if child == 0:
            for call in (generator.generate, trackgen.devices, lambda: trackgen.open("cpu")):
                try:
                    call()
                except trackgen.ForkedError as error:
                    assert "spawn" in str(error)
                else:
                    os._exit(2)
            del generator
            os._exit(3)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3
        generator.generate()
        print("fine")
        """
    )
    assert ran.stdout == "fine\n", ran.stderr


def test_spawned_processes_work(run, tmp_path):
    script = tmp_path / "spawn.py"
    script.write_text(
        textwrap.dedent(
            """
            import multiprocessing
            import trackgen

            def work(seed):
                with trackgen.TrackGenerator("cpu", {"num_envs": 2}, seed=seed) as generator:
                    return generator.generate().seed.read().tolist()

            if __name__ == "__main__":
                with multiprocessing.get_context("spawn").Pool(2) as pool:
                    print(pool.map(work, [1, 5]))
            """
        )
    )
    ran = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120)
    assert ran.stdout == "[[1, 2], [5, 6]]\n", ran.stderr


def test_subinterpreters_are_refused(run):
    ran = run(
        """
        import sys
        try:
            import _interpreters as interpreters
        except ImportError:
            import _xxsubinterpreters as interpreters
        import trackgen
        source = '''
        try:
            import trackgen
        except ImportError as error:
            print(error)
        '''
        import textwrap
        number = interpreters.create()
        interpreters.run_string(number, "import sys; sys.path[:] = " + repr(sys.path))
        interpreters.run_string(number, textwrap.dedent(source))
        interpreters.destroy(number)
        """
    )
    assert "trackgen cannot be imported into a sub-interpreter" in ran.stdout, ran.stderr


@pytest.mark.parametrize("what", ["constructor", "generate"])
def test_interrupt(what):
    """Ctrl-C ends a call that takes long, and the process goes on."""
    source = """
    import sys, time, trackgen
    settings = {"generator": "repulsive", "num_envs": 256}
    device = trackgen.open("cpu", workers=1)
    if sys.argv[1] == "constructor":
        settings["num_envs"] = 192
        settings = {"tracks": settings, "checkpoints": {"spacing": 0.6}}
        begin = lambda: trackgen.Course(device, settings)
    else:
        begin = trackgen.TrackGenerator(device, settings).generate
    print("begin", flush=True)
    try:
        begin()
    except KeyboardInterrupt:
        print("interrupted", flush=True)
    quick = trackgen.TrackGenerator(device, {"num_envs": 1})
    print(quick.generate().seed.read().tolist(), flush=True)
    """
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(source), what], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout.readline() == "begin\n", process.stderr.read()
        time.sleep(0.7)
        sent = time.monotonic()
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "interrupted\n", process.stderr.read()
        took = time.monotonic() - sent
        assert process.stdout.readline() == "[0]\n", process.stderr.read()
        assert process.wait(120) == 0
        assert took < 5, "it waits for half a second, and then leaves the call to itself"
    finally:
        process.kill()
        process.communicate()


def test_an_interrupted_call_ends_before_the_next(generator):
    """What KeyboardInterrupt has left behind is waited for, not raced with."""
    released = threading.Event()
    from trackgen._handles import Pending

    generator._pending = Pending(released.wait)
    thread = threading.Thread(target=generator.generate)
    thread.start()
    thread.join(0.2)
    assert thread.is_alive()
    released.set()
    thread.join(30)
    assert not thread.is_alive() and generator._pending is None


def test_handler_of_signals_is_pythons(run):
    ran = run(
        """
        import os, signal
        seen = []
        signal.signal(signal.SIGUSR1, lambda *arguments: seen.append("usr1"))
        import trackgen
        generator = trackgen.TrackGenerator("cpu", {"num_envs": 2})
        generator.generate()
        os.kill(os.getpid(), signal.SIGUSR1)
        print(seen, signal.getsignal(signal.SIGINT) is signal.default_int_handler)
        """
    )
    assert ran.stdout == "['usr1'] True\n", ran.stderr


@pytest.mark.parametrize("keep", ["generator", "view", "capsule", "wrapped", "race"])
def test_end_of_the_interpreter(run, keep):
    ran = run(
        f"""
        import trackgen, numpy as np, builtins
        device = trackgen.open("cpu")
        generator = trackgen.TrackGenerator(device, {{"num_envs": 2}})
        generator.generate()
        things = {{
            "generator": lambda: generator,
            "view": lambda: generator.tracks.center.numpy(),
            "capsule": lambda: [generator.tracks.center.__dlpack__(), np.from_dlpack(generator.tracks.center)],
            "wrapped": lambda: trackgen.from_dlpack(np.zeros(4, np.int32), device),
            "race": lambda: trackgen.Race("cpu", {{"tracks": {{"num_envs": 2, "scale": 10, "road": {{"half_width": 1}}}}}}),
        }}
        builtins.kept = things["{keep}"]()
        print("end")
        """,
        options=("-X", "faulthandler"),
    )
    assert (ran.returncode, ran.stdout) == (0, "end\n"), ran.stderr
    assert "Error" not in ran.stderr and "Exception" not in ran.stderr, ran.stderr


def test_threads_at_once(device, config):
    """Sixteen threads with generators of their own get the same bits as one."""
    wanted = {}
    for seed in range(16):
        with trackgen.TrackGenerator(device, config, seed=seed) as generator:
            wanted[seed] = generator.generate().center.read()
    wrong = []

    def work(seed):
        try:
            with trackgen.TrackGenerator(device, config, seed=seed) as generator:
                for _ in range(3):
                    got = generator.generate().center.numpy()
                    if not np.array_equal(got, wanted[seed], equal_nan=True):
                        wrong.append(seed)
                generator.regenerate(np.ones(4, bool))
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_one_thread_at_a_time(device):
    """A second thread on one generator is refused, and nothing breaks."""
    generator = trackgen.TrackGenerator(device, {"num_envs": 64, "generator": "repulsive", "output": {"loop_points": 64}})
    refused, other = [], []
    done = threading.Event()

    def work():
        while not done.is_set():
            try:
                generator.regenerate(None)
            except errors.ConcurrentUseError as error:
                refused.append(error)
            except BaseException as error:
                other.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + 20
    while not refused and time.monotonic() < deadline:
        time.sleep(0.01)
    done.set()
    for thread in threads:
        thread.join()
    generator.close()
    assert refused and not other
    assert isinstance(refused[0], RuntimeError)


def test_the_gil_is_released(device):
    """Another thread of Python runs while a call works."""
    generator = trackgen.TrackGenerator(device, {"num_envs": 512})
    counted = 0
    done = threading.Event()

    def count():
        nonlocal counted
        while not done.is_set():
            counted += 1
            time.sleep(0)

    thread = threading.Thread(target=count)
    thread.start()
    from trackgen._library import lib

    before = counted
    assert lib.tg_generate(generator._handle, 0) == 0
    during = counted - before
    done.set()
    thread.join()
    generator.close()
    assert during > 10


def test_memory_does_not_grow(run):
    """10^4 generations, with views and masks of NumPy."""
    ran = run(
        """
        import os
        import numpy as np, trackgen

        def resident():
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        device = trackgen.open("cpu")
        generator = trackgen.TrackGenerator(device, {"num_envs": 1, "output": {"max_points": 64, "loop_points": 64}})

        def work(rounds):
            for number in range(rounds):
                generator.regenerate(np.array([1], np.int32 if number % 2 else np.uint8))
                assert generator.tracks.center.numpy().shape == (1, 64, 3)
                assert np.asarray(generator.tracks.length).shape == (1,)
                if number % 20 == 0:
                    generator.generate(seeds=number)
                    trackgen.zeros(4, "int32", device).write(number)
                    with trackgen.TrackGenerator(device, {"num_envs": 1}) as other:
                        other.generate()

        work(5000)
        before = resident()
        work(10000)
        print((resident() - before) >> 10)
        """,
        options=("-W", "error"),
    )
    assert ran.returncode == 0, ran.stderr
    assert int(ran.stdout) < 6 << 10, "KiB"


def test_the_wheel_has_the_licences_of_the_library() -> None:
    text = importlib.metadata.distribution("trackgen").read_text("licenses/NOTICE.txt")
    assert text is not None and "Copyright 2009 The Go Authors" in text
