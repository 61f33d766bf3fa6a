package io.convoke.agent.egress;

import io.convoke.agent.egress.EgressRequest.EgressKind;
import io.convoke.agent.egress.EgressRequest.EgressLayout;
import io.convoke.agent.egress.JanusForwarder.Forward;
import io.convoke.agent.egress.JanusForwarder.Publisher;
import java.net.URI;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * How ffmpeg makes one part of an egress of what is forwarded: a description of the streams and the
 * arguments. A part ends when the publishers change. Pure.
 *
 * @param publishers in the order of their tiles
 */
record FfmpegPlan(
    EgressRequest request, String host, List<Publisher> publishers, List<Forward> forwards) {
  /** Seconds of a segment. */
  static final int SEGMENT = 4;

  /** The list of the segments that are complete. */
  static final String SEGMENTS = "segments.csv";

  /** A shorter key of a stream may be a part of other words. */
  private static final int KEY_MIN = 6;

  /** The filter that chooses whom a picture shows. */
  static final String SELECTION = "streamselect@focus";

  private static final int WIDTH = 1280;
  private static final int HEIGHT = 720;
  private static final int FPS = 15;

  FfmpegPlan {
    publishers = List.copyOf(publishers);
    forwards = List.copyOf(forwards);
  }

  /** The list of complete segments of a speaker's sound. */
  static String voices(int speaker) {
    return "voice-" + speaker + ".csv";
  }

  /** A session description with a line for each stream, in their order. */
  String sdp() {
    StringBuilder text =
        new StringBuilder(
            "v=0\r\no=- 0 0 IN IP4 %1$s\r\ns=-\r\nc=IN IP4 %1$s\r\nt=0 0\r\n".formatted(host));
    for (Forward forward : forwards) {
      int type = forward.video() ? JanusForwarder.VP8 : JanusForwarder.OPUS;
      String codec = forward.video() ? "VP8/90000" : "opus/48000/2";
      StringBuilder _ =
          text.append(
              "m=%s %d RTP/AVP %d\r\na=rtpmap:%d %s\r\na=rtcp:%d\r\n"
                  .formatted(
                      forward.video() ? "video" : "audio",
                      forward.ports().media(),
                      type,
                      type,
                      codec,
                      forward.ports().control()));
    }
    return text.toString();
  }

  /** The arguments, for a folder with the description in {@code in.sdp}. */
  List<String> arguments() {
    List<String> line =
        new ArrayList<>(List.of("-hide_banner", "-loglevel", "error", "-y", "-protocol_whitelist"));
    line.addAll(List.of("file,udp,rtp", "-analyzeduration", "3000000", "-max_delay", "300000"));
    line.addAll(List.of("-i", "in.sdp", "-filter_complex", filters()));
    switch (request.kind()) {
      case EgressKind.RecordRoom _ -> {
        line.addAll(encoded());
        line.addAll(segmented("mpegts", SEGMENTS, "segment-%05d.ts"));
        for (int i = 0; i < publishers.size(); i++) {
          Optional<Integer> sound = stream(publishers.get(i), false);
          if (sound.isPresent()) {
            line.addAll(List.of("-map", "[v" + i + "]", "-c:a", "libopus", "-b:a", "32k"));
            line.addAll(segmented("ogg", voices(i), "voice-" + i + "-%05d.ogg"));
          }
        }
      }
      case EgressKind.StreamRoom _ -> {
        line.addAll(encoded());
        line.addAll(segmented("mpegts", SEGMENTS, "segment-%05d.ts"));
      }
      case EgressKind.PictureRoom _ ->
          line.addAll(
              List.of(
                  "-map",
                  "[pictures]",
                  "-vsync",
                  "vfr",
                  "-atomic_writing",
                  "1",
                  "-f",
                  "image2",
                  "picture-%05d.png"));
      case EgressKind.PushRoom(URI target) -> {
        line.addAll(encoded());
        line.addAll(
            List.of("-f", target.getScheme().equals("srt") ? "mpegts" : "flv", target.toString()));
      }
    }
    return line;
  }

  /**
   * A line of ffmpeg's without what follows the server in the address of a push, which has the key
   * of the user's stream, and without that key where it stands alone.
   */
  String redacted(String line) {
    return switch (request.kind()) {
      case EgressKind.RecordRoom _, EgressKind.StreamRoom _, EgressKind.PictureRoom _ -> line;
      case EgressKind.PushRoom(URI target) -> {
        String address = target.toString();
        String scheme = target.getScheme() + "://";
        String server = address.substring(scheme.length()).split("[/?]", 2)[0];
        String shown = scheme + server.substring(server.lastIndexOf('@') + 1);
        String redacted = line.replace(address, shown);
        for (String secret : secrets(address.substring(scheme.length() + server.length()))) {
          redacted = redacted.replace(secret, "***");
        }
        // ffmpeg cuts lines of more than a thousand characters, also within an address.
        for (String mark : List.of("/", "?")) {
          int cut = redacted.indexOf(scheme + server + mark);
          redacted = cut < 0 ? redacted : redacted.substring(0, cut) + shown;
        }
        yield redacted;
      }
    };
  }

  /** What may be a key in a path and its query, the longest first. */
  private static List<String> secrets(String path) {
    String[] parts = path.split("\\?", 2);
    Stream<String> values =
        Stream.of(parts)
            .skip(1)
            .flatMap(query -> Stream.of(query.split("&")))
            .map(pair -> pair.substring(pair.indexOf('=') + 1));
    return Stream.concat(Stream.of(parts[0].split("/")), values)
        .filter(part -> part.length() >= KEY_MIN)
        .sorted(Comparator.comparingInt(String::length).reversed())
        .toList();
  }

  private static List<String> encoded() {
    return List.of(
        "-map",
        "[picture]",
        "-map",
        "[sound]",
        "-c:v",
        "libx264",
        "-preset",
        "ultrafast",
        "-pix_fmt",
        "yuv420p",
        "-b:v",
        "1200k",
        "-maxrate",
        "1500k",
        "-bufsize",
        "3000k",
        "-force_key_frames",
        "expr:gte(t,n_forced*" + SEGMENT + ")",
        "-c:a",
        "aac",
        "-b:a",
        "96k",
        "-ar",
        "48000",
        "-ac",
        "2");
  }

  private static List<String> segmented(String format, String list, String name) {
    return List.of(
        "-f",
        "segment",
        "-segment_time",
        Integer.toString(SEGMENT),
        "-segment_format",
        format,
        "-segment_list",
        list,
        "-segment_list_type",
        "csv",
        name);
  }

  /** Whether one of several publishers is shown at a time. */
  boolean selects() {
    return request.layout() == EgressLayout.SPEAKER && publishers.size() > 1;
  }

  /** Tiles in a grid, or one above the whole; black where someone has no picture. */
  String filters() {
    int columns = selects() ? 1 : (int) Math.ceil(Math.sqrt(publishers.size()));
    int rows = selects() ? 1 : (publishers.size() + columns - 1) / columns;
    int width = WIDTH / columns & ~1;
    int height = HEIGHT / rows & ~1;
    List<String> all = new ArrayList<>();
    List<String> sounds = new ArrayList<>();
    StringBuilder tiles = new StringBuilder();
    StringBuilder layout = new StringBuilder();
    for (int i = 0; i < publishers.size(); i++) {
      all.add(tile(i, width, height));
      StringBuilder _ = tiles.append("[t").append(i).append(']');
      StringBuilder _ =
          layout
              .append(i == 0 ? "" : "|")
              .append(i % columns * width)
              .append('_')
              .append(i / columns * height);
      Optional<Integer> sound = stream(publishers.get(i), false);
      if (sound.isPresent()) {
        boolean apart = request.kind() instanceof EgressKind.RecordRoom;
        // Lost packets become silence. A larger async also stretches what follows them, by seconds.
        all.add(
            "[0:%d]aresample=48000:async=1:first_pts=0%s"
                .formatted(
                    sound.get(),
                    apart ? ",asplit[s%1$d][v%1$d]".formatted(i) : "[s%d]".formatted(i)));
        sounds.add("[s" + i + "]");
      }
    }
    String whole =
        publishers.size() == 1
            ? tiles + "pad=%d:%d:-1:-1".formatted(WIDTH, HEIGHT)
            : selects()
                ? tiles + SELECTION + "=inputs=%d:map=0".formatted(publishers.size())
                : tiles
                    + "xstack=inputs=%d:layout=%s:fill=black,scale=%d:%d"
                        .formatted(publishers.size(), layout, WIDTH, HEIGHT);
    boolean pictures = request.kind() instanceof EgressKind.PictureRoom;
    all.add(
        pictures
            ? whole
                + String.format(
                    Locale.ROOT,
                    ",select='isnan(prev_selected_t)+gte(t-prev_selected_t\\,%.3f)'[pictures]",
                    request.interval().toMillis() / 1000.0)
            : whole + "[picture]");
    all.add(
        sounds.isEmpty()
            ? "anullsrc=r=48000:cl=stereo,arealtime" + (pictures ? ",anullsink" : "[sound]")
            : String.join("", sounds)
                + "amix=inputs=%d:normalize=0:dropout_transition=0".formatted(sounds.size())
                + (pictures ? ",anullsink" : "[sound]"));
    return String.join(";", all);
  }

  /** Where sound is recorded it sets the pace; a wait would keep ffmpeg from reading it in time. */
  private boolean pacedBySound() {
    return !(request.kind() instanceof EgressKind.PictureRoom)
        && !forwards.stream().allMatch(Forward::video);
  }

  private String tile(int number, int width, int height) {
    String scaled =
        "scale=%1$d:%2$d:force_original_aspect_ratio=decrease,pad=%1$d:%2$d:-1:-1,setsar=1"
            .formatted(width, height);
    return stream(publishers.get(number), true)
        .map(video -> "[0:%d]fps=%d,%s[t%d]".formatted(video, FPS, scaled, number))
        .orElse(
            "color=black:s=%dx%d:r=%d%s[t%d]"
                .formatted(width, height, FPS, pacedBySound() ? "" : ",realtime", number));
  }

  /** The number of a publisher's stream in the description. */
  private Optional<Integer> stream(Publisher publisher, boolean video) {
    for (int i = 0; i < forwards.size(); i++) {
      if (forwards.get(i).publisher().equals(publisher) && forwards.get(i).video() == video) {
        return Optional.of(i);
      }
    }
    return Optional.empty();
  }
}
