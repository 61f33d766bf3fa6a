import json
import os
import signal
import subprocess
import sys
import unittest

PROGRAM = """
import sys
from convoke.pod import Retry, TaskFailed, run
def echo(task):
    print(task.id, task.channel, task.attempt, task.region, task.payload["text"], repr(task), flush=True)
def fail(task): raise TaskFailed("the recorder failed\\nin two lines")
def crash(task): raise RuntimeError("oh no")
def again(task): raise Retry("not yet")
def leave(task): sys.exit("no disk")
def wait(task):
    print("waits", flush=True)
    while not task.wait_for_stop(600): pass
    print("stopped", task.stopping, flush=True)
run({"echo": echo, "fail": fail, "crash": crash, "again": again, "leave": leave, "wait": wait})
"""


class PodTest(unittest.TestCase):
    def start(self):
        program = subprocess.Popen(
            [sys.executable, "-c", PROGRAM],
            env={"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(sys.path)},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.addCleanup(program.kill)
        return program

    def task(self, type):
        return json.dumps({"id": "t1", "type": type, "channel": "c", "attempt": 2, "region": "eu",
                           "payload": {"text": "secret"}}) + "\n"  # fmt: skip

    def test_exit_codes_and_reasons(self):
        for type, code, last in (
            ("fail", 1, "the recorder failed"),
            ("crash", 1, "RuntimeError: oh no"),
            ("again", 75, "not yet"),
            ("leave", 1, "SystemExit: no disk"),
            ("other", 1, "no handler for tasks of type other"),
        ):
            program = self.start()
            _, errors = program.communicate(self.task(type), 20)
            self.assertEqual((program.returncode, errors.splitlines()[-1]), (code, last))
        program = self.start()
        _, errors = program.communicate("garbage\n", 20)
        self.assertEqual((program.returncode, errors), (1, "standard input holds no task\n"))

    def test_a_task_and_its_payload(self):
        program = self.start()
        output, errors = program.communicate(self.task("echo"), 20)
        self.assertEqual((program.returncode, errors), (0, ""))
        self.assertTrue(output.startswith("t1 c 2 eu secret Task(id='t1'"), output)
        self.assertEqual(output.count("secret"), 1, "repr does not show the payload")

    def test_sigterm_is_a_request_to_stop(self):
        program = self.start()
        program.stdin.write(self.task("wait"))
        program.stdin.flush()
        self.assertEqual(program.stdout.readline(), "waits\n")
        program.send_signal(signal.SIGTERM)
        output, _ = program.communicate(timeout=20)
        self.assertEqual((program.returncode, output), (0, "stopped True\n"))
