package io.convoke.server.doctor;

/**
 * The result of one check.
 *
 * @param part what was checked
 * @param text what was found, and for all but {@code OK} what to do
 */
public record DoctorFinding(FindingLevel level, String part, String text) {
  /** How bad a finding is. */
  public enum FindingLevel {
    OK,
    /** It works now, with a risk. */
    WARN,
    /** A server would not work, or lose work. */
    FAULT
  }

  static DoctorFinding ok(String part, String text) {
    return new DoctorFinding(FindingLevel.OK, part, text);
  }

  static DoctorFinding warn(String part, String text) {
    return new DoctorFinding(FindingLevel.WARN, part, text);
  }

  static DoctorFinding fault(String part, String text) {
    return new DoctorFinding(FindingLevel.FAULT, part, text);
  }
}
