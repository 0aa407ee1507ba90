package dev.mcpbus.directory.search;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.apache.lucene.index.IndexReader;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.BoostQuery;
import org.apache.lucene.search.ConstantScoreQuery;
import org.apache.lucene.search.DisjunctionMaxQuery;
import org.apache.lucene.search.FuzzyQuery;
import org.apache.lucene.search.MatchAllDocsQuery;
import org.apache.lucene.search.MultiTermQuery;
import org.apache.lucene.search.PrefixQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.TermInSetQuery;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.util.BytesRef;
import org.jspecify.annotations.Nullable;

/**
 * Builds a Lucene query from a text. The text is split into words and never parsed, so no character
 * in it is an operator. The work is bounded for any text: the number of characters, of words, of
 * words searched with typos, and of expansions of a word. Worker threads.
 */
final class ToolQuery {

  static final int MAX_CHARACTERS = 1_024;
  static final int MAX_WORDS = 32;
  private static final int MAX_TYPOS = 8;
  private static final int MAX_EXPANSIONS = 32;
  private static final int MIN_PREFIX = 2;

  /**
   * Longer words are searched without typos: few are words of a language, and the search is slow.
   */
  private static final int MAX_TYPO_LENGTH = 24;

  /** The weight of a word in a field. */
  private record Weight(String field, float boost) {}

  private static final List<Weight> WEIGHTS =
      List.of(
          new Weight(ToolDocument.NAME, 3.0f),
          new Weight(ToolDocument.TITLE, 2.0f),
          new Weight(ToolDocument.SERVER, 2.0f),
          new Weight(ToolDocument.DESCRIPTION, 1.2f),
          new Weight(ToolDocument.PARAMETERS, 0.6f));

  private static final Set<String> NAMES = Set.of(ToolDocument.NAME, ToolDocument.TITLE);

  /** The weight of the other fields that contain a word, relative to its best field. */
  private static final float TIE = 0.3f;

  /** The tools preferred for a text without a verb, such as "github issues": those that read. */
  private static final Query READING =
      new TermInSetQuery(
          ToolDocument.NAME,
          List.of(new BytesRef("get"), new BytesRef("list"), new BytesRef("read")));

  private static final float READING_BOOST = 2.0f;
  private static final float EXACT_BOOST = 50.0f;
  private static final float PREFIX_BOOST = 0.8f;
  private static final float SYNONYM_BOOST = 1.8f;
  private static final float TYPO_BOOST = 0.7f;

  private final IndexReader reader;
  private int typos = MAX_TYPOS;

  private ToolQuery(IndexReader reader) {
    this.reader = reader;
  }

  /**
   * @param reader of the index: words that it contains are not searched with typos
   * @param servers ids of the servers wanted; null for all
   */
  static Query of(String typed, @Nullable Collection<String> servers, IndexReader reader)
      throws IOException {
    BooleanQuery.Builder query = new BooleanQuery.Builder();
    query.add(new ToolQuery(reader).words(typed), Occur.MUST);
    if (servers != null) {
      List<BytesRef> ids = servers.stream().map(BytesRef::new).toList();
      query.add(new TermInSetQuery(ToolDocument.OWNER, ids), Occur.FILTER);
    }
    return query.build();
  }

  private Query words(String typed) throws IOException {
    String text = typed.strip();
    if (text.isEmpty()) {
      return new ConstantScoreQuery(new MatchAllDocsQuery());
    }
    String cut = text.length() > MAX_CHARACTERS ? text.substring(0, MAX_CHARACTERS) : text;
    BooleanQuery.Builder any = new BooleanQuery.Builder();
    Query exact = new TermQuery(new Term(ToolDocument.EXACT, ToolDocument.exact(cut)));
    any.add(new BoostQuery(new ConstantScoreQuery(exact), EXACT_BOOST), Occur.SHOULD);
    boolean verb = false;
    for (String word : WordTokenizer.PLAIN.of(cut, MAX_WORDS)) {
      String stem = stem(word);
      any.add(word(word, stem), Occur.SHOULD);
      verb |= !VerbSynonyms.like(stem).isEmpty();
    }
    if (verb) {
      return any.build();
    }
    return new BooleanQuery.Builder()
        .add(any.build(), Occur.MUST)
        .add(new BoostQuery(new ConstantScoreQuery(READING), READING_BOOST), Occur.SHOULD)
        .build();
  }

  private static String stem(String word) {
    Set<String> stems = WordTokenizer.STEMS.of(word, 1);
    return stems.isEmpty() ? word : stems.iterator().next();
  }

  private Query word(String word, String stem) throws IOException {
    List<Query> names = new ArrayList<>();
    List<Query> places = new ArrayList<>();
    boolean known = false;
    for (Weight weight : WEIGHTS) {
      Term term = new Term(weight.field, stem);
      if (reader.docFreq(term) > 0) {
        known = true;
        Query found = new BoostQuery(new TermQuery(term), weight.boost);
        (NAMES.contains(weight.field) ? names : places).add(found);
      }
    }
    for (String verb : VerbSynonyms.like(stem)) {
      names.add(new BoostQuery(new TermQuery(new Term(ToolDocument.NAME, verb)), SYNONYM_BOOST));
    }
    // Singular or plural: the word as typed counts a little more.
    places.add(new TermQuery(new Term(ToolDocument.WORDS, word)));
    if (word.length() >= MIN_PREFIX) {
      names.add(new BoostQuery(beginning(word), PREFIX_BOOST));
    }
    int edits = edits(word);
    if (!known && edits > 0 && typos > 0) {
      typos--;
      names.add(new BoostQuery(typo(ToolDocument.WORDS, word, edits), TYPO_BOOST * 3));
      places.add(new BoostQuery(typo(ToolDocument.DESCRIPTION, stem, edits), TYPO_BOOST));
    }
    // A title repeats the name: a tool with a title must not score higher for it.
    places.add(new DisjunctionMaxQuery(names, 0));
    return new DisjunctionMaxQuery(places, TIE);
  }

  private static Query beginning(String word) {
    return new PrefixQuery(
        new Term(ToolDocument.WORDS, word),
        new MultiTermQuery.TopTermsScoringBooleanQueryRewrite(MAX_EXPANSIONS));
  }

  /** The first letter must match: this avoids most of the work. */
  private static Query typo(String field, String word, int edits) {
    return new FuzzyQuery(new Term(field, word), edits, 1, MAX_EXPANSIONS, true);
  }

  private static int edits(String word) {
    int length = word.length();
    if (length < 4 || length > MAX_TYPO_LENGTH) {
      return 0;
    }
    return length < 8 ? 1 : 2;
  }
}
