package io.convoke.server.recordings;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Tx;
import io.convoke.server.media.Waveform;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The rows of {@code recording_peaks}. */
final class WaveformStore {
  private WaveformStore() {}

  /**
   * A waveform as the API shows it.
   *
   * @param video whether the file has pictures
   */
  record WaveformView(String recordingId, double seconds, boolean video, List<Integer> peaks) {}

  static void write(Tx tx, String recordingId, String sha256, Waveform waveform, boolean video) {
    byte[] peaks = new byte[waveform.peaks().size()];
    for (int i = 0; i < peaks.length; i++) {
      peaks[i] = waveform.peaks().get(i).byteValue();
    }
    int _ =
        tx.sql(
                """
                insert into recording_peaks (recording_id, sha256, seconds, video, peaks)
                values (?, ?, ?, ?, ?)
                on conflict (recording_id) do update set sha256 = excluded.sha256,
                  seconds = excluded.seconds, video = excluded.video, peaks = excluded.peaks,
                  created_at = now()
                """)
            .with(recordingId, sha256, waveform.seconds(), video, peaks)
            .update();
  }

  static Optional<WaveformView> find(Database database, String recordingId) {
    return database.read(
        tx ->
            tx.sql("select seconds, video, peaks from recording_peaks where recording_id = ?")
                .with(recordingId)
                .first(
                    resultRow ->
                        new WaveformView(
                            recordingId,
                            resultRow.doubleAt("seconds"),
                            resultRow.booleanAt("video"),
                            numbers(resultRow.bytes("peaks")))));
  }

  static void delete(Tx tx, String recordingId) {
    int _ = tx.sql("delete from recording_peaks where recording_id = ?").with(recordingId).update();
  }

  private static List<Integer> numbers(byte[] peaks) {
    List<Integer> numbers = new ArrayList<>(peaks.length);
    for (byte peak : peaks) {
      numbers.add(peak & 0xff);
    }
    return numbers;
  }
}
