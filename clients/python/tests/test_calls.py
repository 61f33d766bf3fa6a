import inspect
import json
import unittest
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from convoke import Convoke, InvalidAnswer, pages
from convoke.operations import Operations

from .fakes import FakeServer, Reply

API = json.loads(
    (Path(__file__).parents[3] / "docs/reference/openapi.json").read_text(encoding="utf-8")
)


def snake(name):
    return "".join("_" + one.lower() if one.isupper() else one for one in name)


class CallsTest(unittest.TestCase):
    def setUp(self):
        self.replies = []
        self.server = FakeServer(lambda call: self.replies.pop(0))
        self.addCleanup(self.server.close)
        self.convoke = Convoke(self.server.url, api_key="cvk_1", retries=0, timeout=5)

    def test_every_operation_is_a_method_that_sends_what_the_document_says(self):
        operations = [
            (path, method, operation)
            for path, methods in API["paths"].items()
            for method, operation in methods.items()
        ]
        self.assertGreater(len(operations), 130)
        for path, method, operation in operations:
            call = getattr(self.convoke.api, snake(operation["operationId"]))
            answers = [status for status in operation["responses"] if status.startswith("2")]
            self.replies.append(
                Reply(200, {"items": []}) if answers else Reply(303, headers={"Location": "/"})
            )
            given = inspect.signature(call).parameters.values()
            call(
                *("x/y" if one.name != "body" else {"a": 1}
                  for one in given if one.kind is one.POSITIONAL_OR_KEYWORD),
                **{one.name: "z" for one in given if one.kind is one.KEYWORD_ONLY},
            )  # fmt: skip
            sent = self.server.calls[-1]
            where = urlsplit(sent.path)
            expected = "/".join("x%2Fy" if part[:1] == "{" else part for part in path.split("/"))
            self.assertEqual((sent.method, where.path), (method.upper(), expected))
            parameters = operation.get("parameters", [])
            query = {one["name"] for one in parameters if one["in"] == "query"}
            self.assertEqual(set(parse_qs(where.query)), query, operation["operationId"])
            for one in parameters:
                if one["in"] == "header":
                    self.assertEqual(sent.headers[one["name"].lower()], "z", one["name"])
            if "requestBody" in operation:
                self.assertTrue(sent.headers["content-length"] != "0")
        public = [name for name in vars(Operations) if not name.startswith("_")]
        self.assertEqual(len(public), len(operations))

    def test_a_list_of_any_operation_is_read_page_by_page(self):
        self.replies += [
            Reply(200, {"items": [{"id": 1}], "next_cursor": "c2"}),
            Reply(200, {"items": [{"id": 2}], "next_cursor": None}),
        ]
        teams = [team["id"] for team in pages(self.convoke.api.list_teams)]
        self.assertEqual(teams, [1, 2])
        self.assertEqual(self.server.calls[1].path, "/admin/teams?limit=200&cursor=c2")

    def test_a_given_key_is_kept_and_texts_and_addresses_are_answers(self):
        self.replies += [
            Reply(201, {"id": "t-1"}),
            Reply(303, headers={"Location": "https://id.example"}),
            Reply(303),
        ]
        task = {"request_id": "r", "type": "t", "action": "start", "channel": "c", "payload": {}}
        self.convoke.api.create_task(task, idempotency_key="mine")
        self.assertEqual(self.server.calls[0].headers["idempotency-key"], "mine")
        self.assertEqual(self.convoke.api.sign_in_by_oidc(), "https://id.example")
        with self.assertRaises(InvalidAnswer):
            self.convoke.api.sign_in_by_oidc()


if __name__ == "__main__":
    unittest.main()
