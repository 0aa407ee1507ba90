package dev.mcpbus.soak;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.geom.Path2D;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.ToDoubleFunction;
import javax.imageio.ImageIO;

/** Draws what was seen: heap, objects, threads and handles, time of the steady calls. */
final class SoakChart {

  private static final int WIDTH = 1_100;
  private static final int HEIGHT = 230;
  private static final int LEFT = 70;
  private static final int RIGHT = 330;
  private static final int TOP = 30;
  private static final int BOTTOM = 30;
  private static final Color[] COLORS = {
    new Color(0x1f77b4),
    new Color(0xd62728),
    new Color(0x2ca02c),
    new Color(0xff7f0e),
    new Color(0x9467bd),
    new Color(0x8c564b)
  };

  private final List<Observation> all;
  private final Graphics2D to;
  private int panel;

  private SoakChart(List<Observation> all, Graphics2D to) {
    this.all = all;
    this.to = to;
  }

  static void draw(List<Observation> all, Path file) {
    BufferedImage image = new BufferedImage(WIDTH, HEIGHT * 5, BufferedImage.TYPE_INT_RGB);
    Graphics2D to = image.createGraphics();
    to.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
    to.setFont(new Font(Font.SANS_SERIF, Font.PLAIN, 12));
    to.setColor(Color.WHITE);
    to.fillRect(0, 0, image.getWidth(), image.getHeight());
    new SoakChart(all, to).panels();
    to.dispose();
    try {
      ImageIO.write(image, "png", file.toFile());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void panels() {
    Map<String, ToDoubleFunction<Observation>> lines = new LinkedHashMap<>();
    lines.put("heap after a collection", one -> one.objects().bytes() / 1e6);
    panel("MB", lines);
    lines.clear();
    lines.put("objects of our classes", one -> one.objects().own());
    panel("objects", lines);
    lines.clear();
    lines.put("threads", Observation::threads);
    lines.put("handles", Observation::handles);
    lines.put("children", Observation::children);
    panel("threads, handles, children", lines);
    lines.clear();
    lines.put("p99", Observation::p99Millis);
    lines.put("median", Observation::medianMillis);
    panel("ms of the steady calls", lines);
    lines.clear();
    fastest().forEach(name -> lines.put(shortened(name), one -> count(one, name)));
    panel("classes that moved most", lines);
  }

  private static double count(Observation one, String name) {
    return one.objects().counts().getOrDefault(name, 0L);
  }

  private static String shortened(String name) {
    return name.replace("dev.mcpbus.", "");
  }

  private List<String> fastest() {
    TreeSet<String> names = new TreeSet<>();
    all.forEach(
        one ->
            one.objects().counts().keySet().stream()
                .filter(name -> name.startsWith("dev.mcpbus."))
                .forEach(names::add));
    Observation first = all.get(Math.min(2, all.size() - 1));
    Observation last = all.get(all.size() - 1);
    return names.stream()
        .sorted(Comparator.comparingDouble(name -> count(first, name) - count(last, name)))
        .limit(COLORS.length)
        .toList();
  }

  private void panel(String title, Map<String, ToDoubleFunction<Observation>> lines) {
    int top = panel++ * HEIGHT + TOP;
    int height = HEIGHT - TOP - BOTTOM;
    int width = WIDTH - LEFT - RIGHT;
    double most =
        lines.values().stream()
                .flatMapToDouble(line -> all.stream().mapToDouble(line))
                .max()
                .orElse(1)
            * 1.1;
    double end = Math.max(1, all.get(all.size() - 1).seconds());
    to.setColor(Color.BLACK);
    to.drawString(title, LEFT, top - 8);
    for (int i = 0; i <= 4; i++) {
      int y = top + height - height * i / 4;
      to.setColor(new Color(0xdddddd));
      to.drawLine(LEFT, y, LEFT + width, y);
      to.setColor(Color.BLACK);
      to.drawString(String.format("%8.1f", most * i / 4), 8, y + 4);
      to.drawString(
          String.format("%.0f min", end * i / 4 / 60),
          LEFT + width * i / 4 - 12,
          top + height + 16);
    }
    int color = 0;
    for (Map.Entry<String, ToDoubleFunction<Observation>> line : lines.entrySet()) {
      to.setColor(COLORS[color % COLORS.length]);
      to.setStroke(new BasicStroke(1.6f));
      Path2D path = new Path2D.Double();
      for (Observation one : all) {
        double x = LEFT + one.seconds() / end * width;
        double y =
            top + height - line.getValue().applyAsDouble(one) / Math.max(1e-9, most) * height;
        if (path.getCurrentPoint() == null) {
          path.moveTo(x, y);
        } else {
          path.lineTo(x, y);
        }
      }
      to.draw(path);
      to.drawString(line.getKey(), LEFT + width + 12, top + 14 + color * 18);
      color++;
    }
  }
}
