export type { AnswerOf, Body, Calls, Given, ItemOf, ListId, OperationId, QueryOf } from "./calls.js";
export { Convoke, type BotName, type ConvokeOptions, type TaskRequest, type TranscriptDocument } from "./client.js";
export { ApiError, ConvokeError, InvalidAnswer, InvalidSignature, Unreachable } from "./errors.js";
export type { EventFilter, EventQuery, Events, StreamOptions } from "./events.js";
export type { HttpOptions } from "./http.js";
export type * from "./models.js";
export { verifyWebhook, type GivenHeaders } from "./webhooks.js";
