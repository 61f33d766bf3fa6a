package io.convoke.server.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;

/** A self-signed certificate for localhost and its key, as PEM files. */
public final class TestCertificate {
  private static final String PASSWORD = "changeit";

  private TestCertificate() {}

  /** Makes {@code NAME.crt} and {@code NAME.key} in a folder. */
  public static void make(Path folder, String name) throws Exception {
    Path store = folder.resolve(name + ".p12");
    Process keytool =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                    "-genkeypair",
                    "-keyalg",
                    "EC",
                    "-alias",
                    name,
                    "-dname",
                    "CN=localhost",
                    "-ext",
                    "san=dns:localhost",
                    "-storetype",
                    "PKCS12",
                    "-keystore",
                    store.toString(),
                    "-storepass",
                    PASSWORD))
            .redirectErrorStream(true)
            .start();
    assertThat(keytool.waitFor()).isZero();
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD.toCharArray());
    }
    pem(folder, name + ".crt", "CERTIFICATE", keys.getCertificate(name).getEncoded());
    pem(
        folder,
        name + ".key",
        "PRIVATE KEY",
        keys.getKey(name, PASSWORD.toCharArray()).getEncoded());
  }

  private static void pem(Path folder, String file, String type, byte[] der) throws IOException {
    Path _ =
        Files.writeString(
            folder.resolve(file),
            "-----BEGIN %s-----\n%s\n-----END %s-----\n"
                .formatted(type, Base64.getMimeEncoder().encodeToString(der), type));
  }
}
