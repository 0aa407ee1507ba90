package dev.mcpbus.config.read;

import dev.mcpbus.config.MessageTexts;
import dev.mcpbus.config.read.ConfigNode.ConfigMember;
import dev.mcpbus.config.read.ConfigNode.ValueType;
import dev.mcpbus.config.read.ParsedText.Mistake;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.common.Anchor;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.DocumentStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.NodeEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.Tag;
import org.snakeyaml.engine.v2.schema.CoreSchema;

/**
 * Parses YAML 1.2 and keeps the line of every value. Works on parser events with its own stack, so
 * that depth, size and the expansion of aliases are bounded before anything is built. Refuses tags:
 * a configuration must not name a class.
 */
public final class YamlParser {

  private static final CoreSchema SCHEMA = new CoreSchema();

  private final LoadSettings settings =
      LoadSettings.builder()
          .setSchema(SCHEMA)
          .setUseMarks(true)
          .setCodePointLimit(ParsedText.MAX_BYTES)
          .build();

  private final List<Mistake> mistakes = new ArrayList<>();
  private final Deque<Open> stack = new ArrayDeque<>();
  private final Map<Anchor, Anchored> anchors = new HashMap<>();
  private int nodes;
  private @Nullable ConfigNode root;

  /** A complete value that aliases may repeat, with its number of nodes. */
  private record Anchored(ConfigNode node, int size) {}

  /** An unfinished collection. */
  private static final class Open {
    final boolean mapping;
    final int line;
    final Optional<Anchor> anchor;
    final int nodesBefore;
    final List<ConfigMember> members = new ArrayList<>();
    final Map<String, Integer> seen = new HashMap<>();
    final List<ConfigNode> items = new ArrayList<>();
    @Nullable ConfigNode key;

    Open(boolean mapping, int line, Optional<Anchor> anchor, int nodesBefore) {
      this.mapping = mapping;
      this.line = line;
      this.anchor = anchor;
      this.nodesBefore = nodesBefore;
    }
  }

  /** Stops the parser. */
  private static final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1L;
    final transient Mistake mistake;

    Refused(int line, String message, String remedy) {
      super(message);
      mistake = new Mistake(line, message, remedy);
    }
  }

  public static ParsedText parse(String text) {
    return new YamlParser().document(text);
  }

  private ParsedText document(String text) {
    try {
      int documents = 0;
      for (Event event : new Parse(settings).parseString(text)) {
        if (event instanceof DocumentStartEvent && ++documents > 1) {
          throw new Refused(line(event), "a second document starts here", "Keep one per file");
        }
        accept(event);
      }
    } catch (Refused e) {
      return new ParsedText(null, List.of(e.mistake));
    } catch (YamlEngineException e) {
      return ParsedText.broken(YamlSyntax.mistake(text, e));
    }
    if (root == null) {
      return ParsedText.broken(
          1, "the file is empty", "Write mcp_servers: with at least one server");
    }
    return new ParsedText(root, mistakes);
  }

  private void accept(Event event) {
    switch (event.getEventId()) {
      case MappingStart, SequenceStart -> open((CollectionStartEvent) event);
      case MappingEnd, SequenceEnd -> close();
      case Scalar -> scalar((ScalarEvent) event);
      case Alias -> alias((AliasEvent) event);
      default -> {
        // Stream and document marks carry no value.
      }
    }
  }

  private void open(CollectionStartEvent event) {
    refuseTag(event.getTag(), event);
    if (stack.size() >= ParsedText.MAX_DEPTH) {
      throw new Refused(
          line(event), "nested deeper than " + ParsedText.MAX_DEPTH + " levels", "Make it flatter");
    }
    count(1, event);
    stack.push(
        new Open(
            event.getEventId() == Event.ID.MappingStart, line(event), event.getAnchor(), nodes));
  }

  private void close() {
    Open done = stack.pop();
    ConfigNode node =
        done.mapping
            ? ConfigNode.object(done.line, done.members)
            : ConfigNode.array(done.line, done.items);
    int size = nodes - done.nodesBefore + 1;
    done.anchor.ifPresent(anchor -> anchors.put(anchor, new Anchored(node, size)));
    add(node, done.line);
  }

  private void scalar(ScalarEvent event) {
    refuseTag(event.getTag(), event);
    count(1, event);
    ValueType kind = ValueType.STRING;
    if (event.isPlain()) {
      Tag tag = SCHEMA.getScalarResolver().resolve(event.getValue(), true);
      if (tag.equals(Tag.INT) || tag.equals(Tag.FLOAT)) {
        kind = ValueType.NUMBER;
      } else if (tag.equals(Tag.BOOL)) {
        kind = ValueType.BOOLEAN;
      } else if (tag.equals(Tag.NULL)) {
        kind = ValueType.NULL;
      }
    }
    ConfigNode node = ConfigNode.scalar(kind, line(event), event.getValue());
    event.getAnchor().ifPresent(anchor -> anchors.put(anchor, new Anchored(node, 1)));
    add(node, line(event));
  }

  private void alias(AliasEvent event) {
    Anchored anchored = anchors.get(event.getAlias());
    if (anchored == null) {
      throw new Refused(
          line(event),
          "an alias stands here for something that is not defined above",
          "Define it first, or quote the text if it is meant to start with *");
    }
    count(anchored.size, event);
    add(anchored.node, line(event));
  }

  private void add(ConfigNode node, int line) {
    Open parent = stack.peek();
    if (parent == null) {
      root = node;
    } else if (!parent.mapping) {
      parent.items.add(node);
    } else if (parent.key == null) {
      if (node.is(ValueType.OBJECT) || node.is(ValueType.ARRAY)) {
        throw new Refused(line, "a key must be a text", "Write a plain word before the colon");
      }
      parent.key = node;
    } else {
      String name = parent.key.text();
      int keyLine = parent.key.line();
      parent.key = null;
      Integer before = parent.seen.putIfAbsent(name, keyLine);
      if (before == null) {
        parent.members.add(new ConfigMember(name, keyLine, node));
      } else {
        mistakes.add(
            new Mistake(
                keyLine,
                "the key "
                    + MessageTexts.quote(name)
                    + " stands twice, on lines "
                    + before
                    + " and "
                    + keyLine,
                "Remove or rename one of them"));
      }
    }
  }

  /** An alias counts as many nodes as it repeats, which bounds an alias bomb. */
  private void count(int more, Event event) {
    nodes += more;
    if (nodes > ParsedText.MAX_NODES) {
      throw new Refused(
          line(event),
          "more than " + ParsedText.MAX_NODES + " values, aliases counted with what they repeat",
          "Write the values out, or split the file");
    }
  }

  private static void refuseTag(Optional<String> tag, NodeEvent event) {
    if (tag.isPresent()) {
      throw new Refused(line(event), "YAML tags (!...) are refused", "Remove the tag");
    }
  }

  private static int line(Event event) {
    return event.getStartMark().map(Mark::getLine).orElse(-1) + 1;
  }
}
