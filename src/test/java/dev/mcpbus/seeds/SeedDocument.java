package dev.mcpbus.seeds;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** A document from which mcpbus comes: each of its rows is tried, as one test with its name. */
abstract class SeedDocument {

  abstract String title();

  abstract List<Row> rows();

  @TestFactory
  final Stream<DynamicTest> each_row_is_so() {
    SeedBed bed = SeedBed.start();
    return rows().stream()
        .map(row -> DynamicTest.dynamicTest(row.seed(), () -> bed.prove(row)))
        .onClose(bed::close);
  }

  /** The table of this document. */
  final String table() {
    StringBuilder table = new StringBuilder("## " + title() + "\n\n");
    table.append(
        "| seed | address | facade, or where else | how it was tried |\n|---|---|---|---|\n");
    rows().forEach(table::append);
    return table.toString();
  }
}
