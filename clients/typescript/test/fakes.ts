import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Call {
  method: string;
  path: string;
  name: string;
  headers: IncomingMessage["headers"];
  body: Record<string, unknown>;
}

export interface Reply {
  status?: number;
  body?: unknown;
  raw?: string | Uint8Array;
  headers?: Record<string, string>;
  hangUp?: boolean;
  /** Ends the connection in the middle of the body. */
  torn?: boolean;
  /** Never ends the body. */
  stalls?: boolean;
}

/** Answers each request as a test says; `calls` has what was asked. */
export class FakeServer {
  readonly calls: Call[] = [];
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  #waiting: [(call: Call) => boolean, () => void][] = [];
  url = "";

  constructor(public answer: (call: Call) => Reply | Promise<Reply>) {}

  async start(): Promise<this> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return this;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /** Resolves with the next such call. */
  next(name: string, wanted: (call: Call) => boolean = () => true): Promise<Call> {
    return new Promise((resolve) => {
      const fits = (call: Call) => call.name === name && wanted(call) && (resolve(call), true);
      this.#waiting.push([fits, () => {}]);
    });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = "";
    request.setEncoding("utf8"); // a chunk may end within a character
    for await (const chunk of request) {
      text += String(chunk);
    }
    const path = request.url ?? "";
    const call: Call = {
      method: request.method ?? "",
      path,
      name: (path.split("?")[0] ?? "").replace("/callback/", ""),
      headers: request.headers,
      body: text ? (JSON.parse(text) as Record<string, unknown>) : {},
    };
    this.calls.push(call);
    const reply = await this.answer(call);
    this.#waiting = this.#waiting.filter(([fits]) => !fits(call));
    if (reply.hangUp) {
      response.socket?.destroy();
      return;
    }
    response.writeHead(reply.status ?? 200, reply.headers);
    if (reply.torn) {
      response.write(reply.raw, () => response.socket?.destroy());
      return;
    }
    if (reply.stalls) {
      response.write(reply.raw);
      return;
    }
    response.end(reply.raw ?? (reply.body === undefined ? "" : JSON.stringify(reply.body)));
  }
}

/** The control plane as bots see it. */
export class Plane extends FakeServer {
  readonly commands = new Map<string, object>();
  readonly sounds = new Map<string, Uint8Array>();
  failures = 0;
  /** How often each of these calls is answered 503 before it is taken. */
  readonly failing = new Map<string, number>();
  status = 200;
  garbage = false;
  #changed: () => void = () => {};

  constructor() {
    super((call) => this.#answer(call));
  }

  command(id: string, action: string, more: object = {}): void {
    this.commands.set(id, { id, action, ...more });
    this.wake();
  }

  /** Resolves with the next acknowledgement of a command. */
  async acknowledged(id: string): Promise<Record<string, unknown>> {
    return (await this.next("ack", ({ body }) => body["command_id"] === id)).body;
  }

  wake(): void {
    this.#changed();
  }

  names(): string[] {
    return this.calls.map((call) => call.name).filter((name) => name !== "commands");
  }

  last(name: string): Call {
    const found = this.calls.filter((call) => call.name === name).at(-1);
    if (!found) {
      throw new Error(`no call ${name} among ${this.names()}`);
    }
    return found;
  }

  async #answer(call: Call): Promise<Reply> {
    if (call.name === "commands") {
      while (this.commands.size === 0 && this.status === 200) {
        await new Promise<void>((resolve) => {
          this.#changed = resolve;
        });
      }
    } else if (this.failures > 0) {
      this.failures--;
      return { status: 503 };
    }
    const failures = this.failing.get(call.name) ?? 0;
    if (failures > 0) {
      this.failing.set(call.name, failures - 1);
      return { status: 503 };
    }
    if (call.name.startsWith("speech/")) {
      const raw = this.sounds.get(call.name.replace("speech/", ""));
      return raw === undefined ? { status: 404 } : { raw };
    }
    if (call.name === "ack" && this.status === 200) {
      this.commands.delete(String(call.body["command_id"]));
    }
    if (this.garbage) {
      this.garbage = false;
      return { raw: "<html>Welcome to nginx!</html>" };
    }
    const body = { meeting_id: 42, status: "active", commands: [...this.commands.values()] };
    return { status: this.status, body };
  }
}
