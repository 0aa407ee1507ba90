package dev.mcpbus.seeds;

import dev.mcpbus.bus.Addresses;
import java.lang.reflect.Field;
import java.util.HashSet;
import java.util.Set;

/** The words of a row. Stateless. */
final class Words {

  private Words() {}

  /** Every whole address of the bus. */
  static Set<String> addresses() {
    Set<String> whole = new HashSet<>();
    for (Field field : Addresses.class.getFields()) {
      try {
        if (field.getType() == String.class
            && String.valueOf(field.get(null)).startsWith(Addresses.OURS)) {
          whole.add((String) field.get(null));
        }
      } catch (IllegalAccessException e) {
        throw new AssertionError(e);
      }
    }
    return whole;
  }

  /** Whether a run shows that the word was used; a class is used by the code of the row. */
  static boolean isUsed(String word) {
    return !Character.isUpperCase(word.charAt(0)) || word.startsWith("POST ");
  }
}
