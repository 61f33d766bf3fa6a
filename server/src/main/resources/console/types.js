// @ts-check
// The shapes of the public API that the console reads, as JSDoc types. No code.

/** @typedef {'reserved'|'starting'|'active'|'stopping'|'completed'|'failed'} Status */
/** @typedef {'daily'|'janus'|'google_meet'|'zoom'|'teams'} Platform */

/**
 * @typedef {object} Outcome
 * @property {string} [reason]
 * @property {'user'|'host'|'platform'|'us'} [attribution]
 * @property {number} [exit_code]
 * @property {string} [stage]
 */

/**
 * @typedef {object} Meeting
 * @property {number} id
 * @property {number} user_id
 * @property {Platform} platform
 * @property {string} platform_specific_id
 * @property {Status} status
 * @property {'queued'|'awaiting_admission'|null} [substatus]
 * @property {boolean} tracked true when no bot belongs to the row
 * @property {string|null} [bot_container_id]
 * @property {string|null} [start_time]
 * @property {string|null} [end_time]
 * @property {number} num_clients
 * @property {Record<string, any> & {outcome?: Outcome, title?: string, bot_name?: string}} [data]
 * @property {string} created_at
 * @property {string} updated_at
 */

/**
 * @typedef {object} Session one participant's stay in the room
 * @property {string} session_id
 * @property {string|null} [user_id]
 * @property {string|null} [user_name]
 * @property {string} joined_at
 * @property {string|null} [left_at]
 */

/**
 * @typedef {object} Presence
 * @property {number} meeting_id
 * @property {number} num_clients
 * @property {string|null} as_of
 * @property {string|null} source
 * @property {'idle'|'needs_poll'|'polling'|'needs_poll_while_polling'} poll_state
 * @property {Session[]} items
 */

/**
 * @typedef {object} Bot
 * @property {number} meeting_id
 * @property {Status} status
 * @property {string|null} state_entered_at
 * @property {string|null} deadline
 * @property {string|null} owner
 * @property {string|null} session_uid
 * @property {number} attempt
 * @property {string|null} desired
 * @property {string|null} last_heartbeat
 * @property {{action: string}[]} pending_commands
 * @property {'queued'|'awaiting_admission'|null} [substatus]
 * @property {string|null} [lobby_since]
 * @property {{position: number, since: string, until: string}|null} [queue]
 * @property {string|null} [life_ends_at]
 * @property {any} [progress]
 * @property {{at: string, reason: string}|null} [end_request]
 * @property {any} [last_change]
 */

/**
 * @typedef {object} JournalEvent
 * @property {number} seq
 * @property {string} type
 * @property {string} subject
 * @property {string} at
 * @property {Record<string, any>|null} data
 */

/**
 * @typedef {object} Segment
 * @property {number} id
 * @property {number} start
 * @property {number} end
 * @property {string} text
 * @property {string|null} [speaker]
 * @property {string|null} [language]
 * @property {string|null} session_uid
 * @property {string} created_at
 * @property {string|null} said_at
 * @property {boolean} completed false for a draft
 * @property {number|null} [level_db] dBov
 */

/** @typedef {{meeting_id: number, segments: Segment[], partial: boolean, next_cursor: string|null}} Transcript */

/**
 * @typedef {object} Step one step of the work on a recording
 * @property {'download'|'transcribe'|'prepare'|'transform'|'push'} name
 * @property {'pending'|'running'|'done'|'skipped'|'failed'} state
 * @property {number} attempts over all runs
 * @property {number} progress 0 to 1
 * @property {string|null} [started_at]
 * @property {string|null} [ended_at]
 * @property {string|null} [error] why it did not work the last time
 * @property {string|null} [detail] what it came to
 */

/**
 * @typedef {object} Recording
 * @property {string} recording_id
 * @property {number|null} [meeting_id]
 * @property {'in_progress'|'ready'|'processing'|'done'|'failed'|'cancelled'|'empty'|'given_up'|'unmatched'} status
 * @property {string|null} [reason]
 * @property {Step[]} steps
 * @property {number} run
 * @property {string} room_name
 * @property {string} kind
 * @property {string} found_by
 * @property {string|null} [owner]
 * @property {string|null} [deadline]
 * @property {number[]} candidates
 * @property {string|null} [start_time]
 * @property {number|null} [duration_s]
 * @property {{size: number, sha256: string}|null} [audio]
 * @property {string|null} [workflow_id]
 * @property {string} state_entered_at
 * @property {string} created_at
 * @property {string} updated_at
 */

/**
 * @typedef {object} Egress what a pod makes of a room
 * @property {string} task_id
 * @property {'record'|'hls'|'snapshots'|'push'} kind
 * @property {string} room
 * @property {'PENDING'|'PROCESSING'|'SUCCESS'|'FAILED'|'TIMEOUT'} state
 * @property {string} created_at
 * @property {string|null} ended_at
 * @property {number|null} bytes
 * @property {string|null} deleted_at
 */

/**
 * @typedef {object} Task
 * @property {string} id
 * @property {string} type
 * @property {string} channel
 * @property {string} request_id
 * @property {any} payload
 * @property {'PENDING'|'PROCESSING'|'SUCCESS'|'FAILED'|'TIMEOUT'} state
 * @property {string} created_at
 * @property {string} pending_at
 * @property {string|null} processed_at
 * @property {string|null} completed_at
 * @property {string} error
 * @property {number|null} worker_id the slot in the pod
 * @property {string|null} lease_expiry
 * @property {string|null} region
 * @property {string|null} pod_id
 * @property {number} attempt
 * @property {boolean} [stopping] set here, by an event
 */

/** @typedef {{region: string, pending: number, processing: number, oldest_pending_ms: number, pods: number, slots: number, free_slots: number}} Region */
/** @typedef {{pod_id: string, region: string, slots: number, free_slots: number, draining?: boolean}} Pod */

/** @template T @typedef {{items: T[], next_cursor: string|null}} Page */

export {};
