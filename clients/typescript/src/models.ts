import type { components, webhooks } from "./schema.js";
import type { Body, ItemOf } from "./calls.js";

/**
 * The objects of the API, as its JSON has them, by the names that its OpenAPI document gives them.
 * Times are RFC 3339 texts in UTC. Members that a newer server adds are there too.
 */
export type Schemas = components["schemas"];

export type Meeting = Schemas["Meeting"];
export type BotStatus = Schemas["BotStatusReport"];
export type Segment = Schemas["Segment"];
export type Recording = Schemas["RecordingView"];
export type SearchHit = Schemas["SearchHit"];
export type SyncStatus = Schemas["SyncView"];
export type Task = Schemas["Task"];
export type WebhookDelivery = Schemas["WebhookDelivery"];
export type WebhookEndpoint = Schemas["WebhookEndpointView"];
export type RoomClaim = ItemOf<"listRooms">;

/** What to start; `platform` and one of `native_meeting_id` and `meeting_url`. */
export type BotRequest = Body<"startBot">;
export type Platform = BotRequest["platform"];

type Payloads = {
  [Type in keyof webhooks]: webhooks[Type]["post"]["requestBody"] extends {
    content: { "application/json": { data: infer Data } };
  }
    ? Data
    : never;
};

/** The types of events. */
export type EventType = keyof Payloads;

/**
 * An entry of the journal; `seq` grows. `type` says what `data` is; a newer server may have other
 * types.
 */
export type JournalEvent = {
  [Type in EventType]: {
    seq: number;
    type: Type;
    subject: string;
    at: string;
    data: Payloads[Type];
  };
}[EventType];

/** What a webhook carries; a test has no `seq`. */
export type WebhookEvent = {
  [Type in EventType]: {
    type: Type;
    timestamp: string;
    subject: string;
    seq?: number | null;
    data: Payloads[Type];
  };
}[EventType];
