package io.convoke.server.doctor;

import io.convoke.server.media.MediaTool;

/** Checks whether recordings can be converted to what transcribers take. */
public final class MediaChecks {
  private static final String PART = "ffmpeg";

  private MediaChecks() {}

  /**
   * Whether the program is there.
   *
   * @param program as {@code CONVOKE_FFMPEG} names it
   * @param transcribes whether a transcriber is configured
   */
  public static DoctorFinding check(String program, boolean transcribes) {
    return new MediaTool(program)
        .find()
        .map(path -> DoctorFinding.ok(PART, path + " converts recordings"))
        .orElseGet(
            () ->
                transcribes
                    ? DoctorFinding.warn(
                        PART,
                        program
                            + " is not there: MP4, WebM and most other recordings fail with "
                            + MediaTool.MISSING
                            + "; install it or set CONVOKE_FFMPEG")
                    : DoctorFinding.ok(
                        PART, program + " is not there, and no transcriber needs it"));
  }
}
