package io.convoke.lab.sim.daily;

import io.convoke.lab.sim.audio.RecordingFiles;
import io.convoke.lab.sim.audio.Sound;
import io.convoke.lab.sim.fault.FaultKind;
import io.convoke.lab.sim.fault.Faults;
import io.convoke.lab.sim.http.Answer;
import io.convoke.lab.sim.http.Around;
import io.convoke.lab.sim.http.Call;
import io.convoke.lab.sim.http.Web;
import io.convoke.lab.sim.time.SimTime;
import io.convoke.lab.sim.webhook.Signature;
import io.convoke.lab.sim.world.Recording;
import io.convoke.lab.sim.world.World;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The files themselves: recordings behind signed links that expire, tracks in an open bucket. */
final class Downloads {

  private static final Pattern RANGE = Pattern.compile("bytes=(\\d*)-(\\d*)");
  private static final String LINK_KEY = "ZG93bmxvYWRz";

  private final World world;
  private final SimTime time;
  private final Faults faults;
  private final Function<Recording, byte[]> sound;
  private final Supplier<String> baseUrl;
  private final AtomicLong asked = new AtomicLong();

  Downloads(
      World world,
      SimTime time,
      Faults faults,
      Function<Recording, byte[]> sound,
      Supplier<String> baseUrl) {
    this.faults = faults;
    this.sound = sound;
    this.world = world;
    this.time = time;
    this.baseUrl = baseUrl;
  }

  void register(Web web) {
    Around open = (call, handler) -> handler.handle(call);
    web.route("GET /downloads/{id}", open, this::recording);
    web.route("GET /bucket/{domain}/{room}/{file}", open, this::track);
  }

  String link(Recording recording, long wanted) {
    boolean over = strikes(FaultKind.LINK_EXPIRED, recording.room());
    long expires = over ? time.instant().getEpochSecond() - 1 : wanted;
    return baseUrl.get()
        + "/downloads/"
        + recording.recordingId()
        + "?expires="
        + expires
        + "&signature="
        + signature(recording.recordingId(), Long.toString(expires));
  }

  private Answer recording(Call call) {
    String id = call.path("id");
    String expires = call.query("expires").orElse("");
    boolean genuine =
        call.query("signature").map(signature(id, expires)::equals).orElse(false)
            && Long.parseLong(expires) > time.instant().getEpochSecond();
    if (!genuine) {
      return DailyError.FORBIDDEN.answer("the link is not valid or has expired");
    }
    return world
        .recording(id)
        .map(recording -> cut(recording, file(call, sound.apply(recording))))
        .orElseGet(() -> DailyError.NOT_FOUND.answer("no recording with id " + id));
  }

  private Answer cut(Recording recording, Answer whole) {
    boolean cut = whole.status() < 300 && strikes(FaultKind.DOWNLOAD_CUT, recording.room());
    return cut ? whole.cutAfter(whole.length() / 2) : whole;
  }

  private boolean strikes(FaultKind kind, String room) {
    return faults.strike(kind, room, room + " " + asked.incrementAndGet()).isPresent();
  }

  private Answer track(Call call) {
    String key = call.path("domain") + "/" + call.path("room") + "/" + call.path("file");
    for (Recording recording : world.recordings()) {
      Optional<String> speaker = RecordingFiles.speaker(recording, key);
      if (speaker.isPresent() && recording.status() == Recording.Status.FINISHED) {
        return file(call, Sound.wav(recording, speaker));
      }
    }
    return DailyError.NOT_FOUND.answer("no object with key " + key);
  }

  /** The file, or the part of it that a Range header asks for. */
  private static Answer file(Call call, byte[] file) {
    Optional<Matcher> range =
        call.header("Range")
            .map(RANGE::matcher)
            .filter(m -> m.matches() && !m.group().equals("bytes=-"));
    if (range.isEmpty()) {
      return Answer.bytes(200, "audio/wav", file).with("Accept-Ranges", "bytes");
    }
    long first = range.get().group(1).isEmpty() ? -1 : number(range.get().group(1));
    long last = range.get().group(2).isEmpty() ? file.length - 1L : number(range.get().group(2));
    if (first < 0) {
      first = Math.max(0, file.length - last);
      last = file.length - 1L;
    }
    last = Math.min(last, file.length - 1L);
    if (first > last) {
      return Answer.bytes(416, "audio/wav", new byte[0])
          .with("Content-Range", "bytes */" + file.length);
    }
    return Answer.bytes(206, "audio/wav", Arrays.copyOfRange(file, (int) first, (int) last + 1))
        .with("Accept-Ranges", "bytes")
        .with("Content-Range", "bytes " + first + "-" + last + "/" + file.length);
  }

  private static long number(String digits) {
    return digits.length() > 9 ? Integer.MAX_VALUE : Long.parseLong(digits);
  }

  private static String signature(String id, String expires) {
    return Signature.sign(LINK_KEY, expires, id.getBytes(StandardCharsets.UTF_8))
        .replaceAll("[^A-Za-z0-9]", "");
  }
}
