package io.convoke.engine.crypto;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Encrypts what is stored (AES-256-GCM) and derives keys (HMAC-SHA256) from {@code
 * CONVOKE_SECRET_KEY}. With several keys, while rotating, the first encrypts and all decrypt. Each
 * sealed value begins with a format byte and the id of its key, so a value sealed with an unknown
 * key can be distinguished from a forged one.
 *
 * <p>Layout: {@code 1 | key id (4) | nonce (12) | ciphertext and tag}. The purpose is authenticated
 * with it: what was sealed for one purpose does not open for another.
 */
public final class SecretBox {
  private static final byte FORMAT = 1;
  private static final int KEY_BYTES = 32;
  private static final int ID_BYTES = 4;
  private static final int NONCE_BYTES = 12;
  private static final int TAG_BITS = 128;
  private static final int HEAD_BYTES = 1 + ID_BYTES;
  private static final int ADDED_BYTES = HEAD_BYTES + NONCE_BYTES + TAG_BITS / 8;

  private static final class EncryptionKey {
    final SecretKeySpec master;
    final SecretKeySpec sealing;
    final byte[] id;

    EncryptionKey(byte[] bytes) {
      this.master = new SecretKeySpec(bytes, "HmacSHA256");
      this.sealing = new SecretKeySpec(hmac(master, "convoke seal"), "AES");
      this.id = Arrays.copyOf(hmac(master, "convoke key id"), ID_BYTES);
    }
  }

  /**
   * A sealed value that does not open: forged, damaged, of another purpose, or of a key that we
   * lack.
   */
  public static final class UnsealFailure extends RuntimeException {
    private UnsealFailure(String reason) {
      super(reason);
    }
  }

  private final SecureRandom random = new SecureRandom();
  private final List<EncryptionKey> keys;

  private SecretBox(List<EncryptionKey> keys) {
    this.keys = List.copyOf(keys);
  }

  /**
   * Opens a box with these keys: the first encrypts, all decrypt.
   *
   * @throws IllegalArgumentException if one is not 32 bytes long, or there is none
   */
  public static SecretBox of(byte[]... keys) {
    if (keys.length == 0 || Arrays.stream(keys).anyMatch(key -> key.length != KEY_BYTES)) {
      throw new IllegalArgumentException("a secret key has 32 bytes");
    }
    return new SecretBox(Arrays.stream(keys).map(EncryptionKey::new).toList());
  }

  /**
   * Opens a box with the keys as {@code CONVOKE_SECRET_KEY} has them: base64 of 32 bytes each,
   * separated by commas.
   *
   * @throws IllegalArgumentException if one is not; it does not say what it was
   */
  public static SecretBox parse(String keys) {
    byte[][] each;
    try {
      each =
          Arrays.stream(keys.split(",", -1))
              .map(key -> Base64.getDecoder().decode(key.trim()))
              .toArray(byte[][]::new);
    } catch (IllegalArgumentException _) {
      throw new IllegalArgumentException("a secret key is base64 of 32 bytes");
    }
    return of(each);
  }

  /** A fresh key. */
  public static byte[] newKey() {
    byte[] key = new byte[KEY_BYTES];
    new SecureRandom().nextBytes(key);
    return key;
  }

  /** Encrypts bytes for a purpose. */
  public byte[] seal(String purpose, byte[] plain) {
    EncryptionKey encryptionKey = keys.getFirst();
    byte[] nonce = new byte[NONCE_BYTES];
    random.nextBytes(nonce);
    byte[] sealed = crypt(Cipher.ENCRYPT_MODE, encryptionKey, purpose, nonce, plain);
    return ByteBuffer.allocate(HEAD_BYTES + NONCE_BYTES + sealed.length)
        .put(FORMAT)
        .put(encryptionKey.id)
        .put(nonce)
        .put(sealed)
        .array();
  }

  /** Encrypts text for a purpose; the result is URL-safe text. */
  public String seal(String purpose, String plain) {
    byte[] sealed = seal(purpose, plain.getBytes(StandardCharsets.UTF_8));
    return Base64.getUrlEncoder().withoutPadding().encodeToString(sealed);
  }

  /** The length of what {@link #seal(String, String)} encrypted, in bytes. */
  static int plainBytes(String sealed) {
    // Base64 without padding: four characters for each three bytes.
    return Math.max(0, sealed.length() * 3 / 4 - ADDED_BYTES);
  }

  /**
   * Encrypts text for a purpose once with each key, the first one first: for a reader that may hold
   * only one of them.
   */
  public List<String> sealForEach(String purpose, String plain) {
    return keys.stream()
        .map(encryptionKey -> new SecretBox(List.of(encryptionKey)).seal(purpose, plain))
        .toList();
  }

  /**
   * Decrypts what {@link #seal(String, byte[])} made.
   *
   * @throws UnsealFailure if it does not open
   */
  public byte[] open(String purpose, byte[] sealed) {
    if (sealed.length < HEAD_BYTES + NONCE_BYTES || sealed[0] != FORMAT) {
      throw new UnsealFailure("not a sealed value");
    }
    byte[] id = Arrays.copyOfRange(sealed, 1, HEAD_BYTES);
    EncryptionKey encryptionKey =
        keys.stream()
            .filter(candidate -> Arrays.equals(candidate.id, id))
            .findFirst()
            .orElseThrow(() -> new UnsealFailure("sealed with a key that is not configured"));
    byte[] nonce = Arrays.copyOfRange(sealed, HEAD_BYTES, HEAD_BYTES + NONCE_BYTES);
    byte[] body = Arrays.copyOfRange(sealed, HEAD_BYTES + NONCE_BYTES, sealed.length);
    return crypt(Cipher.DECRYPT_MODE, encryptionKey, purpose, nonce, body);
  }

  /**
   * Decrypts what {@link #seal(String, String)} made.
   *
   * @throws UnsealFailure if it does not open
   */
  public String open(String purpose, String sealed) {
    byte[] bytes;
    try {
      bytes = Base64.getUrlDecoder().decode(sealed);
    } catch (IllegalArgumentException _) {
      throw new UnsealFailure("not a sealed value");
    }
    return new String(open(purpose, bytes), StandardCharsets.UTF_8);
  }

  /**
   * 32 bytes by each configured key that only its holders can compute: the same for the same
   * purpose and context, unrelated to any other. Credentials are issued with the first key; a
   * presented credential may stem from any key, because credentials outlive a rotation.
   */
  public List<byte[]> deriveAll(String purpose, String context) {
    return keys.stream().map(encryptionKey -> derive(encryptionKey, purpose, context)).toList();
  }

  /**
   * A box of keys that derive from these for one purpose: its holders can compute neither these
   * keys nor anything else that derives from them.
   */
  public SecretBox derived(String purpose) {
    return of(deriveAll("box " + purpose, "").toArray(byte[][]::new));
  }

  /** A box of the first key alone. */
  public SecretBox newest() {
    return new SecretBox(List.of(keys.getFirst()));
  }

  /** What the first key's sealed values begin with; other keys' do not. */
  public byte[] head() {
    return heads().getFirst();
  }

  List<byte[]> heads() {
    return keys.stream()
        .map(key -> ByteBuffer.allocate(HEAD_BYTES).put(FORMAT).put(key.id).array())
        .toList();
  }

  /** Whether sealed texts are of these keys, one each in this order. */
  static boolean begin(String[] sealed, List<byte[]> heads) {
    if (sealed.length != heads.size()) {
      return false;
    }
    for (int i = 0; i < sealed.length; i++) {
      // Eight characters are six bytes: the head and the first of the nonce.
      String start = sealed[i].substring(0, Math.min(sealed[i].length(), 8));
      if (!start.matches("[A-Za-z0-9_-]{8}")
          || !Arrays.equals(
              Arrays.copyOf(Base64.getUrlDecoder().decode(start), HEAD_BYTES), heads.get(i))) {
        return false;
      }
    }
    return true;
  }

  /** The keys as {@link #parse} reads them. */
  public String text() {
    return keys.stream()
        .map(key -> Base64.getEncoder().encodeToString(key.master.getEncoded()))
        .collect(Collectors.joining(","));
  }

  private static byte[] derive(EncryptionKey encryptionKey, String purpose, String context) {
    byte[] own = hmac(encryptionKey.master, "convoke derive " + purpose);
    return hmac(new SecretKeySpec(own, "HmacSHA256"), context);
  }

  private static byte[] crypt(
      int mode, EncryptionKey encryptionKey, String purpose, byte[] nonce, byte[] input) {
    try {
      Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
      cipher.init(mode, encryptionKey.sealing, new GCMParameterSpec(TAG_BITS, nonce));
      cipher.updateAAD(purpose.getBytes(StandardCharsets.UTF_8));
      return cipher.doFinal(input);
    } catch (javax.crypto.AEADBadTagException _) {
      throw new UnsealFailure("damaged, or sealed for another purpose");
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has AES-GCM", e);
    }
  }

  private static byte[] hmac(SecretKeySpec key, String text) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(key);
      return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has HMAC-SHA256", e);
    }
  }
}
