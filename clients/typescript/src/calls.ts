import { ConvokeError, InvalidAnswer } from "./errors.js";
import { fill, type Answer, type Http, type Query } from "./http.js";
import { operations } from "./operations.js";
import type { operations as Shapes } from "./schema.js";

/** The operations of the API, by the names that its OpenAPI document gives them. */
export type OperationId = keyof typeof operations;

type Contents<T> = T extends { content: infer C } ? C : never;
type Success<T> = T[Extract<keyof T, 200 | 201 | 202>];

/** The JSON that an operation takes. */
export type Body<Id extends OperationId> =
  Contents<Exclude<Shapes[Id]["requestBody"], undefined>> extends { "application/json": infer B }
    ? B
    : Uint8Array;

/** The parameters of an operation in the query. */
export type QueryOf<Id extends OperationId> = NonNullable<Shapes[Id]["parameters"]["query"]>;

/** What an operation answers: JSON, else text, else bytes; after a redirect its address. */
export type AnswerOf<Id extends OperationId> =
  Success<Shapes[Id]["responses"]> extends infer S
    ? [S] extends [never]
      ? Shapes[Id]["responses"] extends { 303: unknown }
        ? { location: string }
        : undefined
      : S extends { content: { "application/json": infer J } }
        ? J
        : S extends { content: { "text/plain": string } | { "application/yaml": string } }
          ? string
          : S extends { content: object }
            ? Uint8Array
            : undefined
    : never;

type WithBody<Id extends OperationId> = Shapes[Id] extends { requestBody: object }
  ? { body: Body<Id> }
  : Shapes[Id] extends { requestBody?: never }
    ? unknown
    : { body?: Body<Id> };

/** What an operation is given: `path`, `query` and `header`, as far as it has them, and `body`. */
export type Given<Id extends OperationId> = Omit<Shapes[Id]["parameters"], "cookie"> & WithBody<Id>;

type Arguments<Id extends OperationId> =
  Record<never, never> extends Given<Id> ? [given?: Given<Id>] : [given: Given<Id>];

type Page = { items: unknown[]; next_cursor: string | null };
type Entry<T> = T extends Page ? T["items"][number] : never;

/** An entry of a list. */
export type ItemOf<Id extends OperationId> = Entry<AnswerOf<Id>>;

/** The operations that answer a list page by page. */
export type ListId = {
  [Id in OperationId]: [ItemOf<Id>] extends [never] ? never : Id;
}[OperationId];

interface Parts {
  path?: Readonly<Record<string, string | number>>;
  query?: Query;
  header?: Readonly<Record<string, string>>;
  body?: unknown;
}

/** Every operation of the API, typed by its document. */
export class Calls {
  constructor(readonly http: Http) {}

  /**
   * Carries out an operation: `call("getMeeting", { path: { id: 42 } })`.
   *
   * A creation gets an `Idempotency-Key` unless `header` has one.
   */
  async call<Id extends OperationId>(id: Id, ...[given]: Arguments<Id>): Promise<AnswerOf<Id>> {
    const answer = await this.send(id, given as Parts | undefined);
    return content(answer, operations[id][3]) as AnswerOf<Id>;
  }

  /** The entries of a list, which is fetched page by page; those of `path` and `query` if given. */
  async *pages<Id extends ListId>(id: Id, ...[given]: Arguments<Id>): AsyncGenerator<ItemOf<Id>> {
    const parts = (given ?? {}) as Parts;
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const limit = parts.query?.["limit"] ?? 200;
      const query = { ...parts.query, limit, ...(cursor !== undefined && { cursor }) };
      const page = (await this.send(id, { ...parts, query })).object<{
        items: ItemOf<Id>[];
        next_cursor?: string | null;
      }>();
      yield* page.items;
      if (page.next_cursor && page.next_cursor === cursor) {
        throw new ConvokeError("The server's pages do not end");
      }
      cursor = page.next_cursor ?? null;
    }
  }

  /** The answer to an operation as it came; `idempotent` if this very request may be repeated. */
  send(id: OperationId, given: Parts = {}, idempotent?: boolean): Promise<Answer> {
    const [method, path, how, kind] = operations[id];
    return this.http.send(method, fill(path, given.path ?? {}), {
      ...(given.query && { query: given.query }),
      ...(given.header && { headers: given.header }),
      ...(given.body !== undefined && { body: given.body }),
      idempotent: idempotent ?? how === "repeatable",
      creates: how === "creates",
      redirects: kind === "address",
    });
  }
}

function content(answer: Answer, kind: (typeof operations)[OperationId][3]): unknown {
  switch (kind) {
    case "json":
      return answer.object();
    case "any":
      return answer.body.length === 0 ? undefined : answer.json();
    case "text":
      return answer.text();
    case "bytes":
      return answer.body;
    case "nothing":
      return undefined;
    case "address": {
      const location = answer.headers.get("location");
      if (location === null) {
        throw new InvalidAnswer(`The answer (${answer.status}) leads nowhere`);
      }
      return { location };
    }
  }
}
