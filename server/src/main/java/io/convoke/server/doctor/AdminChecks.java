package io.convoke.server.doctor;

/** Checks whether there is an admin, without whom users cannot be created. */
public final class AdminChecks {
  private static final String PART = "admin";

  private AdminChecks() {}

  /**
   * Admins have the token, or a role at the issuer.
   *
   * @param role what the issuer calls admins; empty if it makes none
   */
  public static DoctorFinding check(boolean token, boolean issuer, String role) {
    if (token) {
      return DoctorFinding.ok(PART, "an admin token is set");
    }
    return issuer && !role.isEmpty()
        ? DoctorFinding.ok(PART, "people whom the issuer gives " + role + " are admins")
        : DoctorFinding.fault(
            PART,
            "users cannot be created: set CONVOKE_ADMIN_TOKEN, or CONVOKE_OIDC_ISSUER with a"
                + " CONVOKE_OIDC_ADMIN_ROLE");
  }
}
