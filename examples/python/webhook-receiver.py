"""Registers itself for events and prints those that are authentic: ``webhook-receiver.py PORT``."""

import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

from convoke import Convoke, InvalidSignature, verify_webhook

port = int(sys.argv[1])
endpoint = Convoke().webhooks.create(f"http://127.0.0.1:{port}/hooks")
seen = set()  # a message may arrive twice


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            event = verify_webhook(endpoint["secret"], self.headers, body)
        except InvalidSignature as error:
            print("refused", error, flush=True)
            return self.send_error(401)
        if self.headers["webhook-id"] not in seen:
            seen.add(self.headers["webhook-id"])
            print(event["type"], event["subject"], flush=True)
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", port), Receiver)
print("ready", endpoint["id"], flush=True)
server.serve_forever()
