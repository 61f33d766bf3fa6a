package io.convoke.server.config;

import static io.convoke.server.config.Setting.optional;
import static io.convoke.server.config.Setting.setting;
import static io.convoke.server.config.Setting.text;

import io.convoke.agent.blobs.BlobStoreConfig;
import io.convoke.server.summaries.SummarizerFactory;
import io.convoke.server.transcribe.TranscriberFactory;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** The settings of durable work: workflows, dispatch, recordings, sync, webhooks out. */
public final class BackgroundWorkSettings {
  private static final List<Setting<?>> ALL = new ArrayList<>();

  public static final Setting<Boolean> LONGPOLL_ENABLED =
      add(
          setting(
              "CONVOKE_LONGPOLL_ENABLED",
              "true",
              "whether the durable engine waits for notifications",
              SettingParsers::flag));
  public static final Setting<Duration> LONGPOLL_FALLBACK_INTERVAL =
      add(
          setting(
              "CONVOKE_LONGPOLL_FALLBACK_INTERVAL",
              "60s",
              "fallback poll interval while notifications work",
              SettingParsers::interval));
  public static final Setting<Duration> LONGPOLL_TIMER_GRACE =
      add(
          setting(
              "CONVOKE_LONGPOLL_TIMER_GRACE",
              "50ms",
              "how early a node may wake for a timer",
              SettingParsers::duration));
  public static final Setting<Duration> LONGPOLL_IDLE_SLEEP =
      add(
          setting(
              "CONVOKE_LONGPOLL_IDLE_SLEEP",
              "50ms",
              "poll interval when long polling is off or degraded",
              SettingParsers::interval));
  public static final Setting<Integer> DURABLE_ORCHESTRATORS =
      add(
          setting(
              "CONVOKE_DURABLE_ORCHESTRATORS",
              "4",
              "workflow dispatchers",
              SettingParsers.number(0, 256)));
  public static final Setting<Integer> DURABLE_WORKERS =
      add(
          setting(
              "CONVOKE_DURABLE_WORKERS",
              "4",
              "activity dispatchers of each pool: recordings, transcription, and the rest",
              SettingParsers.number(0, 256)));
  public static final Setting<Duration> DURABLE_RETENTION =
      add(
          setting(
              "CONVOKE_DURABLE_RETENTION",
              "30d",
              "how long a workflow is kept after its end; `0s` is for ever",
              SettingParsers::duration));

  public static final Setting<Duration> DISPATCH_TASK_TIMEOUT =
      add(
          setting(
              "CONVOKE_DISPATCH_TASK_TIMEOUT",
              "30s",
              "how long a task may wait for a worker",
              SettingParsers::interval));
  public static final Setting<Duration> DISPATCH_LEASE =
      add(
          setting(
              "CONVOKE_DISPATCH_LEASE",
              "45s",
              "how long a worker holds a task without renewal, `1s` at least; pods need the same",
              SettingParsers.atLeast("1s")));
  public static final Setting<Optional<Duration>> DISPATCH_DEAD_AFTER =
      add(
          optional(
              "CONVOKE_DISPATCH_DEAD_AFTER",
              "silence after which a pod counts as dead and loses its tasks before its leases end,"
                  + " from `1s` to the lease; pods need the same",
              SettingParsers.atLeast("1s")));
  public static final Setting<Integer> DISPATCH_MAX_ATTEMPTS =
      add(
          setting(
              "CONVOKE_DISPATCH_MAX_ATTEMPTS",
              "5",
              "failed attempts in a row that a task may have; one that ran for longer than a lease"
                  + " restarts the count; pods need the same",
              SettingParsers.number(1, 1000)));
  public static final Setting<Duration> DISPATCH_OVERFLOW_AFTER =
      add(
          setting(
              "CONVOKE_DISPATCH_OVERFLOW_AFTER",
              "10s",
              "after which a waiting task goes before later ones, and may go to another region",
              SettingParsers::duration));
  public static final Setting<Duration> DISPATCH_RETRY_BACKOFF =
      add(
          setting(
              "CONVOKE_DISPATCH_RETRY_BACKOFF",
              "1s",
              "wait of a task before another try (exit code 75), doubled with each failure in a"
                  + " row; pods need the same",
              SettingParsers::interval));
  public static final Setting<Duration> DISPATCH_RETRY_BACKOFF_MAX =
      add(
          setting(
              "CONVOKE_DISPATCH_RETRY_BACKOFF_MAX",
              "30s",
              "the longest such wait; pods need the same",
              SettingParsers::interval));
  public static final Setting<TaskStoreSetting> DISPATCH_LEDGER =
      add(
          setting(
              "CONVOKE_DISPATCH_LEDGER",
              "postgres",
              "`postgres`, or `none` for tasks in Redis alone",
              SettingParsers.oneOf(TaskStoreSetting.class)));

  public static final Setting<Optional<URI>> DISPATCH_REDIS_URL =
      add(
          optional(
                  "CONVOKE_DISPATCH_REDIS_URL",
                  "where tasks are if not in `CONVOKE_REDIS_URL`;"
                      + " `redis-cluster://host:port,host:port` too; pods need the same",
                  SettingParsers.url(
                      "redis", "rediss", "redis-sentinel", "redis-cluster", "rediss-cluster"))
              .asSecret());
  public static final Setting<Duration> DISPATCH_RETENTION =
      add(
          setting(
              "CONVOKE_DISPATCH_RETENTION",
              "30d",
              "how long a task stays in the ledger after its end; `0s` is for ever",
              SettingParsers::duration));

  public static final Setting<Duration> SYNC_CACHE_TTL =
      add(
          setting(
              "CONVOKE_SYNC_CACHE_TTL",
              "1h",
              "how long a sync status stays in the cache",
              SettingParsers::interval));
  public static final Setting<Duration> SYNC_STALL_AFTER =
      add(
          setting(
              "CONVOKE_SYNC_STALL_AFTER",
              "10m",
              "after which a sync without progress shows as stalled",
              SettingParsers::interval));
  public static final Setting<Duration> SYNC_RECORDING_WAIT =
      add(
          setting(
              "CONVOKE_SYNC_RECORDING_WAIT",
              "1m",
              "how long after a tracked meeting a recording may show up before it is synced without"
                  + " one",
              SettingParsers::interval));
  public static final Setting<Duration> SYNC_WRITE_DEADLINE =
      add(
          setting(
              "CONVOKE_SYNC_WRITE_DEADLINE",
              "8s",
              "how long an update of a sync is tried while Postgres is away",
              SettingParsers::interval));

  /** Of the pods, which may share an environment with a server; it has no use for it. */
  public static final Setting<URI> SNAPSHOT_ROOMS_URL =
      add(
          setting(
              "CONVOKE_SNAPSHOT_ROOMS_URL",
              "http://127.0.0.1:9100/rooms",
              "rooms of snapshots: this, a slash, and the task's channel",
              SettingParsers.url("http", "https")));

  public static final Setting<Optional<String>> BLOB_STORE =
      add(
          optional(
              "CONVOKE_BLOB_STORE",
              "`file:` and a folder, `<data>/blobs` without it, or `s3://bucket/prefix`",
              BlobStoreConfig::checked));
  public static final Setting<Optional<URI>> S3_ENDPOINT =
      add(optional("CONVOKE_S3_ENDPOINT", "endpoint of the S3 store", SettingParsers::server));
  public static final Setting<Optional<String>> S3_REGION =
      add(text("CONVOKE_S3_REGION", "region of the S3 store"));
  public static final Setting<Optional<String>> S3_ACCESS_KEY =
      add(text("CONVOKE_S3_ACCESS_KEY", "access key of the S3 store").asSecret());
  public static final Setting<Optional<String>> S3_SECRET_KEY =
      add(text("CONVOKE_S3_SECRET_KEY", "secret key of the S3 store; needed with it").asSecret());
  public static final Setting<Optional<URI>> CRM_URL =
      add(
          optional(
              "CONVOKE_CRM_URL",
              "target of the sync; without it a recording ends without sync",
              SettingParsers::server));
  public static final Setting<Optional<String>> CRM_SECRET =
      add(text("CONVOKE_CRM_SECRET", "signs what goes to the CRM").asSecret());
  public static final Setting<CrmKind> CRM_KIND =
      add(
          setting(
              "CONVOKE_CRM_KIND",
              "generic",
              "`generic` or `hubspot`",
              SettingParsers.oneOf(CrmKind.class)));
  public static final Setting<Optional<String>> CRM_OWNER =
      add(
          text(
              "CONVOKE_CRM_OWNER",
              "owner of the meetings in the account of `CONVOKE_CRM_SECRET` at HubSpot, an id or"
                  + " e-mail address; without it, and in accounts of users, the meeting's user"));
  public static final Setting<Optional<String>> HUBSPOT_CLIENT_ID =
      add(
          text(
              "CONVOKE_HUBSPOT_CLIENT_ID",
              "our app at HubSpot, by which users connect their own accounts"));
  public static final Setting<Optional<String>> HUBSPOT_CLIENT_SECRET =
      add(text("CONVOKE_HUBSPOT_CLIENT_SECRET", "secret of that app; needed with it").asSecret());
  public static final Setting<String> HUBSPOT_SCOPES =
      add(
          setting(
              "CONVOKE_HUBSPOT_SCOPES",
              "oauth crm.objects.contacts.read crm.objects.contacts.write"
                  + " crm.objects.companies.read crm.objects.deals.read crm.objects.owners.read",
              "scopes that the app asks for, exactly as registered there",
              text -> text));
  public static final Setting<URI> HUBSPOT_AUTHORIZE_URL =
      add(
          setting(
              "CONVOKE_HUBSPOT_AUTHORIZE_URL",
              "https://app.hubspot.com/oauth/authorize",
              "where users give the app access",
              SettingParsers.url("http", "https")));
  public static final Setting<String> TRANSCRIBER =
      add(
          setting(
              "CONVOKE_TRANSCRIBER",
              "none",
              "`none`, `whisperlive:ws://...`, `openai:http://...`, `command:CMD {audio}`",
              TranscriberFactory::checked));
  public static final Setting<Optional<String>> TRANSCRIBER_KEY =
      add(text("CONVOKE_TRANSCRIBER_KEY", "bearer key of an OpenAI transcriber").asSecret());
  public static final Setting<String> SUMMARIZER =
      add(
          setting(
              "CONVOKE_SUMMARIZER",
              "none",
              "what writes summaries: `none`, `openai:http://...?model=M`, `command:CMD`",
              SummarizerFactory::checked));
  public static final Setting<Optional<String>> SUMMARIZER_KEY =
      add(text("CONVOKE_SUMMARIZER_KEY", "bearer key of a chat API").asSecret());
  public static final Setting<String> FFMPEG =
      add(
          setting(
              "CONVOKE_FFMPEG",
              "ffmpeg",
              "the program that converts recordings to what transcribers take; not needed for WAV of"
                  + " 16 kHz, one channel and 16 bits",
              Function.identity()));
  public static final Setting<Optional<URI>> DAILY_TRACKS =
      add(
          optional(
              "CONVOKE_DAILY_TRACKS",
              "the bucket of Daily's raw tracks: `s3://bucket` (with `CONVOKE_S3_*`), or"
                  + " `https://...` if it needs no credentials",
              SettingParsers::bucket));
  public static final Setting<Optional<Duration>> RECORDING_RETENTION =
      add(
          optional(
              "CONVOKE_RECORDING_RETENTION",
              "how long audio is kept after the work on it, and files of egress after the task; for"
                  + " ever without it",
              SettingParsers::interval));
  public static final Setting<Integer> WEBHOOKS_CONCURRENCY =
      add(
          setting(
              "CONVOKE_WEBHOOKS_CONCURRENCY",
              "64",
              "webhooks that a node sends at a time; a user has a quarter of it at most",
              SettingParsers.number(1, 1024)));
  public static final Setting<Boolean> WEBHOOKS_ALLOW_PRIVATE =
      add(
          setting(
              "CONVOKE_WEBHOOKS_ALLOW_PRIVATE",
              "false",
              "whether webhooks out may go to private addresses",
              SettingParsers::flag));

  private BackgroundWorkSettings() {}

  /** Whether tasks are written down in Postgres. */
  public enum TaskStoreSetting {
    POSTGRES,
    NONE
  }

  /** The dialect of the CRM. */
  public enum CrmKind {
    GENERIC,
    HUBSPOT
  }

  static List<Setting<?>> all() {
    return ALL;
  }

  private static <T> Setting<T> add(Setting<T> setting) {
    ALL.add(setting);
    return setting;
  }
}
