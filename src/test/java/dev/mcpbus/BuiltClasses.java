package dev.mcpbus;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;

/** The classes of the build, wherever it put them, read once for the tests of a JVM. */
final class BuiltClasses {

  /** Without those of the tests, which lie elsewhere. */
  static final JavaClasses ALL =
      new ClassFileImporter()
          .importUrl(McpBus.class.getProtectionDomain().getCodeSource().getLocation());

  private BuiltClasses() {}
}
