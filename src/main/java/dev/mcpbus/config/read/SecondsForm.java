package dev.mcpbus.config.read;

import dev.mcpbus.config.read.ConfigNode.ConfigMember;
import dev.mcpbus.config.read.ConfigNode.ValueType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Rewrites an entry of {@code mcp_servers}, where a number without a unit counts seconds, so that
 * it means the same under {@code mcpServers} and in {@code mcp.servers.add}. Pure.
 */
public final class SecondsForm {

  /** More is taken for milliseconds, and reported. */
  private static final double MAX_SECONDS = 3_600;

  private SecondsForm() {}

  public static ConfigNode rewritten(ConfigNode entry, String server, ProblemCollector problems) {
    if (!entry.is(ValueType.OBJECT)) {
      return entry;
    }
    List<ConfigMember> members = new ArrayList<>();
    for (ConfigMember member : entry.members()) {
      if (member.name().equals("timeout")) {
        members.add(member.with(seconds(member.value())));
        if (member.value().is(ValueType.NUMBER)
            && member.value().number().doubleValue() > MAX_SECONDS) {
          problems.add(
              member.line(),
              server,
              "\"timeout\" counts seconds here, and this is more than an hour",
              "Write the unit: \"30s\" or \"30000ms\"");
        }
      } else if (!member.name().equals("retry")) {
        members.add(member);
      } else if (entry.get("restart") == null) {
        restart(member).ifPresent(members::add);
      }
    }
    return ConfigNode.object(entry.line(), members);
  }

  /** A number of seconds as a text with its unit; anything else as it is. */
  static ConfigNode seconds(ConfigNode value) {
    if (!value.is(ValueType.NUMBER) && !value.text().matches("\\d{1,12}")) {
      return value;
    }
    double seconds = value.number().doubleValue();
    String text =
        seconds == Math.rint(seconds)
            ? value.number().longValue() + "s"
            : Math.round(seconds * 1_000) + "ms";
    return ConfigNode.text(value.line(), text);
  }

  /** {@code retry} as {@code restart}; empty where it says what is the default. */
  private static Optional<ConfigMember> restart(ConfigMember retry) {
    ConfigNode value = retry.value();
    List<ConfigMember> parts = new ArrayList<>();
    if (value.is(ValueType.NUMBER)) {
      parts.add(intensity(value));
    } else if (value.is(ValueType.BOOLEAN) && value.text().equals("false")) {
      parts.add(intensity(ConfigNode.scalar(ValueType.NUMBER, value.line(), "0")));
    } else {
      value.member("max_attempts").ifPresent(most -> parts.add(intensity(most.value())));
      value.members().stream()
          .filter(part -> !ConfigKeys.RETRY.contains(part.name()))
          .forEach(parts::add); // the reader reports it
      List<ConfigMember> backoff = new ArrayList<>();
      put(value, "delay", "initial", backoff);
      put(value, "max_delay", "max", backoff);
      value.member("factor").ifPresent(backoff::add);
      if (!backoff.isEmpty()) {
        parts.add(
            new ConfigMember("backoff", value.line(), ConfigNode.object(value.line(), backoff)));
      }
    }
    return parts.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new ConfigMember("restart", retry.line(), ConfigNode.object(retry.line(), parts)));
  }

  private static ConfigMember intensity(ConfigNode restarts) {
    int line = restarts.line();
    return new ConfigMember(
        "intensity",
        line,
        ConfigNode.object(line, List.of(new ConfigMember("restarts", line, restarts))));
  }

  private static void put(ConfigNode from, String key, String as, List<ConfigMember> into) {
    from.member(key)
        .ifPresent(found -> into.add(new ConfigMember(as, found.line(), seconds(found.value()))));
  }
}
