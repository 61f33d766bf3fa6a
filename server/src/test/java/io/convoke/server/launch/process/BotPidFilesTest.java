package io.convoke.server.launch.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.util.Iterator;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The home of a bot is deleted by a server that may delete anything, and nothing else is. */
class BotPidFilesTest {
  @TempDir Path folder;
  private Path home;
  private Path outside;

  @BeforeEach
  void makeAHome() throws IOException {
    home = Files.createDirectories(folder.resolve("home"));
    Files.writeString(Files.createDirectories(home.resolve("a/b")).resolve("file"), "of the bot");
    outside = Files.createDirectories(folder.resolve("outside")).resolve("file");
    Files.writeString(outside, "of the server");
  }

  @Test
  void aHomeIsDeletedWithItsLinksAndNotWhatTheyLeadTo() throws IOException {
    BotPidFiles files = new BotPidFiles(folder.resolve("records"));
    files.create();
    Path note = Files.writeString(folder.resolve("records/bot-1.home"), home.toString());
    Files.createSymbolicLink(home.resolve("a/link"), outside.getParent());
    Files.createSymbolicLink(home.resolve("a/b/link"), outside);
    files.delete("bot-1");
    assertThat(home).doesNotExist();
    assertThat(note).doesNotExist();
    assertThat(outside).hasContent("of the server");
  }

  @Test
  void aLinkThatTakesAFoldersPlaceWhileTheHomeIsDeletedLeadsNowhere() throws IOException {
    try (DirectoryStream<Path> around = Files.newDirectoryStream(folder)) {
      SecureDirectoryStream<Path> watched =
          new WatchedFolder(
              (SecureDirectoryStream<Path>) around,
              () -> {
                Files.move(home, folder.resolve("moved"));
                Files.createSymbolicLink(home, outside.getParent());
              });
      assertThatThrownBy(() -> BotPidFiles.deleteTree(watched, home.getFileName(), 10))
          .isInstanceOf(IOException.class);
    }
    assertThat(outside).hasContent("of the server");
  }

  @Test
  void aHomeOfTooManyFoldersInOneAnotherIsLeft() throws IOException {
    try (DirectoryStream<Path> around = Files.newDirectoryStream(folder)) {
      SecureDirectoryStream<Path> all = (SecureDirectoryStream<Path>) around;
      assertThatThrownBy(() -> BotPidFiles.deleteTree(all, home.getFileName(), 2))
          .isInstanceOf(IOException.class)
          .hasMessage("too many folders in one another at b");
    }
    assertThat(home.resolve("a/b/file")).hasContent("of the bot");
  }

  /** What another process does. */
  @FunctionalInterface
  private interface OtherProcess {
    void act() throws IOException;
  }

  /** A folder in which another process acts just before a folder in it is opened. */
  private record WatchedFolder(SecureDirectoryStream<Path> real, OtherProcess other)
      implements SecureDirectoryStream<Path> {
    @Override
    public SecureDirectoryStream<Path> newDirectoryStream(Path path, LinkOption... options)
        throws IOException {
      other.act();
      return real.newDirectoryStream(path, options);
    }

    @Override
    public SeekableByteChannel newByteChannel(
        Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
        throws IOException {
      return real.newByteChannel(path, options, attributes);
    }

    @Override
    public void deleteFile(Path path) throws IOException {
      real.deleteFile(path);
    }

    @Override
    public void deleteDirectory(Path path) throws IOException {
      real.deleteDirectory(path);
    }

    @Override
    public void move(Path source, SecureDirectoryStream<Path> target, Path name)
        throws IOException {
      real.move(source, target, name);
    }

    @Override
    public <V extends FileAttributeView> V getFileAttributeView(Class<V> type) {
      return real.getFileAttributeView(type);
    }

    @Override
    public <V extends FileAttributeView> V getFileAttributeView(
        Path path, Class<V> type, LinkOption... options) {
      return real.getFileAttributeView(path, type, options);
    }

    @Override
    public Iterator<Path> iterator() {
      return real.iterator();
    }

    @Override
    public void close() throws IOException {
      real.close();
    }
  }
}
