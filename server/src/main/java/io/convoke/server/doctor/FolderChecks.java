package io.convoke.server.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;

/** Checks the folder that {@code serve --data} names: recordings, logs of bots, embedded stores. */
public final class FolderChecks {
  private static final String PART = "data folder";
  private static final Set<PosixFilePermission> OF_OTHERS =
      EnumSet.of(
          PosixFilePermission.GROUP_READ,
          PosixFilePermission.GROUP_WRITE,
          PosixFilePermission.OTHERS_READ,
          PosixFilePermission.OTHERS_WRITE);

  private FolderChecks() {}

  /** Whether a server can write there, and other users of this machine cannot read. */
  public static DoctorFinding check(Path folder) {
    Path at = folder.toAbsolutePath().normalize();
    if (!Files.exists(at)) {
      Path parent = at;
      while (parent != null && !Files.exists(parent)) {
        parent = parent.getParent();
      }
      return parent != null && Files.isDirectory(parent) && Files.isWritable(parent)
          ? DoctorFinding.ok(PART, at + " does not exist yet; a server creates it")
          : DoctorFinding.fault(
              PART, at + " cannot be created: give this user rights on " + parent);
    }
    try {
      Path probe = Files.createTempFile(at, ".doctor", "");
      Files.write(probe, new byte[4096]);
      Files.delete(probe);
    } catch (IOException e) {
      return DoctorFinding.fault(
          PART, at + " cannot be written (" + e + "): give this user rights and free space");
    }
    try {
      Set<PosixFilePermission> permissions = EnumSet.noneOf(PosixFilePermission.class);
      permissions.addAll(Files.getPosixFilePermissions(at));
      String shown = PosixFilePermissions.toString(permissions);
      return permissions.removeAll(OF_OTHERS)
          ? DoctorFinding.warn(
              PART,
              at + " is open to other users (" + shown + "): recordings lie there; chmod 700 it")
          : DoctorFinding.ok(PART, at + " is writable, and this user's alone");
    } catch (IOException | UnsupportedOperationException e) {
      return DoctorFinding.ok(PART, at + " is writable");
    }
  }
}
