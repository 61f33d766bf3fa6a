package io.convoke.server.sync;

import io.convoke.server.http.EntityTag;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Entity tags of sync status (RFC 9110, 8.8.3): the version of a single record, a digest for
 * several.
 */
final class EntityTags {
  private EntityTags() {}

  static String of(SyncView view) {
    return '"' + view.tag() + '"';
  }

  /** The tag of a record that is neither stalled nor stale. */
  static String of(long version) {
    return "\"" + version + '"';
  }

  static String of(List<SyncView> views, List<String> missing) {
    StringBuilder all = new StringBuilder();
    views.forEach(view -> all.append(view.meetingId()).append(' ').append(view.tag()).append('\n'));
    missing.forEach(id -> all.append(id).append('\n'));
    return EntityTag.of(all.toString().getBytes(StandardCharsets.US_ASCII));
  }
}
