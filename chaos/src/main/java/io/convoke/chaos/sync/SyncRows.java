package io.convoke.chaos.sync;

import io.convoke.chaos.sync.rules.AppliedUpdate;
import io.convoke.chaos.sync.rules.SyncCall.SyncDetail;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Reads the servers' rows directly from the tables documented in docs/spec/contract.md. */
final class SyncRows {
  private SyncRows() {}

  /** Updates by meeting, in journal order. */
  static Map<String, List<AppliedUpdate>> journal(Connection connection) throws SQLException {
    Map<String, List<AppliedUpdate>> journal = new HashMap<>();
    connection.setAutoCommit(false);
    try (PreparedStatement statement =
        connection.prepareStatement(
            """
            select data ->> 'meeting_id', (data ->> 'version')::bigint,
              substr(data ->> 'last_synced_by', 2)::bigint, data ->> 'from', data ->> 'to',
              (data ->> 'attempts')::bigint, coalesce(data ->> 'last_step', ''),
              coalesce(data ->> 'updated_at', '')
            from convoke.events
            where type = 'sync.status_changed' and subject like 'meeting:chaos:%' order by seq
            """)) {
      statement.setFetchSize(10_000);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          journal
              .computeIfAbsent(row.getString(1), meeting -> new ArrayList<>())
              .add(
                  new AppliedUpdate(
                      row.getLong(2),
                      row.getLong(3),
                      row.getString(4).charAt(0),
                      row.getString(5).charAt(0),
                      row.getLong(6),
                      new SyncDetail(row.getString(7), row.getString(8))));
        }
      }
    }
    return journal;
  }

  /** Row versions by meeting. */
  static Map<String, Long> versions(Connection connection) throws SQLException {
    Map<String, Long> versions = new HashMap<>();
    try (PreparedStatement statement =
            connection.prepareStatement("select meeting_id, version from convoke.sync_status");
        ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        versions.put(row.getString(1), row.getLong(2));
      }
    }
    return versions;
  }
}
