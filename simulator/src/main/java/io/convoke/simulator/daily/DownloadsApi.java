package io.convoke.simulator.daily;

import io.convoke.simulator.audio.RecordingFiles;
import io.convoke.simulator.fault.FaultKind;
import io.convoke.simulator.fault.FaultSwitches;
import io.convoke.simulator.http.RequestFilter;
import io.convoke.simulator.http.SimHttpServer;
import io.convoke.simulator.http.SimRequest;
import io.convoke.simulator.http.SimResponse;
import io.convoke.simulator.state.Recording;
import io.convoke.simulator.state.SimulationState;
import io.convoke.simulator.time.SimulationClock;
import io.convoke.simulator.webhook.WebhookSignature;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The files themselves: recordings behind signed links that expire, tracks in an open bucket. */
final class DownloadsApi {

  private static final Pattern RANGE = Pattern.compile("bytes=(\\d*)-(\\d*)");
  private static final String LINK_KEY = "ZG93bmxvYWRz";

  private final SimulationState simulationState;
  private final SimulationClock time;
  private final FaultSwitches faultSwitches;
  private final Function<Recording, byte[]> sound;
  private final Supplier<String> baseUrl;
  private final AtomicLong asked = new AtomicLong();

  DownloadsApi(
      SimulationState simulationState,
      SimulationClock time,
      FaultSwitches faultSwitches,
      Function<Recording, byte[]> sound,
      Supplier<String> baseUrl) {
    this.faultSwitches = faultSwitches;
    this.sound = sound;
    this.simulationState = simulationState;
    this.time = time;
    this.baseUrl = baseUrl;
  }

  void register(SimHttpServer simHttpServer) {
    RequestFilter open = (simRequest, requestHandler) -> requestHandler.handle(simRequest);
    simHttpServer.route("GET /downloads/{id}", open, this::recording);
    simHttpServer.route("GET /bucket/{domain}/{room}/{file}", open, this::track);
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

  private SimResponse recording(SimRequest simRequest) {
    String id = simRequest.path("id");
    String expires = simRequest.query("expires").orElse("");
    boolean genuine =
        simRequest.query("signature").map(signature(id, expires)::equals).orElse(false)
            && Long.parseLong(expires) > time.instant().getEpochSecond();
    if (!genuine) {
      return DailyError.FORBIDDEN.answer("the link is not valid or has expired");
    }
    return simulationState
        .recording(id)
        .map(recording -> cut(recording, file(simRequest, sound.apply(recording))))
        .orElseGet(() -> DailyError.NOT_FOUND.answer("no recording with id " + id));
  }

  private SimResponse cut(Recording recording, SimResponse whole) {
    boolean cut = whole.status() < 300 && strikes(FaultKind.DOWNLOAD_CUT, recording.room());
    return cut ? whole.cutAfter(whole.length() / 2) : whole;
  }

  private boolean strikes(FaultKind kind, String room) {
    return faultSwitches.strike(kind, room, room + " " + asked.incrementAndGet()).isPresent();
  }

  private SimResponse track(SimRequest simRequest) {
    String key =
        simRequest.path("domain") + "/" + simRequest.path("room") + "/" + simRequest.path("file");
    for (Recording recording : simulationState.recordings()) {
      Optional<String> session = RecordingFiles.session(recording, key);
      if (session.isPresent() && recording.status() == Recording.RecordingStatus.FINISHED) {
        return file(simRequest, RecordingFiles.trackFile(recording, session.get()));
      }
    }
    return DailyError.NOT_FOUND.answer("no object with key " + key);
  }

  /** The file, or the requested range of it. */
  private static SimResponse file(SimRequest simRequest, byte[] file) {
    String type = mediaType(file);
    Optional<Matcher> range =
        simRequest
            .header("Range")
            .map(RANGE::matcher)
            .filter(m -> m.matches() && !m.group().equals("bytes=-"));
    if (range.isEmpty()) {
      return SimResponse.bytes(200, type, file).with("Accept-Ranges", "bytes");
    }
    long first = range.get().group(1).isEmpty() ? -1 : number(range.get().group(1));
    long last = range.get().group(2).isEmpty() ? file.length - 1L : number(range.get().group(2));
    if (first < 0) {
      first = Math.max(0, file.length - last);
      last = file.length - 1L;
    }
    last = Math.min(last, file.length - 1L);
    if (first > last) {
      return SimResponse.bytes(416, type, new byte[0])
          .with("Content-Range", "bytes */" + file.length);
    }
    return SimResponse.bytes(206, type, Arrays.copyOfRange(file, (int) first, (int) last + 1))
        .with("Accept-Ranges", "bytes")
        .with("Content-Range", "bytes " + first + "-" + last + "/" + file.length);
  }

  private static String mediaType(byte[] file) {
    String text = new String(file, 0, Math.min(12, file.length), StandardCharsets.ISO_8859_1);
    if (text.startsWith("RIFF")) {
      return "audio/wav";
    }
    return text.startsWith("ftyp", 4) ? "video/mp4" : "binary/octet-stream";
  }

  private static long number(String digits) {
    return digits.length() > 9 ? Integer.MAX_VALUE : Long.parseLong(digits);
  }

  private static String signature(String id, String expires) {
    return WebhookSignature.sign(LINK_KEY, expires, id.getBytes(StandardCharsets.UTF_8))
        .replaceAll("[^A-Za-z0-9]", "");
  }
}
