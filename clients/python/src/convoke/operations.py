# Generated: ./convoke test -Dapi.write=true --only GeneratedClientsTest
# The sha256 of docs/reference/openapi.json was ed40b49ffb30df6f3eeb99ca7e9a1d0bc396db84fea69c2a03f4530ab2d29fea.
"""The operations of the API, each with what it takes."""

from __future__ import annotations

from typing import Any, Literal

from . import types as t
from ._calls import Caller


class Operations(Caller):
    """Every operation of the API's document, by its name there."""

    def create_user(
        self,
        body: t.CreateUserBody,
        *,
        idempotency_key: str | None = None,
    ) -> t.User:
        """Create a user, or find the one that has this email."""
        return self._call(
            "POST",
            "/admin/users",
            "with_key",
            "json",
            body=body,
            key=idempotency_key,
        )

    def list_users(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> t.Page[t.User]:
        """List users, oldest first."""
        return self._call(
            "GET",
            "/admin/users",
            "repeatable",
            "json",
            query={"limit": limit, "cursor": cursor},
        )

    def get_user(
        self,
        id: int,
    ) -> t.User:
        """Show a user."""
        return self._call(
            "GET",
            "/admin/users/{id}",
            "repeatable",
            "json",
            path={"id": id},
        )

    def change_user(
        self,
        id: int,
        body: t.ChangeUserBody,
    ) -> t.User:
        """Change a user; absent fields are unchanged."""
        return self._call(
            "PATCH",
            "/admin/users/{id}",
            "once",
            "json",
            path={"id": id},
            body=body,
        )

    def issue_token(
        self,
        id: int,
        body: t.IssueTokenBody | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> t.IssuedApiToken:
        """Create an API token for a user; it is shown once."""
        return self._call(
            "POST",
            "/admin/users/{id}/tokens",
            "with_key",
            "json",
            path={"id": id},
            body=body,
            key=idempotency_key,
        )

    def list_tokens(
        self,
        id: int,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> t.Page[t.ApiToken]:
        """A user's API tokens without their secrets, newest first, revoked ones too."""
        return self._call(
            "GET",
            "/admin/users/{id}/tokens",
            "repeatable",
            "json",
            path={"id": id},
            query={"limit": limit, "cursor": cursor},
        )

    def revoke_token(
        self,
        id: int,
    ) -> None:
        """Revoke an API token. Idempotent."""
        return self._call(
            "DELETE",
            "/admin/tokens/{id}",
            "repeatable",
            "nothing",
            path={"id": id},
        )

    def list_audit_entries(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> t.Page[t.AuditEntryView]:
        """What operators and keys changed, newest first."""
        return self._call(
            "GET",
            "/admin/audit",
            "repeatable",
            "json",
            query={"limit": limit, "cursor": cursor},
        )

    def show_usage(
        self,
        *,
        user_id: int | None = None,
    ) -> t.QuotaUsages:
        """How much the caller has of everything that is limited."""
        return self._call(
            "GET",
            "/usage",
            "repeatable",
            "json",
            query={"user_id": user_id},
        )

    def track_meeting(
        self,
        body: t.TrackMeetingBody,
        *,
        user_id: int | None = None,
        idempotency_key: str | None = None,
    ) -> t.Meeting:
        """Track presence of a meeting without a bot."""
        return self._call(
            "POST",
            "/meetings",
            "with_key",
            "json",
            query={"user_id": user_id},
            body=body,
            key=idempotency_key,
        )

    def list_meetings(
        self,
        *,
        status: Literal["reserved", "starting", "active", "stopping", "completed", "failed"] | None = None,
        platform: Literal["daily", "janus", "google_meet", "zoom", "teams"] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        user_id: int | None = None,
    ) -> t.Page[t.Meeting]:
        """Meetings, newest first."""
        return self._call(
            "GET",
            "/meetings",
            "repeatable",
            "json",
            query={"status": status, "platform": platform, "limit": limit, "cursor": cursor, "user_id": user_id},
        )

    def get_meeting(
        self,
        id: int,
    ) -> t.Meeting:
        """One meeting."""
        return self._call(
            "GET",
            "/meetings/{id}",
            "repeatable",
            "json",
            path={"id": id},
        )

    def describe_meeting(
        self,
        id: int,
        body: t.DescribeMeetingBody,
    ) -> t.Meeting:
        """Replace the free-form data of a meeting; its outcome stays."""
        return self._call(
            "PATCH",
            "/meetings/{id}",
            "once",
            "json",
            path={"id": id},
            body=body,
        )

    def meeting_timeline(
        self,
        id: int,
        *,
        order: Literal["oldest", "newest"] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        user_id: int | None = None,
    ) -> t.Page[t.MeetingHistoryEntry]:
        """The events of a meeting in order, without transcript segments."""
        return self._call(
            "GET",
            "/meetings/{id}/timeline",
            "repeatable",
            "json",
            path={"id": id},
            query={"order": order, "limit": limit, "cursor": cursor, "user_id": user_id},
        )

    def get_transcript(
        self,
        meeting_id: int,
        *,
        format: Literal["json", "vtt", "srt", "txt", "md"] | None = None,
        session_uid: str | None = None,
        words: bool | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> t.TranscriptView:
        """The transcript of a meeting, also as WebVTT, SubRip, text or Markdown."""
        return self._call(
            "GET",
            "/transcripts/{meeting_id}",
            "repeatable",
            "json",
            path={"meeting_id": meeting_id},
            query={"format": format, "session_uid": session_uid, "words": words, "limit": limit, "cursor": cursor},
        )

    def list_chat(
        self,
        id: int,
        *,
        after: int | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        user_id: int | None = None,
    ) -> t.Page[t.ChatMessage]:
        """The chat of a meeting that a bot has read or written, oldest first."""
        return self._call(
            "GET",
            "/meetings/{id}/chat",
            "repeatable",
            "json",
            path={"id": id},
            query={"after": after, "limit": limit, "cursor": cursor, "user_id": user_id},
        )

    def correct_segment(
        self,
        meeting_id: int,
        segment_id: int,
        body: t.CorrectSegmentBody,
    ) -> t.Segment:
        """Correct the text or the speaker of a completed segment."""
        return self._call(
            "PATCH",
            "/transcripts/{meeting_id}/segments/{segment_id}",
            "once",
            "json",
            path={"meeting_id": meeting_id, "segment_id": segment_id},
            body=body,
        )

    def rename_speaker(
        self,
        meeting_id: int,
        body: t.RenameSpeakerBody,
    ) -> t.RenamedSpeaker:
        """Rename a speaker in all segments of a meeting, also in those that follow."""
        return self._call(
            "PATCH",
            "/transcripts/{meeting_id}/speakers",
            "once",
            "json",
            path={"meeting_id": meeting_id},
            body=body,
        )

    def list_transcript_changes(
        self,
        meeting_id: int,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        user_id: int | None = None,
    ) -> t.Page[t.TranscriptChange]:
        """What people changed in a transcript, newest first."""
        return self._call(
            "GET",
            "/transcripts/{meeting_id}/changes",
            "repeatable",
            "json",
            path={"meeting_id": meeting_id},
            query={"limit": limit, "cursor": cursor, "user_id": user_id},
        )

    def search_transcripts(
        self,
        *,
        q: str,
        limit: int | None = None,
        cursor: str | None = None,
        user_id: int | None = None,
    ) -> t.Page[t.SearchHit]:
        """Search what was said in all meetings."""
        return self._call(
            "GET",
            "/search",
            "repeatable",
            "json",
            query={"q": q, "limit": limit, "cursor": cursor, "user_id": user_id},
        )

    def get_summary(
        self,
        id: int,
    ) -> t.SummaryView:
        """The summary of a meeting, with the segments that it is taken from."""
        return self._call(
            "GET",
            "/meetings/{id}/summary",
            "repeatable",
            "json",
            path={"id": id},
        )

    def summarize(
        self,
        id: int,
    ) -> t.SummaryView:
        """Summarize a meeting again."""
        return self._call(
            "POST",
            "/meetings/{id}/summary",
            "once",
            "json",
            path={"id": id},
        )

    def list_rooms(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        user_id: int | None = None,
    ) -> t.Page[t.RoomClaim]:
        """Rooms that belong to a user or a team, by platform and name."""
        return self._call(
            "GET",
            "/rooms",
            "repeatable",
            "json",
            query={"limit": limit, "cursor": cursor, "user_id": user_id},
        )

    def create_room(
        self,
        body: t.CreateRoomBody,
        *,
        user_id: int | None = None,
        idempotency_key: str | None = None,
    ) -> t.CreateRoomAnswer:
        """Make a room that people join by a link in their browser."""
        return self._call(
            "POST",
            "/rooms",
            "with_key",
            "json",
            query={"user_id": user_id},
            body=body,
            key=idempotency_key,
        )

    def assign_room(
        self,
        platform: Literal["daily", "janus"],
        room: str,
        body: t.AssignRoomBody,
    ) -> t.RoomClaim:
        """Assign a room, or the rooms of a prefix, to a user or a team, or move it."""
        return self._call(
            "PUT",
            "/rooms/{platform}/{room}",
            "repeatable",
            "json",
            path={"platform": platform, "room": room},
            body=body,
        )

    def track_room(
        self,
        platform: Literal["daily", "janus"],
        room: str,
        body: t.TrackRoomBody,
    ) -> t.RoomClaim:
        """Track every visit to a room, or to the rooms of a prefix, or no longer."""
        return self._call(
            "PATCH",
            "/rooms/{platform}/{room}",
            "repeatable",
            "json",
            path={"platform": platform, "room": room},
            body=body,
        )

    def release_room(
        self,
        platform: Literal["daily", "janus"],
        room: str,
    ) -> None:
        """Release a room, or the rooms of a prefix."""
        return self._call(
            "DELETE",
            "/rooms/{platform}/{room}",
            "repeatable",
            "nothing",
            path={"platform": platform, "room": room},
        )

    def create_team(
        self,
        body: t.CreateTeamBody,
        *,
        idempotency_key: str | None = None,
    ) -> t.Team:
        """Create a team: users who see each other's meetings."""
        return self._call(
            "POST",
            "/admin/teams",
            "with_key",
            "json",
            body=body,
            key=idempotency_key,
        )

    def list_teams(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> t.Page[t.Team]:
        """List teams, oldest first."""
        return self._call(
            "GET",
            "/admin/teams",
            "repeatable",
            "json",
            query={"limit": limit, "cursor": cursor},
        )

    def get_team(
        self,
        id: int,
    ) -> t.Team:
        """Show a team."""
        return self._call(
            "GET",
            "/admin/teams/{id}",
            "repeatable",
            "json",
            path={"id": id},
        )

    def change_team(
        self,
        id: int,
        body: t.ChangeTeamBody,
    ) -> t.Team:
        """Rename a team."""
        return self._call(
            "PATCH",
            "/admin/teams/{id}",
            "once",
            "json",
            path={"id": id},
            body=body,
        )

    def delete_team(
        self,
        id: int,
    ) -> None:
        """Delete a team and release its rooms."""
        return self._call(
            "DELETE",
            "/admin/teams/{id}",
            "repeatable",
            "nothing",
            path={"id": id},
        )

    def list_team_members(
        self,
        id: int,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> t.Page[t.TeamMember]:
        """List the members of a team, by user."""
        return self._call(
            "GET",
            "/admin/teams/{id}/members",
            "repeatable",
            "json",
            path={"id": id},
            query={"limit": limit, "cursor": cursor},
        )

    def add_team_member(
        self,
        id: int,
        user_id: int,
    ) -> t.TeamMember:
        """Add a user to a team, 250 at most. Idempotent."""
        return self._call(
            "PUT",
            "/admin/teams/{id}/members/{user_id}",
            "repeatable",
            "json",
            path={"id": id, "user_id": user_id},
        )

    def remove_team_member(
        self,
        id: int,
        user_id: int,
    ) -> None:
        """Remove a user from a team."""
        return self._call(
            "DELETE",
            "/admin/teams/{id}/members/{user_id}",
            "repeatable",
            "nothing",
            path={"id": id, "user_id": user_id},
        )

    def receive_daily_webhook(
        self,
        body: dict[str, Any],
        *,
        x_webhook_signature: str | None = None,
        x_webhook_timestamp: str | None = None,
    ) -> None:
        """Receive an event from Daily."""
        return self._call(
            "POST",
            "/webhooks/daily",
            "once",
            "nothing",
            header={"X-Webhook-Signature": x_webhook_signature, "X-Webhook-Timestamp": x_webhook_timestamp},
            body=body,
        )

    def list_webhook_dead_letters(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> t.Page[t.DeadLetterRow]:
        """Webhooks of platforms that no meeting could use, latest first."""
        return self._call(
            "GET",
            "/dead-letters/webhooks",
            "repeatable",
            "json",
            query={"limit": limit, "cursor": cursor},
        )

    def list_participants(
        self,
        id: int,
        *,
        active: bool | None = None,
    ) -> t.ParticipantsView:
        """List the present and past participants of a meeting."""
        return self._call(
            "GET",
            "/meetings/{id}/participants",
            "repeatable",
            "json",
            path={"id": id},
            query={"active": active},
        )

    def receive_janus_events(
        self,
        body: dict[str, Any],
        *,
        authorization: str | None = None,
    ) -> None:
        """Receive events from the sample event handler of Janus."""
        return self._call(
            "POST",
            "/webhooks/janus",
            "once",
            "nothing",
            header={"Authorization": authorization},
            body=body,
        )

    def read_join_pass(
        self,
        *,
        x_join_token: str | None = None,
    ) -> t.ReadJoinPassAnswer:
        """What a link is for."""
        return self._call(
            "GET",
            "/join/room",
            "repeatable",
            "json",
            header={"X-Join-Token": x_join_token},
        )

    def remove_from_room(
        self,
        body: t.RemoveFromRoomBody,
        *,
        x_join_token: str | None = None,
    ) -> None:
        """Remove a participant, as a host."""
        return self._call(
            "POST",
            "/join/remove",
            "once",
            "nothing",
            header={"X-Join-Token": x_join_token},
            body=body,
        )

    def create_join_session(
        self,
        body: dict[str, Any],
        *,
        x_join_token: str | None = None,
    ) -> Any:
        """Open a session at Janus."""
        return self._call(
            "POST",
            "/join/janus",
            "once",
            "json",
            header={"X-Join-Token": x_join_token},
            body=body,
        )

    def send_to_join_session(
        self,
        session: int,
        body: dict[str, Any],
        *,
        x_join_token: str | None = None,
    ) -> Any:
        """Attach a handle, keep the session alive, or end it."""
        return self._call(
            "POST",
            "/join/janus/{session}",
            "once",
            "json",
            path={"session": session},
            header={"X-Join-Token": x_join_token},
            body=body,
        )

    def await_join_events(
        self,
        session: int,
        *,
        x_join_token: str | None = None,
    ) -> Any:
        """Wait for the events of a session, 25 s at most."""
        return self._call(
            "GET",
            "/join/janus/{session}",
            "repeatable",
            "json",
            path={"session": session},
            header={"X-Join-Token": x_join_token},
        )

    def send_to_join_handle(
        self,
        session: int,
        handle: int,
        body: dict[str, Any],
        *,
        x_join_token: str | None = None,
    ) -> Any:
        """Join, publish, subscribe or leave; room, PIN and id come from the link."""
        return self._call(
            "POST",
            "/join/janus/{session}/{handle}",
            "once",
            "json",
            path={"session": session, "handle": handle},
            header={"X-Join-Token": x_join_token},
            body=body,
        )

    def start_bot(
        self,
        body: t.StartBotBody,
        *,
        user_id: int | None = None,
        idempotency_key: str | None = None,
    ) -> t.Meeting:
        """Send a bot into a meeting."""
        return self._call(
            "POST",
            "/bots/start",
            "with_key",
            "json",
            query={"user_id": user_id},
            body=body,
            key=idempotency_key,
        )

    def start_bots(
        self,
        body: t.StartBotsBody,
        *,
        user_id: int | None = None,
        idempotency_key: str | None = None,
    ) -> t.BotBatchReply:
        """Send several bots, each with an answer of its own."""
        return self._call(
            "POST",
            "/bots/batch",
            "with_key",
            "json",
            query={"user_id": user_id},
            body=body,
            key=idempotency_key,
        )

    def stop_bot(
        self,
        body: t.StopBotBody,
        *,
        user_id: int | None = None,
    ) -> t.BotStatusReport:
        """Ask a bot to leave. A bot that has ended is unchanged."""
        return self._call(
            "POST",
            "/bots/stop",
            "repeatable",
            "json",
            query={"user_id": user_id},
            body=body,
        )

    def abandon_bot(
        self,
        meeting_id: int,
    ) -> t.BotStatusReport:
        """End the row of a bot whose host is gone for good."""
        return self._call(
            "POST",
            "/bots/{meeting_id}/abandon",
            "once",
            "json",
            path={"meeting_id": meeting_id},
        )

    def configure_bot(
        self,
        body: t.ConfigureBotBody,
        *,
        user_id: int | None = None,
    ) -> t.BotStatusReport:
        """Change a bot's settings while it is in the meeting."""
        return self._call(
            "PUT",
            "/bots/config",
            "once",
            "json",
            query={"user_id": user_id},
            body=body,
        )

    def reschedule_bot(
        self,
        body: t.RescheduleBotBody,
        *,
        user_id: int | None = None,
    ) -> t.BotStatusReport:
        """Move the start of a bot that waits for its start_at."""
        return self._call(
            "PUT",
            "/bots/schedule",
            "repeatable",
            "json",
            query={"user_id": user_id},
            body=body,
        )

    def active_bots(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        user_id: int | None = None,
    ) -> t.Page[t.Meeting]:
        """Live bots: reserved, starting, active, stopping."""
        return self._call(
            "GET",
            "/bots/active",
            "repeatable",
            "json",
            query={"limit": limit, "cursor": cursor, "user_id": user_id},
        )

    def bot_statuses(
        self,
        *,
        meeting_id: int | None = None,
        platform: Literal["daily", "janus", "google_meet", "zoom", "teams"] | None = None,
        native_meeting_id: str | None = None,
        live: bool | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        user_id: int | None = None,
    ) -> t.Page[t.BotStatusReport]:
        """The status of bots, with the owner and the deadline of each state."""
        return self._call(
            "GET",
            "/bots/status",
            "repeatable",
            "json",
            query={"meeting_id": meeting_id, "platform": platform, "native_meeting_id": native_meeting_id, "live": live, "limit": limit, "cursor": cursor, "user_id": user_id},
        )

    def speak_as_bot(
        self,
        platform: Literal["daily", "janus", "google_meet", "zoom", "teams"],
        native_meeting_id: str,
        body: t.SpeakAsBotBody,
        *,
        user_id: int | None = None,
        idempotency_key: str | None = None,
    ) -> t.BotCommandGiven:
        """Let a bot say something in its meeting."""
        return self._call(
            "POST",
            "/bots/{platform}/{native_meeting_id}/speak",
            "with_key",
            "json",
            path={"platform": platform, "native_meeting_id": native_meeting_id},
            query={"user_id": user_id},
            body=body,
            key=idempotency_key,
        )

    def chat_as_bot(
        self,
        platform: Literal["daily", "janus", "google_meet", "zoom", "teams"],
        native_meeting_id: str,
        body: t.ChatAsBotBody,
        *,
        user_id: int | None = None,
        idempotency_key: str | None = None,
    ) -> t.BotCommandGiven:
        """Let a bot write into the chat of its meeting."""
        return self._call(
            "POST",
            "/bots/{platform}/{native_meeting_id}/chat",
            "with_key",
            "json",
            path={"platform": platform, "native_meeting_id": native_meeting_id},
            query={"user_id": user_id},
            body=body,
            key=idempotency_key,
        )

    def bot_started(
        self,
        body: t.BotStartedBody,
    ) -> t.CallbackAnswer:
        """The bot's process runs."""
        return self._call(
            "POST",
            "/callback/started",
            "once",
            "json",
            body=body,
        )

    def bot_awaiting_admission(
        self,
        body: t.BotAwaitingAdmissionBody,
    ) -> t.CallbackAnswer:
        """The bot waits for admission to the meeting."""
        return self._call(
            "POST",
            "/callback/awaiting_admission",
            "once",
            "json",
            body=body,
        )

    def bot_joined(
        self,
        body: t.BotJoinedBody,
    ) -> t.CallbackAnswer:
        """The bot was admitted to the meeting."""
        return self._call(
            "POST",
            "/callback/joined",
            "once",
            "json",
            body=body,
        )

    def bot_heartbeat(
        self,
        body: t.BotHeartbeatBody,
    ) -> t.CallbackAnswer:
        """The bot is alive."""
        return self._call(
            "POST",
            "/callback/heartbeat",
            "once",
            "json",
            body=body,
        )

    def bot_status(
        self,
        body: t.BotStatusBody,
    ) -> t.CallbackAnswer:
        """The bot has begun to leave."""
        return self._call(
            "PATCH",
            "/callback/status",
            "once",
            "json",
            body=body,
        )

    def bot_exited(
        self,
        body: t.BotExitedBody,
    ) -> t.CallbackAnswer:
        """The bot exits; its last call."""
        return self._call(
            "POST",
            "/callback/exited",
            "once",
            "json",
            body=body,
        )

    def bot_ack(
        self,
        body: t.BotAckBody,
    ) -> t.CallbackAnswer:
        """The bot acknowledges a command."""
        return self._call(
            "POST",
            "/callback/ack",
            "once",
            "json",
            body=body,
        )

    def bot_commands(
        self,
        *,
        wait: int | None = None,
    ) -> t.CallbackAnswer:
        """Unacknowledged commands of the bot; waits for one if there is none (long poll)."""
        return self._call(
            "GET",
            "/callback/commands",
            "repeatable",
            "json",
            query={"wait": wait},
        )

    def bot_transcript(
        self,
        body: t.BotTranscriptBody,
    ) -> t.CallbackAnswer:
        """Transcript segments from the bot."""
        return self._call(
            "POST",
            "/callback/transcript",
            "once",
            "json",
            body=body,
        )

    def bot_chat(
        self,
        body: t.BotChatBody,
    ) -> t.CallbackAnswer:
        """Messages of the chat that the bot has read."""
        return self._call(
            "POST",
            "/callback/chat",
            "once",
            "json",
            body=body,
        )

    def bot_speech(
        self,
        command_id: str,
    ) -> bytes:
        """The WAV file of a command speak with audio_bytes, until it is acknowledged."""
        return self._call(
            "GET",
            "/callback/speech/{command_id}",
            "repeatable",
            "bytes",
            path={"command_id": command_id},
        )

    def bot_participants(
        self,
        body: t.BotParticipantsBody,
    ) -> t.CallbackAnswer:
        """Participants that the bot sees in the room."""
        return self._call(
            "POST",
            "/callback/participants",
            "once",
            "json",
            body=body,
        )

    def vexa_bot_started(
        self,
        token: str,
        body: t.VexaBotStartedBody,
    ) -> t.VexaCallbackAnswer:
        """Vexa's bot was admitted (release 0.5)."""
        return self._call(
            "POST",
            "/bots/internal/callback/{token}/started",
            "once",
            "json",
            path={"token": token},
            body=body,
        )

    def vexa_bot_joining(
        self,
        token: str,
        body: t.VexaBotJoiningBody,
    ) -> t.VexaCallbackAnswer:
        """Vexa's bot is about to open the meeting."""
        return self._call(
            "POST",
            "/bots/internal/callback/{token}/joining",
            "once",
            "json",
            path={"token": token},
            body=body,
        )

    def vexa_bot_awaiting_admission(
        self,
        token: str,
        body: t.VexaBotAwaitingAdmissionBody,
    ) -> t.VexaCallbackAnswer:
        """Vexa's bot waits for admission to the meeting."""
        return self._call(
            "POST",
            "/bots/internal/callback/{token}/awaiting_admission",
            "once",
            "json",
            path={"token": token},
            body=body,
        )

    def vexa_bot_exited(
        self,
        token: str,
        body: t.VexaBotExitedBody,
    ) -> t.VexaCallbackAnswer:
        """Vexa's bot ends."""
        return self._call(
            "POST",
            "/bots/internal/callback/{token}/exited",
            "once",
            "json",
            path={"token": token},
            body=body,
        )

    def vexa_bot_status_change(
        self,
        token: str,
        body: t.VexaBotStatusChangeBody,
    ) -> t.VexaCallbackAnswer:
        """Where Vexa's bot stands (releases 0.6 to 0.10)."""
        return self._call(
            "POST",
            "/bots/internal/callback/{token}/status_change",
            "once",
            "json",
            path={"token": token},
            body=body,
        )

    def vexa_bot_started_by_query(
        self,
        body: t.VexaBotStartedByQueryBody,
    ) -> t.VexaCallbackAnswer:
        """Vexa's bot was admitted (release 0.5). As bots that an older server launched call it."""
        return self._call(
            "POST",
            "/bots/internal/callback/started",
            "once",
            "json",
            body=body,
        )

    def vexa_bot_joining_by_query(
        self,
        body: t.VexaBotJoiningByQueryBody,
    ) -> t.VexaCallbackAnswer:
        """Vexa's bot is about to open the meeting. As bots that an older server launched call it."""
        return self._call(
            "POST",
            "/bots/internal/callback/joining",
            "once",
            "json",
            body=body,
        )

    def vexa_bot_awaiting_admission_by_query(
        self,
        body: t.VexaBotAwaitingAdmissionByQueryBody,
    ) -> t.VexaCallbackAnswer:
        """Vexa's bot waits for admission to the meeting. As bots that an older server launched call it."""
        return self._call(
            "POST",
            "/bots/internal/callback/awaiting_admission",
            "once",
            "json",
            body=body,
        )

    def vexa_bot_exited_by_query(
        self,
        body: t.VexaBotExitedByQueryBody,
    ) -> t.VexaCallbackAnswer:
        """Vexa's bot ends. As bots that an older server launched call it."""
        return self._call(
            "POST",
            "/bots/internal/callback/exited",
            "once",
            "json",
            body=body,
        )

    def vexa_bot_status_change_by_query(
        self,
        body: t.VexaBotStatusChangeByQueryBody,
    ) -> t.VexaCallbackAnswer:
        """Where Vexa's bot stands (releases 0.6 to 0.10). As bots that an older server launched call it."""
        return self._call(
            "POST",
            "/bots/internal/callback/status_change",
            "once",
            "json",
            body=body,
        )

    def vexa_bot_lifecycle(
        self,
        body: t.VexaBotLifecycleBody,
    ) -> t.VexaCallbackAnswer:
        """Where Vexa's bot stands (from release 0.12 on)."""
        return self._call(
            "POST",
            "/bots/internal/lifecycle",
            "once",
            "json",
            body=body,
        )

    def list_recordings(
        self,
        *,
        status: Literal["in_progress", "ready", "processing", "done", "failed", "cancelled", "empty", "given_up", "unmatched"] | None = None,
        meeting_id: int | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        user_id: int | None = None,
    ) -> t.Page[t.RecordingView]:
        """Recordings, newest first."""
        return self._call(
            "GET",
            "/recordings",
            "repeatable",
            "json",
            query={"status": status, "meeting_id": meeting_id, "limit": limit, "cursor": cursor, "user_id": user_id},
        )

    def list_recordings_of_meeting(
        self,
        id: int,
        *,
        status: Literal["in_progress", "ready", "processing", "done", "failed", "cancelled", "empty", "given_up", "unmatched"] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        user_id: int | None = None,
    ) -> t.Page[t.RecordingView]:
        """Recordings of a meeting, newest first."""
        return self._call(
            "GET",
            "/meetings/{id}/recordings",
            "repeatable",
            "json",
            path={"id": id},
            query={"status": status, "limit": limit, "cursor": cursor, "user_id": user_id},
        )

    def get_recording(
        self,
        id: str,
    ) -> t.RecordingView:
        """A recording with its steps."""
        return self._call(
            "GET",
            "/recordings/{id}",
            "repeatable",
            "json",
            path={"id": id},
        )

    def delete_recording(
        self,
        id: str,
    ) -> None:
        """Delete a recording with its audio and transcript."""
        return self._call(
            "DELETE",
            "/recordings/{id}",
            "repeatable",
            "nothing",
            path={"id": id},
        )

    def get_recording_audio(
        self,
        id: str,
        *,
        range: str | None = None,
    ) -> bytes:
        """The audio as downloaded from the platform, whole or a range."""
        return self._call(
            "GET",
            "/recordings/{id}/audio",
            "repeatable",
            "bytes",
            path={"id": id},
            header={"Range": range},
        )

    def get_recording_waveform(
        self,
        id: str,
    ) -> t.WaveformView:
        """How loud a recording is over time, and whether it has pictures."""
        return self._call(
            "GET",
            "/recordings/{id}/waveform",
            "repeatable",
            "json",
            path={"id": id},
        )

    def match_recording(
        self,
        id: str,
        body: t.MatchRecordingBody,
    ) -> t.RecordingView:
        """Assign a recording to a meeting."""
        return self._call(
            "POST",
            "/recordings/{id}/match",
            "once",
            "json",
            path={"id": id},
            body=body,
        )

    def retry_recording(
        self,
        id: str,
        body: t.RetryRecordingBody | None = None,
    ) -> t.RecordingView:
        """Retry a recording, from a step or from where it stopped."""
        return self._call(
            "POST",
            "/recordings/{id}/retry",
            "once",
            "json",
            path={"id": id},
            body=body,
        )

    def audit_recordings(
        self,
    ) -> t.StorageAudit:
        """Compare the store of audio with the rows, both ways."""
        return self._call(
            "GET",
            "/admin/recordings/audit",
            "repeatable",
            "json",
        )

    def repair_recordings(
        self,
    ) -> t.StorageAudit:
        """Audit and repair: delete blobs without a row and correct rows without a blob."""
        return self._call(
            "POST",
            "/admin/recordings/audit",
            "once",
            "json",
        )

    def upload_bot_recording(
        self,
        body: bytes,
        *,
        content_type: str,
    ) -> t.BotUploadAnswer:
        """A bot uploads its recording, or a part of it."""
        return self._call(
            "POST",
            "/bots/internal/recordings",
            "once",
            "json",
            body=body,
            content_type=content_type,
        )

    def list_egress_of_meeting(
        self,
        id: int,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        user_id: int | None = None,
    ) -> t.Page[t.EgressView]:
        """What pods make of the meeting's room while it lasts, newest first."""
        return self._call(
            "GET",
            "/meetings/{id}/egress",
            "repeatable",
            "json",
            path={"id": id},
            query={"limit": limit, "cursor": cursor, "user_id": user_id},
        )

    def get_egress(
        self,
        id: str,
    ) -> t.EgressView:
        """An egress."""
        return self._call(
            "GET",
            "/egress/{id}",
            "repeatable",
            "json",
            path={"id": id},
        )

    def delete_egress(
        self,
        id: str,
    ) -> None:
        """Delete the files of an egress that has ended."""
        return self._call(
            "DELETE",
            "/egress/{id}",
            "repeatable",
            "nothing",
            path={"id": id},
        )

    def list_egress_files(
        self,
        id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        user_id: int | None = None,
    ) -> t.Page[t.EgressFile]:
        """The files of an egress, by name."""
        return self._call(
            "GET",
            "/egress/{id}/files",
            "repeatable",
            "json",
            path={"id": id},
            query={"limit": limit, "cursor": cursor, "user_id": user_id},
        )

    def get_egress_file(
        self,
        id: str,
        name: str,
        *,
        range: str | None = None,
    ) -> bytes:
        """A file of an egress, whole or a range."""
        return self._call(
            "GET",
            "/egress/{id}/files/{name}",
            "repeatable",
            "bytes",
            path={"id": id, "name": name},
            header={"Range": range},
        )

    def get_egress_part_file(
        self,
        id: str,
        part: str,
        name: str,
        *,
        range: str | None = None,
    ) -> bytes:
        """A segment or picture of an egress, whole or a range."""
        return self._call(
            "GET",
            "/egress/{id}/files/{part}/{name}",
            "repeatable",
            "bytes",
            path={"id": id, "part": part, "name": name},
            header={"Range": range},
        )

    def create_task(
        self,
        body: t.CreateTaskBody,
        *,
        user_id: int | None = None,
        idempotency_key: str | None = None,
    ) -> t.Task:
        """Submit a task."""
        return self._call(
            "POST",
            "/tasks",
            "with_key",
            "json",
            query={"user_id": user_id},
            body=body,
            key=idempotency_key,
        )

    def list_tasks(
        self,
        *,
        state: Literal["PENDING", "PROCESSING", "SUCCESS", "FAILED", "TIMEOUT"] | None = None,
        region: str | None = None,
        channel: str | None = None,
        type: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        user_id: int | None = None,
    ) -> t.Page[t.Task]:
        """List tasks, newest first."""
        return self._call(
            "GET",
            "/tasks",
            "repeatable",
            "json",
            query={"state": state, "region": region, "channel": channel, "type": type, "limit": limit, "cursor": cursor, "user_id": user_id},
        )

    def get_task(
        self,
        id: str,
    ) -> t.Task:
        """Get a task."""
        return self._call(
            "GET",
            "/tasks/{id}",
            "repeatable",
            "json",
            path={"id": id},
        )

    def stop_task(
        self,
        id: str,
    ) -> t.Task:
        """Stop a task: a pending one ends, the pod of a running one receives the request."""
        return self._call(
            "POST",
            "/tasks/{id}/stop",
            "repeatable",
            "json",
            path={"id": id},
        )

    def task_timeline(
        self,
        id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        user_id: int | None = None,
    ) -> t.Page[t.TaskHistoryEntry]:
        """List the events of a task, in order."""
        return self._call(
            "GET",
            "/tasks/{id}/timeline",
            "repeatable",
            "json",
            path={"id": id},
            query={"limit": limit, "cursor": cursor, "user_id": user_id},
        )

    def list_regions(
        self,
    ) -> t.RegionViews:
        """List regions with tasks or live pods, with statistics."""
        return self._call(
            "GET",
            "/regions",
            "repeatable",
            "json",
        )

    def list_pods(
        self,
    ) -> t.PodViews:
        """List live pods with their slots."""
        return self._call(
            "GET",
            "/pods",
            "repeatable",
            "json",
        )

    def drain_pod(
        self,
        pod_id: str,
    ) -> t.PodView:
        """Drain a pod: it claims no more tasks; running tasks go on."""
        return self._call(
            "POST",
            "/pods/{pod_id}/drain",
            "once",
            "json",
            path={"pod_id": pod_id},
        )

    def resume_pod(
        self,
        pod_id: str,
    ) -> t.PodView:
        """Let a drained pod claim tasks again."""
        return self._call(
            "POST",
            "/pods/{pod_id}/resume",
            "once",
            "json",
            path={"pod_id": pod_id},
        )

    def list_dead_tasks(
        self,
        *,
        state: Literal["FAILED", "TIMEOUT"] | None = None,
        region: str | None = None,
        channel: str | None = None,
        type: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        user_id: int | None = None,
    ) -> t.Page[t.Task]:
        """List dead letters: FAILED or TIMEOUT tasks, neither requeued nor dismissed."""
        return self._call(
            "GET",
            "/dead-letters/tasks",
            "repeatable",
            "json",
            query={"state": state, "region": region, "channel": channel, "type": type, "limit": limit, "cursor": cursor, "user_id": user_id},
        )

    def requeue_dead_tasks(
        self,
        body: t.RequeueDeadTasksBody,
        *,
        user_id: int | None = None,
        idempotency_key: str | None = None,
    ) -> t.DeadLetterResults:
        """Requeue dead letters: the given ones, or the newest that match."""
        return self._call(
            "POST",
            "/dead-letters/tasks/requeue",
            "with_key",
            "json",
            query={"user_id": user_id},
            body=body,
            key=idempotency_key,
        )

    def discard_dead_tasks(
        self,
        body: t.DiscardDeadTasksBody,
        *,
        user_id: int | None = None,
        idempotency_key: str | None = None,
    ) -> t.DeadLetterResults:
        """Dismiss dead letters: the given ones, or the newest that match. They stay readable."""
        return self._call(
            "POST",
            "/dead-letters/tasks/discard",
            "with_key",
            "json",
            query={"user_id": user_id},
            body=body,
            key=idempotency_key,
        )

    def requeue_task(
        self,
        id: str,
        body: t.RequeueTaskBody | None = None,
        *,
        user_id: int | None = None,
        idempotency_key: str | None = None,
    ) -> t.DeadLetterResult:
        """Requeue a FAILED or TIMEOUT task as a new task."""
        return self._call(
            "POST",
            "/tasks/{id}/requeue",
            "with_key",
            "json",
            path={"id": id},
            query={"user_id": user_id},
            body=body,
            key=idempotency_key,
        )

    def list_workflows(
        self,
        *,
        status: Literal["running", "completed", "failed"] | None = None,
        name: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        user_id: int | None = None,
    ) -> t.Page[t.WorkflowView]:
        """Workflows, newest first."""
        return self._call(
            "GET",
            "/workflows",
            "repeatable",
            "json",
            query={"status": status, "name": name, "limit": limit, "cursor": cursor, "user_id": user_id},
        )

    def get_workflow(
        self,
        id: str,
    ) -> t.WorkflowHistoryView:
        """One workflow with its history."""
        return self._call(
            "GET",
            "/workflows/{id}",
            "repeatable",
            "json",
            path={"id": id},
        )

    def cancel_workflow(
        self,
        id: str,
        body: t.CancelWorkflowBody | None = None,
    ) -> t.WorkflowView:
        """Cancel a workflow; it may clean up first."""
        return self._call(
            "POST",
            "/workflows/{id}/cancel",
            "once",
            "json",
            path={"id": id},
            body=body,
        )

    def retry_workflow(
        self,
        id: str,
    ) -> t.WorkflowView:
        """Restart a failed workflow with its input."""
        return self._call(
            "POST",
            "/workflows/{id}/retry",
            "once",
            "json",
            path={"id": id},
        )

    def raise_workflow_event(
        self,
        id: str,
        name: str,
        body: Any | None = None,
    ) -> t.WorkflowView:
        """Raise an event for a workflow; the body is the event's data."""
        return self._call(
            "POST",
            "/workflows/{id}/events/{name}",
            "once",
            "json",
            path={"id": id, "name": name},
            body=body,
        )

    def get_sync_status(
        self,
        *,
        meeting_id: list[str] | None = None,
    ) -> t.SyncView | t.SyncViews:
        """The sync status of a meeting, or of several with the parameter repeated."""
        return self._call(
            "GET",
            "/sync-status",
            "repeatable",
            "any",
            query={"meeting_id": meeting_id},
        )

    def update_sync_status(
        self,
        body: t.UpdateSyncStatusBody,
    ) -> t.SyncView:
        """Update a meeting's sync status."""
        return self._call(
            "POST",
            "/sync-status",
            "once",
            "json",
            body=body,
        )

    def list_sync_problems(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> t.Page[t.SyncView]:
        """Failed and stalled syncs, newest first."""
        return self._call(
            "GET",
            "/sync-status/problems",
            "repeatable",
            "json",
            query={"limit": limit, "cursor": cursor},
        )

    def dismiss_sync_problem(
        self,
        meeting_id: str,
        body: t.DismissSyncProblemBody,
    ) -> t.SyncView:
        """Dismiss a failed or stalled sync."""
        return self._call(
            "POST",
            "/sync-status/{meeting_id}/dismiss",
            "once",
            "json",
            path={"meeting_id": meeting_id},
            body=body,
        )

    def retry_sync(
        self,
        meeting_id: str,
    ) -> t.SyncView:
        """Retry a failed or stalled sync."""
        return self._call(
            "POST",
            "/sync-status/{meeting_id}/retry",
            "once",
            "json",
            path={"meeting_id": meeting_id},
        )

    def crm_connection(
        self,
        *,
        user_id: int | None = None,
    ) -> t.CrmConnection:
        """The HubSpot account that the user connected."""
        return self._call(
            "GET",
            "/crm/connection",
            "repeatable",
            "json",
            query={"user_id": user_id},
        )

    def connect_crm(
        self,
        *,
        user_id: int | None = None,
    ) -> t.ConnectCrmAnswer:
        """Begin to connect a HubSpot account."""
        return self._call(
            "POST",
            "/crm/connection",
            "once",
            "json",
            query={"user_id": user_id},
        )

    def disconnect_crm(
        self,
        *,
        user_id: int | None = None,
    ) -> None:
        """Forget the tokens of the connected account."""
        return self._call(
            "DELETE",
            "/crm/connection",
            "repeatable",
            "nothing",
            query={"user_id": user_id},
        )

    def crm_connected(
        self,
        *,
        code: str | None = None,
        state: str | None = None,
        error: str | None = None,
        error_description: str | None = None,
    ) -> str:
        """Come back from HubSpot: a code for tokens."""
        return self._call(
            "GET",
            "/crm/connection/callback",
            "repeatable",
            "address",
            query={"code": code, "state": state, "error": error, "error_description": error_description},
        )

    def create_webhook_endpoint(
        self,
        body: t.CreateWebhookEndpointBody,
        *,
        user_id: int | None = None,
        idempotency_key: str | None = None,
    ) -> t.NewWebhookEndpoint:
        """Register an endpoint for events, delivered by Standard Webhooks."""
        return self._call(
            "POST",
            "/webhook-endpoints",
            "with_key",
            "json",
            query={"user_id": user_id},
            body=body,
            key=idempotency_key,
        )

    def list_webhook_endpoints(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        user_id: int | None = None,
    ) -> t.Page[t.WebhookEndpointView]:
        """Webhook endpoints, oldest first."""
        return self._call(
            "GET",
            "/webhook-endpoints",
            "repeatable",
            "json",
            query={"limit": limit, "cursor": cursor, "user_id": user_id},
        )

    def get_webhook_endpoint(
        self,
        id: int,
    ) -> t.WebhookEndpointView:
        """One webhook endpoint."""
        return self._call(
            "GET",
            "/webhook-endpoints/{id}",
            "repeatable",
            "json",
            path={"id": id},
        )

    def delete_webhook_endpoint(
        self,
        id: int,
    ) -> None:
        """Delete a webhook endpoint with its pending deliveries."""
        return self._call(
            "DELETE",
            "/webhook-endpoints/{id}",
            "repeatable",
            "nothing",
            path={"id": id},
        )

    def resume_webhook_endpoint(
        self,
        id: int,
    ) -> t.WebhookEndpointView:
        """Resume a paused endpoint; pending deliveries are sent first."""
        return self._call(
            "POST",
            "/webhook-endpoints/{id}/resume",
            "once",
            "json",
            path={"id": id},
        )

    def test_webhook_endpoint(
        self,
        id: int,
    ) -> t.WebhookEndpointView:
        """Send a message of type webhook_endpoint.test; the log shows the outcome."""
        return self._call(
            "POST",
            "/webhook-endpoints/{id}/test",
            "once",
            "json",
            path={"id": id},
        )

    def list_webhook_deliveries(
        self,
        id: int,
        *,
        state: Literal["pending", "delivered"] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        user_id: int | None = None,
    ) -> t.Page[t.WebhookDelivery]:
        """Deliveries to an endpoint, sent and pending, newest first."""
        return self._call(
            "GET",
            "/webhook-endpoints/{id}/deliveries",
            "repeatable",
            "json",
            path={"id": id},
            query={"state": state, "limit": limit, "cursor": cursor, "user_id": user_id},
        )

    def resend_webhook_delivery(
        self,
        id: int,
        delivery_id: int,
    ) -> t.WebhookEndpointView:
        """Send a delivered message again, with the same webhook-id."""
        return self._call(
            "POST",
            "/webhook-endpoints/{id}/deliveries/{delivery_id}/resend",
            "once",
            "json",
            path={"id": id, "delivery_id": delivery_id},
        )

    def list_events(
        self,
        *,
        after: int | None = None,
        before: int | None = None,
        since: str | None = None,
        until: str | None = None,
        order: Literal["oldest", "newest"] | None = None,
        type: str | None = None,
        subject: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        user_id: int | None = None,
        last_event_id: str | None = None,
    ) -> t.Page[t.EventView]:
        """Events after a sequence; a stream with Accept: text/event-stream."""
        return self._call(
            "GET",
            "/events",
            "repeatable",
            "json",
            query={"after": after, "before": before, "since": since, "until": until, "order": order, "type": type, "subject": subject, "limit": limit, "cursor": cursor, "user_id": user_id},
            header={"Last-Event-ID": last_event_id},
        )

    def get_simulator(
        self,
    ) -> t.SimulationView:
        """The attached simulator's scenario and faults."""
        return self._call(
            "GET",
            "/simulator",
            "repeatable",
            "json",
        )

    def list_invariants(
        self,
    ) -> t.InvariantReport:
        """Invariants, checked against the simulator's state."""
        return self._call(
            "GET",
            "/simulator/invariants",
            "repeatable",
            "json",
        )

    def set_faults(
        self,
        body: dict[str, float | t.SetFaultsBodyValue],
    ) -> t.SimulationView:
        """Set some faults: a probability, or an object; others stay as they are."""
        return self._call(
            "PATCH",
            "/simulator/faults",
            "once",
            "json",
            body=body,
        )

    def clear_faults(
        self,
    ) -> t.SimulationView:
        """Set every fault to never."""
        return self._call(
            "DELETE",
            "/simulator/faults",
            "repeatable",
            "json",
        )

    def call_mcp(
        self,
        body: t.CallMcpBody | list[t.CallMcpBodyItem],
        *,
        mcp_protocol_version: str | None = None,
        mcp_method: str | None = None,
        mcp_name: str | None = None,
    ) -> t.CallMcpAnswer | list[t.CallMcpAnswerItem]:
        """Send a message of the Model Context Protocol, for language models."""
        return self._call(
            "POST",
            "/mcp",
            "once",
            "any",
            header={"MCP-Protocol-Version": mcp_protocol_version, "Mcp-Method": mcp_method, "Mcp-Name": mcp_name},
            body=body,
        )

    def sign_in_methods(
        self,
    ) -> t.SignInMethodsAnswer:
        """How people may sign in besides keys."""
        return self._call(
            "GET",
            "/session/methods",
            "repeatable",
            "json",
        )

    def sign_in_by_oidc(
        self,
    ) -> str:
        """Go to the identity provider to sign in."""
        return self._call(
            "GET",
            "/session/oidc",
            "repeatable",
            "address",
        )

    def signed_in_by_oidc(
        self,
        *,
        code: str | None = None,
        state: str | None = None,
        iss: str | None = None,
        error: str | None = None,
    ) -> str:
        """Come back from the identity provider: a code for a session cookie."""
        return self._call(
            "GET",
            "/session/oidc/callback",
            "repeatable",
            "address",
            query={"code": code, "state": state, "iss": iss, "error": error},
        )

    def sign_in(
        self,
        body: t.SignInBody,
        *,
        x_convoke_csrf: Literal["1"] | None = None,
    ) -> t.SignedIn:
        """Sign in: exchange one credential for a cookie."""
        return self._call(
            "POST",
            "/session",
            "once",
            "json",
            header={"X-Convoke-CSRF": x_convoke_csrf},
            body=body,
        )

    def who_am_i(
        self,
    ) -> t.SignedIn:
        """The authenticated caller."""
        return self._call(
            "GET",
            "/session",
            "repeatable",
            "json",
        )

    def sign_out(
        self,
        *,
        x_convoke_csrf: Literal["1"] | None = None,
    ) -> None:
        """Sign out: clear the cookie."""
        return self._call(
            "DELETE",
            "/session",
            "repeatable",
            "nothing",
            header={"X-Convoke-CSRF": x_convoke_csrf},
        )

    def livez(
        self,
    ) -> t.LivezAnswer:
        """Liveness of the process; checks no other component."""
        return self._call(
            "GET",
            "/livez",
            "repeatable",
            "json",
        )

    def readyz(
        self,
        *,
        verbose: Literal["", "true", "false", "1", "0"] | None = None,
    ) -> t.ReadyzAnswer:
        """Whether this process can serve."""
        return self._call(
            "GET",
            "/readyz",
            "repeatable",
            "json",
            query={"verbose": verbose},
        )

    def metrics(
        self,
    ) -> str:
        """Metrics in the Prometheus text format."""
        return self._call(
            "GET",
            "/metrics",
            "repeatable",
            "text",
        )

    def open_api(
        self,
    ) -> str:
        """This document."""
        return self._call(
            "GET",
            "/openapi.yaml",
            "repeatable",
            "text",
        )
