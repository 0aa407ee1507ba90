package dev.mcpbus.directory.search;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.LinkedHashSet;
import java.util.Set;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.LowerCaseFilter;
import org.apache.lucene.analysis.StopFilter;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.apache.lucene.analysis.en.PorterStemFilter;
import org.apache.lucene.analysis.miscellaneous.ASCIIFoldingFilter;
import org.apache.lucene.analysis.miscellaneous.LengthFilter;
import org.apache.lucene.analysis.miscellaneous.WordDelimiterGraphFilter;
import org.apache.lucene.analysis.standard.StandardTokenizer;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;

/**
 * Splits a text into words, in the same way for tools and for queries: {@code createIssue}, {@code
 * create_issue} and {@code create-issue} become {@code create}, {@code issue} and {@code
 * createissue}. It removes case, accents and words such as "the". Any thread.
 */
final class WordTokenizer extends Analyzer {

  /** Words as written, for prefixes and for typos. */
  static final WordTokenizer PLAIN = new WordTokenizer(false);

  /** English stems, so that {@code issues} finds {@code issue}. */
  static final WordTokenizer STEMS = new WordTokenizer(true);

  private static final int MAX_LENGTH = 64;

  private static final int SPLITTING =
      WordDelimiterGraphFilter.GENERATE_WORD_PARTS
          | WordDelimiterGraphFilter.GENERATE_NUMBER_PARTS
          | WordDelimiterGraphFilter.SPLIT_ON_CASE_CHANGE
          | WordDelimiterGraphFilter.CATENATE_ALL
          | WordDelimiterGraphFilter.STEM_ENGLISH_POSSESSIVE;

  private final boolean stems;

  private WordTokenizer(boolean stems) {
    this.stems = stems;
  }

  @Override
  protected TokenStreamComponents createComponents(String field) {
    StandardTokenizer source = new StandardTokenizer();
    TokenStream words = new WordDelimiterGraphFilter(source, SPLITTING, null);
    words = new ASCIIFoldingFilter(new LowerCaseFilter(words));
    words = new StopFilter(words, EnglishAnalyzer.ENGLISH_STOP_WORDS_SET);
    words = new LengthFilter(words, 1, MAX_LENGTH);
    return new TokenStreamComponents(source, stems ? new PorterStemFilter(words) : words);
  }

  /** The distinct words, in order, {@code most} at most. */
  Set<String> of(String text, int most) {
    Set<String> words = new LinkedHashSet<>();
    try (TokenStream stream = tokenStream("text", text)) {
      CharTermAttribute word = stream.addAttribute(CharTermAttribute.class);
      stream.reset();
      while (words.size() < most && stream.incrementToken()) {
        words.add(word.toString());
      }
    } catch (IOException e) {
      throw new UncheckedIOException("a text in memory cannot fail to be read", e);
    }
    return words;
  }
}
