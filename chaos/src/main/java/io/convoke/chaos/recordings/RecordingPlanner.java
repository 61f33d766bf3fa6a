package io.convoke.chaos.recordings;

import io.convoke.chaos.ChaosSettings;
import io.convoke.chaos.Fault;
import io.convoke.chaos.PlanDraw;
import io.convoke.chaos.recordings.rules.ExpectedRecording;
import io.convoke.simulator.fault.FaultKind;
import io.convoke.simulator.fault.FaultSetting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Makes the plan of a seed. Deterministic for a seed and settings. */
final class RecordingPlanner {
  /** Besides the rooms of one meeting: a room tracked by both users, and an untracked one. */
  private static final int PLAIN = 4;

  private static final List<String> STEPS =
      List.of("download", "transcribe", "prepare", "transform", "push");
  private static final List<RecordingFaultPlan.CrmFault> CRM =
      List.of(
          RecordingFaultPlan.CrmFault.BROKEN,
          RecordingFaultPlan.CrmFault.UNHEARD,
          RecordingFaultPlan.CrmFault.LATE,
          RecordingFaultPlan.CrmFault.REFUSED);
  private static final List<RecordingPlanStep.KillPoint> POINTS =
      List.of(RecordingPlanStep.KillPoint.values());
  private static final List<RecordingPlanStep.KillPoint> UPLOAD_POINTS =
      List.of(
          RecordingPlanStep.KillPoint.DONE,
          RecordingPlanStep.KillPoint.ABORTED,
          RecordingPlanStep.KillPoint.COMMITTING,
          RecordingPlanStep.KillPoint.RUNNING);
  private static final Duration UPLOAD_DOWN = Duration.ofMillis(300);
  private static final List<String> TRANSCRIBER_FAULTS = List.of("errs", "dies", "slow", "harms");

  /** In one of this many seeds 250 recordings appear while all servers are down. */
  private static final int CROWDED = 25;

  private static final int CROWD = 250;

  /**
   * One of this many seeds runs without listing; pending stream entries of dead consumers are
   * reclaimed after a minute.
   */
  private static final int PATIENT = 20;

  /** How recordings end that nothing is made of. */
  private static final List<RecordingPlanStep.PlannedEnding> ENDLESS =
      List.of(RecordingPlanStep.PlannedEnding.CANCELED, RecordingPlanStep.PlannedEnding.EMPTY);

  private static final double FREQUENT = 0.4;

  private static final Duration AWAY = Duration.ofSeconds(9);

  /** Between two recordings that appear while Redis is away. */
  private static final Duration BETWEEN = Duration.ofMillis(600);

  private static final Duration LONG = Duration.ofSeconds(36);

  private final SplittableRandom random;
  private final PlanDraw draw;
  private final ChaosSettings settings;
  private final long seed;
  private final boolean patient;

  private RecordingPlanner(long seed, ChaosSettings settings) {
    this.random = new SplittableRandom(seed);
    this.draw = new PlanDraw(random, settings.faultPhase());
    this.settings = settings;
    this.seed = seed;
    this.patient = seed % PATIENT == 7;
  }

  static RecordingPlan plan(long seed, ChaosSettings settings) {
    RecordingPlanner planner = new RecordingPlanner(seed, settings);
    Map<String, List<Integer>> rooms = planner.rooms();
    List<String> names = List.copyOf(rooms.keySet());
    List<RecordingPlanStep.MakeRecording> recordings = new ArrayList<>(planner.recordings(names));
    List<RecordingPlanStep> faults = planner.faults(names);
    Map<FaultKind, FaultSetting> simulatorFaults = planner.simulatorFaults();
    recordings.addAll(planner.certain(rooms));
    recordings.sort(Comparator.comparing(RecordingPlanStep.MakeRecording::at));
    return new RecordingPlan(
        seed,
        rooms,
        List.copyOf(recordings),
        planner.withStore(faults),
        simulatorFaults,
        planner.patient);
  }

  /**
   * What every seed has: recordings that a user repeats from each step, corrects or deletes, in a
   * room with an earlier meeting and that of a bot; and in rooms of their own one that the
   * transcriber rejects, one that the CRM rejects and one during which the room moves to another
   * user. Drawn apart, so that the others stay.
   */
  private List<RecordingPlanStep.MakeRecording> certain(Map<String, List<Integer>> rooms) {
    PlanDraw apart = new PlanDraw(new SplittableRandom(seed + 1_000_003), settings.faultPhase());
    String again = "rec-" + seed + RecordingPlan.USED;
    List<RecordingPlanStep.MakeRecording> all = new ArrayList<>();
    rooms.put(again, List.of(0));
    for (String wish :
        Stream.concat(
                STEPS.stream(), Stream.of(ExpectedRecording.DELETE, ExpectedRecording.DELETE_EARLY))
            .toList()) {
      all.add(
          new RecordingPlanStep.MakeRecording(
              apart.share(0, 0.4),
              again,
              RecordingPlanStep.PlannedEnding.FINISHED,
              RecordingFaultPlan.wish(wish)));
    }
    for (RecordingPlanStep.PlannedEnding ending :
        patient ? List.<RecordingPlanStep.PlannedEnding>of() : ENDLESS) {
      all.add(
          new RecordingPlanStep.MakeRecording(
              apart.share(0, 0.6), again, ending, RecordingFaultPlan.NONE));
    }
    all.add(
        new RecordingPlanStep.MakeRecording(
            apart.share(0, 0.6),
            again,
            RecordingPlanStep.PlannedEnding.FINISHED,
            RecordingFaultPlan.busy()));
    for (boolean byTranscriber : List.of(true, false)) {
      String room = "rec-" + seed + (byTranscriber ? "-unheard" : "-unwelcome");
      rooms.put(room, List.of(byTranscriber ? 1 : 0));
      all.add(
          new RecordingPlanStep.MakeRecording(
              apart.share(0, 0.6),
              room,
              RecordingPlanStep.PlannedEnding.FINISHED,
              RecordingFaultPlan.rejected(byTranscriber)));
    }
    String moved = "rec-" + seed + RecordingPlan.MOVED;
    rooms.put(moved, List.of(0));
    all.add(
        new RecordingPlanStep.MakeRecording(
            apart.share(0, 0.6),
            moved,
            RecordingPlanStep.PlannedEnding.FINISHED,
            RecordingFaultPlan.NONE));
    all.add(
        new RecordingPlanStep.MakeRecording(
            apart.share(0, 0.4),
            again,
            RecordingPlanStep.PlannedEnding.FINISHED,
            RecordingFaultPlan.corrected()));
    return all;
  }

  /** In two seeds of three a store is away for longer than servers wait for it. */
  private List<RecordingPlanStep> withStore(List<RecordingPlanStep> drawn) {
    List<RecordingPlanStep> steps = new ArrayList<>(drawn);
    Duration at =
        new PlanDraw(new SplittableRandom(seed + 1_000_004), settings.faultPhase())
            .share(0.35, 0.5);
    if (!patient && seed % 3 == 1) {
      steps.add(shared(Fault.PostgresAway.untilCallsAreRefused(at)));
    } else if (patient || seed % 3 == 2) {
      steps.add(withoutRedis());
    }
    steps.add(upload());
    steps.sort(Comparator.comparing(RecordingPlanStep::at));
    return List.copyOf(steps);
  }

  /** In every seed, after the faults that are drawn. */
  private RecordingPlanStep upload() {
    return new RecordingPlanStep.KillAtUpload(
        new RecordingPlanStep.KillRecordingServers(
            settings.faultPhase(),
            STEPS.getFirst(),
            UPLOAD_POINTS.get(Math.floorMod(seed, UPLOAD_POINTS.size())),
            IntStream.range(0, settings.servers()).boxed().toList(),
            UPLOAD_DOWN));
  }

  /** After all other faults, so that only Redis can keep servers from the work. */
  private RecordingPlanStep withoutRedis() {
    List<RecordingPlanStep.MakeRecording> meanwhile =
        IntStream.range(0, 2 * PLAIN)
            .mapToObj(
                i ->
                    new RecordingPlanStep.MakeRecording(
                        BETWEEN.multipliedBy(i),
                        "rec-" + seed + "-" + i % PLAIN,
                        RecordingPlanStep.PlannedEnding.FINISHED,
                        RecordingFaultPlan.NONE))
            .toList();
    return new RecordingPlanStep.WithoutRedis(settings.faultPhase(), AWAY, meanwhile);
  }

  private Map<String, List<Integer>> rooms() {
    Map<String, List<Integer>> rooms = new LinkedHashMap<>();
    for (int i = 0; i < PLAIN; i++) {
      rooms.put("rec-" + seed + "-" + i, List.of(i % 2));
    }
    rooms.put("rec-" + seed + "-shared", List.of());
    rooms.put("rec-" + seed + "-strange", List.of());
    return rooms;
  }

  /** Several recordings a second, sometimes two at once in one meeting. */
  private List<RecordingPlanStep.MakeRecording> recordings(List<String> rooms) {
    List<RecordingPlanStep.MakeRecording> all = new ArrayList<>();
    int number = (int) Math.max(6, settings.faultPhase().toSeconds());
    for (int i = 0; i < number; i++) {
      Duration at = draw.share(0, 0.75);
      String room = room(rooms);
      all.add(new RecordingPlanStep.MakeRecording(at, room, ending(), faultPlan()));
      if (random.nextInt(4) == 0) {
        all.add(
            new RecordingPlanStep.MakeRecording(
                at, room, RecordingPlanStep.PlannedEnding.FINISHED, faultPlan()));
      }
    }
    all.sort(Comparator.comparing(RecordingPlanStep.MakeRecording::at));
    return List.copyOf(all);
  }

  /** Usually one with a known meeting. */
  private String room(List<String> rooms) {
    return rooms.get(random.nextInt(3) == 0 ? random.nextInt(rooms.size()) : random.nextInt(PLAIN));
  }

  /** A recording that was cancelled or has no duration triggers no webhook. */
  private RecordingPlanStep.PlannedEnding ending() {
    int drawn = random.nextInt(12);
    if (patient || drawn > 1) {
      return RecordingPlanStep.PlannedEnding.FINISHED;
    }
    return drawn == 0
        ? RecordingPlanStep.PlannedEnding.CANCELED
        : RecordingPlanStep.PlannedEnding.EMPTY;
  }

  private RecordingFaultPlan faultPlan() {
    List<Duration> slow = random.nextInt(3) == 0 ? List.of(draw.millis(300, 1500)) : List.of();
    List<String> transcriberFaults = new ArrayList<>();
    if (random.nextInt(3) == 0) {
      transcriberFaults.add(TRANSCRIBER_FAULTS.get(random.nextInt(TRANSCRIBER_FAULTS.size())));
    }
    List<RecordingFaultPlan.CrmFault> crm = new ArrayList<>();
    while (crm.size() < 3 && random.nextInt(3) == 0) {
      crm.add(crm());
    }
    return new RecordingFaultPlan(
        slow,
        List.copyOf(transcriberFaults),
        random.nextInt(14) == 0,
        List.copyOf(crm),
        random.nextInt(14) == 0,
        Optional.empty());
  }

  /** A response after the timeout takes half a minute. */
  private RecordingFaultPlan.CrmFault crm() {
    RecordingFaultPlan.CrmFault drawn = CRM.get(random.nextInt(CRM.size()));
    return drawn == RecordingFaultPlan.CrmFault.LATE && !patient
        ? RecordingFaultPlan.CrmFault.UNHEARD
        : drawn;
  }

  private List<RecordingPlanStep> faults(List<String> rooms) {
    List<RecordingPlanStep> steps = new ArrayList<>();
    boolean crowded = seed % CROWDED == 0;
    if (crowded || (!patient && random.nextInt(5) == 0)) {
      int crowd = crowded ? CROWD : 8 + random.nextInt(12);
      List<RecordingPlanStep.MakeRecording> meanwhile =
          IntStream.range(0, crowd)
              .mapToObj(
                  i ->
                      new RecordingPlanStep.MakeRecording(
                          Duration.ZERO,
                          rooms.get(i % PLAIN),
                          RecordingPlanStep.PlannedEnding.FINISHED,
                          crowded ? RecordingFaultPlan.NONE : faultPlan()))
              .toList();
      steps.add(new RecordingPlanStep.KillAllServers(draw.share(0.05, 0.2), meanwhile));
    }
    int kills = 1 + random.nextInt(2);
    for (int i = 0; i < kills; i++) {
      double from = 0.25 + 0.35 * i;
      steps.add(
          new RecordingPlanStep.KillRecordingServers(
              draw.share(from, from + 0.15),
              STEPS.get(random.nextInt(STEPS.size())),
              POINTS.get(random.nextInt(POINTS.size())),
              killedServers(),
              draw.millis(100, 1500)));
    }
    if (!patient && random.nextInt(3) > 0) {
      Duration at = draw.share(0.2, 0.7);
      Duration span = draw.millis(500, 2500);
      steps.add(
          shared(
              switch (random.nextInt(4)) {
                case 0 -> new Fault.FlushRedis(at);
                case 1 -> new Fault.RedisAway(at, Fault.StoreFailure.STOPS, span);
                case 2 -> new Fault.RedisAway(at, Fault.StoreFailure.HANGS, span);
                default -> new Fault.CutRedis(at);
              }));
    }
    if (patient && settings.servers() > 1) {
      // Longer than the locks of workflows: another server does the work meanwhile.
      steps.add(shared(new Fault.HangServer(draw.share(0.5, 0.6), settings.servers() - 1, LONG)));
    }
    if (!patient && random.nextInt(2) == 0) {
      Duration at = draw.share(0.7, 0.95);
      steps.add(
          shared(
              random.nextBoolean()
                  ? new Fault.RollServers(at)
                  : new Fault.HangServer(
                      at, random.nextInt(settings.servers()), draw.millis(1000, 6000))));
    }
    settings.added(seed).forEach(fault -> steps.add(shared(fault)));
    steps.sort(Comparator.comparing(RecordingPlanStep::at));
    return List.copyOf(steps);
  }

  private static RecordingPlanStep shared(Fault fault) {
    return new RecordingPlanStep.SharedFault(fault.at(), fault);
  }

  private List<Integer> killedServers() {
    return settings.servers() == 1 || random.nextBoolean()
        ? IntStream.range(0, settings.servers()).boxed().toList()
        : List.of(random.nextInt(settings.servers()));
  }

  private Map<FaultKind, FaultSetting> simulatorFaults() {
    Map<FaultKind, FaultSetting> faults = new LinkedHashMap<>();
    // Without listing, a lost webhook would lose the recording.
    faults.put(FaultKind.WEBHOOK_DROP, patient ? FaultSetting.NEVER : FaultSetting.of(0.3));
    faults.put(FaultKind.WEBHOOK_REPEAT, upTo(0.4).lasting(Duration.ofSeconds(3)));
    faults.put(FaultKind.WEBHOOK_REORDER, upTo(0.25).lasting(Duration.ofSeconds(2)));
    faults.put(FaultKind.WEBHOOK_DELAY, upTo(0.3).lasting(Duration.ofSeconds(4)));
    faults.put(FaultKind.LINK_EXPIRED, often(1, upTo(0.3)));
    faults.put(FaultKind.DOWNLOAD_CUT, often(0, upTo(0.5)));
    faults.put(FaultKind.API_500, upTo(0.15).on("recordings"));
    faults.put(FaultKind.API_429, upTo(0.1).on("recordings"));
    faults.put(FaultKind.API_SLOW, upTo(0.2).on("recordings").lasting(Duration.ofMillis(600)));
    return faults;
  }

  /** Frequent in the seeds with this remainder, else as drawn. */
  private FaultSetting often(int remainder, FaultSetting drawn) {
    return seed % 3 == remainder ? FaultSetting.of(FREQUENT) : drawn;
  }

  private FaultSetting upTo(double most) {
    return FaultSetting.of(Math.round(random.nextDouble() * most * 100) / 100.0);
  }
}
