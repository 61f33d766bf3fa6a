"""Tasks of two types: ./convoke pod --region eu-west-1 --slots 2 --exec 'python3 first-pod.py'"""

from convoke.pod import Retry, Task, TaskFailed, run


def count(task: Task) -> None:
    """Counts until it is stopped, or to the end."""
    for _ in range(task.payload["seconds"]):
        if task.wait_for_stop(1.0):
            return


def check(task: Task) -> None:
    if "url" not in task.payload:
        raise TaskFailed("url is missing")
    if task.attempt == 1:
        raise Retry("the first attempt never succeeds")


run({"count": count, "check": check})
